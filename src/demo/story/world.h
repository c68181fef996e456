// What the world of the demo looks like in each kind of trouble.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "demo/story/act.h"

namespace holdfast {

struct World {
  std::map<std::string, std::string> files;  // of the configuration directory, by name
  bool has_control_plane = true;
  bool has_backends = true;

  friend bool operator==(const World&, const World&) = default;
};

// `backends` are the endpoints of the service: "127.0.0.1:9001".
World WorldIn(Mishap trouble, const std::vector<std::string>& backends);

// What a client reads that is called `node` in the words of the control plane at `address`.
std::string BootstrapText(const std::string& address, const std::string& node);

// The environment of a child: ours ("NAME=value" each), but for what would lead it elsewhere or
// change what it logs, and with `more`. What switches features of a client stays.
std::vector<std::string> ChildEnvironment(const std::vector<std::string>& ours,
                                          const std::vector<std::string>& more);

}  // namespace holdfast

// Where the configuration comes from: a directory of files, or the program itself.
//
// A source publishes what is to be served whenever it changes, each time newer than before: first
// all of it, then all of it or the names that changed (Contents::only). It never takes back what it
// cannot read: what was good stays until it knows better.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "control/catalog/view.h"
#include "control/source/resource_notes.h"

namespace holdfast {

struct Published {
  Contents contents;
  // Somebody meant these contents to be served, be they empty. False as long as nothing is known,
  // and if mistakes have left nothing.
  bool has_good_configuration = false;
  // What is wrong, a line each, for logs and /readyz; empty if nothing is. Serving goes on.
  std::vector<std::string> problems;
  // Which of these are about which resource.
  ResourceNotes notes;
};

class Source {
 public:
  virtual ~Source() = default;

  // `publish` is called from a thread of the source, never twice at once, never after Stop()
  // returned; the first time before Start() returns, with whatever is known by then (maybe nothing,
  // and then not synced).
  virtual void Start(std::function<void(Published)> publish) = 0;
  // Blocks until no call of `publish` is running.
  virtual void Stop() = 0;
};

}  // namespace holdfast

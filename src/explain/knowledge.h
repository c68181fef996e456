// Everything that was found out about a question, before anybody draws a conclusion from it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "explain/api_answer.h"
#include "explain/fleet.h"
#include "explain/links.h"

namespace holdfast {

// What became of a connection to an address, tried from this machine.
struct Dialled {
  std::string error;  // "connection refused"; "": somebody accepted

  friend bool operator==(const Dialled&, const Dialled&) = default;
};

// An xDS server that clients are told to use.
struct ServerReach {
  std::string address;
  std::string error;             // why it cannot be reached; "": it can, or nobody tried
  bool was_tried = true;         // false: it is written in a way that cannot be tried from here
  bool takes_no_stream = false;  // it can be reached, and `error` is what became of a stream

  friend bool operator==(const ServerReach&, const ServerReach&) = default;
};

struct Knowledge {
  absl::Time time;
  // Whose view is taken: of one client, or of all of them at once.
  std::optional<FleetClient> client;
  // The client's process was asked itself (CSDS), so nothing of what it has is unknown.
  bool is_told_by_client = false;
  // All there are: with `client` for suggestions, without it for who stands how.
  std::vector<FleetClient> clients;

  // What the control plane says; without one, only clients were asked.
  bool has_control_plane = false;
  std::map<Link, std::optional<PlaneResource>> served;  // of what was asked; nullopt: not there
  std::map<std::string, std::set<std::string>> names;   // all it serves, by type
  PlaneErrors errors;
  // What whoever was asked says is missing from its own answers; "": nothing.
  std::string incomplete;

  std::map<std::string, Dialled> dialled;  // by address
  std::vector<ServerReach> servers;        // in the order of the bootstrap; empty: none is known
};

}  // namespace holdfast

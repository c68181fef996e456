// The note of a leaf cluster, which every error of its policies quotes (gRFC A88): what is wrong
// around it, or at least which client this is.
//
//   listener "pay", cluster "c1": xds server "cp:18000": cannot be reached: UNAVAILABLE: connection
//   refused; using the cached resource (node "web-1")
//
//   xDS node ID: web-1
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "channel/config/dependency.h"

namespace holdfast {

struct NotePart {
  Dependency what;
  std::string text;  // as the watcher heard it, or our own words; never empty
  bool is_ambient_error = true;

  friend bool operator==(const NotePart&, const NotePart&) = default;
};

// `parts` in the order listener, routes, cluster, endpoints. What several of them say alike, one
// after the other, is said once, with all their names before it: a server that cannot be reached is
// one trouble, not four. Without an ambient error the note ends with the node id.
std::string ResolutionNote(const std::vector<NotePart>& parts, absl::string_view node_id);

// cluster "c1": what is wrong, for every sentence that quotes a watcher: with the name of the
// resource before it, once; without the node id, which the sentence has at its own end; bounded.
std::string Quote(const Dependency& what, absl::string_view text, absl::string_view node_id);

// What a watcher's error says to somebody who sees neither its code nor its server: with those,
// where the server answered with an error, and with the version, where one was rejected.
std::string WatcherWords(const absl::Status& error);

// ` (node "web-1")`, the end of a sentence; empty for a client without id.
std::string NodeSuffix(absl::string_view node_id);

}  // namespace holdfast

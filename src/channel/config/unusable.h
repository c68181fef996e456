// The sentences of what cannot be used: where, what, and what it means for calls.
//
// Always UNAVAILABLE, whatever the code of the watcher's error was (R11.40): NOT_FOUND and others
// are the application's.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "channel/config/dependency.h"
#include "channel/config/resolution_note.h"
#include "resources/route_config.h"

namespace holdfast {

// For whom the sentences are.
struct Audience {
  std::string target;  // "xds:///pay"
  std::string node_id;
};

// Of the whole channel. `text` is the watcher's.
absl::Status ChannelUnusable(const Audience& audience, const Dependency& what,
                             absl::string_view text);
// `above` are the ambient errors of the listener and the routes: maybe why these are the wrong
// ones. `where` is the resource that the routes came with, which may be the listener.
absl::Status NoVirtualHost(const Audience& audience, const Dependency& where,
                           const RouteConfig& routes, absl::string_view authority,
                           const std::vector<NotePart>& above);

// Of one cluster.
absl::Status ClusterUnusable(absl::string_view node_id, absl::string_view cluster,
                             absl::string_view text);
// `at` is the first cluster that is nested too deep.
absl::Status AggregateTooDeep(absl::string_view node_id, absl::string_view cluster,
                              absl::string_view at);
// `reasons` are those of its members, as Quote() has them; none: they are aggregates of each other.
absl::Status AggregateWithoutLeaves(absl::string_view node_id, absl::string_view cluster,
                                    const std::vector<std::string>& reasons);

// How many clusters may be inside one another, the outermost and the innermost counted.
inline constexpr int kMostAggregateLevels = 16;

}  // namespace holdfast

// Watches what a channel needs, and puts it together: one consistent configuration, no tears
// (gRFC A74), with what ambient errors there are as a note (gRFC A88).
//
//   ResourceArrived ─┐                      ┌─ WatchResource, UnwatchResource
//   ResourceFailed  ─┼─▶ graph, from the ───┼─ ApplyConfig (only what changed)
//   AmbientError…   ─┤   listener down      └─ FailCalls
//   ClusterHeld …   ─┘
//
// What always holds:
// 1. Routing is applied, with all its clusters, when every part of its graph is there or known to
//    fail; until then the routing before stays in force, and with it its clusters. A part that
//    never comes fails by the resource timer of the client; one whose server cannot be reached is
//    waited for as long as there is something that works in its place.
// 2. A cluster that is in force, or held, changes when it is complete again itself, without waiting
//    for others: one new cluster that is slow must not keep the endpoints of the rest from moving.
//    One that the newest routes leave is held back from becoming unusable, as long as it is in
//    force.
// 3. What is watched is what the newest graph needs, and the clusters in force and those held; and
//    nothing else, also while the graph is incomplete.
// 4. Only the listener and the routes fail everything; a cluster's error is that cluster's; missing
//    endpoints leave the cluster, with a note. Ambient errors fail nothing.
// 5. Handling one piece of news costs what depends on it, not what there is. What changes nothing
//    has no effect.
//
// The effects of one event: watches that start, what is applied, watches that end, sorted.
//
// Not thread-safe.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "channel/config/dependency.h"
#include "channel/config/xds_config.h"

namespace holdfast {

// The type fits the kind of the dependency it came for; never null.
using DependencyValue =
    std::variant<std::shared_ptr<const Listener>, std::shared_ptr<const RouteConfig>,
                 std::shared_ptr<const Cluster>, std::shared_ptr<const Endpoints>>;

struct ResourceArrived {  // its ambient error, if there was one, is over
  Dependency what;
  DependencyValue value;
};
struct ResourceFailed {  // OnResourceChanged with an error
  Dependency what;
  absl::Status why;
};
struct AmbientErrorChanged {  // OnAmbientError; means nothing without a value
  Dependency what;
  absl::Status error;  // OK: it is over
};
// A call that waits holds on to the cluster it chose, also when no route leads there any more. As
// often let go as held.
struct ClusterHeld {
  std::string cluster;
};
struct ClusterLetGo {
  std::string cluster;
};
using DependencyEvent =
    std::variant<ResourceArrived, ResourceFailed, AmbientErrorChanged, ClusterHeld, ClusterLetGo>;

struct WatchResource {
  Dependency what;
  friend bool operator==(const WatchResource&, const WatchResource&) = default;
};
struct UnwatchResource {
  Dependency what;
  friend bool operator==(const UnwatchResource&, const UnwatchResource&) = default;
};
// Never empty. Without routing it leaves things as they are: failing, if FailCalls came last.
struct ApplyConfig {
  ConfigChange change;
  friend bool operator==(const ApplyConfig&, const ApplyConfig&) = default;
};
// There is no routing: every call fails, except those that wait for better times. Always
// UNAVAILABLE. The clusters of the routes are gone, but for those that are held: if there were any,
// an ApplyConfig right behind this one removes them by name.
struct FailCalls {
  absl::Status why;
  friend bool operator==(const FailCalls&, const FailCalls&) = default;
};
using DependencyEffect = std::variant<WatchResource, UnwatchResource, ApplyConfig, FailCalls>;
using DependencyEffects = std::vector<DependencyEffect>;

// One line, for journals and failing tests.
std::ostream& operator<<(std::ostream& out, const DependencyEvent& event);
std::ostream& operator<<(std::ostream& out, const DependencyEffect& effect);

struct DependencyOptions {
  std::string target;         // for texts: "xds:///pay"
  std::string listener_name;  // the resource
  std::string authority;      // of the calls; chooses the virtual host
  std::string node_id;
};

class DependencyManager {
 public:
  explicit DependencyManager(DependencyOptions options);
  ~DependencyManager();
  DependencyManager(const DependencyManager&) = delete;
  DependencyManager& operator=(const DependencyManager&) = delete;

  // Once, before anything else.
  DependencyEffects Start();
  // News of what is no longer watched changes nothing.
  DependencyEffects Handle(const DependencyEvent& event);

 private:
  class Graph;
  std::unique_ptr<Graph> graph_;
};

}  // namespace holdfast

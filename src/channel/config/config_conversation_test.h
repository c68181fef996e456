// Talking to the dependency manager, for its tests: a story is told event by event, and each event
// is answered by a list of lines, all of them, in their order.
//
//   Conversation talk;
//   EXPECT_EQ(talk.Arrives(ListenerTo("r")), Lines({"watch route configuration \"r\""}));
//   ...
//   EXPECT_EQ(talk.Arrives(EndpointsAt("e", "10.0.0.1")),
//             Lines({"apply", "  routes r, virtual host v", "  c = c at 10.0.0.1"}));
//
// A note is shown only if it says more than the node id of "web-1", or is all that changed.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "channel/config/dependency_manager.h"

namespace holdfast {

inline constexpr char kPlainNote[] = "xDS node ID: web-1";

struct Lines {
  Lines() = default;
  explicit Lines(std::vector<std::string> its_lines) : lines(std::move(its_lines)) {}
  std::vector<std::string> lines;

  friend bool operator==(const Lines&, const Lines&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Lines& all) {
    if (all.lines.empty()) return out << "\n    nothing";
    for (const std::string& line : all.lines) out << "\n    " << line;
    return out;
  }
};

inline const Lines kNothing;

inline Dependency Lds() { return {DependencyKind::kListener, "pay"}; }
inline Dependency Rds(std::string name) { return {DependencyKind::kRoutes, std::move(name)}; }
inline Dependency Cds(std::string name) { return {DependencyKind::kCluster, std::move(name)}; }
inline Dependency Eds(std::string name) { return {DependencyKind::kEndpoints, std::move(name)}; }

inline std::shared_ptr<const Listener> ListenerTo(std::string routes) {
  Listener listener{.name = "pay", .routes = Listener::RdsName{std::move(routes)}};
  return std::make_shared<const Listener>(std::move(listener));
}
inline std::shared_ptr<const Listener> ListenerWith(RouteConfig routes) {
  Listener listener{.name = "pay", .routes = std::move(routes)};
  return std::make_shared<const Listener>(std::move(listener));
}

inline Route RouteTo(const std::string& cluster) {
  Route route;
  route.match.path = absl::StrCat("/", cluster);
  route.action = ForwardAction{.clusters = cluster};
  return route;
}
inline RouteConfig RoutesTo(std::string name, const std::vector<std::string>& clusters) {
  VirtualHost host{.name = "v", .domains = {"pay.example"}};
  for (const std::string& cluster : clusters) host.routes.push_back(RouteTo(cluster));
  return {.name = std::move(name), .virtual_hosts = {host}};
}

inline Cluster EdsCluster(std::string name, std::string endpoints) {
  return {.name = std::move(name), .discovery = Cluster::Eds{std::move(endpoints)}};
}
inline Cluster DnsCluster(std::string name) {
  return {.name = std::move(name), .discovery = Cluster::LogicalDns{"pay.internal", 443}};
}
inline Cluster AggregateOf(std::string name, std::vector<std::string> members) {
  return {.name = std::move(name), .discovery = Cluster::Aggregate{std::move(members)}};
}
inline Endpoints EndpointsAt(std::string name, const std::string& ip) {
  const Endpoint endpoint{.addresses = {{ip, 443}}};
  const LocalityEndpoints locality{.locality = {}, .weight = 1, .endpoints = {endpoint}};
  return {.cluster_name = std::move(name), .priorities = {{locality}}};
}

inline std::string TextOf(const LeafCluster& leaf) {
  std::string text = absl::StrCat(leaf.cluster->name, " without endpoints");
  if (leaf.endpoints != nullptr) {
    const bool is_empty =
        leaf.endpoints->priorities.empty() || leaf.endpoints->priorities[0][0].endpoints.empty();
    text = absl::StrCat(
        leaf.cluster->name, " at ",
        is_empty ? "nothing" : leaf.endpoints->priorities[0][0].endpoints[0].addresses[0].ip);
  }
  if (leaf.resolution_note != kPlainNote) absl::StrAppend(&text, " (", leaf.resolution_note, ")");
  return text;
}
inline std::string TextOf(const ClusterResult& result) {
  if (!result.ok()) {
    return absl::StrCat(absl::StatusCodeToString(result.status().code()), ": ",
                        result.status().message());
  }
  return absl::StrJoin((*result)->leaves, ", ", [](std::string* text, const LeafCluster& leaf) {
    absl::StrAppend(text, TextOf(leaf));
  });
}

class Conversation {
 public:
  static DependencyOptions Options() {
    return {.target = "xds:///pay",
            .listener_name = "pay",
            .authority = "pay.example",
            .node_id = "web-1"};
  }

  Conversation() { EXPECT_EQ(LinesOf(manager_.Start()), Lines({"watch listener \"pay\""})); }

  Lines Arrives(std::shared_ptr<const Listener> value) {
    return Tell(ResourceArrived{Lds(), std::move(value)});
  }
  Lines Arrives(RouteConfig value) {
    const Dependency what = Rds(value.name);
    return Tell(ResourceArrived{what, std::make_shared<const RouteConfig>(std::move(value))});
  }
  Lines Arrives(Cluster value) {
    const Dependency what = Cds(value.name);
    return Tell(ResourceArrived{what, std::make_shared<const Cluster>(std::move(value))});
  }
  Lines Arrives(Endpoints value) {
    const Dependency what = Eds(value.cluster_name);
    return Tell(ResourceArrived{what, std::make_shared<const Endpoints>(std::move(value))});
  }
  Lines Fails(Dependency what, absl::Status why) {
    return Tell(ResourceFailed{std::move(what), std::move(why)});
  }
  Lines AmbientError(Dependency what, absl::Status error) {
    return Tell(AmbientErrorChanged{std::move(what), std::move(error)});
  }
  Lines Tell(const DependencyEvent& event) { return LinesOf(manager_.Handle(event)); }

  // The shortest way to one cluster with endpoints.
  void Begin() {
    Arrives(ListenerTo("r"));
    Arrives(RoutesTo("r", {"c"}));
    Arrives(EdsCluster("c", "e"));
    EXPECT_EQ(Arrives(EndpointsAt("e", "10.0.0.1")),
              Lines({"apply", "  routes r, virtual host v", "  c = c at 10.0.0.1"}));
  }

  static Lines LinesOf(const DependencyEffects& effects) {
    Lines all;
    for (const DependencyEffect& effect : effects) {
      std::visit([&](const auto& its_kind) { Append(its_kind, all.lines); }, effect);
    }
    return all;
  }

 private:
  static void Append(const WatchResource& effect, std::vector<std::string>& lines) {
    lines.push_back(absl::StrCat("watch ", TextOf(effect.what)));
  }
  static void Append(const UnwatchResource& effect, std::vector<std::string>& lines) {
    lines.push_back(absl::StrCat("unwatch ", TextOf(effect.what)));
  }
  static void Append(const FailCalls& effect, std::vector<std::string>& lines) {
    lines.push_back(absl::StrCat("fail ", absl::StatusCodeToString(effect.why.code()), ": ",
                                 effect.why.message()));
  }
  static void Append(const ApplyConfig& effect, std::vector<std::string>& lines) {
    lines.push_back("apply");
    if (const RoutingConfig* routing = effect.change.routing.get()) {
      lines.push_back(absl::StrCat("  routes ", routing->routes->name, ", virtual host ",
                                   routing->virtual_host->name));
    }
    const std::string& note = effect.change.routing_note;
    if (!note.empty() && (note != kPlainNote || effect.change.routing == nullptr)) {
      lines.push_back(absl::StrCat("  routing (", note, ")"));
    }
    for (const auto& [name, result] : effect.change.clusters) {
      lines.push_back(absl::StrCat("  ", name, " = ", TextOf(result)));
    }
    for (const std::string& name : effect.change.removed) {
      lines.push_back(absl::StrCat("  no ", name));
    }
  }

  DependencyManager manager_{Options()};
};

}  // namespace holdfast

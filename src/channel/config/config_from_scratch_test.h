// What the dependency manager should have come to, computed from nothing but what is known now: no
// indexes, no counters, nothing kept up to date. For random tests.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "channel/config/config_conversation_test.h"
#include "channel/config/resolution_note.h"
#include "channel/config/unusable.h"
#include "channel/routing/virtual_host.h"

namespace holdfast {

struct Knowledge {
  std::optional<DependencyValue> value;
  std::string failure;
  std::string ambient_error;
};

// What watchers have heard; only of what is watched.
struct World {
  std::map<Dependency, Knowledge> known;

  template <typename Value>
  const Value* Find(const Dependency& what) const {
    const auto at = known.find(what);
    if (at == known.end() || !at->second.value.has_value()) return nullptr;
    return std::get<std::shared_ptr<const Value>>(*at->second.value).get();
  }
  bool IsAnswered(const Dependency& what) const {
    const auto at = known.find(what);
    return at != known.end() && (at->second.value.has_value() || !at->second.failure.empty());
  }
  std::string ErrorOf(const Dependency& what) const {
    const auto at = known.find(what);
    return at == known.end() ? "" : at->second.ambient_error;
  }
};

// Routing of the newest listener and routes, whether or not its clusters are there.
struct Wanted {
  bool is_known = false;
  const Listener* listener = nullptr;
  const RouteConfig* routes = nullptr;
  const VirtualHost* host = nullptr;  // null though it is known: calls fail
};

inline std::optional<Dependency> RoutesOf(const Listener& listener) {
  const auto* rds = std::get_if<Listener::RdsName>(&listener.routes);
  if (rds == nullptr) return std::nullopt;
  return Rds(rds->name);
}

inline Wanted WantedOf(const World& world) {
  Wanted wanted;
  wanted.is_known = world.IsAnswered(Lds());
  wanted.listener = world.Find<Listener>(Lds());
  if (wanted.listener == nullptr) return wanted;
  if (const std::optional<Dependency> rds = RoutesOf(*wanted.listener)) {
    wanted.is_known = world.IsAnswered(*rds);
    wanted.routes = world.Find<RouteConfig>(*rds);
  } else {
    wanted.routes = &std::get<RouteConfig>(wanted.listener->routes);
  }
  if (wanted.routes != nullptr) wanted.host = FindVirtualHost(*wanted.routes, "pay.example");
  return wanted;
}

// The test's routes are all to one cluster each.
inline std::set<std::string> ClustersOf(const VirtualHost* host) {
  std::set<std::string> names;
  if (host == nullptr) return names;
  for (const Route& route : host->routes) {
    names.insert(std::get<std::string>(std::get<ForwardAction>(route.action).clusters));
  }
  return names;
}

struct Flat {
  std::vector<std::string> clusters;
  bool is_too_deep = false;
};

inline void Flatten(const World& world, const std::string& name, int level, Flat& flat) {
  if (flat.is_too_deep) return;
  if (std::count(flat.clusters.begin(), flat.clusters.end(), name) > 0) return;
  if (level > 16) {
    flat.is_too_deep = true;
    return;
  }
  flat.clusters.push_back(name);
  const Cluster* cluster = world.Find<Cluster>(Cds(name));
  if (cluster == nullptr) return;
  const auto* aggregate = std::get_if<Cluster::Aggregate>(&cluster->discovery);
  if (aggregate == nullptr) return;
  for (const std::string& member : aggregate->clusters) Flatten(world, member, level + 1, flat);
}

inline Flat FlatOf(const World& world, const std::string& root) {
  Flat flat;
  Flatten(world, root, 1, flat);
  return flat;
}

inline std::optional<Dependency> EndpointsOf(const Cluster* cluster) {
  if (cluster == nullptr) return std::nullopt;
  const auto* eds = std::get_if<Cluster::Eds>(&cluster->discovery);
  if (eds == nullptr) return std::nullopt;
  return Eds(eds->name);
}

inline bool IsComplete(const World& world, const std::string& root) {
  const Flat flat = FlatOf(world, root);
  if (flat.is_too_deep) return true;
  for (const std::string& name : flat.clusters) {
    if (!world.IsAnswered(Cds(name))) return false;
    const std::optional<Dependency> eds = EndpointsOf(world.Find<Cluster>(Cds(name)));
    if (eds.has_value() && !world.IsAnswered(*eds)) return false;
  }
  return true;
}

inline std::set<Dependency> NeededBy(const World& world, const std::set<std::string>& roots) {
  std::set<Dependency> needed = {Lds()};
  const Wanted wanted = WantedOf(world);
  if (wanted.listener != nullptr) {
    if (const std::optional<Dependency> rds = RoutesOf(*wanted.listener)) needed.insert(*rds);
  }
  for (const std::string& root : roots) {
    for (const std::string& name : FlatOf(world, root).clusters) {
      needed.insert(Cds(name));
      const std::optional<Dependency> eds = EndpointsOf(world.Find<Cluster>(Cds(name)));
      if (eds.has_value()) needed.insert(*eds);
    }
  }
  return needed;
}

// A leaf in one line, of a cluster that is known. `above` are the errors of listener and routes.
inline std::string LeafText(const World& world, const std::string& name,
                            std::vector<NotePart> parts) {
  const Cluster* cluster = world.Find<Cluster>(Cds(name));
  LeafCluster leaf{std::make_shared<const Cluster>(*cluster), nullptr, ""};
  const std::string error = world.ErrorOf(Cds(name));
  if (!error.empty()) parts.push_back({Cds(name), error});
  if (const std::optional<Dependency> eds = EndpointsOf(cluster)) {
    const Knowledge& known = world.known.at(*eds);
    if (!known.ambient_error.empty()) parts.push_back({*eds, known.ambient_error});
    if (!known.failure.empty()) parts.push_back({*eds, known.failure, false});
    if (known.value.has_value()) {
      leaf.endpoints = std::get<std::shared_ptr<const Endpoints>>(*known.value);
    }
  }
  leaf.resolution_note = ResolutionNote(parts, "web-1");
  return TextOf(leaf);
}

// Whether calls to a complete root would find an endpoint.
inline bool CanBeUsed(const World& world, const std::string& root) {
  const Flat flat = FlatOf(world, root);
  if (flat.is_too_deep) return false;
  return std::any_of(flat.clusters.begin(), flat.clusters.end(), [&](const std::string& name) {
    const Cluster* cluster = world.Find<Cluster>(Cds(name));
    if (cluster == nullptr) return false;
    const std::optional<Dependency> eds = EndpointsOf(cluster);
    return eds.has_value() ? world.Find<Endpoints>(*eds) != nullptr
                           : std::holds_alternative<Cluster::LogicalDns>(cluster->discovery);
  });
}

// The result of a complete root, in one line; of an error only its code and whose it is.
inline std::string ResultText(const World& world, const std::string& root,
                              const std::vector<NotePart>& above) {
  const Flat flat = FlatOf(world, root);
  std::vector<NotePart> around = above;
  for (const std::string& name : flat.clusters) {
    if (world.Find<Cluster>(Cds(name)) != nullptr || around.size() == above.size() + 5) continue;
    around.push_back({Cds(name), world.known.at(Cds(name)).failure, false});
  }
  std::vector<std::string> leaves;
  for (const std::string& name : flat.clusters) {
    const Cluster* cluster = world.Find<Cluster>(Cds(name));
    if (cluster == nullptr || std::holds_alternative<Cluster::Aggregate>(cluster->discovery)) {
      continue;
    }
    leaves.push_back(flat.is_too_deep ? "" : LeafText(world, name, around));
  }
  if (flat.is_too_deep || leaves.empty()) {
    return absl::StrCat("UNAVAILABLE: cluster \"", root, "\": ");
  }
  return absl::StrJoin(leaves, ", ");
}

}  // namespace holdfast

#include "control/catalog/references.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "wire/envelope.h"
#include "wire/wire_reader.h"
#include "xds/resource_name.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

// Calls `visit` with each message or string at the end of a path of field numbers.
void ForEachAt(absl::string_view message, std::initializer_list<uint32_t> path,
               absl::FunctionRef<void(absl::string_view)> visit) {
  const auto walk = [&visit](const auto& self, absl::string_view bytes, const uint32_t* field,
                             const uint32_t* end) -> void {
    if (field == end) {
      visit(bytes);
      return;
    }
    WireReader reader(bytes);
    for (WireField found; reader.Next(found);) {
      if (found.Is(*field)) self(self, found.bytes, field + 1, end);
    }
  };
  walk(walk, message, path.begin(), path.end());
}

std::string TextAt(absl::string_view message, std::initializer_list<uint32_t> path) {
  std::string last;
  ForEachAt(message, path, [&last](absl::string_view text) { last = std::string(text); });
  return last;
}

bool Has(absl::string_view message, std::initializer_list<uint32_t> path) {
  bool has = false;
  ForEachAt(message, path, [&has](absl::string_view) { has = true; });
  return has;
}

// envoy.config.core.v3.ConfigSource: ads = 3, self = 5.
bool IsFetchedHere(absl::string_view config_source) {
  return Has(config_source, {3}) || Has(config_source, {5});
}

using Found = std::vector<ResourceKey>;

// The members of an aggregate cluster, of which a client asks for each.
void ClustersOfAggregate(absl::string_view cluster, Found& found) {
  static constexpr absl::string_view kAggregate =
      "envoy.extensions.clusters.aggregate.v3.ClusterConfig";
  ForEachAt(cluster, {38, 2}, [&found](absl::string_view any) {  // cluster_type.typed_config
    if (WithoutTypeUrlPrefix(TextAt(any, {1})) != kAggregate) return;
    ForEachAt(any, {2, 1}, [&found](absl::string_view name) {
      if (!name.empty()) found.push_back({std::string(kClusterTypeName), std::string(name)});
    });
  });
}

void EndpointsOfCluster(absl::string_view cluster, Found& found) {
  constexpr uint64_t kEds = 3;
  uint64_t type = 0;
  WireReader reader(cluster);
  for (WireField field; reader.Next(field);) {
    if (field.number == 2 && field.type == WireType::kVarint) type = field.varint;
  }
  if (type != kEds) return;
  std::string config;
  ForEachAt(cluster, {3}, [&](absl::string_view eds) { config += std::string(eds); });
  std::string source;
  ForEachAt(config, {1}, [&](absl::string_view part) { source += std::string(part); });
  if (!IsFetchedHere(source)) return;
  std::string name = TextAt(config, {2});
  if (name.empty()) name = TextAt(cluster, {1});
  if (!name.empty()) found.push_back({std::string(kEndpointsTypeName), name});
}

// The HttpConnectionManagers of a listener.
void ForEachConnectionManager(absl::string_view listener,
                              absl::FunctionRef<void(absl::string_view)> visit) {
  static constexpr absl::string_view kManager =
      "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
  const auto look = [&visit](absl::string_view any) {
    if (WithoutTypeUrlPrefix(TextAt(any, {1})) == kManager) ForEachAt(any, {2}, visit);
  };
  ForEachAt(listener, {19, 1}, look);     // api_listener.api_listener
  ForEachAt(listener, {3, 3, 4}, look);   // filter_chains.filters.typed_config
  ForEachAt(listener, {25, 3, 4}, look);  // default_filter_chain.filters.typed_config
}

void RoutesOfListener(absl::string_view listener, Found& found) {
  ForEachConnectionManager(listener, [&found](absl::string_view manager) {
    ForEachAt(manager, {3}, [&found](absl::string_view rds) {
      std::string name = TextAt(rds, {2});
      if (!name.empty() && IsFetchedHere(TextAt(rds, {1}))) {
        found.push_back({std::string(kRouteConfigTypeName), std::move(name)});
      }
    });
  });
}

void ClustersOfRoutes(absl::string_view routes, Found& found) {
  const auto add = [&found](absl::string_view name) {
    if (!name.empty()) found.push_back({std::string(kClusterTypeName), std::string(name)});
  };
  // virtual_hosts.routes.route, and there: cluster, weighted_clusters.clusters.name.
  ForEachAt(routes, {2, 3, 2}, [&](absl::string_view action) {
    ForEachAt(action, {1}, add);
    ForEachAt(action, {3, 1, 1}, add);
  });
}

Found Tidied(Found found) {
  for (ResourceKey& key : found) key.name = CanonicalName(key.name, key.type);
  absl::c_sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

std::vector<ResourceKey> ChildrenOf(absl::string_view type, absl::string_view body) {
  Found found;
  if (type == kClusterTypeName) EndpointsOfCluster(body, found);
  if (type == kListenerTypeName) RoutesOfListener(body, found);
  return Tidied(std::move(found));
}

std::vector<ResourceKey> ReferencesOf(absl::string_view type, absl::string_view body) {
  Found found = ChildrenOf(type, body);
  if (type == kClusterTypeName) ClustersOfAggregate(body, found);
  if (type == kRouteConfigTypeName) ClustersOfRoutes(body, found);
  if (type == kListenerTypeName) {
    ForEachConnectionManager(body, [&found](absl::string_view manager) {
      ForEachAt(manager, {4}, [&found](absl::string_view routes) {  // route_config, inline
        ClustersOfRoutes(routes, found);
      });
    });
  }
  return Tidied(std::move(found));
}

}  // namespace holdfast

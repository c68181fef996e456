#include "channel/config/xds_config.h"

#include <algorithm>
#include <variant>

namespace holdfast {
namespace {

// Equal values are mostly the same one, and then there is nothing to read.
template <typename Value>
bool SameValue(const Value* a, const Value* b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

}  // namespace

bool operator==(const LeafCluster& a, const LeafCluster& b) {
  return a.resolution_note == b.resolution_note && SameValue(a.cluster.get(), b.cluster.get()) &&
         SameValue(a.endpoints.get(), b.endpoints.get());
}

bool operator==(const ClusterConfig& a, const ClusterConfig& b) {
  return SameValue(a.cluster.get(), b.cluster.get()) && a.leaves == b.leaves;
}

bool SameResult(const ClusterResult& a, const ClusterResult& b) {
  if (!a.ok() || !b.ok()) return a.status() == b.status();
  return SameValue(a->get(), b->get());
}

bool HasEndpoint(const Endpoints& endpoints) {
  for (const std::vector<LocalityEndpoints>& priority : endpoints.priorities) {
    for (const LocalityEndpoints& locality : priority) {
      for (const Endpoint& endpoint : locality.endpoints) {
        if (endpoint.health != HealthStatus::kDraining) return true;
      }
    }
  }
  return false;
}

bool CanBeUsed(const ClusterResult& result) {
  return result.ok() &&
         std::any_of((*result)->leaves.begin(), (*result)->leaves.end(), [](const auto& leaf) {
           return leaf.endpoints != nullptr
                      ? HasEndpoint(*leaf.endpoints)
                      : std::holds_alternative<Cluster::LogicalDns>(leaf.cluster->discovery);
         });
}

bool operator==(const RoutingConfig& a, const RoutingConfig& b) {
  return SameValue(a.listener.get(), b.listener.get()) &&
         SameValue(a.routes.get(), b.routes.get()) && SameValue(a.virtual_host, b.virtual_host);
}

bool operator==(const ConfigChange& a, const ConfigChange& b) {
  return SameValue(a.routing.get(), b.routing.get()) && a.routing_note == b.routing_note &&
         a.removed == b.removed &&
         std::equal(a.clusters.begin(), a.clusters.end(), b.clusters.begin(), b.clusters.end(),
                    [](const auto& one, const auto& other) {
                      return one.first == other.first && SameResult(one.second, other.second);
                    });
}

}  // namespace holdfast

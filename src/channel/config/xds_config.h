// The configuration of a channel: what the dependency manager makes of listener, routes, clusters
// and endpoints (gRFC A74).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "resources/cluster.h"
#include "resources/endpoints.h"
#include "resources/listener.h"
#include "resources/route_config.h"

namespace holdfast {

// A cluster that has endpoints of its own, by EDS or DNS.
struct LeafCluster {
  std::shared_ptr<const Cluster> cluster;      // never an aggregate
  std::shared_ptr<const Endpoints> endpoints;  // null: by DNS, or not to be had (the note says why)
  // What every error of this cluster's policies quotes: ambient errors, else the node id (gRFC
  // A88).
  std::string resolution_note;

  friend bool operator==(const LeafCluster& a, const LeafCluster& b);
};

struct ClusterConfig {
  std::shared_ptr<const Cluster> cluster;
  // Itself, or the leaves of an aggregate by falling priority; never empty.
  std::vector<LeafCluster> leaves;

  friend bool operator==(const ClusterConfig& a, const ClusterConfig& b);
};

// Or UNAVAILABLE, with why nothing can be sent to this cluster.
using ClusterResult = absl::StatusOr<std::shared_ptr<const ClusterConfig>>;

// Whether they say the same; pointers are followed, here and everywhere in this file.
bool SameResult(const ClusterResult& a, const ClusterResult& b);

// Whether there is any endpoint to send calls to. What a name in the DNS leads to is not known
// here.
bool HasEndpoint(const Endpoints& endpoints);
bool CanBeUsed(const ClusterResult& result);

struct RoutingConfig {
  std::shared_ptr<const Listener> listener;
  std::shared_ptr<const RouteConfig> routes;
  const VirtualHost* virtual_host = nullptr;  // in routes; never null

  friend bool operator==(const RoutingConfig& a, const RoutingConfig& b);
};

// What is different from the configuration before; to be applied as one.
//
// Clusters are those that calls may be sent to: of the routes, or held. The members of an aggregate
// are in its leaves, and not here unless calls go to them, too.
struct ConfigChange {
  std::shared_ptr<const RoutingConfig> routing;  // null: as before
  // What a call quotes that no route leads anywhere: the ambient errors of the listener and the
  // routes, else the node id. Empty: as before.
  std::string routing_note;
  std::map<std::string, ClusterResult> clusters;  // new or changed
  std::vector<std::string> removed;               // sorted

  bool is_empty() const {
    return routing == nullptr && routing_note.empty() && clusters.empty() && removed.empty();
  }

  friend bool operator==(const ConfigChange& a, const ConfigChange& b);
};

}  // namespace holdfast

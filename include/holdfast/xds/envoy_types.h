// The four types of resources that gRPC uses, as bytes that passed gRPC's rules.
//
// Holdfast checks every field that it knows and rejects (NACKs) what gRPC would reject; what
// reaches a watcher is the serialized message, to be parsed with whichever generated code your
// program has.
#pragma once

#include <string>

#include "holdfast/export.h"
#include "holdfast/xds/resource_type.h"

namespace holdfast {

struct EnvoyResource {
  std::string bytes;

  friend bool operator==(const EnvoyResource& a, const EnvoyResource& b) {
    return a.bytes == b.bytes;
  }
};

// envoy.config.listener.v3.Listener
HOLDFAST_EXPORT const ResourceType<EnvoyResource>& EnvoyListenerType();
// envoy.config.route.v3.RouteConfiguration
HOLDFAST_EXPORT const ResourceType<EnvoyResource>& EnvoyRouteType();
// envoy.config.cluster.v3.Cluster
HOLDFAST_EXPORT const ResourceType<EnvoyResource>& EnvoyClusterType();
// envoy.config.endpoint.v3.ClusterLoadAssignment
HOLDFAST_EXPORT const ResourceType<EnvoyResource>& EnvoyEndpointsType();

}  // namespace holdfast

// The four types of resources that both sides treat in a way of their own, by name.
#pragma once

#include "absl/strings/string_view.h"

namespace holdfast {

inline constexpr absl::string_view kListenerTypeName = "envoy.config.listener.v3.Listener";
inline constexpr absl::string_view kRouteConfigTypeName =
    "envoy.config.route.v3.RouteConfiguration";
inline constexpr absl::string_view kClusterTypeName = "envoy.config.cluster.v3.Cluster";
inline constexpr absl::string_view kEndpointsTypeName =
    "envoy.config.endpoint.v3.ClusterLoadAssignment";

// Types of which a SotW response lists everything, so that absence means deletion (R1.41), and of
// which a client may ask for everything (R1.50).
inline bool IsFullStateType(absl::string_view type_name) {
  return type_name == kListenerTypeName || type_name == kClusterTypeName;
}

}  // namespace holdfast

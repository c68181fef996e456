// envoy.config.route.v3.RouteMatch: which calls take a route (gRFC A28).
#pragma once

#include <optional>

#include "base/validation_errors.h"
#include "resources/route_config.h"

namespace envoy::config::route::v3 {
class RouteMatch;
}

namespace holdfast {

// nullopt: no gRPC call can match it (R12.43, R12.44), so its route is skipped, whatever else is in
// it and in the route.
std::optional<RouteMatch> DecodeRouteMatch(const envoy::config::route::v3::RouteMatch& message,
                                           ValidationErrors& errors);

}  // namespace holdfast

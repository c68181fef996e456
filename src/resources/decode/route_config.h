// envoy.config.route.v3.RouteConfiguration, a resource of its own or inside a Listener.
#pragma once

#include <string>
#include <vector>

#include "base/validation_errors.h"
#include "resources/route_config.h"
#include "xds/any_resource_type.h"

namespace envoy::config::route::v3 {
class RouteConfiguration;
}

namespace holdfast {

// `not_enforced` gets the paths, from the message down, of the retry and hash policies in use.
RouteConfig DecodeRoutes(const envoy::config::route::v3::RouteConfiguration& message,
                         const DecodeContext& context, ValidationErrors& errors,
                         std::vector<std::string>& not_enforced);

}  // namespace holdfast

// envoy.config.route.v3.RouteAction: where a call goes, for how long, and by which hash.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "base/validation_errors.h"
#include "resources/route_config.h"

namespace envoy::config::route::v3 {
class RouteAction;
}

namespace holdfast {

// What an action may depend on besides itself.
struct RouteScope {
  // The names in cluster_specifier_plugins. This build knows no type of plugin: a route that names
  // one of these is skipped, because either the plugin is optional or it is an error already.
  std::set<std::string> plugins;
  bool is_trusted_server = false;  // gRFC A81
};

// nullopt: the route is skipped (R12.49, R12.55), and nothing else in it is validated. The retry
// policy is the route's own; its virtual host's is the caller's business.
std::optional<ForwardAction> DecodeForwardAction(
    const envoy::config::route::v3::RouteAction& message, const RouteScope& scope,
    ValidationErrors& errors);

}  // namespace holdfast

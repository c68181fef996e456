// envoy.config.listener.v3.Listener of a gRPC client: an api_listener with an HTTP connection
// manager inside.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "resources/http_filter.h"
#include "resources/route_config.h"

namespace holdfast {

struct Listener {
  struct RdsName {
    std::string name;
    friend bool operator==(const RdsName&, const RdsName&) = default;
  };

  std::string name;
  std::variant<RdsName, RouteConfig> routes;
  std::vector<HttpFilter> http_filters;  // the last one is the router
  // The default for routes that set none (gRFC A31).
  std::optional<absl::Duration> max_stream_duration;

  friend bool operator==(const Listener&, const Listener&) = default;
};

}  // namespace holdfast

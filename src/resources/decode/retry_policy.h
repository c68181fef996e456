// envoy.config.route.v3.RetryPolicy, of a route or a virtual host (gRFC A44).
#pragma once

#include <optional>

#include "base/validation_errors.h"
#include "resources/route_config.h"

namespace envoy::config::route::v3 {
class RetryPolicy;
}

namespace holdfast {

// nullopt: none of its conditions is one that gRPC knows, so nothing is ever retried.
std::optional<RetryPolicy> DecodeRetryPolicy(const envoy::config::route::v3::RetryPolicy& message,
                                             ValidationErrors& errors);

}  // namespace holdfast

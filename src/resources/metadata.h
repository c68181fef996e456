// envoy.config.core.v3.Metadata: free-form values by namespace, a few of them typed.
#pragma once

#include <map>
#include <string>
#include <variant>

#include "base/json_value.h"

namespace holdfast {

// envoy.extensions.filters.http.gcp_authn.v3.Audience (gRFC A83).
struct GcpAudience {
  std::string url;
  friend bool operator==(const GcpAudience&, const GcpAudience&) = default;
};
// envoy.config.core.v3.Address in the metadata of an endpoint or locality (gRFC A86).
struct ProxyAddress {
  std::string host_and_port;  // "10.0.0.7:3128", "[::1]:3128"
  friend bool operator==(const ProxyAddress&, const ProxyAddress&) = default;
};

using Metadata = std::map<std::string, std::variant<JsonValue, GcpAudience, ProxyAddress>>;

}  // namespace holdfast

// What a cluster wraps its connections in: TLS (gRFC A29, A101), an HTTP CONNECT proxy (A86), or
// TLS inside a proxy's tunnel.
//
// Knows no bootstrap: whether a certificate provider of that name exists is not checked here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/validation_errors.h"
#include "resources/cluster.h"

namespace envoy::config::core::v3 {
class TransportSocket;
}

namespace holdfast {

struct UpstreamSocket {
  std::optional<UpstreamTls> tls;
  bool uses_http11_proxy = false;
};

// At ".transport_socket"; `not_enforced` gets the paths of the wrappings.
UpstreamSocket DecodeTransportSocket(const envoy::config::core::v3::TransportSocket& message,
                                     ValidationErrors& errors,
                                     std::vector<std::string>& not_enforced);

}  // namespace holdfast

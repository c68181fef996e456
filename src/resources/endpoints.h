// envoy.config.endpoint.v3.ClusterLoadAssignment: where a cluster's endpoints are.
//
// Localities without a weight and endpoints that are neither healthy, unknown nor draining are not
// in here: the decoder leaves them out (R12.80, R12.84).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "resources/metadata.h"
#include "xds/node.h"

namespace holdfast {

enum class HealthStatus { kUnknown, kHealthy, kDraining };

struct SocketAddress {
  std::string ip;  // an IP literal, without brackets
  uint16_t port = 0;

  // "10.0.0.7:443", "[::1]:443".
  std::string HostAndPort() const;

  friend bool operator==(const SocketAddress&, const SocketAddress&) = default;
  friend auto operator<=>(const SocketAddress&, const SocketAddress&) = default;
};

struct Endpoint {
  // At least one; the first is the preferred one (gRFC A61).
  std::vector<SocketAddress> addresses;
  HealthStatus health = HealthStatus::kUnknown;
  uint32_t weight = 1;
  std::string hostname;               // gRFC A81
  std::string hash_key;               // gRFC A76, from metadata envoy.lb/hash_key
  std::optional<ProxyAddress> proxy;  // gRFC A86, the endpoint's, else its locality's

  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

struct LocalityEndpoints {
  Locality locality;
  uint32_t weight = 0;  // never 0 after decoding
  std::vector<Endpoint> endpoints;

  friend bool operator==(const LocalityEndpoints&, const LocalityEndpoints&) = default;
};

struct DropCategory {
  std::string category;
  uint32_t per_million = 0;

  friend bool operator==(const DropCategory&, const DropCategory&) = default;
};

struct Endpoints {
  std::string cluster_name;
  // By priority, from 0, no gaps; localities of a priority sorted by name.
  std::vector<std::vector<LocalityEndpoints>> priorities;
  std::vector<DropCategory> drops;

  friend bool operator==(const Endpoints&, const Endpoints&) = default;
};

}  // namespace holdfast

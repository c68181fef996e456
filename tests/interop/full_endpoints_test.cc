// What full_endpoints.py's load assignments are to us.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/interop/foreign_cases.h"

namespace holdfast {
namespace {

Endpoint PlainEndpoint(const std::string& ip, uint16_t port) {
  return {.addresses = {{.ip = ip, .port = port}}};
}

Endpoint FullEndpoint() {
  return {
      .addresses = {{.ip = "10.0.0.1", .port = 1001},
                    {.ip = "2001:db8::1", .port = 1002},
                    {.ip = "10.0.0.2", .port = 1003}},
      .health = HealthStatus::kHealthy,
      .weight = 51,
      .hostname = "host-1.example.com",
      .hash_key = "hash-key-1",
      .proxy = ProxyAddress{"10.9.0.1:3128"},
  };
}

// The only one of endpoints_by_health that gets calls. DRAINING is 3; the proxy is its locality's.
Endpoint DrainingEndpoint() {
  Endpoint endpoint = PlainEndpoint("10.0.1.1", 1103);
  endpoint.health = HealthStatus::kDraining;
  endpoint.proxy = ProxyAddress{"10.9.0.2:3129"};
  return endpoint;
}

// named_endpoints and overprovisioning_factor are ignored.
Expectation<Endpoints> Full() {
  const LocalityEndpoints near = {
      .locality = {.region = "region-1", .zone = "zone-1", .sub_zone = "sub-zone-1"},
      .weight = 52,
      .endpoints = {FullEndpoint(), DrainingEndpoint()},
  };
  const LocalityEndpoints far = {
      .locality = {.region = "region-2", .zone = "zone-2", .sub_zone = "sub-zone-2"},
      .weight = 53,
      .endpoints = {PlainEndpoint("10.0.2.1", 1201)},
  };
  return Accepted(Endpoints{
      .cluster_name = "endpoints-full",
      .priorities = {{near}, {far}},
      .drops = {{.category = "drop-hundred", .per_million = 10'000},
                {.category = "drop-ten-thousand", .per_million = 25'000},
                {.category = "drop-million", .per_million = 35'000}},
  });
}

// The list that was to replace lb_endpoints is a field that no client reads: ignored, as every
// field we do not support is.
Expectation<Endpoints> LoadBalancerEndpoints() {
  const LocalityEndpoints only = {
      .locality = {.region = "region-3", .zone = "zone-3", .sub_zone = "sub-zone-3"},
      .weight = 55,
      .endpoints = {PlainEndpoint("10.0.4.1", 1401)},
  };
  return Accepted(Endpoints{.cluster_name = "endpoints-list", .priorities = {{only}}});
}

Expectation<Endpoints> AddressedBy(const std::string& kind) {
  return Rejected<Endpoints>("endpoints[0].lb_endpoints[0].endpoint.address",
                             "must be a socket_address (got " + kind + ")");
}

Expectations<Endpoints> Cases() {
  return {
      {"full", Full()},
      {"load_balancer_endpoints", LoadBalancerEndpoints()},
      {"empty", Accepted(Endpoints{.cluster_name = "endpoints-empty"})},
      {"invalid_leds",
       Rejected<Endpoints>(
           "endpoints[0].leds_cluster_locality_config",
           "is not supported by this build yet; list the endpoints in lb_endpoints")},
      {"invalid_endpoint_name",
       Rejected<Endpoints>("endpoints[0].lb_endpoints[0].endpoint",
                           "must be set (got endpoint_name \"named-2\", which is not supported)")},
      {"invalid_pipe_address", AddressedBy("pipe")},
      {"invalid_internal_address", AddressedBy("envoy_internal_address")},
  };
}

TEST(FullEndpoints, DecodeToWhatTheirBuildersMeant) {
  ExpectAllDecoded("endpoints", DecodeEndpoints, DecodeContext(), Cases());
}

}  // namespace
}  // namespace holdfast

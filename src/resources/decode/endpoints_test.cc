// Valid endpoints: what is read, and what is left out without an error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "resources/decode/decode.h"
#include "tests/support/bad_resource.h"
#include "tests/support/text_resource.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kType[] = "envoy.config.endpoint.v3.ClusterLoadAssignment";

Endpoints Decode(absl::string_view text) {
  const Decoded<Endpoints> decoded = DecodeEndpoints(FromText(kType, text), {});
  EXPECT_EQ(decoded.errors.Text(), "");
  EXPECT_THAT(decoded.not_enforced, IsEmpty());
  return decoded.resource;
}

std::string Address(absl::string_view ip, int port = 80) {
  return absl::StrCat("address { socket_address { address: \"", ip, "\" port_value: ", port,
                      " } } ");
}

std::string LbEndpoint(absl::string_view ip, absl::string_view more = "") {
  return absl::StrCat("lb_endpoints { endpoint { ", Address(ip), " } ", more, " } ");
}

std::string InLocality(absl::string_view region, absl::string_view body) {
  return absl::StrCat("endpoints { locality { region: \"", region,
                      "\" } load_balancing_weight { value: 1 } ", body, " } ");
}

Endpoint At(const std::string& ip) { return {.addresses = {{ip, 80}}}; }

// The endpoints of the only locality.
std::vector<Endpoint> Only(absl::string_view lb_endpoints) {
  const Endpoints endpoints = Decode(InLocality("eu", lb_endpoints));
  return endpoints.priorities.at(0).at(0).endpoints;
}

std::string ProxyMetadata(absl::string_view ip) {
  return absl::StrCat(
      R"(metadata { typed_filter_metadata {
           key: "envoy.http11_proxy_transport_socket.proxy_address" value { )",
      AnyText("envoy.config.core.v3.Address",
              absl::StrCat("socket_address { address: \"", ip, "\" port_value: 3128 }")),
      " } } } ");
}

TEST(EndpointsDecoding, ReadsEverything) {  // R12.84, R12.85, R12.86, R12.88, R12.89, R12.91
  Endpoints expected;
  expected.cluster_name = "payments";
  Endpoint endpoint = {.addresses = {{"10.0.0.1", 80}, {"2001:db8::1", 81}, {"10.0.0.3", 0}},
                       .health = HealthStatus::kHealthy,
                       .weight = 4,
                       .hostname = "a.example",
                       .hash_key = "shard-7",
                       .proxy = ProxyAddress{"[fd00::1]:3128"}};
  expected.priorities = {
      {{.locality = {"eu", "eu-1", "a"}, .weight = 3, .endpoints = {endpoint}}},
      {{.locality = {}, .weight = 5, .endpoints = {}}},
  };
  expected.drops = {{"spare", 500000}};
  EXPECT_EQ(Decode(absl::StrCat(
                R"(cluster_name: "payments"
                   endpoints {
                     locality { region: "eu" zone: "eu-1" sub_zone: "a" }
                     load_balancing_weight { value: 3 }
                     lb_endpoints {
                       health_status: HEALTHY
                       load_balancing_weight { value: 4 }
                       endpoint { hostname: "a.example" )",
                Address("10.0.0.1"), " additional_addresses { ", Address("2001:0DB8::0:1", 81),
                " } additional_addresses { ", Address("::ffff:10.0.0.3", 0),
                " } } metadata { typed_filter_metadata { key: "
                "\"envoy.http11_proxy_transport_socket.proxy_address\" value { ",
                AnyText("envoy.config.core.v3.Address",
                        R"(socket_address { address: "fd00::1" port_value: 3128 })"),
                R"( } } filter_metadata { key: "envoy.lb" value { fields {
                          key: "hash_key" value { string_value: "shard-7" } } } } } } }
                   endpoints { locality {} load_balancing_weight { value: 5 } priority: 1 }
                   policy { overprovisioning_factor { value: 1 }
                            drop_overloads { category: "spare"
                                             drop_percentage { numerator: 50 } } })")),
            expected);
}

TEST(EndpointsDecoding, OfNothingAreValid) {  // R12.90
  EXPECT_EQ(Decode(""), Endpoints{});
  EXPECT_EQ(Decode(R"(cluster_name: "payments")"), Endpoints{.cluster_name = "payments"});
}

TEST(EndpointsDecoding, OfAnEmptyLocalityAreValid) {  // R12.90
  EXPECT_THAT(Decode(InLocality("eu", "")).priorities,
              ElementsAre(ElementsAre(LocalityEndpoints{.locality = {"eu"}, .weight = 1})));
}

TEST(EndpointsDecoding, SkipsALocalityWithoutWeightWhateverIsInIt) {  // R12.80
  const std::string all_wrong = R"(
    priority: 4294967295 lb_endpoints {} metadata { typed_filter_metadata { key: "k" value {} } }
    leds_cluster_locality_config {} )";
  const Endpoints expected = Decode(InLocality("eu", LbEndpoint("10.0.0.1")));
  EXPECT_EQ(Decode(InLocality("eu", LbEndpoint("10.0.0.1")) +
                   absl::StrCat("endpoints { ", all_wrong, " } endpoints { ", all_wrong,
                                "load_balancing_weight {} }")),
            expected);
}

TEST(EndpointsDecoding, SkippedLocalitiesRepeatNothing) {  // R12.80, R12.83, R12.87
  const std::string skipped =
      absl::StrCat("endpoints { locality { region: \"eu\" } ", LbEndpoint("10.0.0.1"), " } ");
  const Endpoints endpoints = Decode(skipped + InLocality("eu", LbEndpoint("10.0.0.1")) + skipped);
  EXPECT_THAT(endpoints.priorities,
              ElementsAre(ElementsAre(LocalityEndpoints{
                  .locality = {"eu"}, .weight = 1, .endpoints = {At("10.0.0.1")}})));
}

TEST(EndpointsDecoding, TakesWeightsThatJustFit) {  // R12.81
  const auto weighted = [](absl::string_view region, absl::string_view weight,
                           absl::string_view priority) {
    return absl::StrCat("endpoints { locality { region: \"", region,
                        "\" } load_balancing_weight { value: ", weight, " } priority: ", priority,
                        " } ");
  };
  // The sum counts within a priority only.
  const Endpoints endpoints = Decode(weighted("a", "4294967294", "0") + weighted("b", "1", "0") +
                                     weighted("a", "4294967295", "1"));
  EXPECT_EQ(endpoints.priorities.size(), 2u);
}

TEST(EndpointsDecoding, SortsByPriorityAndLocality) {  // R12.82
  const Endpoints endpoints =
      Decode(InLocality("b", "priority: 1") + InLocality("c", "") + InLocality("a", "priority: 1") +
             InLocality("a", "") + InLocality("z", "priority: 2"));
  EXPECT_THAT(endpoints.priorities,
              ElementsAre(ElementsAre(LocalityEndpoints{.locality = {"a"}, .weight = 1},
                                      LocalityEndpoints{.locality = {"c"}, .weight = 1}),
                          ElementsAre(LocalityEndpoints{.locality = {"a"}, .weight = 1},
                                      LocalityEndpoints{.locality = {"b"}, .weight = 1}),
                          ElementsAre(LocalityEndpoints{.locality = {"z"}, .weight = 1})));
}

TEST(EndpointsDecoding, KeepsOnlyEndpointsThatMayGetCalls) {  // R12.84
  Endpoint healthy = At("10.0.0.2");
  healthy.health = HealthStatus::kHealthy;
  Endpoint draining = At("10.0.0.3");
  draining.health = HealthStatus::kDraining;
  EXPECT_THAT(Only(LbEndpoint("10.0.0.1", "health_status: UNKNOWN") +
                   LbEndpoint("10.0.0.2", "health_status: HEALTHY") +
                   LbEndpoint("10.0.0.3", "health_status: DRAINING") +
                   LbEndpoint("10.0.0.4", "health_status: UNHEALTHY") +
                   LbEndpoint("10.0.0.5", "health_status: TIMEOUT") +
                   LbEndpoint("10.0.0.6", "health_status: DEGRADED") +
                   LbEndpoint("10.0.0.7", "health_status: 77")),
              ElementsAre(At("10.0.0.1"), healthy, draining));
}

TEST(EndpointsDecoding, DropsUnhealthyEndpointsUnread) {  // R12.84
  EXPECT_THAT(Only(LbEndpoint("10.0.0.1") + "lb_endpoints { health_status: UNHEALTHY } " +
                   LbEndpoint("10.0.0.1", "health_status: UNHEALTHY") +
                   LbEndpoint("not an ip", "health_status: TIMEOUT")),
              ElementsAre(At("10.0.0.1")));
}

TEST(EndpointsDecoding, TellsAddressesApartByPort) {  // R12.87
  EXPECT_THAT(Only(LbEndpoint("10.0.0.1") +
                   absl::StrCat("lb_endpoints { endpoint { ", Address("10.0.0.1", 81), " } }")),
              ElementsAre(At("10.0.0.1"), Endpoint{.addresses = {{"10.0.0.1", 81}}}));
}

TEST(EndpointsDecoding, CapsDropsAtEverything) {  // R12.89
  // "b" and "c" are just above 2^32 millionths.
  EXPECT_THAT(Decode(R"(policy {
        drop_overloads { category: "a" drop_percentage { numerator: 101 } }
        drop_overloads { category: "b" drop_percentage { numerator: 429497 } }
        drop_overloads { category: "c"
                         drop_percentage { numerator: 42949673 denominator: TEN_THOUSAND } }
        drop_overloads { category: "d" drop_percentage { numerator: 33 denominator: TEN_THOUSAND } }
        drop_overloads { category: "e" drop_percentage { numerator: 7 denominator: MILLION } }
        drop_overloads { category: "e" drop_percentage { numerator: 1000001 denominator: MILLION } }
        drop_overloads { category: "f" drop_percentage {} } })")
                  .drops,
              ElementsAre(DropCategory{"a", 1000000}, DropCategory{"b", 1000000},
                          DropCategory{"c", 1000000}, DropCategory{"d", 3300}, DropCategory{"e", 7},
                          DropCategory{"e", 1000000}, DropCategory{"f", 0}));
}

TEST(EndpointsDecoding, TakesTheProxyOfTheEndpointBeforeTheLocalitys) {  // R12.91
  const std::vector<Endpoint> endpoints = Only(ProxyMetadata("10.9.9.1") + LbEndpoint("10.0.0.1") +
                                               LbEndpoint("10.0.0.2", ProxyMetadata("10.9.9.2")));
  EXPECT_EQ(endpoints.at(0).proxy, ProxyAddress{"10.9.9.1:3128"});
  EXPECT_EQ(endpoints.at(1).proxy, ProxyAddress{"10.9.9.2:3128"});
}

TEST(EndpointsDecoding, IgnoresAHashKeyThatIsNoString) {  // R12.91
  const auto lb = [](absl::string_view field) {
    return absl::StrCat(R"(metadata { filter_metadata { key: "envoy.lb" value { )", field,
                        " } } } ");
  };
  EXPECT_THAT(
      Only(LbEndpoint("10.0.0.1", lb(R"(fields { key: "hash_key" value { number_value: 7 } })")) +
           LbEndpoint("10.0.0.2", lb(R"(fields { key: "other" value { string_value: "x" } })")) +
           LbEndpoint("10.0.0.3", R"(metadata { filter_metadata { key: "other" value {} } })")),
      ElementsAre(At("10.0.0.1"), At("10.0.0.2"), At("10.0.0.3")));
}

}  // namespace
}  // namespace holdfast

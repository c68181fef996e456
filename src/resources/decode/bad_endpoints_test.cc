// Endpoints that must be rejected, each with all of their errors (R12.E).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "resources/decode/decode.h"
#include "tests/support/bad_resource.h"

namespace holdfast {
namespace {

using ::testing::ValuesIn;

constexpr char kType[] = "envoy.config.endpoint.v3.ClusterLoadAssignment";

// One locality with one endpoint: what a row adds comes at endpoints[1].
constexpr char kGood[] = R"(
  cluster_name: "payments"
  endpoints {
    locality { region: "eu" }
    load_balancing_weight { value: 1 }
    lb_endpoints { endpoint { address { socket_address { address: "10.0.0.1" port_value: 80 } } } }
  })";

std::string Locality(absl::string_view body) {
  return absl::StrCat(
      R"(endpoints { locality { region: "us" } load_balancing_weight { value: 1 } )", body, " }");
}

std::string Endpoint(absl::string_view lb_endpoint) {
  return Locality(absl::StrCat("lb_endpoints { ", lb_endpoint, " }"));
}

std::string Address(absl::string_view socket_address) {
  return absl::StrCat("address { socket_address { ", socket_address, " } }");
}

// An LbEndpoint with a good address, and more.
std::string GoodEndpointAnd(absl::string_view more) {
  return Endpoint(
      absl::StrCat("endpoint { ", Address(R"(address: "10.0.0.2" port_value: 80)"), " } ", more));
}

// An endpoint with additional addresses.
std::string Additional(absl::string_view additional_addresses) {
  return Endpoint(absl::StrCat("endpoint { ", Address(R"(address: "10.0.0.2" port_value: 80)"), " ",
                               additional_addresses, " }"));
}

std::string WeightedLocality(absl::string_view region, absl::string_view weight,
                             absl::string_view more) {
  return absl::StrCat("endpoints { locality { region: \"", region,
                      "\" } load_balancing_weight { value: ", weight, " } ", more, " } ");
}

std::string Drop(absl::string_view body) {
  return absl::StrCat("policy { drop_overloads { ", body, " } }");
}

constexpr char kEndpoint[] = "endpoints[1].lb_endpoints[0].endpoint";
constexpr char kSocketAddress[] = "endpoints[1].lb_endpoints[0].endpoint.address.socket_address";

std::string NotAnIp(absl::string_view got) {
  return absl::StrCat("must be an IP address (got \"", got,
                      "\"); only a LOGICAL_DNS cluster may use a host name");
}

const std::vector<BadResource>& PriorityRows() {
  static const auto& rows = *new std::vector<BadResource>{
      {"WeightsOverflow",
       kGood,  // R12.81
       WeightedLocality("us", "4294967295", ""),
       {{"endpoints", "weights of priority 0 add up to 4294967296, the most is 4294967295"}}},
      {"WeightsOverflowTwice32Bits",
       kGood,  // R12.81
       WeightedLocality("a", "4294967295", "") + WeightedLocality("b", "4294967295", ""),
       {{"endpoints", "weights of priority 0 add up to 8589934591, the most is 4294967295"}}},
      {"WeightsOverflowInTheSecondPriority",
       kGood,  // R12.81
       WeightedLocality("a", "4294967295", "priority: 1") +
           WeightedLocality("b", "1", "priority: 1"),
       {{"endpoints", "weights of priority 1 add up to 4294967296, the most is 4294967295"}}},

      {"PriorityGap",
       kGood,
       Locality("priority: 2"),  // R12.82
       {{"endpoints", "priority 1 has no localities although priority 2 has"}}},
      {"HighestPriority",
       kGood,
       Locality("priority: 4294967295"),  // R12.82
       {{"endpoints", "priority 1 has no localities although priority 4294967295 has"}}},
      {"NoPriorityZero",
       "",
       Locality("priority: 1"),  // R12.82
       {{"endpoints", "priority 0 has no localities although priority 1 has"}}},
      {"TwoGapsTellOfTheFirst",
       kGood,
       Locality("priority: 3") + Locality("priority: 7"),  // R12.82
       {{"endpoints", "priority 1 has no localities although priority 3 has"}}},
      {"GapOfSkippedLocalities",
       kGood,  // R12.82, R12.80
       R"(endpoints { locality { region: "asia" } priority: 1 })" + Locality("priority: 2"),
       {{"endpoints",
         "priority 1 has no localities with a load_balancing_weight although priority 2 has"}}},

      {"LocalityTwice",
       kGood,
       WeightedLocality("eu", "7", ""),  // R12.83
       {{"endpoints[1]",
         "locality {region \"eu\"} appears twice in priority 0 (first at endpoints[0])"}}},
      {"FullLocalityTwiceInPriorityOne",
       kGood,  // R12.83
       R"(endpoints { locality { region: "a" zone: "b" sub_zone: "c" } priority: 1
                      load_balancing_weight { value: 1 } }
          endpoints { locality { region: "a" zone: "b" sub_zone: "c" } priority: 1
                      load_balancing_weight { value: 1 } })",
       {{"endpoints[2]",
         "locality {region \"a\", zone \"b\", sub_zone \"c\"} appears twice in priority 1 (first "
         "at endpoints[1])"}}},
      {"EmptyLocalityTwice",
       kGood,  // R12.83
       R"(endpoints { locality {} load_balancing_weight { value: 1 } }
          endpoints { locality {} load_balancing_weight { value: 1 } })",
       {{"endpoints[2]", "locality {} appears twice in priority 0 (first at endpoints[1])"}}},
      {"LocalityMissing",
       kGood,
       "endpoints { load_balancing_weight { value: 1 } }",  // R12.83
       {{"endpoints[1].locality", "must be set, it may be empty"}}},
      {"LocalityMissingFillsItsPriority",
       kGood,  // R12.83
       "endpoints { load_balancing_weight { value: 1 } priority: 1 }" + Locality("priority: 2"),
       {{"endpoints[1].locality", "must be set, it may be empty"}}},
  };
  return rows;
}

const std::vector<BadResource>& EndpointRows() {
  static const auto& rows = *new std::vector<BadResource>{
      {"NoEndpoint", kGood, Endpoint(""), {{kEndpoint, "must be set"}}},  // R12.85
      {"EndpointByName",
       kGood,
       Endpoint(R"(endpoint_name: "web")"),  // R12.85
       {{kEndpoint, "must be set (got endpoint_name \"web\", which is not supported)"}}},
      {"NoAddress",
       kGood,
       Endpoint("endpoint {}"),  // R12.85
       {{"endpoints[1].lb_endpoints[0].endpoint.address",
         "must be a socket_address (got nothing)"}}},
      {"Pipe",
       kGood,
       Endpoint("endpoint { address { pipe {} } }"),  // R12.85
       {{"endpoints[1].lb_endpoints[0].endpoint.address", "must be a socket_address (got pipe)"}}},
      {"InternalAddress",
       kGood,  // R12.85
       Endpoint("endpoint { address { envoy_internal_address {} } }"),
       {{"endpoints[1].lb_endpoints[0].endpoint.address",
         "must be a socket_address (got envoy_internal_address)"}}},
      {"HostName",
       kGood,  // R12.85
       Endpoint("endpoint { " + Address(R"(address: "a.example" port_value: 80)") + " }"),
       {{absl::StrCat(kSocketAddress, ".address"), NotAnIp("a.example")}}},
      {"EmptyIp",
       kGood,
       Endpoint("endpoint { " + Address("port_value: 80") + " }"),  // R12.85
       {{absl::StrCat(kSocketAddress, ".address"), NotAnIp("")}}},
      {"LeadingZeros",
       kGood,  // R12.85
       Endpoint("endpoint { " + Address(R"(address: "010.0.0.2" port_value: 80)") + " }"),
       {{absl::StrCat(kSocketAddress, ".address"), NotAnIp("010.0.0.2")}}},
      {"LongHostNameIsCut",
       kGood,  // R12.85
       Endpoint("endpoint { " +
                Address("port_value: 80 address: \"" + std::string(1000, 'a') + "\"") + " }"),
       {{absl::StrCat(kSocketAddress, ".address"),
         NotAnIp(std::string(200, 'a') + "… (1000 bytes in all)")}}},
      {"PortUnset",
       kGood,
       Endpoint("endpoint { " + Address(R"(address: "10.0.0.2")") + " }"),
       {{absl::StrCat(kSocketAddress, ".port_value"), "must be set"}}},  // R12.85
      {"NamedPort",
       kGood,  // R12.85
       Endpoint("endpoint { " + Address(R"(address: "10.0.0.2" named_port: "http")") + " }"),
       {{absl::StrCat(kSocketAddress, ".port_value"), "must be set (got named_port \"http\")"}}},
      {"PortTooLarge",
       kGood,  // R12.85
       Endpoint("endpoint { " + Address(R"(address: "10.0.0.2" port_value: 65536)") + " }"),
       {{absl::StrCat(kSocketAddress, ".port_value"), "is 65536, the most is 65535"}}},
      {"NotTcp",
       kGood,
       Endpoint("endpoint { " + Address(R"(protocol: UDP address: "10.0.0.2" port_value: 80)") +
                " }"),
       {{absl::StrCat(kSocketAddress, ".protocol"), "must be TCP (got UDP)"}}},
      {"IpAndPortWrong",
       kGood,  // R12.85
       Endpoint("endpoint { " + Address(R"(address: "x" port_value: 4294967295)") + " }"),
       {{absl::StrCat(kSocketAddress, ".address"), NotAnIp("x")},
        {absl::StrCat(kSocketAddress, ".port_value"), "is 4294967295, the most is 65535"}}},

      {"AdditionalAddressMissing",
       kGood,
       Additional("additional_addresses {}"),  // R12.86
       {{"endpoints[1].lb_endpoints[0].endpoint.additional_addresses[0].address",
         "must be a socket_address (got nothing)"}}},
      {"AdditionalAddressWrong",
       kGood,  // R12.86
       Additional("additional_addresses { " + Address(R"(address: "fd00::1" port_value: 80)") +
                  " } additional_addresses { " + Address(R"(address: "b" port_value: 80)") + " }"),
       {{"endpoints[1].lb_endpoints[0].endpoint.additional_addresses[1].address.socket_address."
         "address",
         NotAnIp("b")}}},

      {"AddressTwice",
       kGood,  // R12.87
       Endpoint("endpoint { " + Address(R"(address: "10.0.0.1" port_value: 80)") + " }"),
       {{"endpoints[1].lb_endpoints[0].endpoint.address",
         "is the same address as endpoints[0].lb_endpoints[0].endpoint.address (10.0.0.1:80)"}}},
      {"AddressTwiceInAnotherPriority",
       kGood,  // R12.87
       Locality("priority: 1 lb_endpoints { endpoint { " +
                Address(R"(address: "10.0.0.1" port_value: 80)") + " } }"),
       {{"endpoints[1].lb_endpoints[0].endpoint.address",
         "is the same address as endpoints[0].lb_endpoints[0].endpoint.address (10.0.0.1:80)"}}},
      {"AdditionalAddressTwice",
       kGood,  // R12.87
       Additional("additional_addresses { " + Address(R"(address: "10.0.0.1" port_value: 80)") +
                  " }"),
       {{"endpoints[1].lb_endpoints[0].endpoint.additional_addresses[0].address",
         "is the same address as endpoints[0].lb_endpoints[0].endpoint.address (10.0.0.1:80)"}}},
      {"AddressTwiceInOneEndpoint",
       kGood,  // R12.87
       Additional("additional_addresses { " + Address(R"(address: "::1" port_value: 80)") +
                  " } additional_addresses { " +
                  Address(R"(address: "0:0:0:0:0:0:0:1" port_value: 80)") + " }"),
       {{"endpoints[1].lb_endpoints[0].endpoint.additional_addresses[1].address",
         "is the same address as endpoints[1].lb_endpoints[0].endpoint.additional_addresses[0]."
         "address ([::1]:80)"}}},
      {"AddressTwiceOnceMapped",
       kGood,  // R12.87
       Endpoint("endpoint { " + Address(R"(address: "::ffff:a00:1" port_value: 80)") + " }"),
       {{"endpoints[1].lb_endpoints[0].endpoint.address",
         "is the same address as endpoints[0].lb_endpoints[0].endpoint.address (10.0.0.1:80)"}}},

      {"EndpointWeightZero",
       kGood,
       GoodEndpointAnd("load_balancing_weight {}"),  // R12.88
       {{"endpoints[1].lb_endpoints[0].load_balancing_weight",
         "must not be 0; leave it unset for the default of 1"}}},

      {"DropWithoutCategory",
       kGood,
       Drop("drop_percentage { numerator: 1 }"),  // R12.89
       {{"policy.drop_overloads[0].category", "must not be empty"}}},
      {"DropWithoutPercentage",
       kGood,
       Drop(R"(category: "spare")"),  // R12.89
       {{"policy.drop_overloads[0].drop_percentage", "must be set"}}},
      {"DropOfUnknownDenominator",
       kGood,  // R12.89
       Drop(R"(category: "spare" drop_percentage { numerator: 1 denominator: 9 })"),
       {{"policy.drop_overloads[0].drop_percentage.denominator",
         "must be HUNDRED, TEN_THOUSAND or MILLION (got 9)"}}},

      {"EndpointProxyByName",
       kGood,  // R12.91
       GoodEndpointAnd(absl::StrCat(
           R"(metadata { typed_filter_metadata {
                key: "envoy.http11_proxy_transport_socket.proxy_address" value { )",
           AnyText("envoy.config.core.v3.Address",
                   R"(socket_address { address: "proxy" port_value: 3128 })"),
           " } } }")),
       {{"endpoints[1].lb_endpoints[0].metadata.typed_filter_metadata[envoy.http11_proxy_transport_"
         "socket.proxy_address].socket_address.address",
         NotAnIp("proxy")}}},
      {"LocalityMetadataWithoutType",
       kGood,  // R12.91, R12 General
       Locality(R"(metadata { typed_filter_metadata { key: "k" value {} } })"),
       {{"endpoints[1].metadata.typed_filter_metadata[k].type_url",
         "is empty, so the type of what is inside is unknown"}}},

      {"Leds",
       kGood,
       Locality("leds_cluster_locality_config {}"),
       {{"endpoints[1].leds_cluster_locality_config",
         "is not supported by this build yet; list the endpoints in lb_endpoints"}}},

      {"SeveralMistakes",
       kGood,
       WeightedLocality("eu", "4294967295",
                        "lb_endpoints {} lb_endpoints { endpoint { " +
                            Address(R"(address: "10.0.0.1" port_value: 80)") +
                            " } load_balancing_weight {} }") +
           WeightedLocality("us", "4294967295", "priority: 9") + Drop("drop_percentage {}"),
       {{"endpoints", "priority 1 has no localities although priority 9 has"},
        {"endpoints[1]",
         "locality {region \"eu\"} appears twice in priority 0 (first at endpoints[0])"},
        {"endpoints[1].lb_endpoints[0].endpoint", "must be set"},
        {"endpoints[1].lb_endpoints[1].endpoint.address",
         "is the same address as endpoints[0].lb_endpoints[0].endpoint.address (10.0.0.1:80)"},
        {"endpoints[1].lb_endpoints[1].load_balancing_weight",
         "must not be 0; leave it unset for the default of 1"},
        {"policy.drop_overloads[0].category", "must not be empty"}}},
  };
  return rows;
}

class BadEndpoints : public ::testing::TestWithParam<BadResource> {};

TEST_P(BadEndpoints, YieldExactlyTheirErrors) {
  const Decoded<Endpoints> decoded = DecodeEndpoints(GetParam().Bytes(kType), {});
  EXPECT_EQ(decoded.errors.Sorted(), GetParam().errors) << decoded.errors.Text(1000);
}

INSTANTIATE_TEST_SUITE_P(Priorities, BadEndpoints, ValuesIn(PriorityRows()),
                         [](const auto& row) { return row.param.name; });
INSTANTIATE_TEST_SUITE_P(Endpoints, BadEndpoints, ValuesIn(EndpointRows()),
                         [](const auto& row) { return row.param.name; });

TEST(BadEndpointsTable, IsBuiltOnGoodOnes) {
  EXPECT_EQ(DecodeEndpoints(FromText(kType, kGood), {}).errors.Text(), "");
}

}  // namespace
}  // namespace holdfast

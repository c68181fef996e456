// Which mistakes are errors, which are gRPC's business alone, and which are nobody's.
#include "control/config/resource_lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/support/text_resource.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ValuesIn;

constexpr Problem::Kind kError = Problem::Kind::kError;
constexpr Problem::Kind kWarning = Problem::Kind::kWarning;

std::vector<LintFinding> Lint(absl::string_view type, absl::string_view text) {
  return LintResource(type, FromText(type, text));
}

std::string Routes(absl::string_view route) {
  return absl::StrCat(R"(name: "r" virtual_hosts { domains: "*" routes { )", route, " } }");
}

std::string Action(absl::string_view action) {
  return Routes(absl::StrCat(R"(match { prefix: "/" } route { )", action, " }"));
}

constexpr char kEds[] = R"(name: "c" type: EDS eds_cluster_config { eds_config { ads {} } })";

std::string Eds(absl::string_view more) { return absl::StrCat(kEds, " ", more); }

std::string LogicalDns(absl::string_view localities) {
  return absl::StrCat(R"(name: "c" type: LOGICAL_DNS load_assignment { )", localities, " }");
}

std::string Manager(absl::string_view text) {
  return absl::StrCat(
      R"(name: "l" api_listener { api_listener { [type.googleapis.com/envoy.extensions.filters.)"
      "network.http_connection_manager.v3.HttpConnectionManager] { ",
      text, " } } }");
}

constexpr char kRouter[] = R"(
  http_filters { name: "router" typed_config {
    [type.googleapis.com/envoy.extensions.filters.http.router.v3.Router] {} } })";
constexpr char kFault[] = R"(
  http_filters { name: "fault" typed_config {
    [type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault] {} } })";
constexpr char kRds[] = R"( rds { config_source { ads {} } route_config_name: "r" })";

std::string Address(absl::string_view address) {
  return absl::StrCat("lb_endpoints { endpoint { address { ", address, " } } }");
}

constexpr char kGoodAddress[] = R"(socket_address { address: "10.0.0.1" port_value: 80 })";

std::string Endpoints(absl::string_view locality) {
  return absl::StrCat(
      R"(cluster_name: "c" endpoints { locality {} load_balancing_weight { value: 1 } )", locality,
      " }");
}

// A mistake, and the first thing that is said about it.
struct Row {
  std::string name;
  absl::string_view type;
  std::string text;
  Problem::Kind kind;
  std::string field;
  std::string said;  // the start of the text, behind "grpc: " in a warning

  friend void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }
};

class Mistakes : public ::testing::TestWithParam<Row> {};

TEST_P(Mistakes, AreFound) {
  const Row& row = GetParam();
  const std::vector<LintFinding> findings = Lint(row.type, row.text);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].field, row.field);
  EXPECT_EQ(findings[0].kind, row.kind) << findings[0].text;
  const std::string start = absl::StrCat(row.kind == kWarning ? kGrpcWarning : "", row.said);
  EXPECT_TRUE(absl::StartsWith(findings[0].text, start)) << findings[0].text;
}

const Row kErrors[] = {
    {"BadRegex", kRouteConfigTypeName,
     Routes(R"(match { safe_regex { regex: "(" } } route { cluster: "c" })"), kError,
     "virtual_hosts[0].routes[0].match.safe_regex.regex",
     "\"(\" is not a valid RE2 regex: missing ): ("},
    {"EmptyRewrite", kRouteConfigTypeName,
     Action(R"(cluster: "c" hash_policy { header { header_name: "a" regex_rewrite {} } })"), kError,
     "virtual_hosts[0].routes[0].route.hash_policy[0].header.regex_rewrite.pattern.regex",
     "must not be empty"},
    {"NoHashHeader", kRouteConfigTypeName, Action(R"(cluster: "c" hash_policy { header {} })"),
     kError, "virtual_hosts[0].routes[0].route.hash_policy[0].header.header_name",
     "must not be empty"},
    {"NoDomains", kRouteConfigTypeName, R"(name: "r" virtual_hosts {})", kError,
     "virtual_hosts[0].domains", "must not be empty"},
    {"NoMatch", kRouteConfigTypeName, Routes(R"(route { cluster: "c" })"), kError,
     "virtual_hosts[0].routes[0].match", "must be set"},
    {"EmptyMatch", kRouteConfigTypeName, Routes(R"(match {} route { cluster: "c" })"), kError,
     "virtual_hosts[0].routes[0].match", "must have prefix, path or safe_regex (got none of them)"},
    {"NoHeaderName", kRouteConfigTypeName,
     Routes(R"(match { prefix: "/" headers { exact_match: "a" } } route { cluster: "c" })"), kError,
     "virtual_hosts[0].routes[0].match.headers[0].name", "must not be empty"},
    {"EmptyStringMatch", kRouteConfigTypeName,
     Routes(
         R"(match { prefix: "/" headers { name: "a" string_match {} } } route { cluster: "c" })"),
     kError, "virtual_hosts[0].routes[0].match.headers[0].string_match",
     "must have exact, prefix, suffix, contains or safe_regex"},
    {"EmptyCluster", kRouteConfigTypeName, Action(R"(cluster: "")"), kError,
     "virtual_hosts[0].routes[0].route.cluster", "must not be empty"},
    {"WeightsOfZero", kRouteConfigTypeName,
     Action(R"(weighted_clusters { clusters { name: "a" weight { value: 0 } } })"), kError,
     "virtual_hosts[0].routes[0].route.weighted_clusters",
     "must have a cluster with a weight above 0"},
    {"NoWeight", kRouteConfigTypeName, Action(R"(weighted_clusters { clusters { name: "a" } })"),
     kError, "virtual_hosts[0].routes[0].route.weighted_clusters.clusters[0].weight",
     "must be set"},
    {"WeightsTooBig", kRouteConfigTypeName,
     Action(R"(weighted_clusters { clusters { name: "a" weight { value: 4294967295 } }
                                   clusters { name: "b" weight { value: 1 } } })"),
     kError, "virtual_hosts[0].routes[0].route.weighted_clusters",
     "the sum of the weights must not exceed 4294967295 (got 4294967296)"},
    {"UnknownPlugin", kRouteConfigTypeName, Action(R"(cluster_specifier_plugin: "p")"), kError,
     "virtual_hosts[0].routes[0].route.cluster_specifier_plugin", "\"p\" is not declared in"},
    {"NegativeTimeout", kRouteConfigTypeName, Action(R"(cluster: "c" timeout { seconds: -1 })"),
     kError, "virtual_hosts[0].routes[0].route.timeout.seconds", "is -1, must be from 0 to "},
    {"NoBackOff", kRouteConfigTypeName,
     Action(R"(cluster: "c" retry_policy { retry_on: "internal" retry_back_off {} })"), kError,
     "virtual_hosts[0].routes[0].route.retry_policy.retry_back_off.base_interval", "must be set"},
    {"BackOffUpsideDown", kRouteConfigTypeName,
     Action(R"(cluster: "c" retry_policy { retry_on: "internal" retry_back_off {
                 base_interval { seconds: 2 } max_interval { seconds: 1 } } })"),
     kError, "virtual_hosts[0].routes[0].route.retry_policy.retry_back_off.max_interval",
     "must not be below base_interval"},
    {"NoRoutes", kListenerTypeName, Manager(kRouter), kError, "api_listener.api_listener",
     "must have rds or route_config (got neither)"},
    {"RouterNotLast", kListenerTypeName,
     Manager(absl::StrCat(kRouter,
                          R"(http_filters { name: "again" typed_config {
              [type.googleapis.com/envoy.extensions.filters.http.router.v3.Router] {} } })",
                          kRds)),
     kError, "api_listener.api_listener.http_filters[0]", "the router must be the last filter"},
    {"NoFilterName", kListenerTypeName,
     Manager(absl::StrCat(absl::StrReplaceAll(kRouter, {{R"(name: "router")", ""}}), kRds)), kError,
     "api_listener.api_listener.http_filters[0].name", "must not be empty"},
    {"NoEdsConfig", kClusterTypeName, R"(name: "c" type: EDS)", kError, "eds_cluster_config",
     "must be set for an EDS cluster"},
    {"NoDnsHost", kClusterTypeName, R"(name: "c" type: LOGICAL_DNS)", kError, "load_assignment",
     "must be set for a LOGICAL_DNS cluster"},
    {"NoDnsLocality", kClusterTypeName, LogicalDns(""), kError, "load_assignment.endpoints",
     "must hold one locality (got 0)"},
    {"NoDnsEndpoint", kClusterTypeName, LogicalDns("endpoints {}"), kError,
     "load_assignment.endpoints[0].lb_endpoints", "must hold one endpoint (got 0)"},
    {"EmptyDnsHost", kClusterTypeName,
     LogicalDns(absl::StrCat("endpoints { ", Address("socket_address { port_value: 80 }"), " }")),
     kError, "load_assignment.endpoints[0].lb_endpoints[0].endpoint.address.socket_address.address",
     "must not be empty"},
    {"EmptyAggregate", kClusterTypeName,
     R"(name: "c" cluster_type { typed_config {
          [type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig] {} } })",
     kError, "cluster_type.typed_config.clusters", "must name at least one cluster"},
    {"NoLbPolicy", kClusterTypeName, Eds("lb_policy: LOAD_BALANCING_POLICY_CONFIG"), kError,
     "lb_policy", "is LOAD_BALANCING_POLICY_CONFIG, but load_balancing_policy is not set"},
    {"EmptyLbPolicies", kClusterTypeName, Eds("load_balancing_policy {}"), kError,
     "load_balancing_policy.policies", "must list at least one policy"},
    {"RingUpsideDown", kClusterTypeName,
     Eds("lb_policy: RING_HASH ring_hash_lb_config { minimum_ring_size { value: 9 } "
         "maximum_ring_size { value: 8 } }"),
     kError, "ring_hash_lb_config.maximum_ring_size", "is 8, less than minimum_ring_size"},
    {"OneChoice", kClusterTypeName,
     Eds("lb_policy: LEAST_REQUEST least_request_lb_config { choice_count { value: 1 } }"), kError,
     "least_request_lb_config.choice_count", "is 1, must be at least 2"},
    {"PercentAbove100", kClusterTypeName,
     Eds("outlier_detection { max_ejection_percent { value: 101 } }"), kError,
     "outlier_detection.max_ejection_percent", "is 101, the most is 100"},
    {"NegativeConnectTimeout", kClusterTypeName, Eds("connect_timeout { nanos: -1 }"), kError,
     "connect_timeout.nanos", "is -1, must be from 0 to "},
    {"BrokenExtension", kClusterTypeName,
     Eds(R"(transport_socket { typed_config {
              type_url: "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.)"
         R"(UpstreamTlsContext" value: "\377" } })"),
     kError, "transport_socket.typed_config", "cannot be parsed as "},
    {"NoAddress", kEndpointsTypeName, Endpoints("lb_endpoints { endpoint {} }"), kError,
     "endpoints[0].lb_endpoints[0].endpoint.address", "must be a socket_address (got nothing)"},
    {"EmptyAddress", kEndpointsTypeName, Endpoints(Address("socket_address { port_value: 80 }")),
     kError, "endpoints[0].lb_endpoints[0].endpoint.address.socket_address.address",
     "must be an IP address (got \"\")"},
    {"NoPort", kEndpointsTypeName, Endpoints(Address(R"(socket_address { address: "10.0.0.1" })")),
     kError, "endpoints[0].lb_endpoints[0].endpoint.address.socket_address.port_value",
     "must be set"},
    {"PortTooBig", kEndpointsTypeName,
     Endpoints(Address(R"(socket_address { address: "10.0.0.1" port_value: 65536 })")), kError,
     "endpoints[0].lb_endpoints[0].endpoint.address.socket_address.port_value",
     "is 65536, the most is 65535"},
    {"EndpointWeightOfZero", kEndpointsTypeName,
     Endpoints(
         absl::StrCat("lb_endpoints { load_balancing_weight { value: 0 } endpoint { address {",
                      kGoodAddress, "} } }")),
     kError, "endpoints[0].lb_endpoints[0].load_balancing_weight", "must not be 0"},
    {"DropWithoutCategory", kEndpointsTypeName,
     R"(cluster_name: "c" policy { drop_overloads { drop_percentage { numerator: 1 } } })", kError,
     "policy.drop_overloads[0].category", "must not be empty"},
};
INSTANTIATE_TEST_SUITE_P(NobodyTakesThem, Mistakes, ValuesIn(kErrors),
                         [](const auto& row) { return row.param.name; });

const Row kWarnings[] = {
    {"OddDomain", kRouteConfigTypeName, R"(name: "r" virtual_hosts { domains: "a*b" })", kWarning,
     "virtual_hosts[0].domains[0]", "\"a*b\" is not a domain pattern"},
    {"ConnectMatcher", kRouteConfigTypeName,
     Routes(R"(match { connect_matcher {} } route { cluster: "c" })"), kWarning,
     "virtual_hosts[0].routes[0].match",
     "must have prefix, path or safe_regex (got connect_matcher)"},
    {"CustomStringMatch", kRouteConfigTypeName,
     Routes(R"(match { prefix: "/" headers { name: "a" string_match { custom { name: "lua" } } } }
               route { cluster: "c" })"),
     kWarning, "virtual_hosts[0].routes[0].match.headers[0].string_match",
     "must have exact, prefix, suffix, contains or safe_regex (got custom)"},
    {"NoRetries", kRouteConfigTypeName,
     Action(R"(cluster: "c" retry_policy { retry_on: "internal" num_retries { value: 0 } })"),
     kWarning, "virtual_hosts[0].routes[0].route.retry_policy.num_retries", "must be at least 1"},
    {"ScopedRoutes", kListenerTypeName, Manager(absl::StrCat(kRouter, " scoped_routes {}")),
     kWarning, "api_listener.api_listener", "must have rds or route_config (got scoped_routes)"},
    {"NoRouter", kListenerTypeName, Manager(absl::StrCat(kFault, kRds)), kWarning,
     "api_listener.api_listener.http_filters[0]", "the last filter must be the router"},
    {"EdsFromFile", kClusterTypeName,
     R"(name: "c" type: EDS eds_cluster_config { eds_config { path: "/a" } })", kWarning,
     "eds_cluster_config.eds_config", "must be ads or self (got path)"},
    {"Maglev", kClusterTypeName, Eds("lb_policy: MAGLEV"), kWarning, "lb_policy",
     "must be ROUND_ROBIN, LEAST_REQUEST or RING_HASH (got MAGLEV)"},
    {"PriorityGap", kEndpointsTypeName, Endpoints("priority: 1"), kWarning, "endpoints",
     "priority 0 has no localities although priority 1 has"},
    {"AddressTwice", kEndpointsTypeName,
     Endpoints(absl::StrCat(Address(kGoodAddress), Address(kGoodAddress))), kWarning,
     "endpoints[0].lb_endpoints[1].endpoint.address",
     "is the same address as endpoints[0].lb_endpoints[0].endpoint.address (10.0.0.1:80)"},
    {"LocalityTwice", kEndpointsTypeName,
     absl::StrCat(Endpoints(""), " endpoints { locality {} load_balancing_weight { value: 1 } }"),
     kWarning, "endpoints[1]", "locality {} appears twice in priority 0 (first at endpoints[0])"},
    {"LocalityWeightsTooBig", kEndpointsTypeName,
     absl::StrCat(Endpoints(""), R"( endpoints { locality { region: "b" }
                                        load_balancing_weight { value: 4294967295 } })"),
     kWarning, "endpoints", "weights of priority 0 add up to 4294967296"},
    {"HostName", kEndpointsTypeName,
     Endpoints(Address(R"(socket_address { address: "example.com" port_value: 80 })")), kWarning,
     "endpoints[0].lb_endpoints[0].endpoint.address.socket_address.address",
     "must be an IP address (got \"example.com\")"},
    {"NamedPort", kEndpointsTypeName,
     Endpoints(Address(R"(socket_address { address: "10.0.0.1" named_port: "http" })")), kWarning,
     "endpoints[0].lb_endpoints[0].endpoint.address.socket_address.port_value",
     "must be set (got named_port \"http\")"},
    {"Pipe", kEndpointsTypeName, Endpoints(Address(R"(pipe {})")), kWarning,
     "endpoints[0].lb_endpoints[0].endpoint.address", "must be a socket_address (got pipe)"},
    {"NoLocality", kEndpointsTypeName,
     R"(cluster_name: "c" endpoints { load_balancing_weight { value: 1 } })", kWarning,
     "endpoints[0].locality", "must be set, it may be empty"},
    {"SkippedLocality", kEndpointsTypeName,
     absl::StrCat(R"(cluster_name: "c" endpoints { locality {} )", Address(kGoodAddress), " }"),
     kWarning, "endpoints[0]",
     "no load_balancing_weight: gRPC clients leave this locality out with all of its endpoints"},
};
INSTANTIATE_TEST_SUITE_P(OnlyGrpcMinds, Mistakes, ValuesIn(kWarnings),
                         [](const auto& row) { return row.param.name; });

TEST(ResourceLintTest, WhatIsRightIsClean) {
  EXPECT_THAT(Lint(kClusterTypeName, kEds), IsEmpty());
  EXPECT_THAT(Lint(kRouteConfigTypeName, Action(R"(cluster: "c")")), IsEmpty());
  EXPECT_THAT(Lint(kListenerTypeName, Manager(absl::StrCat(kRouter, kRds))), IsEmpty());
  EXPECT_THAT(Lint(kEndpointsTypeName, Endpoints(Address(kGoodAddress))), IsEmpty());
  // Without a weight on purpose: not now.
  EXPECT_THAT(Lint(kEndpointsTypeName,
                   absl::StrCat(R"(cluster_name: "c" endpoints { load_balancing_weight {} )",
                                Address(kGoodAddress), "}")),
              IsEmpty());
}

TEST(ResourceLintTest, WhatIsMadeForEnvoyIsNoConcernOfGrpc) {
  constexpr absl::string_view kListener = R"(name: "l" address { socket_address {
      address: "0.0.0.0" port_value: 8080 } })";
  EXPECT_THAT(Lint(kListenerTypeName, kListener), IsEmpty());
  EXPECT_FALSE(IsForGrpc(kListenerTypeName, FromText(kListenerTypeName, kListener)));
  // Refused by gRPC for its type, its load balancing and its TLS.
  constexpr absl::string_view kCluster = R"(name: "c" type: STRICT_DNS lb_policy: MAGLEV
      transport_socket { typed_config {
        [type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext] {
          sni: "example.com" } } })";
  EXPECT_THAT(Lint(kClusterTypeName, kCluster), IsEmpty());
  EXPECT_FALSE(IsForGrpc(kClusterTypeName, FromText(kClusterTypeName, kCluster)));
  EXPECT_FALSE(IsForGrpc(kClusterTypeName, FromText(kClusterTypeName, R"(name: "static")")));
  EXPECT_FALSE(
      IsForGrpc(kClusterTypeName, FromText(kClusterTypeName, R"(cluster_type { typed_config {
                           type_url: "type.googleapis.com/envoy.Redis" } })")));
}

TEST(ResourceLintTest, WhatNobodyTakesIsAnErrorForEnvoyToo) {
  EXPECT_THAT(Lint(kClusterTypeName, R"(name: "c" connect_timeout { seconds: -1 })"),
              ElementsAre(LintFinding{kError, "connect_timeout.seconds",
                                      "is -1, must be from 0 to 315576000000"}));
}

TEST(ResourceLintTest, WhatGrpcTakesIsForGrpc) {
  const auto is_for_grpc = [](absl::string_view type, absl::string_view text) {
    return IsForGrpc(type, FromText(type, text));
  };
  EXPECT_TRUE(is_for_grpc(kClusterTypeName, kEds));
  EXPECT_TRUE(is_for_grpc(kClusterTypeName, "type: LOGICAL_DNS"));
  EXPECT_TRUE(is_for_grpc(kClusterTypeName, R"(cluster_type { typed_config {
      [type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig] {} } })"));
  EXPECT_TRUE(is_for_grpc(kListenerTypeName, "api_listener {}"));
  EXPECT_TRUE(is_for_grpc(kRouteConfigTypeName, ""));
  EXPECT_TRUE(is_for_grpc(kEndpointsTypeName, ""));
}

TEST(ResourceLintTest, OtherTypesAreNotLookedAt) {
  EXPECT_THAT(LintResource("envoy.extensions.transport_sockets.tls.v3.Secret", "\xff"), IsEmpty());
}

TEST(ResourceLintTest, EverythingIsFoundAtOnceInTheOrderOfTheFields) {
  const std::vector<LintFinding> findings =
      Lint(kEndpointsTypeName,
           absl::StrCat(R"(cluster_name: "c" endpoints { )", Address(kGoodAddress),
                        R"( } endpoints { priority: 1 load_balancing_weight { value: 1 } )",
                        Address(R"(socket_address { address: "x" port_value: 65536 })"), " }"));
  std::vector<std::string> fields;
  for (const LintFinding& finding : findings) fields.push_back(finding.field);
  EXPECT_THAT(fields,
              ElementsAre("endpoints", "endpoints[0]",
                          "endpoints[1].lb_endpoints[0].endpoint.address.socket_address.address",
                          "endpoints[1].lb_endpoints[0].endpoint.address.socket_address.port_value",
                          "endpoints[1].locality"));
}

// 1,100 endpoints with one address, a matter of taste, and behind them what nobody takes.
TEST(ResourceLintTest, AnErrorBehindAThousandWarningsIsFound) {
  std::string endpoints;
  for (int i = 0; i < 1100; ++i) endpoints += Address(kGoodAddress);
  endpoints += Address(R"(socket_address { address: "10.0.0.2" port_value: 99999 })");
  const std::vector<LintFinding> findings = Lint(kEndpointsTypeName, Endpoints(endpoints));
  ASSERT_THAT(findings, SizeIs(1001));
  EXPECT_EQ(findings[0].kind, kWarning);
  EXPECT_EQ(findings[999].kind, kError);
  EXPECT_EQ(findings[999].field,
            "endpoints[0].lb_endpoints[1100].endpoint.address.socket_address.port_value");
  EXPECT_EQ(findings[999].text, "is 99999, the most is 65535");
  EXPECT_EQ(findings[1000].kind, kWarning);
  EXPECT_EQ(findings[1000].text,
            "grpc: there are 100 more findings in this resource; mend these first");
}

TEST(ResourceLintTest, WhatWasNotReadToItsEndIsAnError) {
  std::string routes;
  for (int i = 0; i < 2'100'000; ++i) routes += std::string("\x1a\x00", 2);
  EXPECT_THAT(LintResource(kRouteConfigTypeName, routes),
              ElementsAre(LintFinding{kError, "", "has more than 2000000 fields"}));
}

}  // namespace
}  // namespace holdfast

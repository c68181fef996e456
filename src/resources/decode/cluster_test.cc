// Valid clusters: what is read, what is left out, and what the defaults are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "resources/decode/decode.h"
#include "tests/support/bad_resource.h"
#include "tests/support/text_resource.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr char kType[] = "envoy.config.cluster.v3.Cluster";
constexpr char kEds[] = R"(
  name: "payments" type: EDS eds_cluster_config { eds_config { ads {} } } )";

Decoded<Cluster> Decode(absl::string_view text, const DecodeContext& context = {}) {
  Decoded<Cluster> decoded = DecodeCluster(FromText(kType, text), context);
  EXPECT_EQ(decoded.errors.Text(), "");
  return decoded;
}

// kEds and more.
Cluster EdsAnd(absl::string_view more, const DecodeContext& context = {}) {
  return Decode(absl::StrCat(kEds, more), context).resource;
}

LbPolicy InEachLocality(LbPolicy child) {
  return {WrrLocalityLb{std::make_shared<const LbPolicy>(std::move(child))}};
}

// What kEds means.
Cluster PlainEds() {
  Cluster cluster;
  cluster.name = "payments";
  cluster.discovery = Cluster::Eds{"payments"};
  cluster.lb_policy = InEachLocality({RoundRobinLb{}});
  cluster.override_host_statuses = {HealthStatus::kUnknown, HealthStatus::kHealthy};
  return cluster;
}

std::string Entry(absl::string_view type, absl::string_view body) {
  return absl::StrCat("policies { typed_extension_config { typed_config { ", AnyText(type, body),
                      " } } } ");
}

std::string Known(absl::string_view policy, absl::string_view body) {
  return Entry(absl::StrCat("envoy.extensions.load_balancing_policies.", policy), body);
}

// The policy of a cluster with this list.
LbPolicy PolicyOf(absl::string_view entries, const DecodeContext& context = {}) {
  return EdsAnd(absl::StrCat("load_balancing_policy { ", entries, " }"), context).lb_policy;
}

TEST(ClusterDecoding, FillsInTheDefaults) {  // R12.61, R12.65, R12.69, R12.72, R12.73
  const Decoded<Cluster> decoded = Decode(kEds);
  EXPECT_EQ(decoded.resource, PlainEds());
  EXPECT_EQ(decoded.resource.max_concurrent_requests, 1024u);
  EXPECT_EQ(decoded.resource.idle_timeout, absl::Hours(1));
  EXPECT_THAT(decoded.not_enforced, IsEmpty());
}

TEST(ClusterDecoding, TakesEndpointsFromSelfAndByServiceName) {  // R12.61
  Cluster expected = PlainEds();
  expected.name = "xdstp://prod/envoy.config.cluster.v3.Cluster/payments";
  expected.discovery = Cluster::Eds{"payments-eds"};
  EXPECT_EQ(Decode(R"(name: "xdstp://prod/envoy.config.cluster.v3.Cluster/payments" type: EDS
                      eds_cluster_config { eds_config { self {} } service_name: "payments-eds" })")
                .resource,
            expected);
}

TEST(ClusterDecoding, ReadsALogicalDnsName) {  // R12.62
  Cluster expected = PlainEds();
  expected.discovery = Cluster::LogicalDns{"payments.example", 443};
  EXPECT_EQ(Decode(R"(name: "payments" type: LOGICAL_DNS
                      load_assignment { endpoints { lb_endpoints { endpoint { address {
                        socket_address { address: "payments.example" port_value: 443 }
                      } } } } })")
                .resource,
            expected);
}

TEST(ClusterDecoding, ReadsAnAggregateAndIgnoresItsPolicy) {  // R12.63
  Cluster expected = PlainEds();
  expected.discovery = Cluster::Aggregate{{"near", "far"}};
  expected.lb_policy = {};
  const std::string aggregate =
      absl::StrCat(R"(name: "payments" cluster_type { typed_config { )",
                   AnyText("envoy.extensions.clusters.aggregate.v3.ClusterConfig",
                           R"(clusters: "near" clusters: "far")"),
                   " } } ");
  EXPECT_EQ(Decode(aggregate).resource, expected);
  EXPECT_EQ(Decode(aggregate + "lb_policy: MAGLEV").resource, expected);
  EXPECT_EQ(Decode(aggregate + "load_balancing_policy {}").resource, expected);
}

TEST(ClusterDecoding, TakesTheFirstPolicyItKnows) {  // R12.64
  EXPECT_EQ(PolicyOf(Entry("envoy.config.core.v3.Locality", "") +
                     Known("pick_first.v3.PickFirst", "shuffle_address_list: true") +
                     Known("round_robin.v3.RoundRobin", "")),
            LbPolicy{PickFirstLb{true}});
}

TEST(ClusterDecoding, DoesNotLookBehindTheFirstPolicyItKnows) {  // R12.64
  EXPECT_EQ(PolicyOf(Known("round_robin.v3.RoundRobin", "") +
                     Known("least_request.v3.LeastRequest", "choice_count {}") + "policies {}"),
            LbPolicy{RoundRobinLb{}});
}

TEST(ClusterDecoding, PassesOverPoliciesThisBuildDoesNotHave) {  // R12.64
  for (const char* type : {"client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin",
                           "random_subsetting.v3.RandomSubsetting"}) {
    const std::string unknown = absl::StrCat(
        R"(policies { typed_extension_config { typed_config { type_url: "type.googleapis.com/)",
        "envoy.extensions.load_balancing_policies.", type, "\" } } } ");
    EXPECT_EQ(PolicyOf(unknown + Known("ring_hash.v3.RingHash", "")), LbPolicy{RingHashLb{}})
        << type;
  }
}

TEST(ClusterDecoding, ReadsAPolicyInsideLocalities) {  // R12.64
  EXPECT_EQ(
      PolicyOf(Known(
          "wrr_locality.v3.WrrLocality",
          absl::StrCat("endpoint_picking_policy { ",
                       Known("least_request.v3.LeastRequest", "choice_count { value: 5 }"), " }"))),
      InEachLocality({LeastRequestLb{5}}));
}

TEST(ClusterDecoding, ReadsARegisteredPolicyWithItsJson) {  // R12.64, R12 General
  const DecodeContext context = {.custom_lb_policies = {"acme.Nearest"}};
  const char body[] = R"(type_url: "type.googleapis.com/acme.Nearest"
    value { fields { key: "hops" value { number_value: 3 } }
            fields { key: "none" value { null_value: NULL_VALUE } }
            fields { key: "list" value { list_value { values { bool_value: true }
                                                      values { string_value: "x" }
                                                      values { struct_value {} }
                                                      values {} } } }
            fields { key: "nan" value { number_value: nan } }
            fields { key: "least" value { number_value: -inf } } })";
  const CustomLb expected = {
      "acme.Nearest",
      {{"hops", {3.0}},
       {"none", {}},
       {"list", {JsonValue::Array{{true}, {std::string("x")}, {JsonValue::Object{}}, JsonValue{}}}},
       {"nan", {std::string("NaN")}},
       {"least", {std::string("-Infinity")}}}};
  EXPECT_EQ(PolicyOf(Entry("xds.type.v3.TypedStruct", body), context), LbPolicy{expected});
  EXPECT_EQ(PolicyOf(Entry("udpa.type.v1.TypedStruct", body), context), LbPolicy{expected});
}

TEST(ClusterDecoding, PassesOverARegisteredNameThatIsNoStruct) {  // R12.64
  const DecodeContext context = {.custom_lb_policies = {"envoy.config.core.v3.Locality"}};
  EXPECT_EQ(
      PolicyOf(Entry("envoy.config.core.v3.Locality", "") + Known("round_robin.v3.RoundRobin", ""),
               context),
      LbPolicy{RoundRobinLb{}});
}

TEST(ClusterDecoding, PrefersTheListOfPoliciesToTheEnum) {  // R12.64, R12.65
  EXPECT_EQ(EdsAnd(absl::StrCat("lb_policy: MAGLEV load_balancing_policy { ",
                                Known("round_robin.v3.RoundRobin", ""), " }"))
                .lb_policy,
            LbPolicy{RoundRobinLb{}});
}

TEST(ClusterDecoding, ReadsTheEnumOfPolicies) {  // R12.65
  EXPECT_EQ(EdsAnd("lb_policy: ROUND_ROBIN").lb_policy, InEachLocality({RoundRobinLb{}}));
  EXPECT_EQ(EdsAnd("lb_policy: LEAST_REQUEST").lb_policy, InEachLocality({LeastRequestLb{2}}));
  EXPECT_EQ(EdsAnd("lb_policy: RING_HASH").lb_policy, (LbPolicy{RingHashLb{1024, 8388608}}));
}

// A policy we do not have is refused; round robin would be a guess.
TEST(ClusterDecoding, NeverReplacesAPolicyByAnother) {  // R5.14
  const Decoded<Cluster> decoded =
      DecodeCluster(FromText(kType, absl::StrCat(kEds, "lb_policy: MAGLEV")), {});
  EXPECT_EQ(decoded.errors.Text(),
            "lb_policy: must be ROUND_ROBIN, LEAST_REQUEST or RING_HASH (got MAGLEV)");
}

TEST(ClusterDecoding, ReadsRingSizes) {  // R12.66, R-A.1
  EXPECT_EQ(EdsAnd(R"(lb_policy: RING_HASH ring_hash_lb_config {
                        minimum_ring_size { value: 1 } maximum_ring_size { value: 1 } })")
                .lb_policy,
            (LbPolicy{RingHashLb{1, 1}}));
  EXPECT_EQ(PolicyOf(Known("ring_hash.v3.RingHash",
                           R"(hash_function: XX_HASH minimum_ring_size { value: 7 }
                              maximum_ring_size { value: 8388608 })")),
            (LbPolicy{RingHashLb{7, 8388608}}));
}

TEST(ClusterDecoding, ClampsTheChoiceCountToTen) {  // R12.67
  EXPECT_EQ(PolicyOf(Known("least_request.v3.LeastRequest", "choice_count { value: 10 }")),
            LbPolicy{LeastRequestLb{10}});
  EXPECT_EQ(PolicyOf(Known("least_request.v3.LeastRequest", "choice_count { value: 4294967295 }")),
            LbPolicy{LeastRequestLb{10}});
  EXPECT_EQ(EdsAnd("lb_policy: LEAST_REQUEST least_request_lb_config { choice_count { value: 3 } }")
                .lb_policy,
            InEachLocality({LeastRequestLb{3}}));
}

TEST(ClusterDecoding, ReadsTimeouts) {  // R12 General, R12.73
  const Cluster cluster = EdsAnd(
      absl::StrCat("connect_timeout { seconds: 315576000000 nanos: 999999999 } upstream_config { "
                   "typed_config { ",
                   AnyText("envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
                           "common_http_protocol_options { idle_timeout { seconds: 5 } }"),
                   " } }"));
  EXPECT_EQ(cluster.connect_timeout, absl::Seconds(315576000000) + absl::Nanoseconds(999999999));
  EXPECT_EQ(cluster.idle_timeout, absl::Seconds(5));
  EXPECT_EQ(EdsAnd("connect_timeout {}").connect_timeout, absl::ZeroDuration());
}

TEST(ClusterDecoding, IgnoresUnknownLoadReportMetrics) {  // R12.68, R12.75
  const Cluster cluster = EdsAnd(R"(lrs_server { self {} }
    lrs_report_endpoint_metrics: "named_metrics.queue" lrs_report_endpoint_metrics: "gpu"
    lrs_report_endpoint_metrics: "cpu_utilization" lrs_report_endpoint_metrics: "cpu_utilization"
    lrs_report_endpoint_metrics: "named_metrics.*" lrs_report_endpoint_metrics: "mem_utilization"
    lrs_report_endpoint_metrics: "" lrs_report_endpoint_metrics: "application_utilization")");
  EXPECT_TRUE(cluster.reports_load);
  EXPECT_THAT(cluster.lrs_metrics,
              ElementsAre("application_utilization", "cpu_utilization", "mem_utilization",
                          "named_metrics.*", "named_metrics.queue"));
}

TEST(ClusterDecoding, TakesTheFirstDefaultThresholds) {  // R12.69
  const Cluster cluster = EdsAnd(R"(circuit_breakers {
    thresholds { priority: HIGH max_requests { value: 1 } }
    thresholds { max_requests { value: 2 } }
    thresholds { max_requests { value: 3 } }
    per_host_thresholds { priority: HIGH max_connections { value: 0 } }
    per_host_thresholds { max_connections { value: 5 } }
    per_host_thresholds { max_connections { value: 0 } } })");
  EXPECT_EQ(cluster.max_concurrent_requests, 2u);
  EXPECT_EQ(cluster.max_connections_per_host, 5u);
}

TEST(ClusterDecoding, NeverRejectsThresholds) {  // R12.69
  EXPECT_EQ(EdsAnd("circuit_breakers { thresholds { priority: 9 } thresholds {} }"), PlainEds());
  EXPECT_EQ(EdsAnd("circuit_breakers { thresholds {} thresholds { max_requests { value: 3 } } }"),
            PlainEds());
  EXPECT_EQ(EdsAnd("circuit_breakers { thresholds { max_requests {} } }").max_concurrent_requests,
            0u);
}

TEST(ClusterDecoding, KeepsKnownOverrideHostStatuses) {  // R12.72
  EXPECT_THAT(EdsAnd(R"(common_lb_config { override_host_status {
                          statuses: [ DRAINING, UNHEALTHY, TIMEOUT, DEGRADED, UNKNOWN, 77 ] } })")
                  .override_host_statuses,
              UnorderedElementsAre(HealthStatus::kDraining, HealthStatus::kUnknown));
  EXPECT_THAT(EdsAnd("common_lb_config { override_host_status {} }").override_host_statuses,
              IsEmpty());
  EXPECT_EQ(EdsAnd("common_lb_config {}"), PlainEds());
}

TEST(ClusterDecoding, ReadsMetadata) {  // R12.74
  const auto typed = [](absl::string_view key, absl::string_view type, absl::string_view body) {
    return absl::StrCat("typed_filter_metadata { key: \"", key, "\" value { ", AnyText(type, body),
                        " } } ");
  };
  const auto plain = [](absl::string_view key) {
    return absl::StrCat("filter_metadata { key: \"", key,
                        R"(" value { fields { key: "a" value { bool_value: true } } } } )");
  };
  const Cluster cluster = EdsAnd(absl::StrCat(
      "metadata { ",
      typed("audience", "envoy.extensions.filters.http.gcp_authn.v3.Audience",
            R"(url: "https://pay")"),
      typed("proxy", "envoy.config.core.v3.Address",
            R"(socket_address { address: "0::1" port_value: 3128 })"),
      typed("other", "envoy.config.core.v3.Locality", ""), plain("audience"), plain("other"),
      plain("plain"), typed("gone", "envoy.config.core.v3.Locality", ""), " }"));
  const JsonValue json = {JsonValue::Object{{"a", {true}}}};
  EXPECT_EQ(cluster.metadata, (Metadata{{"audience", GcpAudience{"https://pay"}},
                                        {"other", json},
                                        {"plain", json},
                                        {"proxy", ProxyAddress{"[::1]:3128"}}}));
}

TEST(ClusterDecoding, ListsWhatItAcceptsWithoutDoingIt) {
  const Decoded<Cluster> decoded = Decode(
      absl::StrCat(kEds, R"(circuit_breakers { thresholds { max_requests { value: 2 } } }
               outlier_detection {} lrs_server { self {} }
               lrs_report_endpoint_metrics: "cpu_utilization"
               common_lb_config { override_host_status { statuses: HEALTHY } } )",
                   "upstream_config { typed_config { ",
                   AnyText("envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
                           "common_http_protocol_options { idle_timeout { seconds: 5 } }"),
                   " } } transport_socket { typed_config { ",
                   AnyText("envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
                           "common_tls_context { validation_context { system_root_certs {} } }"),
                   " } }"));
  EXPECT_THAT(
      decoded.not_enforced,
      ElementsAre("circuit_breakers", "common_lb_config.override_host_status",
                  "lrs_report_endpoint_metrics", "lrs_server", "outlier_detection",
                  "transport_socket",
                  "upstream_config.typed_config.common_http_protocol_options.idle_timeout"));
}

TEST(ClusterDecoding, ListsNothingThatAsksForNothing) {
  const Decoded<Cluster> decoded = Decode(absl::StrCat(
      kEds, R"(circuit_breakers { thresholds { priority: HIGH max_requests { value: 2 } } }
               outlier_detection { enforcing_success_rate {} }
               lrs_report_endpoint_metrics: "gpu"
               common_lb_config { override_host_status {} }
               transport_socket_matches {} )",
      "upstream_config { typed_config { ",
      AnyText("envoy.extensions.upstreams.http.v3.HttpProtocolOptions", ""), " } }"));
  EXPECT_THAT(decoded.not_enforced, IsEmpty());
}

TEST(ClusterDecoding, IgnoresFieldsItDoesNotKnow) {  // R5.12, R12.71
  // Field 1000, a string; and transport_socket_matches, which we know to be ignored.
  const std::string bytes = FromText(kType, kEds) + std::string("\xc2\x3e\x02hi", 5) +
                            FromText(kType, "transport_socket_matches {}");
  const Decoded<Cluster> decoded = DecodeCluster(bytes, {});
  EXPECT_EQ(decoded.errors.Text(), "");
  EXPECT_EQ(decoded.resource, PlainEds());
}

}  // namespace
}  // namespace holdfast

// What full_clusters.py's clusters are to us.
#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "tests/interop/foreign_cases.h"
#include "tests/interop/full_tls.h"

namespace holdfast {
namespace {

LbPolicy InEachLocality(LbPolicy child) {
  return {WrrLocalityLb{std::make_shared<const LbPolicy>(std::move(child))}};
}

// A cluster that names no policy means ROUND_ROBIN, the first value of lb_policy.
Cluster EdsCluster(const std::string& name) {
  return {.name = name,
          .discovery = Cluster::Eds{name},
          .lb_policy = InEachLocality({RoundRobinLb{}}),
          .override_host_statuses = {HealthStatus::kUnknown, HealthStatus::kHealthy}};
}

OutlierDetection FullOutlierDetection() {
  return {
      .interval = absl::Seconds(31),
      .base_ejection_time = absl::Seconds(32),
      .max_ejection_time = absl::Seconds(33),
      .max_ejection_percent = 34,
      .success_rate = OutlierDetection::SuccessRate{.stdev_factor = 1938,
                                                    .enforcement_percent = 35,
                                                    .minimum_hosts = 36,
                                                    .request_volume = 37},
      .failure_percentage = OutlierDetection::FailurePercentage{.threshold = 39,
                                                                .enforcement_percent = 40,
                                                                .minimum_hosts = 41,
                                                                .request_volume = 42},
  };
}

Metadata FullMetadata() {
  const JsonValue::Object plain = {{"colour", {.value = std::string("green")}},
                                   {"size", {.value = 43.5}}};
  return {{"plain", JsonValue{.value = plain}},
          {"authn", GcpAudience{"https://audience.example.com"}}};
}

// Of the thresholds the ones for the default priority count, and of those max_requests; of the
// thresholds per host, max_connections. transport_socket_matches is ignored.
Expectation<Cluster> EdsFull() {
  return Accepted(
      Cluster{
          .name = "cluster-eds",
          .discovery = Cluster::Eds{"endpoints-of-eds"},
          .lb_policy = {RingHashLb{.min_ring_size = 2048, .max_ring_size = 4096}},
          .connect_timeout = absl::Milliseconds(5125),
          .reports_load = true,
          .lrs_metrics = {"cpu_utilization", "named_metrics.queue"},
          .max_concurrent_requests = 104,
          .max_connections_per_host = 106,
          .outlier_detection = FullOutlierDetection(),
          .tls = MutualTls(),
          .override_host_statuses = {HealthStatus::kHealthy, HealthStatus::kDraining},
          .idle_timeout = absl::Seconds(44),
          .metadata = FullMetadata(),
      },
      {"circuit_breakers", "common_lb_config.override_host_status", "lrs_report_endpoint_metrics",
       "lrs_server", "outlier_detection", "transport_socket",
       "upstream_config.typed_config.common_http_protocol_options.idle_timeout"});
}

Expectation<Cluster> LogicalDns() {
  Cluster cluster = EdsCluster("cluster-dns");
  cluster.discovery = Cluster::LogicalDns{.host = "backend.example.com", .port = 8443};
  cluster.lb_policy = InEachLocality({LeastRequestLb{.choice_count = 6}});
  return Accepted(cluster);
}

Expectation<Cluster> Aggregate() {
  Cluster cluster = EdsCluster("cluster-aggregate");
  cluster.discovery = Cluster::Aggregate{{"cluster-eds", "cluster-dns"}};
  cluster.lb_policy = {};  // its members bring their own
  return Accepted(cluster);
}

Expectation<Cluster> BalancedBy(const std::string& name, LbPolicy policy) {
  Cluster cluster = EdsCluster(name);
  cluster.lb_policy = std::move(policy);
  return Accepted(cluster);
}

Expectation<Cluster> WithTls(const std::string& name, const UpstreamTls& tls) {
  Cluster cluster = EdsCluster(name);
  cluster.tls = tls;
  return Accepted(cluster, {"transport_socket"});
}

Expectation<Cluster> InProxy(const std::string& name) {
  Cluster cluster = EdsCluster(name);
  cluster.uses_http11_proxy = true;
  return Accepted(cluster, {"transport_socket"});
}

Expectation<Cluster> TlsInProxy() {
  Expectation<Cluster> expected = InProxy("cluster-tls-in-proxy");
  expected.resource.tls = SystemRootTls();
  expected.not_enforced.push_back("transport_socket.typed_config.transport_socket");
  return expected;
}

Expectation<Cluster> BadDnsAddress(const std::string& field, const std::string& text) {
  return Rejected<Cluster>(
      "load_assignment.endpoints[0].lb_endpoints[0].endpoint.address.socket_address." + field,
      text);
}

Expectation<Cluster> RejectedTls(const std::string& field) {
  return Rejected<Cluster>("transport_socket.typed_config.common_tls_context." + field,
                           "is not supported");
}

Expectation<Cluster> RejectedValidation(const std::string& field) {
  return RejectedTls("validation_context." + field);
}

Expectations<Cluster> Cases() {
  return {
      {"eds_full", EdsFull()},
      {"logical_dns", LogicalDns()},
      {"aggregate", Aggregate()},
      {"lb_wrr_locality", BalancedBy("cluster-wrr", InEachLocality({RoundRobinLb{}}))},
      {"lb_ring_hash",
       BalancedBy("cluster-ring", {RingHashLb{.min_ring_size = 512, .max_ring_size = 1024}})},
      {"lb_least_request", BalancedBy("cluster-least", {LeastRequestLb{.choice_count = 7}})},
      {"lb_pick_first", BalancedBy("cluster-first", {PickFirstLb{.shuffle_address_list = true}})},
      {"tls_system_roots", WithTls("cluster-roots", SystemRootTls())},
      {"tls_in_proxy", TlsInProxy()},
      {"plain_in_proxy", InProxy("cluster-plain-in-proxy")},
      {"invalid_murmur_hash", Rejected<Cluster>("ring_hash_lb_config.hash_function",
                                                "must be XX_HASH (got MURMUR_HASH_2)")},
      {"invalid_dns_named_port",
       BadDnsAddress("port_value", "must be set (got named_port \"https\")")},
      {"invalid_dns_resolver_name",
       BadDnsAddress("resolver_name", "must be empty (got \"resolver\")")},
      {"invalid_lrs_server", Rejected<Cluster>("lrs_server", "must be self (got path)")},
      {"invalid_tls_tls_params", RejectedTls("tls_params")},
      {"invalid_tls_tls_certificates", RejectedTls("tls_certificates")},
      {"invalid_tls_tls_certificate_sds", RejectedTls("tls_certificate_sds_secret_configs")},
      {"invalid_tls_custom_handshaker", RejectedTls("custom_handshaker")},
      {"invalid_tls_validation_sds", RejectedTls("validation_context_sds_secret_config")},
      {"invalid_tls_verify_certificate_hash", RejectedValidation("verify_certificate_hash")},
      {"invalid_tls_verify_certificate_spki", RejectedValidation("verify_certificate_spki")},
      {"invalid_tls_require_signed_certificate_timestamp",
       RejectedValidation("require_signed_certificate_timestamp")},
      {"invalid_tls_crl", RejectedValidation("crl")},
      {"invalid_tls_custom_validator_config", RejectedValidation("custom_validator_config")},
  };
}

TEST(FullClusters, DecodeToWhatTheirBuildersMeant) {
  ExpectAllDecoded("cluster", DecodeCluster, DecodeContext(), Cases());
}

// The case begins with two policies that only user code can know: PolicyA inside xds.type.v3's
// TypedStruct, PolicyB inside udpa.type.v1's.
TEST(FullClusters, PoliciesOfUserCodeAreReadFromBothKindsOfTypedStruct) {
  const std::string bytes = ForeignCase("cluster", "lb_wrr_locality");
  for (const auto& [name, speed] : {std::pair<const char*, double>{"holdfast.test.PolicyA", 45},
                                    std::pair<const char*, double>{"holdfast.test.PolicyB", 46}}) {
    SCOPED_TRACE(name);
    const DecodeContext context = {.custom_lb_policies = {name}};
    const CustomLb policy = {.name = name, .config = {{"speed", {.value = speed}}}};
    ExpectDecoded(DecodeCluster(bytes, context), BalancedBy("cluster-wrr", {policy}));
  }
}

}  // namespace
}  // namespace holdfast

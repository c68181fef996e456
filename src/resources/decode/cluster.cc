// Cluster (R12.60–R12.76).
#include "resources/cluster.h"

#include <google/protobuf/any.pb.h>
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/wrappers.pb.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/outside_text.h"
#include "envoy/config/cluster/v3/cluster.pb.h"
#include "envoy/config/core/v3/core.pb.h"
#include "envoy/extensions/upstreams/http/v3/http_protocol_options.pb.h"
#include "resources/decode/decode.h"
#include "resources/decode/discovery.h"
#include "resources/decode/health_status.h"
#include "resources/decode/lb_policy.h"
#include "resources/decode/outlier_detection.h"
#include "resources/decode/parts.h"
#include "resources/decode/transport_socket.h"

namespace holdfast {
namespace {

namespace cluster_pb = envoy::config::cluster::v3;
namespace core_pb = envoy::config::core::v3;
using Field = ValidationErrors::Field;

// Reads the fields of one cluster, each into its place.
class Reader {
 public:
  Reader(const cluster_pb::Cluster& message, const DecodeContext& context,
         Decoded<Cluster>& decoded)
      : message_(message),
        context_(context),
        cluster_(decoded.resource),
        errors_(decoded.errors),
        not_enforced_(decoded.not_enforced) {}

  void Read() {
    cluster_.name = message_.name();
    cluster_.discovery = DecodeDiscovery(message_, errors_);
    if (!std::holds_alternative<Cluster::Aggregate>(cluster_.discovery)) {
      cluster_.lb_policy = DecodeLbPolicy(message_, context_, errors_);
    }
    ReadConnectTimeout();
    ReadLoadReports();
    ReadCircuitBreakers();
    ReadOutlierDetection();
    ReadTransportSocket();
    ReadOverrideHostStatus();
    ReadUpstreamConfig();
    ReadMetadata();
    std::sort(not_enforced_.begin(), not_enforced_.end());
  }

 private:
  using Thresholds = cluster_pb::CircuitBreakers::Thresholds;

  void ReadConnectTimeout() {
    if (!message_.has_connect_timeout()) return;
    const Field field(errors_, ".connect_timeout");
    cluster_.connect_timeout = DecodeDuration(message_.connect_timeout(), errors_);
  }

  void ReadLoadReports() {
    if (message_.has_lrs_server()) {
      const Field field(errors_, ".lrs_server");
      RequireSelf(message_.lrs_server(), errors_);
      cluster_.reports_load = true;
      not_enforced_.push_back("lrs_server");
    }
    std::set<std::string> metrics;
    for (const std::string& metric : message_.lrs_report_endpoint_metrics()) {
      if (metric == "cpu_utilization" || metric == "mem_utilization" ||
          metric == "application_utilization" || absl::StartsWith(metric, "named_metrics.")) {
        metrics.insert(metric);
      }
    }
    cluster_.lrs_metrics.assign(metrics.begin(), metrics.end());
    if (!metrics.empty()) not_enforced_.push_back("lrs_report_endpoint_metrics");
  }

  // Of several entries for the default priority the first counts; other priorities are not gRPC's.
  void ReadCircuitBreakers() {
    const cluster_pb::CircuitBreakers& breakers = message_.circuit_breakers();
    const auto is_default = [](const Thresholds& thresholds) {
      return thresholds.priority() == core_pb::DEFAULT;
    };
    const auto limits =
        std::find_if(breakers.thresholds().begin(), breakers.thresholds().end(), is_default);
    const bool limits_requests =
        limits != breakers.thresholds().end() && limits->has_max_requests();
    if (limits_requests) cluster_.max_concurrent_requests = limits->max_requests().value();

    const auto& per_host = breakers.per_host_thresholds();
    const auto host_limits = std::find_if(per_host.begin(), per_host.end(), is_default);
    const bool limits_connections =
        host_limits != per_host.end() && host_limits->has_max_connections();
    if (limits_connections) {
      cluster_.max_connections_per_host = host_limits->max_connections().value();
      if (*cluster_.max_connections_per_host == 0) {
        const Field field(errors_, ".circuit_breakers.per_host_thresholds",
                          static_cast<size_t>(host_limits - per_host.begin()));
        const Field connections(errors_, ".max_connections");
        errors_.Add("must not be 0, no endpoint could ever be connected to");
      }
    }
    if (limits_requests || limits_connections) not_enforced_.push_back("circuit_breakers");
  }

  void ReadOutlierDetection() {
    if (!message_.has_outlier_detection()) return;
    const Field field(errors_, ".outlier_detection");
    const OutlierDetection detection =
        DecodeOutlierDetection(message_.outlier_detection(), errors_);
    if (detection.success_rate.has_value() || detection.failure_percentage.has_value()) {
      not_enforced_.push_back("outlier_detection");
    }
    cluster_.outlier_detection = detection;
  }

  void ReadTransportSocket() {
    if (!message_.has_transport_socket()) return;
    UpstreamSocket socket =
        DecodeTransportSocket(message_.transport_socket(), errors_, not_enforced_);
    cluster_.tls = std::move(socket.tls);
    cluster_.uses_http11_proxy = socket.uses_http11_proxy;
  }

  void ReadOverrideHostStatus() {
    if (!message_.common_lb_config().has_override_host_status()) {
      cluster_.override_host_statuses = {HealthStatus::kUnknown, HealthStatus::kHealthy};
      return;
    }
    for (const int status : message_.common_lb_config().override_host_status().statuses()) {
      const std::optional<HealthStatus> kept = KeptHealthStatus(status);
      if (kept.has_value()) cluster_.override_host_statuses.insert(*kept);
    }
    // None: the cluster asks that no host is overridden, which is what happens.
    if (!cluster_.override_host_statuses.empty()) {
      not_enforced_.push_back("common_lb_config.override_host_status");
    }
  }

  void ReadUpstreamConfig() {
    if (!message_.has_upstream_config()) return;
    const Field field(errors_, ".upstream_config");
    const Field config(errors_, ".typed_config");
    constexpr char kOptions[] = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";
    const Extension extension = DecodeExtension(message_.upstream_config().typed_config(), errors_);
    if (extension.type.empty()) return;
    if (extension.type != kOptions) {
      errors_.Add(
          absl::StrCat("must be of type ", kOptions, " (got ", Quoted(extension.type), ")"));
      return;
    }
    envoy::extensions::upstreams::http::v3::HttpProtocolOptions options;
    if (!ParseExtension(extension, options, errors_)) return;
    if (!options.common_http_protocol_options().has_idle_timeout()) return;
    const Field timeout(errors_, ".common_http_protocol_options.idle_timeout");
    cluster_.idle_timeout =
        DecodeDuration(options.common_http_protocol_options().idle_timeout(), errors_);
    not_enforced_.push_back(
        "upstream_config.typed_config.common_http_protocol_options.idle_timeout");
  }

  void ReadMetadata() {
    if (!message_.has_metadata()) return;
    const Field field(errors_, ".metadata");
    cluster_.metadata = DecodeMetadata(message_.metadata(), errors_);
  }

  const cluster_pb::Cluster& message_;
  const DecodeContext& context_;
  Cluster& cluster_;
  ValidationErrors& errors_;
  std::vector<std::string>& not_enforced_;
};

}  // namespace

Decoded<Cluster> DecodeCluster(absl::string_view bytes, const DecodeContext& context) {
  Decoded<Cluster> decoded;
  decoded.errors.KeepBeforeOthers(context.matters);
  cluster_pb::Cluster message;
  if (ParseMessage(bytes, message, decoded.errors)) Reader(message, context, decoded).Read();
  return decoded;
}

}  // namespace holdfast

// envoy.config.cluster.v3.Cluster, as far as a gRPC client uses it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "resources/endpoints.h"
#include "resources/lb_policy.h"
#include "resources/matchers.h"
#include "resources/metadata.h"

namespace holdfast {

// gRFC A50; the defaults are A50's.
struct OutlierDetection {
  struct SuccessRate {
    uint32_t stdev_factor = 1900;
    uint32_t enforcement_percent = 100;
    uint32_t minimum_hosts = 5;
    uint32_t request_volume = 100;
    friend bool operator==(const SuccessRate&, const SuccessRate&) = default;
  };
  struct FailurePercentage {
    uint32_t threshold = 85;
    uint32_t enforcement_percent = 0;
    uint32_t minimum_hosts = 5;
    uint32_t request_volume = 50;
    friend bool operator==(const FailurePercentage&, const FailurePercentage&) = default;
  };

  absl::Duration interval = absl::Seconds(10);
  absl::Duration base_ejection_time = absl::Seconds(30);
  absl::Duration max_ejection_time = absl::Seconds(300);
  uint32_t max_ejection_percent = 10;
  std::optional<SuccessRate> success_rate;
  std::optional<FailurePercentage> failure_percentage;

  friend bool operator==(const OutlierDetection&, const OutlierDetection&) = default;
};

// envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext.
struct UpstreamTls {
  struct Provider {
    std::string instance_name;
    std::string certificate_name;
    friend bool operator==(const Provider&, const Provider&) = default;
  };

  std::optional<Provider> ca;
  std::optional<Provider> identity;
  bool system_root_certs = false;
  std::vector<StringMatcher> subject_alt_names;
  std::string sni;
  bool auto_host_sni = false;
  bool auto_sni_san_validation = false;

  friend bool operator==(const UpstreamTls&, const UpstreamTls&) = default;
};

struct Cluster {
  struct Eds {
    std::string name;  // the service_name, else the cluster's own name
    friend bool operator==(const Eds&, const Eds&) = default;
  };
  struct LogicalDns {
    std::string host;
    uint16_t port = 0;
    friend bool operator==(const LogicalDns&, const LogicalDns&) = default;
  };
  struct Aggregate {
    std::vector<std::string> clusters;  // by falling priority
    friend bool operator==(const Aggregate&, const Aggregate&) = default;
  };

  std::string name;
  std::variant<Eds, LogicalDns, Aggregate> discovery;
  // Not used for an aggregate cluster (gRFC A75), whose members bring their own.
  LbPolicy lb_policy;
  std::optional<absl::Duration> connect_timeout;
  bool reports_load = false;                         // lrs_server is "self"
  std::vector<std::string> lrs_metrics;              // gRFC A85, the names we know
  uint32_t max_concurrent_requests = 1024;           // gRFC A32
  std::optional<uint32_t> max_connections_per_host;  // gRFC A105
  std::optional<OutlierDetection> outlier_detection;
  std::optional<UpstreamTls> tls;
  bool uses_http11_proxy = false;  // gRFC A86
  std::set<HealthStatus> override_host_statuses;
  absl::Duration idle_timeout = absl::Hours(1);
  Metadata metadata;

  friend bool operator==(const Cluster&, const Cluster&) = default;
};

}  // namespace holdfast

#include "bench/cluster_response.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/deterministic_bytes.h"
#include "envoy/config/cluster/v3/cluster.pb.h"
#include "envoy/service/discovery/v3/discovery.pb.h"

namespace holdfast {
namespace {

namespace cluster = ::envoy::config::cluster::v3;
namespace discovery = ::envoy::service::discovery::v3;

std::string OneCluster(int number, int timeout_seconds) {
  cluster::Cluster message;
  message.set_name(ClusterName(number));
  message.set_type(cluster::Cluster::EDS);
  message.mutable_connect_timeout()->set_seconds(5);
  message.mutable_eds_cluster_config()->mutable_eds_config()->mutable_ads();
  message.mutable_eds_cluster_config()->set_service_name(message.name());
  message.mutable_circuit_breakers()->add_thresholds()->mutable_max_requests()->set_value(4096);
  cluster::OutlierDetection& outlier = *message.mutable_outlier_detection();
  outlier.mutable_interval()->set_seconds(timeout_seconds);
  outlier.mutable_max_ejection_percent()->set_value(20);
  auto& fields = *(*message.mutable_metadata()->mutable_filter_metadata())["com.example.team"]
                      .mutable_fields();
  for (int i = 0; message.ByteSizeLong() < 1000; ++i) {
    fields[absl::StrCat("label-", i)].set_string_value(absl::StrCat("value of label ", i));
  }
  return DeterministicBytes(message);
}

}  // namespace

std::string ClusterName(int number) {
  return absl::StrCat("cluster-", number, ".prod.example.com");
}

std::string ClusterResponse(int resources, const std::string& version, int changed, unsigned seed) {
  std::vector<int> order(static_cast<size_t>(resources));
  std::iota(order.begin(), order.end(), 0);
  if (seed != 0) std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  discovery::DiscoveryResponse response;
  response.set_version_info(version);
  response.set_type_url(kClusterUrl);
  response.set_nonce(absl::StrCat("nonce of ", version));
  for (const int number : order) {
    google::protobuf::Any& any = *response.add_resources();
    any.set_type_url(kClusterUrl);
    any.set_value(OneCluster(number, number == changed ? 11 : 10));
  }
  return response.SerializeAsString();
}

}  // namespace holdfast

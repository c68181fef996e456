#include "bench/control/served_resources.h"

#include "absl/strings/str_cat.h"
#include "bench/deterministic_bytes.h"
#include "envoy/config/cluster/v3/cluster.pb.h"
#include "envoy/config/endpoint/v3/endpoint.pb.h"
#include "xds/discovery.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

namespace cluster = ::envoy::config::cluster::v3;
namespace endpoint = ::envoy::config::endpoint::v3;

std::string ClusterBody(int number, int revision, size_t size) {
  cluster::Cluster message;
  message.set_name(ServedName(number));
  message.set_type(cluster::Cluster::EDS);
  message.mutable_connect_timeout()->set_seconds(5);
  message.mutable_connect_timeout()->set_nanos(1'000'000 + revision);
  message.mutable_eds_cluster_config()->mutable_eds_config()->mutable_ads();
  message.mutable_eds_cluster_config()->set_service_name(message.name());
  auto& fields = *(*message.mutable_metadata()->mutable_filter_metadata())["com.example.team"]
                      .mutable_fields();
  for (int i = 0; message.ByteSizeLong() < size; ++i) {
    fields[absl::StrCat("label-", i)].set_string_value(absl::StrCat("value of label ", i));
  }
  return DeterministicBytes(message);
}

std::string EndpointsBody(int number, int revision, size_t size) {
  endpoint::ClusterLoadAssignment message;
  message.set_cluster_name(ServedName(number));
  endpoint::LocalityLbEndpoints& locality = *message.add_endpoints();
  for (int i = 0; message.ByteSizeLong() < size; ++i) {
    auto& address = *locality.add_lb_endpoints()
                         ->mutable_endpoint()
                         ->mutable_address()
                         ->mutable_socket_address();
    address.set_address(absl::StrCat("10.0.0.", 100 + i));
    address.set_port_value(static_cast<uint32_t>(10'000 + revision % 10'000));
  }
  return DeterministicBytes(message);
}

}  // namespace

absl::string_view WordOf(ServedKind kind) {
  return kind == ServedKind::kClusters ? "clusters" : "endpoints";
}

std::string TypeUrlOf(ServedKind kind) {
  return absl::StrCat(kTypeUrlPrefix,
                      kind == ServedKind::kClusters ? kClusterTypeName : kEndpointsTypeName);
}

std::string ServedName(int number) { return absl::StrCat("cluster-", number, ".prod.example.com"); }

std::string ServedBody(ServedKind kind, int number, int revision, size_t size) {
  return kind == ServedKind::kClusters ? ClusterBody(number, revision, size)
                                       : EndpointsBody(number, revision, size);
}

}  // namespace holdfast

#include "resources/decode/discovery.h"

#include <google/protobuf/any.pb.h>

#include <cstddef>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/outside_text.h"
#include "envoy/config/cluster/v3/cluster.pb.h"
#include "envoy/config/core/v3/core.pb.h"
#include "envoy/config/endpoint/v3/endpoint.pb.h"
#include "envoy/extensions/clusters/aggregate/v3/aggregate.pb.h"
#include "resources/decode/parts.h"

namespace holdfast {
namespace {

namespace cluster_pb = envoy::config::cluster::v3;
namespace core_pb = envoy::config::core::v3;
namespace endpoint_pb = envoy::config::endpoint::v3;
using Field = ValidationErrors::Field;

constexpr char kAggregate[] = "envoy.extensions.clusters.aggregate.v3.ClusterConfig";

Cluster::Eds DecodeEds(const cluster_pb::Cluster& cluster, ValidationErrors& errors) {
  const Field field(errors, ".eds_cluster_config");
  if (!cluster.has_eds_cluster_config()) {
    errors.Add("must be set for an EDS cluster");
    return {};
  }
  const auto& config = cluster.eds_cluster_config();
  {
    const Field source(errors, ".eds_config");
    RequireAdsOrSelf(config.eds_config(), errors);
  }
  if (!config.service_name().empty()) return {config.service_name()};
  if (absl::StartsWith(cluster.name(), "xdstp:")) {
    const Field name(errors, ".service_name");
    errors.Add("must be set, because the name of an xdstp: cluster is no name of endpoints");
  }
  return {cluster.name()};
}

// The one endpoint of a LOGICAL_DNS cluster, in the fields around an address.
Cluster::LogicalDns DecodeHostAndPort(const core_pb::SocketAddress& address,
                                      ValidationErrors& errors) {
  Cluster::LogicalDns dns;
  dns.host = address.address();
  {
    const Field field(errors, ".address");
    if (dns.host.empty()) errors.Add("must not be empty");
    if (absl::c_any_of(dns.host, [](unsigned char c) { return c <= 0x20 || c == 0x7F; })) {
      errors.Add(absl::StrCat("must be a host name without spaces (got ", Quoted(dns.host), ")"));
    }
    // It becomes a part of a URI, where these would end it, and the port behind it would be lost.
    if (absl::c_any_of(dns.host, [](char c) { return absl::StrContains("/?#%", c); })) {
      errors.Add(
          absl::StrCat("must be a host name without any of /?#% (got ", Quoted(dns.host), ")"));
    }
  }
  if (!address.resolver_name().empty()) {
    const Field field(errors, ".resolver_name");
    errors.Add(absl::StrCat("must be empty (got ", Quoted(address.resolver_name()), ")"));
  }
  dns.port = DecodePort(address, errors).value_or(0);
  return dns;
}

Cluster::LogicalDns DecodeLogicalDns(const cluster_pb::Cluster& cluster, ValidationErrors& errors) {
  const Field field(errors, ".load_assignment");
  if (!cluster.has_load_assignment()) {
    errors.Add("must be set for a LOGICAL_DNS cluster");
    return {};
  }
  const auto& localities = cluster.load_assignment().endpoints();
  const Field endpoints(errors, ".endpoints");
  if (localities.size() != 1) {
    errors.Add(absl::StrCat("must hold one locality (got ", localities.size(), ")"));
    return {};
  }
  const Field first(errors, "", 0);
  const Field lb_endpoints(errors, ".lb_endpoints");
  if (localities[0].lb_endpoints_size() != 1) {
    errors.Add(
        absl::StrCat("must hold one endpoint (got ", localities[0].lb_endpoints_size(), ")"));
    return {};
  }
  const Field only(errors, "", 0);
  const Field address(errors, ".endpoint.address");
  const core_pb::Address& message = localities[0].lb_endpoints(0).endpoint().address();
  if (!RequireSocketAddress(message, errors)) return {};
  const Field socket_address(errors, ".socket_address");
  return DecodeHostAndPort(message.socket_address(), errors);
}

Cluster::Aggregate DecodeCustomType(const cluster_pb::Cluster::CustomClusterType& type,
                                    ValidationErrors& errors) {
  const Field field(errors, ".cluster_type");
  const Field config(errors, ".typed_config");
  Cluster::Aggregate aggregate;
  const Extension extension = DecodeExtension(type.typed_config(), errors);
  if (extension.type.empty()) return aggregate;
  if (extension.type != kAggregate) {
    errors.Add(absl::StrCat("must be of type ", kAggregate, " (got ", Quoted(extension.type), ")"));
    return aggregate;
  }
  envoy::extensions::clusters::aggregate::v3::ClusterConfig message;
  if (!ParseExtension(extension, message, errors)) return aggregate;
  if (message.clusters().empty()) {
    const Field clusters(errors, ".clusters");
    errors.Add("must name at least one cluster");
  }
  for (int i = 0; i < message.clusters_size(); ++i) {
    const Field cluster(errors, ".clusters", static_cast<size_t>(i));
    if (message.clusters(i).empty()) errors.Add("must not be empty");
    aggregate.clusters.push_back(message.clusters(i));
  }
  return aggregate;
}

}  // namespace

decltype(Cluster::discovery) DecodeDiscovery(const cluster_pb::Cluster& cluster,
                                             ValidationErrors& errors) {
  if (cluster.has_cluster_type()) return DecodeCustomType(cluster.cluster_type(), errors);
  if (cluster.has_type() && cluster.type() == cluster_pb::Cluster::EDS) {
    return DecodeEds(cluster, errors);
  }
  if (cluster.has_type() && cluster.type() == cluster_pb::Cluster::LOGICAL_DNS) {
    return DecodeLogicalDns(cluster, errors);
  }
  const Field field(errors, ".type");
  const std::string got =
      cluster.has_type()
          ? EnumText(cluster_pb::Cluster::DiscoveryType_Name(cluster.type()), cluster.type())
          : "nothing";
  errors.Add(absl::StrCat(
      "must be EDS or LOGICAL_DNS, unless cluster_type is an aggregate cluster (got ", got, ")"));
  return {};
}

}  // namespace holdfast

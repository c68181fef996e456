// Clusters that must be rejected, each with all of its errors (R12.D). Load balancing policies and
// TLS have tables of their own.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "resources/decode/decode.h"
#include "tests/support/bad_resource.h"

namespace holdfast {
namespace {

using ::testing::ValuesIn;

constexpr char kType[] = "envoy.config.cluster.v3.Cluster";

constexpr char kEds[] = R"(
  name: "payments" type: EDS eds_cluster_config { eds_config { ads {} } })";
constexpr char kBareEds[] = R"(name: "payments" type: EDS)";
constexpr char kBareDns[] = R"(name: "payments" type: LOGICAL_DNS)";

constexpr char kUnparsable[] =
    ": truncated, not protobuf, nested deeper than 100 levels, or a string that is not UTF-8";
constexpr char kDiscovery[] =
    "must be EDS or LOGICAL_DNS, unless cluster_type is an aggregate cluster (got ";

// The socket_address of a LOGICAL_DNS cluster.
std::string DnsAddress(absl::string_view socket_address) {
  return absl::StrCat(
      "load_assignment { endpoints { lb_endpoints { endpoint { address { socket_address { ",
      socket_address, " } } } } } }");
}
constexpr char kDnsPath[] =
    "load_assignment.endpoints[0].lb_endpoints[0].endpoint.address.socket_address";

std::string Aggregate(absl::string_view body) {
  return absl::StrCat("cluster_type { typed_config { ",
                      AnyText("envoy.extensions.clusters.aggregate.v3.ClusterConfig", body),
                      " } }");
}

std::string HttpOptions(absl::string_view body) {
  return absl::StrCat("upstream_config { typed_config { ",
                      AnyText("envoy.extensions.upstreams.http.v3.HttpProtocolOptions", body),
                      " } }");
}

std::string TypedMetadata(absl::string_view any) {
  return absl::StrCat(R"(metadata { typed_filter_metadata { key: "k" value { )", any, " } } }");
}

const std::vector<BadResource>& DiscoveryRows() {
  static const auto& rows = *new std::vector<BadResource>{
      {"TypeUnset",
       R"(name: "payments")",
       "",  // R12.60
       {{"type", absl::StrCat(kDiscovery, "nothing)")}}},
      {"TypeStatic",
       kEds,
       "type: STATIC",  // R12.60
       {{"type", absl::StrCat(kDiscovery, "STATIC)")}}},
      {"TypeStrictDns",
       kEds,
       "type: STRICT_DNS",  // R12.60
       {{"type", absl::StrCat(kDiscovery, "STRICT_DNS)")}}},
      {"TypeOriginalDst",
       kEds,
       "type: ORIGINAL_DST",  // R12.60
       {{"type", absl::StrCat(kDiscovery, "ORIGINAL_DST)")}}},
      {"TypeUnknownNumber",
       kEds,
       "type: 77",  // R12.60
       {{"type", absl::StrCat(kDiscovery, "77)")}}},
      {"ClusterTypeOther",
       kEds,  // R12.60
       absl::StrCat("cluster_type { typed_config { ", AnyText("envoy.config.core.v3.Locality", ""),
                    " } }"),
       {{"cluster_type.typed_config",
         "must be of type envoy.extensions.clusters.aggregate.v3.ClusterConfig (got "
         "\"envoy.config.core.v3.Locality\")"}}},
      {"ClusterTypeWithoutConfig",
       kEds,
       R"(cluster_type { name: "aggregate" })",  // R12.60
       {{"cluster_type.typed_config.type_url",
         "is empty, so the type of what is inside is unknown"}}},
      {"ClusterTypeBadUrl",
       kEds,  // R12.60
       R"(cluster_type { typed_config { type_url: "aggregate" } })",
       {{"cluster_type.typed_config.type_url",
         "must look like type.googleapis.com/package.Message (got \"aggregate\")"}}},
      {"ClusterTypeUrlEndsInSlash",
       kEds,  // R12.60
       R"(cluster_type { typed_config { type_url: "type.googleapis.com/" } })",
       {{"cluster_type.typed_config.type_url",
         "must look like type.googleapis.com/package.Message (got \"type.googleapis.com/\")"}}},

      {"EdsWithoutConfig",
       kBareEds,
       "",  // R12.61
       {{"eds_cluster_config", "must be set for an EDS cluster"}}},
      {"EdsConfigUnset",
       kBareEds,
       "eds_cluster_config {}",  // R12.61
       {{"eds_cluster_config.eds_config", "must be ads or self (got nothing)"}}},
      {"EdsConfigPath",
       kEds,  // R12.61
       R"(eds_cluster_config { eds_config { path: "/etc/eds" } })",
       {{"eds_cluster_config.eds_config", "must be ads or self (got path)"}}},
      {"EdsConfigPathConfigSource",
       kEds,  // R12.61
       "eds_cluster_config { eds_config { path_config_source {} } }",
       {{"eds_cluster_config.eds_config", "must be ads or self (got path_config_source)"}}},
      {"EdsConfigApi",
       kEds,  // R12.61
       "eds_cluster_config { eds_config { api_config_source {} } }",
       {{"eds_cluster_config.eds_config", "must be ads or self (got api_config_source)"}}},
      {"EdsXdstpWithoutServiceName",
       kEds,  // R12.61
       R"(name: "xdstp://prod/envoy.config.cluster.v3.Cluster/payments")",
       {{"eds_cluster_config.service_name",
         "must be set, because the name of an xdstp: cluster is no name of endpoints"}}},

      {"DnsWithoutAssignment",
       kBareDns,
       "",  // R12.62
       {{"load_assignment", "must be set for a LOGICAL_DNS cluster"}}},
      {"DnsNoLocality",
       kBareDns,
       "load_assignment {}",  // R12.62
       {{"load_assignment.endpoints", "must hold one locality (got 0)"}}},
      {"DnsTwoLocalities",
       kBareDns,
       "load_assignment { endpoints {} endpoints {} }",  // R12.62
       {{"load_assignment.endpoints", "must hold one locality (got 2)"}}},
      {"DnsNoEndpoint",
       kBareDns,
       "load_assignment { endpoints {} }",  // R12.62
       {{"load_assignment.endpoints[0].lb_endpoints", "must hold one endpoint (got 0)"}}},
      {"DnsTwoEndpoints",
       kBareDns,  // R12.62
       "load_assignment { endpoints { lb_endpoints {} lb_endpoints {} } }",
       {{"load_assignment.endpoints[0].lb_endpoints", "must hold one endpoint (got 2)"}}},
      {"DnsNoAddress",
       kBareDns,
       "load_assignment { endpoints { lb_endpoints {} } }",  // R12.62
       {{"load_assignment.endpoints[0].lb_endpoints[0].endpoint.address",
         "must be a socket_address (got nothing)"}}},
      {"DnsPipe",
       kBareDns,  // R12.62
       "load_assignment { endpoints { lb_endpoints { endpoint { address { pipe {} } } } } }",
       {{"load_assignment.endpoints[0].lb_endpoints[0].endpoint.address",
         "must be a socket_address (got pipe)"}}},
      {"DnsHostEmpty",
       kBareDns,
       DnsAddress("port_value: 443"),  // R12.62
       {{absl::StrCat(kDnsPath, ".address"), "must not be empty"}}},
      {"DnsPortUnset",
       kBareDns,
       DnsAddress(R"(address: "a.example")"),  // R12.62
       {{absl::StrCat(kDnsPath, ".port_value"), "must be set"}}},
      {"DnsNamedPort",
       kBareDns,  // R12.62
       DnsAddress(R"(address: "a.example" named_port: "https")"),
       {{absl::StrCat(kDnsPath, ".port_value"), "must be set (got named_port \"https\")"}}},
      {"DnsPortTooLarge",
       kBareDns,  // R12.62
       DnsAddress(R"(address: "a.example" port_value: 65536)"),
       {{absl::StrCat(kDnsPath, ".port_value"), "is 65536, the most is 65535"}}},
      {"DnsNotTcp",
       kBareDns,  // R12.62
       DnsAddress(R"(protocol: UDP address: "a.example" port_value: 443)"),
       {{absl::StrCat(kDnsPath, ".protocol"), "must be TCP (got UDP)"}}},
      {"DnsHostWithSpaces",
       kBareDns,  // R12.62
       DnsAddress(R"(address: "a b\n" port_value: 443)"),
       {{absl::StrCat(kDnsPath, ".address"), "must be a host name without spaces (got \"a b \")"}}},
      {"DnsHostThatEndsAUri",
       kBareDns,  // R12.62
       DnsAddress(R"(address: "a.example?x#y" port_value: 443)"),
       {{absl::StrCat(kDnsPath, ".address"),
         "must be a host name without any of /?#% (got \"a.example?x#y\")"}}},
      {"DnsResolverName",
       kBareDns,  // R12.62
       DnsAddress(R"(address: "a.example" port_value: 443 resolver_name: "mine")"),
       {{absl::StrCat(kDnsPath, ".resolver_name"), "must be empty (got \"mine\")"}}},

      {"AggregateOfNothing",
       kEds,
       Aggregate(""),  // R12.63
       {{"cluster_type.typed_config.clusters", "must name at least one cluster"}}},
      {"AggregateOfEmptyName",
       kEds,
       Aggregate(R"(clusters: "near" clusters: "")"),  // R12.63
       {{"cluster_type.typed_config.clusters[1]", "must not be empty"}}},
      {"AggregateGarbage",
       kEds,  // R12.63
       R"(cluster_type { typed_config {
            type_url: "type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig"
            value: "\012\377" } })",
       {{"cluster_type.typed_config",
         absl::StrCat("cannot be parsed as envoy.extensions.clusters.aggregate.v3.ClusterConfig",
                      kUnparsable)}}},
      {"AggregateAsStruct",
       kEds,  // R12.63
       absl::StrCat(
           "cluster_type { typed_config { ",
           AnyText("xds.type.v3.TypedStruct",
                   "type_url: "
                   "\"type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig\""),
           " } }"),
       {{"cluster_type.typed_config",
         "must be envoy.extensions.clusters.aggregate.v3.ClusterConfig itself (got it as a "
         "TypedStruct)"}}},
  };
  return rows;
}

const std::vector<BadResource>& FieldRows() {
  static const auto& rows = *new std::vector<BadResource>{
      {"ConnectTimeoutNegative",
       kEds,
       "connect_timeout { seconds: -1 }",  // R12 General
       {{"connect_timeout.seconds", "is -1, must be from 0 to 315576000000"}}},
      {"ConnectTimeoutTooLong",
       kEds,
       "connect_timeout { seconds: 315576000001 }",  // R12 General
       {{"connect_timeout.seconds", "is 315576000001, must be from 0 to 315576000000"}}},
      {"ConnectTimeoutNanos",
       kEds,
       "connect_timeout { nanos: 1000000000 }",  // R12 General
       {{"connect_timeout.nanos", "is 1000000000, must be from 0 to 999999999"}}},
      {"ConnectTimeoutNegativeNanos",
       kEds,
       "connect_timeout { nanos: -1 }",  // R12 General
       {{"connect_timeout.nanos", "is -1, must be from 0 to 999999999"}}},

      {"LrsAds",
       kEds,
       "lrs_server { ads {} }",  // R12.68
       {{"lrs_server", "must be self (got ads)"}}},
      {"LrsNothing",
       kEds,
       "lrs_server {}",  // R12.68
       {{"lrs_server", "must be self (got nothing)"}}},

      {"NoConnectionsPerHost",
       kEds,  // R12.69
       R"(circuit_breakers { per_host_thresholds { priority: HIGH }
                             per_host_thresholds { max_connections { value: 0 } } })",
       {{"circuit_breakers.per_host_thresholds[1].max_connections",
         "must not be 0, no endpoint could ever be connected to"}}},

      {"OutlierInterval",
       kEds,
       "outlier_detection { interval { seconds: -5 } }",  // R12.70
       {{"outlier_detection.interval.seconds", "is -5, must be from 0 to 315576000000"}}},
      {"OutlierBaseTime",
       kEds,
       "outlier_detection { base_ejection_time { nanos: -5 } }",  // R12.70
       {{"outlier_detection.base_ejection_time.nanos", "is -5, must be from 0 to 999999999"}}},
      {"OutlierMaxTime",
       kEds,
       "outlier_detection { max_ejection_time { seconds: -5 } }",  // R12.70
       {{"outlier_detection.max_ejection_time.seconds", "is -5, must be from 0 to 315576000000"}}},
      {"OutlierMaxPercent",
       kEds,  // R12.70
       "outlier_detection { max_ejection_percent { value: 101 } }",
       {{"outlier_detection.max_ejection_percent", "is 101, the most is 100"}}},
      {"OutlierEnforcingSuccessRate",
       kEds,  // R12.70
       "outlier_detection { enforcing_success_rate { value: 101 } }",
       {{"outlier_detection.enforcing_success_rate", "is 101, the most is 100"}}},
      {"OutlierEnforcingFailurePercentage",
       kEds,  // R12.70
       "outlier_detection { enforcing_failure_percentage { value: 4294967295 } }",
       {{"outlier_detection.enforcing_failure_percentage", "is 4294967295, the most is 100"}}},
      {"OutlierThresholdEvenIfNotEnforced",
       kEds,  // R12.70
       "outlier_detection { failure_percentage_threshold { value: 101 } }",
       {{"outlier_detection.failure_percentage_threshold", "is 101, the most is 100"}}},

      {"UpstreamConfigOther",
       kEds,  // R12.73
       absl::StrCat("upstream_config { typed_config { ",
                    AnyText("envoy.config.core.v3.HttpProtocolOptions", ""), " } }"),
       {{"upstream_config.typed_config",
         "must be of type envoy.extensions.upstreams.http.v3.HttpProtocolOptions (got "
         "\"envoy.config.core.v3.HttpProtocolOptions\")"}}},
      {"UpstreamConfigEmpty",
       kEds,
       "upstream_config {}",  // R12.73
       {{"upstream_config.typed_config.type_url",
         "is empty, so the type of what is inside is unknown"}}},
      {"UpstreamConfigIdleTimeout",
       kEds,  // R12.73
       HttpOptions("common_http_protocol_options { idle_timeout { seconds: -1 } }"),
       {{"upstream_config.typed_config.common_http_protocol_options.idle_timeout.seconds",
         "is -1, must be from 0 to 315576000000"}}},

      {"AudienceWithoutUrl",
       kEds,  // R12.74
       TypedMetadata(AnyText("envoy.extensions.filters.http.gcp_authn.v3.Audience", "")),
       {{"metadata.typed_filter_metadata[k].url", "must not be empty"}}},
      {"AudienceGarbage",
       kEds,  // R12.74
       TypedMetadata(
           R"(type_url: "type.googleapis.com/envoy.extensions.filters.http.gcp_authn.v3.Audience"
              value: "\012\377")"),
       {{"metadata.typed_filter_metadata[k]",
         absl::StrCat("cannot be parsed as envoy.extensions.filters.http.gcp_authn.v3.Audience",
                      kUnparsable)}}},
      {"AudienceAsStruct",
       kEds,  // R12.74
       TypedMetadata(AnyText(
           "udpa.type.v1.TypedStruct",
           R"(type_url: "type.googleapis.com/envoy.extensions.filters.http.gcp_authn.v3.Audience")")),
       {{"metadata.typed_filter_metadata[k]",
         "must be envoy.extensions.filters.http.gcp_authn.v3.Audience itself (got it as a "
         "TypedStruct)"}}},
      {"MetadataWithoutType",
       kEds,
       TypedMetadata(""),  // R12.74, R12 General
       {{"metadata.typed_filter_metadata[k].type_url",
         "is empty, so the type of what is inside is unknown"}}},
      {"MetadataStructWithoutType",
       kEds,  // R12.74, R12 General
       TypedMetadata(AnyText("xds.type.v3.TypedStruct", "")),
       {{"metadata.typed_filter_metadata[k].value.type_url",
         "is empty, so the type of what is inside is unknown"}}},
      {"MetadataProxyByName",
       kEds,  // R12.74
       TypedMetadata(AnyText("envoy.config.core.v3.Address",
                             R"(socket_address { address: "proxy" port_value: 3128 })")),
       {{"metadata.typed_filter_metadata[k].socket_address.address",
         "must be an IP address (got \"proxy\"); only a LOGICAL_DNS cluster may use a host "
         "name"}}},

      {"SeveralMistakes",
       R"(name: "payments" type: STATIC)",
       R"(lb_policy: MAGLEV lrs_server { ads {} } connect_timeout { seconds: -1 nanos: -1 }
          outlier_detection { max_ejection_percent { value: 200 } })",
       {{"connect_timeout.nanos", "is -1, must be from 0 to 999999999"},
        {"connect_timeout.seconds", "is -1, must be from 0 to 315576000000"},
        {"lb_policy", "must be ROUND_ROBIN, LEAST_REQUEST or RING_HASH (got MAGLEV)"},
        {"lrs_server", "must be self (got ads)"},
        {"outlier_detection.max_ejection_percent", "is 200, the most is 100"},
        {"type", absl::StrCat(kDiscovery, "STATIC)")}}},
  };
  return rows;
}

class BadCluster : public ::testing::TestWithParam<BadResource> {};

TEST_P(BadCluster, YieldsExactlyItsErrors) {
  const Decoded<Cluster> decoded = DecodeCluster(GetParam().Bytes(kType), {});
  EXPECT_EQ(decoded.errors.Sorted(), GetParam().errors) << decoded.errors.Text(1000);
}

INSTANTIATE_TEST_SUITE_P(Discovery, BadCluster, ValuesIn(DiscoveryRows()),
                         [](const auto& row) { return row.param.name; });
INSTANTIATE_TEST_SUITE_P(Fields, BadCluster, ValuesIn(FieldRows()),
                         [](const auto& row) { return row.param.name; });

TEST(BadClusters, AreBuiltOnAValidOne) {
  EXPECT_EQ(DecodeCluster(FromText(kType, kEds), {}).errors.Text(), "");
}

}  // namespace
}  // namespace holdfast

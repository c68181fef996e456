// The members of our structs by name, for differences.h.
#pragma once

#include <tuple>

#include "base/json_value.h"
#include "resources/cluster.h"
#include "resources/endpoints.h"
#include "resources/http_filter.h"
#include "resources/lb_policy.h"
#include "resources/listener.h"
#include "resources/matchers.h"
#include "resources/metadata.h"
#include "resources/route_config.h"
#include "tests/interop/differences.h"
#include "xds/discovery.h"
#include "xds/node.h"

namespace holdfast {

// Matchers.

inline auto MembersOf(const StringMatcher*) {
  using T = StringMatcher;
  return std::tuple(Member{"kind", &T::kind}, Member{"pattern", &T::pattern},
                    Member{"ignore_case", &T::ignore_case});
}

inline auto MembersOf(const HeaderMatcher::Range*) {
  using T = HeaderMatcher::Range;
  return std::tuple(Member{"start", &T::start}, Member{"end", &T::end});
}

inline auto MembersOf(const HeaderMatcher::Presence*) {
  using T = HeaderMatcher::Presence;
  return std::tuple(Member{"present", &T::present});
}

inline auto MembersOf(const HeaderMatcher*) {
  using T = HeaderMatcher;
  return std::tuple(Member{"name", &T::name}, Member{"rule", &T::rule},
                    Member{"invert", &T::invert});
}

// Filters.

inline auto MembersOf(const FaultFilter::Abort*) {
  using T = FaultFilter::Abort;
  return std::tuple(Member{"grpc_code", &T::grpc_code}, Member{"from_headers", &T::from_headers},
                    Member{"per_million", &T::per_million});
}

inline auto MembersOf(const FaultFilter::Delay*) {
  using T = FaultFilter::Delay;
  return std::tuple(Member{"fixed", &T::fixed}, Member{"from_headers", &T::from_headers},
                    Member{"per_million", &T::per_million});
}

inline auto MembersOf(const FaultFilter*) {
  using T = FaultFilter;
  return std::tuple(Member{"abort", &T::abort}, Member{"delay", &T::delay},
                    Member{"headers", &T::headers},
                    Member{"max_active_faults", &T::max_active_faults});
}

inline auto MembersOf(const StatefulSessionFilter*) {
  using T = StatefulSessionFilter;
  return std::tuple(Member{"cookie_name", &T::cookie_name}, Member{"cookie_path", &T::cookie_path},
                    Member{"cookie_ttl", &T::cookie_ttl});
}

inline auto MembersOf(const HttpFilter*) {
  using T = HttpFilter;
  return std::tuple(Member{"name", &T::name}, Member{"config", &T::config});
}

inline auto MembersOf(const StatefulSessionOverride*) {
  using T = StatefulSessionOverride;
  return std::tuple(Member{"session", &T::session});
}

// Routes and listeners.

inline auto MembersOf(const RetryPolicy*) {
  using T = RetryPolicy;
  return std::tuple(Member{"retry_on", &T::retry_on}, Member{"num_retries", &T::num_retries},
                    Member{"base_interval", &T::base_interval},
                    Member{"max_interval", &T::max_interval});
}

inline auto MembersOf(const HashPolicy::Header*) {
  using T = HashPolicy::Header;
  return std::tuple(Member{"name", &T::name}, Member{"regex", &T::regex},
                    Member{"substitution", &T::substitution});
}

inline auto MembersOf(const HashPolicy*) {
  using T = HashPolicy;
  return std::tuple(Member{"source", &T::source}, Member{"terminal", &T::terminal});
}

inline auto MembersOf(const RouteMatch*) {
  using T = RouteMatch;
  return std::tuple(Member{"kind", &T::kind}, Member{"path", &T::path},
                    Member{"case_sensitive", &T::case_sensitive}, Member{"headers", &T::headers},
                    Member{"per_million", &T::per_million});
}

inline auto MembersOf(const WeightedCluster*) {
  using T = WeightedCluster;
  return std::tuple(Member{"name", &T::name}, Member{"weight", &T::weight},
                    Member{"filter_overrides", &T::filter_overrides});
}

inline auto MembersOf(const ForwardAction*) {
  using T = ForwardAction;
  return std::tuple(
      Member{"clusters", &T::clusters}, Member{"max_stream_duration", &T::max_stream_duration},
      Member{"grpc_timeout_header_max", &T::grpc_timeout_header_max},
      Member{"retry_policy", &T::retry_policy}, Member{"hash_policies", &T::hash_policies},
      Member{"auto_host_rewrite", &T::auto_host_rewrite});
}

inline auto MembersOf(const UnsupportedAction*) {
  using T = UnsupportedAction;
  return std::tuple(Member{"field", &T::field});
}

inline auto MembersOf(const Route*) {
  using T = Route;
  return std::tuple(Member{"name", &T::name}, Member{"match", &T::match},
                    Member{"action", &T::action}, Member{"filter_overrides", &T::filter_overrides});
}

inline auto MembersOf(const VirtualHost*) {
  using T = VirtualHost;
  return std::tuple(Member{"name", &T::name}, Member{"domains", &T::domains},
                    Member{"routes", &T::routes}, Member{"filter_overrides", &T::filter_overrides});
}

inline auto MembersOf(const RouteConfig*) {
  using T = RouteConfig;
  return std::tuple(Member{"name", &T::name}, Member{"virtual_hosts", &T::virtual_hosts});
}

inline auto MembersOf(const Listener::RdsName*) {
  using T = Listener::RdsName;
  return std::tuple(Member{"name", &T::name});
}

inline auto MembersOf(const Listener*) {
  using T = Listener;
  return std::tuple(Member{"name", &T::name}, Member{"routes", &T::routes},
                    Member{"http_filters", &T::http_filters},
                    Member{"max_stream_duration", &T::max_stream_duration});
}

// Clusters.

inline auto MembersOf(const PickFirstLb*) {
  using T = PickFirstLb;
  return std::tuple(Member{"shuffle_address_list", &T::shuffle_address_list});
}

inline auto MembersOf(const RingHashLb*) {
  using T = RingHashLb;
  return std::tuple(Member{"min_ring_size", &T::min_ring_size},
                    Member{"max_ring_size", &T::max_ring_size});
}

inline auto MembersOf(const LeastRequestLb*) {
  using T = LeastRequestLb;
  return std::tuple(Member{"choice_count", &T::choice_count});
}

inline auto MembersOf(const WrrLocalityLb*) {
  using T = WrrLocalityLb;
  return std::tuple(Member{"child", &T::child});
}

inline auto MembersOf(const CustomLb*) {
  using T = CustomLb;
  return std::tuple(Member{"name", &T::name}, Member{"config", &T::config});
}

inline auto MembersOf(const LbPolicy*) {
  using T = LbPolicy;
  return std::tuple(Member{"policy", &T::policy});
}

inline auto MembersOf(const OutlierDetection::SuccessRate*) {
  using T = OutlierDetection::SuccessRate;
  return std::tuple(Member{"stdev_factor", &T::stdev_factor},
                    Member{"enforcement_percent", &T::enforcement_percent},
                    Member{"minimum_hosts", &T::minimum_hosts},
                    Member{"request_volume", &T::request_volume});
}

inline auto MembersOf(const OutlierDetection::FailurePercentage*) {
  using T = OutlierDetection::FailurePercentage;
  return std::tuple(
      Member{"threshold", &T::threshold}, Member{"enforcement_percent", &T::enforcement_percent},
      Member{"minimum_hosts", &T::minimum_hosts}, Member{"request_volume", &T::request_volume});
}

inline auto MembersOf(const OutlierDetection*) {
  using T = OutlierDetection;
  return std::tuple(Member{"interval", &T::interval},
                    Member{"base_ejection_time", &T::base_ejection_time},
                    Member{"max_ejection_time", &T::max_ejection_time},
                    Member{"max_ejection_percent", &T::max_ejection_percent},
                    Member{"success_rate", &T::success_rate},
                    Member{"failure_percentage", &T::failure_percentage});
}

inline auto MembersOf(const UpstreamTls::Provider*) {
  using T = UpstreamTls::Provider;
  return std::tuple(Member{"instance_name", &T::instance_name},
                    Member{"certificate_name", &T::certificate_name});
}

inline auto MembersOf(const UpstreamTls*) {
  using T = UpstreamTls;
  return std::tuple(Member{"ca", &T::ca}, Member{"identity", &T::identity},
                    Member{"system_root_certs", &T::system_root_certs},
                    Member{"subject_alt_names", &T::subject_alt_names}, Member{"sni", &T::sni},
                    Member{"auto_host_sni", &T::auto_host_sni},
                    Member{"auto_sni_san_validation", &T::auto_sni_san_validation});
}

inline auto MembersOf(const Cluster::Eds*) {
  using T = Cluster::Eds;
  return std::tuple(Member{"name", &T::name});
}

inline auto MembersOf(const Cluster::LogicalDns*) {
  using T = Cluster::LogicalDns;
  return std::tuple(Member{"host", &T::host}, Member{"port", &T::port});
}

inline auto MembersOf(const Cluster::Aggregate*) {
  using T = Cluster::Aggregate;
  return std::tuple(Member{"clusters", &T::clusters});
}

inline auto MembersOf(const Cluster*) {
  using T = Cluster;
  return std::tuple(
      Member{"name", &T::name}, Member{"discovery", &T::discovery},
      Member{"lb_policy", &T::lb_policy}, Member{"connect_timeout", &T::connect_timeout},
      Member{"reports_load", &T::reports_load}, Member{"lrs_metrics", &T::lrs_metrics},
      Member{"max_concurrent_requests", &T::max_concurrent_requests},
      Member{"max_connections_per_host", &T::max_connections_per_host},
      Member{"outlier_detection", &T::outlier_detection}, Member{"tls", &T::tls},
      Member{"uses_http11_proxy", &T::uses_http11_proxy},
      Member{"override_host_statuses", &T::override_host_statuses},
      Member{"idle_timeout", &T::idle_timeout}, Member{"metadata", &T::metadata});
}

// Metadata and endpoints.

inline auto MembersOf(const JsonValue*) {
  using T = JsonValue;
  return std::tuple(Member{"value", &T::value});
}

inline auto MembersOf(const GcpAudience*) {
  using T = GcpAudience;
  return std::tuple(Member{"url", &T::url});
}

inline auto MembersOf(const ProxyAddress*) {
  using T = ProxyAddress;
  return std::tuple(Member{"host_and_port", &T::host_and_port});
}

inline auto MembersOf(const SocketAddress*) {
  using T = SocketAddress;
  return std::tuple(Member{"ip", &T::ip}, Member{"port", &T::port});
}

inline auto MembersOf(const Endpoint*) {
  using T = Endpoint;
  return std::tuple(Member{"addresses", &T::addresses}, Member{"health", &T::health},
                    Member{"weight", &T::weight}, Member{"hostname", &T::hostname},
                    Member{"hash_key", &T::hash_key}, Member{"proxy", &T::proxy});
}

inline auto MembersOf(const Locality*) {
  using T = Locality;
  return std::tuple(Member{"region", &T::region}, Member{"zone", &T::zone},
                    Member{"sub_zone", &T::sub_zone});
}

inline auto MembersOf(const LocalityEndpoints*) {
  using T = LocalityEndpoints;
  return std::tuple(Member{"locality", &T::locality}, Member{"weight", &T::weight},
                    Member{"endpoints", &T::endpoints});
}

inline auto MembersOf(const DropCategory*) {
  using T = DropCategory;
  return std::tuple(Member{"category", &T::category}, Member{"per_million", &T::per_million});
}

inline auto MembersOf(const Endpoints*) {
  using T = Endpoints;
  return std::tuple(Member{"cluster_name", &T::cluster_name}, Member{"priorities", &T::priorities},
                    Member{"drops", &T::drops});
}

// Discovery.

inline auto MembersOf(const Node*) {
  using T = Node;
  return std::tuple(Member{"id", &T::id}, Member{"cluster", &T::cluster},
                    Member{"locality", &T::locality}, Member{"metadata", &T::metadata},
                    Member{"user_agent_name", &T::user_agent_name},
                    Member{"user_agent_version", &T::user_agent_version},
                    Member{"client_features", &T::client_features});
}

inline auto MembersOf(const WireStatus*) {
  using T = WireStatus;
  return std::tuple(Member{"code", &T::code}, Member{"message", &T::message});
}

inline auto MembersOf(const DiscoveryRequest*) {
  using T = DiscoveryRequest;
  return std::tuple(Member{"version_info", &T::version_info}, Member{"node", &T::node},
                    Member{"resource_names", &T::resource_names}, Member{"type_url", &T::type_url},
                    Member{"response_nonce", &T::response_nonce},
                    Member{"error_detail", &T::error_detail});
}

inline auto MembersOf(const DeltaDiscoveryRequest*) {
  using T = DeltaDiscoveryRequest;
  return std::tuple(Member{"node", &T::node}, Member{"type_url", &T::type_url},
                    Member{"subscribe", &T::subscribe}, Member{"unsubscribe", &T::unsubscribe},
                    Member{"initial_resource_versions", &T::initial_resource_versions},
                    Member{"response_nonce", &T::response_nonce},
                    Member{"error_detail", &T::error_detail});
}

inline auto MembersOf(const ResourceEntry*) {
  using T = ResourceEntry;
  return std::tuple(Member{"name", &T::name}, Member{"type_url", &T::type_url},
                    Member{"body", &T::body}, Member{"version", &T::version},
                    Member{"is_wrapped", &T::is_wrapped}, Member{"has_body", &T::has_body},
                    Member{"ttl", &T::ttl}, Member{"problem", &T::problem});
}

inline auto MembersOf(const ResourceError*) {
  using T = ResourceError;
  return std::tuple(Member{"name", &T::name}, Member{"code", &T::code},
                    Member{"message", &T::message}, Member{"problem", &T::problem});
}

inline auto MembersOf(const DiscoveryResponse*) {
  using T = DiscoveryResponse;
  return std::tuple(Member{"version_info", &T::version_info}, Member{"resources", &T::resources},
                    Member{"removed_resources", &T::removed_resources},
                    Member{"type_url", &T::type_url}, Member{"nonce", &T::nonce},
                    Member{"control_plane", &T::control_plane},
                    Member{"resource_errors", &T::resource_errors});
}

}  // namespace holdfast

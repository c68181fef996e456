#include "resources/decode/route_action.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/outside_text.h"
#include "envoy/config/route/v3/route.pb.h"
#include "envoy/type/matcher/v3/matcher.pb.h"
#include "resources/decode/http_filter_decode.h"
#include "resources/decode/match_parts.h"
#include "resources/decode/parts.h"
#include "resources/decode/retry_policy.h"

namespace holdfast {
namespace {

namespace route_pb = envoy::config::route::v3;
using Field = ValidationErrors::Field;

constexpr uint64_t kMostTotalWeight = std::numeric_limits<uint32_t>::max();

WeightedCluster DecodeWeightedCluster(const route_pb::WeightedCluster::ClusterWeight& message,
                                      ValidationErrors& errors) {
  WeightedCluster cluster;
  cluster.name = message.name();
  if (cluster.name.empty()) {
    const Field field(errors, ".name");
    errors.Add("must not be empty");
  }
  if (!message.has_weight()) {
    const Field field(errors, ".weight");
    errors.Add("must be set");
  }
  cluster.weight = message.weight().value();
  cluster.filter_overrides = DecodeFilterOverrides(message, errors);
  return cluster;
}

std::vector<WeightedCluster> DecodeWeightedClusters(const route_pb::WeightedCluster& message,
                                                    ValidationErrors& errors) {
  const Field field(errors, ".weighted_clusters");
  const size_t before = errors.count();
  std::vector<WeightedCluster> clusters;
  uint64_t total_weight = 0;
  for (int i = 0; i < message.clusters_size(); ++i) {
    const Field entry(errors, ".clusters", static_cast<size_t>(i));
    WeightedCluster cluster = DecodeWeightedCluster(message.clusters(i), errors);
    total_weight += cluster.weight;
    if (cluster.weight > 0) clusters.push_back(std::move(cluster));
  }
  if (clusters.empty() && errors.count() == before) {
    errors.Add("must have a cluster with a weight above 0");
  }
  if (total_weight > kMostTotalWeight) {
    errors.Add(absl::StrCat("the sum of the weights must not exceed ", kMostTotalWeight, " (got ",
                            total_weight, ")"));
  }
  return clusters;
}

using Clusters = decltype(ForwardAction::clusters);

// nullopt: the route is skipped.
std::optional<Clusters> DecodeClusters(const route_pb::RouteAction& message,
                                       const RouteScope& scope, ValidationErrors& errors) {
  switch (message.cluster_specifier_case()) {
    case route_pb::RouteAction::kCluster:
      if (message.cluster().empty()) {
        const Field field(errors, ".cluster");
        errors.Add("must not be empty");
      }
      return message.cluster();
    case route_pb::RouteAction::kWeightedClusters:
      return DecodeWeightedClusters(message.weighted_clusters(), errors);
    case route_pb::RouteAction::kClusterSpecifierPlugin: {
      const std::string& plugin = message.cluster_specifier_plugin();
      if (scope.plugins.contains(plugin)) return std::nullopt;
      const Field field(errors, ".cluster_specifier_plugin");
      errors.Add(absl::StrCat(Quoted(plugin), " is not declared in cluster_specifier_plugins"));
      return Clusters();
    }
    case route_pb::RouteAction::kClusterHeader:
    case route_pb::RouteAction::kInlineClusterSpecifierPlugin:
    case route_pb::RouteAction::CLUSTER_SPECIFIER_NOT_SET:
      return std::nullopt;
  }
  return std::nullopt;
}

void DecodeMaxStreamDuration(const route_pb::RouteAction::MaxStreamDuration& message,
                             ForwardAction& action, ValidationErrors& errors) {
  const Field field(errors, ".max_stream_duration");
  if (message.has_max_stream_duration()) {
    const Field inner(errors, ".max_stream_duration");
    action.max_stream_duration = DecodeDuration(message.max_stream_duration(), errors);
  }
  if (message.has_grpc_timeout_header_max()) {
    const Field inner(errors, ".grpc_timeout_header_max");
    action.grpc_timeout_header_max = DecodeDuration(message.grpc_timeout_header_max(), errors);
  }
  // Not used, but checked as every Duration is.
  const Field inner(errors, ".grpc_timeout_header_offset");
  DecodeDuration(message.grpc_timeout_header_offset(), errors);
}

HashPolicy::Header DecodeHashHeader(const route_pb::RouteAction::HashPolicy::Header& message,
                                    ValidationErrors& errors) {
  const Field field(errors, ".header");
  HashPolicy::Header header;
  header.name = message.header_name();
  if (header.name.empty()) {
    const Field name(errors, ".header_name");
    errors.Add("must not be empty");
  }
  if (message.has_regex_rewrite()) {
    const Field rewrite_field(errors, ".regex_rewrite");
    std::optional<RegexRewrite> rewrite = DecodeRegexRewrite(message.regex_rewrite(), errors);
    if (rewrite.has_value()) {
      header.regex = std::move(rewrite->regex);
      header.substitution = std::move(rewrite->substitution);
    }
  }
  return header;
}

// nullopt: a kind that means nothing to gRPC, never an error (gRFC A42).
std::optional<HashPolicy> DecodeHashPolicy(const route_pb::RouteAction::HashPolicy& message,
                                           ValidationErrors& errors) {
  if (message.has_header()) {
    return HashPolicy{.source = DecodeHashHeader(message.header(), errors),
                      .terminal = message.terminal()};
  }
  if (message.filter_state().key() == "io.grpc.channel_id") {
    return HashPolicy{.source = HashPolicy::ChannelId{}, .terminal = message.terminal()};
  }
  return std::nullopt;
}

}  // namespace

std::optional<ForwardAction> DecodeForwardAction(const route_pb::RouteAction& message,
                                                 const RouteScope& scope,
                                                 ValidationErrors& errors) {
  std::optional<Clusters> clusters = DecodeClusters(message, scope, errors);
  if (!clusters.has_value()) return std::nullopt;
  ForwardAction action;
  action.clusters = *std::move(clusters);
  {
    // The action's own timeout is ignored (R13.20), if it is one.
    const Field field(errors, ".timeout");
    DecodeDuration(message.timeout(), errors);
  }
  DecodeMaxStreamDuration(message.max_stream_duration(), action, errors);
  if (message.has_retry_policy()) {
    const Field field(errors, ".retry_policy");
    action.retry_policy = DecodeRetryPolicy(message.retry_policy(), errors);
  }
  for (int i = 0; i < message.hash_policy_size(); ++i) {
    const Field field(errors, ".hash_policy", static_cast<size_t>(i));
    std::optional<HashPolicy> policy = DecodeHashPolicy(message.hash_policy(i), errors);
    if (policy.has_value()) action.hash_policies.push_back(*std::move(policy));
  }
  action.auto_host_rewrite = scope.is_trusted_server && message.auto_host_rewrite().value();
  return action;
}

}  // namespace holdfast

#include "control/config/resource_lint.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/validation_errors.h"
#include "resources/decode/registry.h"
#include "wire/envelope.h"
#include "wire/wire_reader.h"
#include "xds/any_resource_type.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

// What our decoder says in the words of gRPC's rules, and Envoy refuses as well: by a rule of its
// schema (validate.rules) or when it builds the object. Whatever is not here is a matter of taste
// between the two, and served.
struct SharedRule {
  absl::string_view field;  // how its path ends, each index as "[]"
  absl::string_view text;   // somewhere in what is said about it
  bool is_whole_text = false;
};
constexpr SharedRule kSharedRules[] = {
    {"", "cannot be parsed as"},
    // What was not read to its end may hold any of these mistakes.
    {"", "has more than 2000000 fields", /*is_whole_text=*/true},
    {".regex", "is too much: the regexes of a resource may compile to "},
    // Any duration: a path ends with the part that is out of range.
    {".seconds", ", must be from 0 to "},
    {".nanos", ", must be from 0 to "},
    // Matchers.
    {".regex", "is not a valid RE2 regex"},
    {".pattern.regex", "must not be empty"},
    {"", "must have exact, prefix, suffix, contains or safe_regex", /*is_whole_text=*/true},
    // Routes.
    {".domains", "must not be empty"},
    {".match", "must be set"},
    {".match", "(got none of them)"},
    {".route.cluster", "must not be empty"},
    {".weighted_clusters", "must have a cluster with a weight above 0"},
    {".weighted_clusters", "the sum of the weights must not exceed"},
    {".weight", "must be set"},
    {".cluster_specifier_plugin", "is not declared in"},
    {".headers[].name", "must not be empty"},
    {".header.header_name", "must not be empty"},
    {".retry_back_off.base_interval", "must be "},
    {".retry_back_off.max_interval", "must not be below base_interval"},
    // Listeners.
    {"api_listener.api_listener", "(got neither)"},
    {".http_filters[]", "the router must be the last filter"},
    {".http_filters[].name", "must not be empty"},
    // Clusters.
    {"eds_cluster_config", "must be set for an EDS cluster"},
    {"load_assignment", "must be set for a LOGICAL_DNS cluster"},
    {"load_assignment.endpoints", "must hold one locality"},
    {"load_assignment.endpoints[].lb_endpoints", "must hold one endpoint"},
    {".typed_config.clusters", "must name at least one cluster"},
    {"lb_policy", "but load_balancing_policy is not set"},
    {".policies", "must list at least one policy"},
    {"maximum_ring_size", "less than minimum_ring_size"},
    {"choice_count", "must be at least 2"},
    {"outlier_detection.max_ejection_percent", "the most is 100"},
    {"outlier_detection.enforcing_success_rate", "the most is 100"},
    {"outlier_detection.enforcing_failure_percentage", "the most is 100"},
    {"outlier_detection.failure_percentage_threshold", "the most is 100"},
    {".sni", "the most is 255"},
    // Endpoints.
    {".address", "must be a socket_address (got nothing)"},
    {".socket_address.address", "must not be empty"},
    {".socket_address.address", "(got \"\")"},
    {".port_value", "the most is 65535"},
    {".port_value", "must be set", /*is_whole_text=*/true},  // else there is a named_port
    {".load_balancing_weight", "must not be 0"},
    {".category", "must not be empty"},
};

// "a.headers[12].name" → "a.headers[].name"
std::string WithoutIndices(absl::string_view path) {
  std::string text;
  for (size_t i = 0; i < path.size(); ++i) {
    const bool is_index = !text.empty() && text.back() == '[' &&
                          absl::ascii_isdigit(static_cast<unsigned char>(path[i]));
    if (!is_index) text.push_back(path[i]);
  }
  return text;
}

bool NobodyTakes(const FieldError& error) {
  const std::string field = WithoutIndices(error.path);
  return absl::c_any_of(kSharedRules, [&](const SharedRule& rule) {
    if (!absl::EndsWith(field, rule.field)) return false;
    return rule.is_whole_text ? error.text == rule.text : absl::StrContains(error.text, rule.text);
  });
}

LintFinding GrpcWarning(std::string field, absl::string_view text) {
  return {.kind = Problem::Kind::kWarning,
          .field = std::move(field),
          .text = absl::StrCat(kGrpcWarning, text)};
}

// gRPC never refuses a locality without weight, it leaves it out; people who come from Envoy, where
// the weight may be left out, wonder where their endpoints are.
void FindSkippedLocalities(absl::string_view endpoints, std::vector<LintFinding>& findings) {
  size_t index = 0;
  WireReader reader(endpoints);
  for (WireField locality; reader.Next(locality);) {
    if (!locality.Is(2)) continue;
    bool has_endpoints = false;
    bool has_weight = false;
    WireReader parts(locality.bytes);
    for (WireField part; parts.Next(part);) {
      has_endpoints |= part.Is(2);
      has_weight |= part.Is(3);
    }
    if (has_endpoints && !has_weight) {
      findings.push_back(
          GrpcWarning(absl::StrCat("endpoints[", index, "]"),
                      "no load_balancing_weight: gRPC clients leave this locality out with all of "
                      "its endpoints; give it one"));
    }
    ++index;
  }
}

bool IsForGrpcListener(absl::string_view listener) {
  WireReader reader(listener);
  for (WireField field; reader.Next(field);) {
    if (field.Is(19)) return true;  // api_listener
  }
  return false;
}

// envoy.config.cluster.v3.Cluster.CustomClusterType.
bool IsAggregate(absl::string_view cluster_type) {
  constexpr absl::string_view kAggregate = "envoy.extensions.clusters.aggregate.v3.ClusterConfig";
  WireReader reader(cluster_type);
  for (WireField typed_config; reader.Next(typed_config);) {
    if (!typed_config.Is(2)) continue;
    WireReader any(typed_config.bytes);
    for (WireField url; any.Next(url);) {
      if (url.Is(1) && WithoutTypeUrlPrefix(url.bytes) == kAggregate) return true;
    }
  }
  return false;
}

bool IsForGrpcCluster(absl::string_view cluster) {
  constexpr uint64_t kLogicalDns = 2;
  constexpr uint64_t kEds = 3;
  // Two fields of a oneof: the last one counts.
  bool is_known = false;
  WireReader reader(cluster);
  for (WireField field; reader.Next(field);) {
    if (field.number == 2 && field.type == WireType::kVarint) {
      is_known = field.varint == kEds || field.varint == kLogicalDns;
    } else if (field.Is(38)) {
      is_known = IsAggregate(field.bytes);
    }
  }
  return is_known;
}

}  // namespace

bool IsForGrpc(absl::string_view type, absl::string_view body) {
  if (type == kListenerTypeName) return IsForGrpcListener(body);
  if (type == kClusterTypeName) return IsForGrpcCluster(body);
  return true;
}

std::vector<LintFinding> LintResource(absl::string_view type, absl::string_view body) {
  const AnyResourceType* const known = FindResourceType(type);
  if (known == nullptr) return {};
  const bool is_for_grpc = IsForGrpc(type, body);
  // However many warnings there are, they push no error out.
  DecodeContext context;
  context.matters = NobodyTakes;
  const ValidationErrors errors = known->Decode(body, context).errors;
  std::vector<LintFinding> findings;
  for (FieldError& error : errors.Sorted()) {
    if (NobodyTakes(error)) {
      findings.push_back({Problem::Kind::kError, std::move(error.path), std::move(error.text)});
    } else if (is_for_grpc) {
      findings.push_back(GrpcWarning(std::move(error.path), error.text));
    }
  }
  if (type == kEndpointsTypeName) FindSkippedLocalities(body, findings);
  absl::c_stable_sort(findings, [](const LintFinding& a, const LintFinding& b) {
    return FieldPathBefore(a.field, b.field);
  });
  if (is_for_grpc && errors.count() > ValidationErrors::kMostKept) {
    findings.push_back(
        GrpcWarning("", absl::StrCat("there are ", errors.count() - ValidationErrors::kMostKept,
                                     " more findings in this resource; mend these first")));
  }
  return findings;
}

}  // namespace holdfast

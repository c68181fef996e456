#include "resources/decode/route_match.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "envoy/config/route/v3/route.pb.h"
#include "envoy/type/v3/type.pb.h"
#include "resources/decode/match_parts.h"
#include "resources/decode/parts.h"

namespace holdfast {
namespace {

namespace route_pb = envoy::config::route::v3;

// Every gRPC call has a path "/service/method", with something in both places and no third "/".
// This is about what is between the slashes: "/a/b" has the parts "a" and "b", "/a/" has "a" and
// "".
std::vector<absl::string_view> PartsOf(absl::string_view path) {
  return absl::StrSplit(path.substr(1), absl::MaxSplits('/', 2));
}

bool IsPath(absl::string_view path) {
  if (path.empty() || path.front() != '/') return false;
  const std::vector<absl::string_view> parts = PartsOf(path);
  return parts.size() == 2 && !parts[0].empty() && !parts[1].empty();
}

bool IsPrefixOfPath(absl::string_view prefix) {
  if (prefix.empty()) return true;
  if (prefix.front() != '/') return false;
  const std::vector<absl::string_view> parts = PartsOf(prefix);
  return parts.size() == 1 || (parts.size() == 2 && !parts[0].empty());
}

void AddUnsupportedPath(absl::string_view got, ValidationErrors& errors) {
  errors.Add(absl::StrCat("must have prefix, path or safe_regex (got ", got, ")"));
}

// False: no gRPC call has such a path.
bool DecodePath(const route_pb::RouteMatch& message, RouteMatch& match, ValidationErrors& errors) {
  switch (message.path_specifier_case()) {
    case route_pb::RouteMatch::kPrefix:
      match.kind = RouteMatch::PathKind::kPrefix;
      match.path = message.prefix();
      return IsPrefixOfPath(match.path);
    case route_pb::RouteMatch::kPath:
      match.kind = RouteMatch::PathKind::kPath;
      match.path = message.path();
      return IsPath(match.path);
    case route_pb::RouteMatch::kSafeRegex: {
      const ValidationErrors::Field field(errors, ".safe_regex");
      match.kind = RouteMatch::PathKind::kSafeRegex;
      match.path = DecodeRegex(message.safe_regex(), errors);
      return true;
    }
    case route_pb::RouteMatch::kConnectMatcher:
      AddUnsupportedPath("connect_matcher", errors);
      return true;
    case route_pb::RouteMatch::kPathSeparatedPrefix:
      AddUnsupportedPath("path_separated_prefix", errors);
      return true;
    case route_pb::RouteMatch::kPathMatchPolicy:
      AddUnsupportedPath("path_match_policy", errors);
      return true;
    case route_pb::RouteMatch::PATH_SPECIFIER_NOT_SET:
      AddUnsupportedPath("none of them", errors);
      return true;
  }
  return true;
}

}  // namespace

std::optional<RouteMatch> DecodeRouteMatch(const route_pb::RouteMatch& message,
                                           ValidationErrors& errors) {
  // gRPC calls have no query.
  if (message.query_parameters_size() > 0) return std::nullopt;
  RouteMatch match;
  if (!DecodePath(message, match, errors)) return std::nullopt;
  // A regex brings its own flags.
  if (message.has_case_sensitive() && match.kind != RouteMatch::PathKind::kSafeRegex) {
    match.case_sensitive = message.case_sensitive().value();
  }
  for (int i = 0; i < message.headers_size(); ++i) {
    const ValidationErrors::Field field(errors, ".headers", static_cast<size_t>(i));
    std::optional<HeaderMatcher> header = DecodeHeaderMatcher(message.headers(i), errors);
    if (header.has_value()) match.headers.push_back(*std::move(header));
  }
  if (message.runtime_fraction().has_default_value()) {
    const ValidationErrors::Field field(errors, ".runtime_fraction.default_value");
    match.per_million = DecodeFraction(message.runtime_fraction().default_value(), errors);
  }
  return match;
}

}  // namespace holdfast

// What full_routes.py's route configurations are to us.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tests/interop/foreign_cases.h"
#include "tests/interop/full_filters.h"

namespace holdfast {
namespace {

using Kind = StringMatcher::Kind;
using PathKind = RouteMatch::PathKind;

RouteConfig OneHost(const std::string& name, std::vector<Route> routes) {
  const VirtualHost host = {.name = name + "-host", .domains = {"*"}, .routes = std::move(routes)};
  return {.name = name, .virtual_hosts = {host}};
}

Route ToCluster(const std::string& name, const RouteMatch& match, const std::string& cluster) {
  return {.name = name, .match = match, .action = ForwardAction{.clusters = cluster}};
}

HeaderMatcher StringHeader(const std::string& name, Kind kind, const std::string& pattern) {
  return {.name = name, .rule = StringMatcher{.kind = kind, .pattern = pattern}};
}

std::vector<HeaderMatcher> AllHeaderMatchers() {
  HeaderMatcher suffix = StringHeader("h-suffix", Kind::kSuffix, "-post");
  suffix.invert = true;
  return {
      StringHeader("h-exact", Kind::kExact, "exact-value"),
      StringHeader("h-regex", Kind::kSafeRegex, "re.*x"),
      {.name = "h-range", .rule = HeaderMatcher::Range{.start = -5, .end = 500}},
      {.name = "h-present", .rule = HeaderMatcher::Presence{.present = true}},
      StringHeader("h-prefix", Kind::kPrefix, "pre-"),
      suffix,
      StringHeader("h-contains", Kind::kContains, "-in-"),
      StringHeader("s-exact", Kind::kExact, "s-exact-value"),
      {.name = "s-prefix",
       .rule = StringMatcher{.kind = Kind::kPrefix, .pattern = "s-pre-", .ignore_case = true}},
      StringHeader("s-suffix", Kind::kSuffix, "-s-post"),
      StringHeader("s-regex", Kind::kSafeRegex, "s-re[gx]+"),
      StringHeader("s-contains", Kind::kContains, "-s-in-"),
  };
}

// No gRPC call has a query, so the route "by-query" is not here; of the route before it the
// matchers grpc and tls_context are ignored.
Expectation<RouteConfig> Matching() {
  const RouteMatch by_prefix = {
      .kind = PathKind::kPrefix, .path = "/pay.Service/", .case_sensitive = false};
  const RouteMatch by_path = {
      .kind = PathKind::kPath, .path = "/pay.Service/Refund", .per_million = 125'000};
  const RouteMatch by_regex = {.kind = PathKind::kSafeRegex, .path = "/pay[.].*/Get.*"};
  const RouteMatch by_headers = {
      .kind = PathKind::kPrefix, .path = "", .headers = AllHeaderMatchers()};
  const RouteMatch by_ignored = {.kind = PathKind::kPrefix, .path = "/"};
  const VirtualHost host = {
      .name = "host-matching",
      .domains = {"shop.example.com", "*.example.com", "shop.*"},
      .routes = {ToCluster("by-prefix", by_prefix, "cluster-by-prefix"),
                 ToCluster("by-path", by_path, "cluster-by-path"),
                 ToCluster("by-regex", by_regex, "cluster-by-regex"),
                 ToCluster("by-headers", by_headers, "cluster-by-headers"),
                 ToCluster("by-ignored", by_ignored, "cluster-by-ignored")},
  };
  return Accepted(RouteConfig{.name = "route-matching", .virtual_hosts = {host}});
}

// The first and the last of the builder's; the three between mean nothing to gRPC.
std::vector<HashPolicy> AllHashPolicies() {
  return {
      {.source =
           HashPolicy::Header{.name = "x-user", .regex = "user-([0-9]+)", .substitution = "\\1"},
       .terminal = true},
      {.source = HashPolicy::ChannelId{}, .terminal = false},
  };
}

// The action's own timeout, the offset of the header's and the timeout of a try are not gRPC's;
// "gateway-error" is no condition of gRPC's.
ForwardAction FullForward(bool is_trusted_server) {
  return {
      .clusters = "cluster-forward",
      .max_stream_duration = absl::Seconds(23),
      .grpc_timeout_header_max = absl::Seconds(24),
      .retry_policy = RetryPolicy{.retry_on = {"cancelled", "unavailable"},
                                  .num_retries = 4,
                                  .base_interval = absl::Milliseconds(130),
                                  .max_interval = absl::Milliseconds(1400)},
      .hash_policies = AllHashPolicies(),
      .auto_host_rewrite = is_trusted_server,
  };
}

// Has no retry policy of its own and gets its virtual host's.
ForwardAction Weighted() {
  return {
      .clusters =
          std::vector<WeightedCluster>{
              {.name = "cluster-light", .weight = 10},
              {.name = "cluster-heavy",
               .weight = 70,
               .filter_overrides = {{"session", SessionOverride("heavy-sid", 87, "/heavy")}}}},
      .retry_policy = RetryPolicy{.retry_on = {"deadline-exceeded", "internal"},
                                  .num_retries = 3,
                                  .base_interval = absl::Milliseconds(140),
                                  .max_interval = absl::Milliseconds(1500)},
  };
}

// The routes "to-header", "to-plugin" and "to-inline-plugin" are skipped.
Expectation<RouteConfig> Forwarding(bool is_trusted_server) {
  const VirtualHost host = {
      .name = "host-forwarding",
      .domains = {"*"},
      .routes = {{.name = "to-cluster", .action = FullForward(is_trusted_server)},
                 {.name = "to-weighted", .action = Weighted()}},
  };
  std::vector<std::string> not_enforced = {"virtual_hosts[0].retry_policy",
                                           "virtual_hosts[0].routes[0].route.retry_policy",
                                           "virtual_hosts[0].routes[0].route.hash_policy"};
  if (is_trusted_server) {
    not_enforced.push_back("virtual_hosts[0].routes[0].route.auto_host_rewrite");
  }
  return Accepted(RouteConfig{.name = "route-forwarding", .virtual_hosts = {host}}, not_enforced);
}

Expectation<RouteConfig> OtherActions() {
  return Accepted(OneHost("route-other-actions",
                          {
                              {.name = "redirects", .action = UnsupportedAction{"redirect"}},
                              {.name = "responds", .action = UnsupportedAction{"direct_response"}},
                              {.name = "filters", .action = UnsupportedAction{"filter_action"}},
                              {.name = "serves", .action = NonForwardingAction{}},
                          }));
}

// The overrides of unknown types are optional, so they are not here.
Expectation<RouteConfig> AllFilterOverrides() {
  const Route route = {
      .name = "with-overrides",
      .action = ForwardAction{.clusters = "cluster-overrides"},
      .filter_overrides = {{"fault", FaultByValue()},
                           {"session", SessionOverride("route-sid", 88, "/route")}},
  };
  const VirtualHost host = {
      .name = "host-overrides",
      .domains = {"*"},
      .routes = {route},
      .filter_overrides = {{"fault", FaultByGrpcStatus()}, {"session", SessionOff()}},
  };
  return Accepted(RouteConfig{.name = "route-overrides", .virtual_hosts = {host}});
}

Expectation<RouteConfig> MatchedBy(const std::string& path_specifier) {
  return Rejected<RouteConfig>("virtual_hosts[0].routes[0].match",
                               "must have prefix, path or safe_regex (got " + path_specifier + ")");
}

Expectations<RouteConfig> Cases(bool is_trusted_server) {
  return {
      {"matching", Matching()},
      {"forwarding", Forwarding(is_trusted_server)},
      {"other_actions", OtherActions()},
      {"filter_overrides", AllFilterOverrides()},
      {"invalid_connect_matcher", MatchedBy("connect_matcher")},
      {"invalid_path_separated_prefix", MatchedBy("path_separated_prefix")},
      {"invalid_path_match_policy", MatchedBy("path_match_policy")},
      {"invalid_custom_string_match",
       Rejected<RouteConfig>(
           "virtual_hosts[0].routes[0].match.headers[0].string_match",
           "must have exact, prefix, suffix, contains or safe_regex (got custom)")},
  };
}

TEST(FullRoutes, DecodeToWhatTheirBuildersMeant) {
  ExpectAllDecoded("route", DecodeRouteConfig, DecodeContext(), Cases(false));
}

TEST(FullRoutes, RewriteHostsOnlyIfTheServerIsTrusted) {
  const DecodeContext context = {.features = {.trusted_xds_server = true}};
  ExpectAllDecoded("route", DecodeRouteConfig, context, Cases(true));
}

}  // namespace
}  // namespace holdfast

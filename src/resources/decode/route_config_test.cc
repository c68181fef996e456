// Valid RouteConfigurations: what they become, what is left out, and what is not enforced.
#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "resources/decode/decode.h"
#include "resources/decode/example_texts.h"
#include "tests/support/text_resource.h"
#include "tests/support/wire_bytes.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Decoded<RouteConfig> Decode(const std::string& text, const DecodeContext& context = {}) {
  return DecodeRouteConfig(FromText(kRouteConfigType, text), context);
}

// The routes of the first virtual host of a valid resource.
std::vector<Route> RoutesOf(const std::string& text, const DecodeContext& context = {}) {
  const Decoded<RouteConfig> decoded = Decode(text, context);
  EXPECT_THAT(LinesOf(decoded.errors.Sorted()), IsEmpty());
  if (!decoded.errors.ok() || decoded.resource.virtual_hosts.empty()) return {};
  return decoded.resource.virtual_hosts[0].routes;
}

RouteMatch MatchOf(const std::string& match) {
  const std::vector<Route> routes = RoutesOf(MatchText(match));
  EXPECT_EQ(routes.size(), 1U);
  return routes.size() == 1 ? routes[0].match : RouteMatch{};
}

ForwardAction ActionOf(const std::string& action, const DecodeContext& context = {}) {
  const std::vector<Route> routes = RoutesOf(ActionText(action), context);
  EXPECT_EQ(routes.size(), 1U);
  return routes.size() == 1 ? std::get<ForwardAction>(routes[0].action) : ForwardAction{};
}

HeaderMatcher HeaderOf(const std::string& header) {
  const RouteMatch match = MatchOf("prefix: \"\" headers { " + header + " }");
  EXPECT_EQ(match.headers.size(), 1U);
  return match.headers.size() == 1 ? match.headers[0] : HeaderMatcher{};
}

// Routes by name, given as "name" and the text inside.
std::string Routes(const std::vector<std::pair<std::string, std::string>>& routes) {
  std::string text;
  for (const auto& [name, route] : routes) {
    absl::StrAppend(&text, "routes { name: \"", name, "\" ", route, " } ");
  }
  return HostText(text);
}

std::vector<std::string> NamesOf(const std::vector<Route>& routes) {
  std::vector<std::string> names;
  for (const Route& route : routes) names.push_back(route.name);
  return names;
}

TEST(RouteConfigDecode, EmptyIsValid) {
  const Decoded<RouteConfig> decoded = DecodeRouteConfig("", {});
  EXPECT_TRUE(decoded.errors.ok());
  EXPECT_EQ(decoded.resource, RouteConfig{});
  EXPECT_THAT(decoded.not_enforced, IsEmpty());
}

TEST(RouteConfigDecode, SmallestRouteHasTheDefaults) {
  const Decoded<RouteConfig> decoded =
      Decode(RouteText("match { prefix: \"\" } route { cluster: \"payments\" }"));
  EXPECT_THAT(LinesOf(decoded.errors.Sorted()), IsEmpty());
  const RouteConfig expected{
      .name = "routes",
      .virtual_hosts = {{.name = "host",
                         .domains = {"*"},
                         .routes = {{.name = "route",
                                     .match = {.kind = RouteMatch::PathKind::kPrefix,
                                               .path = "",
                                               .case_sensitive = true,
                                               .headers = {},
                                               .per_million = std::nullopt},
                                     .action = ForwardAction{.clusters = "payments"},
                                     .filter_overrides = {}}},
                         .filter_overrides = {}}}};
  EXPECT_EQ(decoded.resource, expected);
  EXPECT_THAT(decoded.not_enforced, IsEmpty());
}

TEST(RouteConfigDecode, DomainPatternsAreKeptAsWritten) {  // R12.41
  const Decoded<RouteConfig> decoded = Decode(
      R"pb(virtual_hosts { domains: "a.com" domains: "*.a.com" domains: "a.*" domains: "*" }
           virtual_hosts { domains: "a.com" })pb");
  // The same domain in two virtual hosts is no error; the first one wins.
  ASSERT_THAT(LinesOf(decoded.errors.Sorted()), IsEmpty());
  EXPECT_THAT(decoded.resource.virtual_hosts[0].domains,
              ElementsAre("a.com", "*.a.com", "a.*", "*"));
  EXPECT_THAT(decoded.resource.virtual_hosts[1].domains, ElementsAre("a.com"));
}

TEST(RouteConfigDecode, PathSpecifiers) {  // R12.42, R12.47
  EXPECT_EQ(MatchOf("prefix: \"/svc/\" case_sensitive { value: false }"),
            (RouteMatch{
                .kind = RouteMatch::PathKind::kPrefix, .path = "/svc/", .case_sensitive = false}));
  EXPECT_EQ(MatchOf("path: \"/svc/method\""),
            (RouteMatch{.kind = RouteMatch::PathKind::kPath, .path = "/svc/method"}));
  EXPECT_EQ(MatchOf("path: \"/svc/method\" case_sensitive { value: true }"),
            (RouteMatch{.kind = RouteMatch::PathKind::kPath, .path = "/svc/method"}));
  // A regex brings its own flags.
  EXPECT_EQ(MatchOf("safe_regex { google_re2 {} regex: \"/a.*\" } case_sensitive { value: false }"),
            (RouteMatch{.kind = RouteMatch::PathKind::kSafeRegex, .path = "/a.*"}));
}

TEST(RouteConfigDecode, TheOldRegexFieldIsNoPathSpecifier) {  // R12.42
  const std::string match = Field(3, "/a.*");
  const std::string host = Field(2, "*") + Field(3, Field(1, match));
  EXPECT_THAT(LinesOf(DecodeRouteConfig(Field(2, host), {}).errors.Sorted()),
              ElementsAre("virtual_hosts[0].routes[0].match: must have prefix, path or safe_regex "
                          "(got none of them)"));
}

TEST(RouteConfigDecode, RoutesWithAQueryAreSkipped) {  // R12.43
  // Skipped before anything else is looked at: neither the regex nor the cluster is an error.
  EXPECT_THAT(
      NamesOf(RoutesOf(Routes({
          {"query",
           "match { safe_regex { regex: \"(\" } query_parameters {} } "
           "route { cluster: \"\" }"},
          {"other", "match { prefix: \"\" grpc {} tls_context {} } route { cluster: \"a\" }"},
      }))),
      ElementsAre("other"));
}

TEST(RouteConfigDecode, RoutesThatNoCallCanMatchAreSkipped) {  // R12.44
  const auto kept = [](const std::string& match) {
    // Whatever else is wrong with a skipped route does not matter; a kept one is valid.
    return !RoutesOf(MatchText(match)).empty();
  };
  for (const std::string prefix : {"", "/", "/svc", "/svc/", "/svc/method"}) {
    EXPECT_TRUE(kept("prefix: \"" + prefix + "\"")) << prefix;
  }
  for (const std::string prefix : {"svc", "//", "//method", "/svc/method/", "/svc/method/more"}) {
    EXPECT_FALSE(kept("headers {} prefix: \"" + prefix + "\"")) << prefix;
  }
  EXPECT_TRUE(kept("path: \"/svc/method\""));
  for (const std::string path :
       {"", "/", "svc/method", "/svc", "/svc/", "//method", "/svc/method/", "/svc/method/more"}) {
    EXPECT_FALSE(kept("headers {} path: \"" + path + "\"")) << path;
  }
}

TEST(RouteConfigDecode, HeaderMatchers) {  // R12.45
  using Kind = StringMatcher::Kind;
  EXPECT_EQ(HeaderOf("name: \"x\" exact_match: \"\""),
            (HeaderMatcher{"x", StringMatcher{Kind::kExact, ""}}));
  EXPECT_EQ(HeaderOf("name: \"x\" prefix_match: \"a\" invert_match: true"),
            (HeaderMatcher{"x", StringMatcher{Kind::kPrefix, "a"}, true}));
  EXPECT_EQ(HeaderOf("name: \"x\" suffix_match: \"a\""),
            (HeaderMatcher{"x", StringMatcher{Kind::kSuffix, "a"}}));
  EXPECT_EQ(HeaderOf("name: \"x\" contains_match: \"a\""),
            (HeaderMatcher{"x", StringMatcher{Kind::kContains, "a"}}));
  EXPECT_EQ(HeaderOf("name: \"x\" safe_regex_match { regex: \"a+\" }"),
            (HeaderMatcher{"x", StringMatcher{Kind::kSafeRegex, "a+"}}));
  EXPECT_EQ(HeaderOf("name: \"x\" range_match { start: -3 end: 3 }"),
            (HeaderMatcher{"x", HeaderMatcher::Range{-3, 3}}));
  EXPECT_EQ(HeaderOf("name: \"x\" range_match { start: 3 end: 3 }"),  // matches nothing
            (HeaderMatcher{"x", HeaderMatcher::Range{3, 3}}));
  EXPECT_EQ(HeaderOf("name: \"x\" present_match: false"),
            (HeaderMatcher{"x", HeaderMatcher::Presence{false}}));
}

TEST(RouteConfigDecode, StringMatchersOfHeaders) {  // R12.45, R13.16
  using Kind = StringMatcher::Kind;
  const auto matcher = [](const std::string& text) {
    return std::get<StringMatcher>(HeaderOf("name: \"x\" string_match { " + text + " }").rule);
  };
  EXPECT_EQ(matcher("exact: \"a\" ignore_case: true"), (StringMatcher{Kind::kExact, "a", true}));
  EXPECT_EQ(matcher("prefix: \"a\""), (StringMatcher{Kind::kPrefix, "a", false}));
  EXPECT_EQ(matcher("suffix: \"a\""), (StringMatcher{Kind::kSuffix, "a", false}));
  EXPECT_EQ(matcher("contains: \"a\""), (StringMatcher{Kind::kContains, "a", false}));
  EXPECT_EQ(matcher("safe_regex { regex: \"a\" } ignore_case: true"),
            (StringMatcher{Kind::kSafeRegex, "a", false}));
}

TEST(RouteConfigDecode, FractionsAreOfAMillion) {  // R12.46
  const auto fraction = [](const std::string& text) {
    return MatchOf("prefix: \"\" runtime_fraction { " + text + " runtime_key: \"key\" }")
        .per_million;
  };
  EXPECT_EQ(fraction("default_value { numerator: 25 }"), 250000);
  EXPECT_EQ(fraction("default_value { numerator: 25 denominator: TEN_THOUSAND }"), 2500);
  EXPECT_EQ(fraction("default_value { numerator: 25 denominator: MILLION }"), 25);
  EXPECT_EQ(fraction("default_value { numerator: 4294967295 }"), 1000000);
  EXPECT_EQ(fraction("default_value {}"), 0);
  EXPECT_EQ(fraction(""), std::nullopt);
}

TEST(RouteConfigDecode, EveryActionIsValid) {  // R12.48
  const std::vector<Route> routes = RoutesOf(Routes({
      {"serve", "match { prefix: \"\" } non_forwarding_action {}"},
      {"redirect", "match { prefix: \"\" } redirect {}"},
      {"respond", "match { prefix: \"\" } direct_response {}"},
      {"filter", "match { prefix: \"\" } filter_action {}"},
      {"none", "match { prefix: \"\" }"},
  }));
  ASSERT_THAT(NamesOf(routes), ElementsAre("serve", "redirect", "respond", "filter", "none"));
  EXPECT_EQ(std::get<NonForwardingAction>(routes[0].action), NonForwardingAction{});
  EXPECT_EQ(std::get<UnsupportedAction>(routes[1].action).field, "redirect");
  EXPECT_EQ(std::get<UnsupportedAction>(routes[2].action).field, "direct_response");
  EXPECT_EQ(std::get<UnsupportedAction>(routes[3].action).field, "filter_action");
  EXPECT_EQ(std::get<UnsupportedAction>(routes[4].action).field, "");
}

TEST(RouteConfigDecode, RoutesToSomethingUnknownAreSkipped) {  // R12.49
  // The rest of a skipped route is not validated.
  const std::string bad = "retry_policy { num_retries {} } hash_policy { header {} }";
  EXPECT_THAT(NamesOf(RoutesOf(Routes({
                  {"header", "match { prefix: \"\" } route { cluster_header: \"x\" " + bad + " }"},
                  {"inline", "match { prefix: \"\" } route { inline_cluster_specifier_plugin {} }"},
                  {"unset", "match { prefix: \"\" } route { " + bad + " } " +
                                OverrideText("type_url: \"bad\"")},
                  {"cluster", "match { prefix: \"\" } route { cluster: \"a\" }"},
              }))),
              ElementsAre("cluster"));
}

TEST(RouteConfigDecode, WeightedClustersWithoutWeightAreDropped) {  // R12.50
  const ForwardAction action = ActionOf(
      R"pb(weighted_clusters {
             clusters {
               name: "a"
               weight { value: 4294967294 }
             }
             clusters {
               name: "b"
               weight { value: 0 }
             }
             clusters {
               name: "c"
               weight { value: 1 }
             }
             total_weight { value: 7 }
           })pb");
  EXPECT_EQ(std::get<std::vector<WeightedCluster>>(action.clusters),
            (std::vector<WeightedCluster>{{"a", 4294967294, {}}, {"c", 1, {}}}));
}

TEST(RouteConfigDecode, TimeoutsOfARoute) {  // R12.54
  const ForwardAction unset = ActionOf("cluster: \"a\" timeout { seconds: 9 }");
  EXPECT_EQ(unset.max_stream_duration, std::nullopt);
  EXPECT_EQ(unset.grpc_timeout_header_max, std::nullopt);
  const ForwardAction set = ActionOf(
      R"pb(cluster: "a"
           max_stream_duration {
             max_stream_duration { seconds: 5 nanos: 1 }
             grpc_timeout_header_max {}
             grpc_timeout_header_offset { seconds: 1 }
           })pb");
  EXPECT_EQ(set.max_stream_duration, absl::Seconds(5) + absl::Nanoseconds(1));
  EXPECT_EQ(set.grpc_timeout_header_max, absl::ZeroDuration());
}

TEST(RouteConfigDecode, HostRewriteOnlyFromATrustedServer) {
  const std::string action = "cluster: \"a\" auto_host_rewrite { value: true }";
  EXPECT_FALSE(ActionOf(action).auto_host_rewrite);
  DecodeContext trusted;
  trusted.features.trusted_xds_server = true;
  EXPECT_TRUE(ActionOf(action, trusted).auto_host_rewrite);
  EXPECT_FALSE(ActionOf("cluster: \"a\"", trusted).auto_host_rewrite);
  EXPECT_FALSE(ActionOf("cluster: \"a\" auto_host_rewrite {}", trusted).auto_host_rewrite);
}

TEST(RouteConfigDecode, RoutesToOptionalPluginsAreSkipped) {  // R12.55
  EXPECT_THAT(
      NamesOf(RoutesOf("cluster_specifier_plugins { is_optional: true extension { name: \"lookup\" "
                       "typed_config { type_url: \"type.googleapis.com/acme.Lookup\" } } } " +
                       Routes({
                           {"plugin",
                            "match { prefix: \"\" } "
                            "route { cluster_specifier_plugin: \"lookup\" }"},
                           {"cluster", "match { prefix: \"\" } route { cluster: \"a\" }"},
                       }))),
      ElementsAre("cluster"));
}

}  // namespace
}  // namespace holdfast

// Every way in which a RouteConfiguration can be wrong (R12.40 to R12.55), with all that is said
// about it.
#include <gmock/gmock.h>

#include <ostream>
#include <string>
#include <vector>

#include "resources/decode/decode.h"
#include "resources/decode/example_texts.h"
#include "tests/support/text_resource.h"

namespace holdfast {
namespace {

using ::testing::ElementsAreArray;
using ::testing::ValuesIn;

struct Row {
  std::string name;
  std::string text;
  std::vector<FieldError> errors;  // all of them

  friend void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }
};

constexpr char kMatch[] = "virtual_hosts[0].routes[0].match";
constexpr char kHeader[] = "virtual_hosts[0].routes[0].match.headers[0]";
constexpr char kAction[] = "virtual_hosts[0].routes[0].route";
constexpr char kWeighted[] = "virtual_hosts[0].routes[0].route.weighted_clusters";
constexpr char kRetry[] = "virtual_hosts[0].routes[0].route.retry_policy";
constexpr char kHash[] = "virtual_hosts[0].routes[0].route.hash_policy[0].header";
constexpr char kRewrite[] = "virtual_hosts[0].routes[0].route.hash_policy[0].header.regex_rewrite";
constexpr char kMaxDuration[] = "virtual_hosts[0].routes[0].route.max_stream_duration";
constexpr char kHostOverride[] = "virtual_hosts[0].typed_per_filter_config[fault]";
constexpr char kRouteOverride[] = "virtual_hosts[0].routes[0].typed_per_filter_config[fault]";

// "path.more"
std::string In(const std::string& path, const std::string& more) { return path + "." + more; }

std::string Header(const std::string& header) {
  return MatchText("prefix: \"\" headers { " + header + " }");
}
std::string Weighted(const std::string& clusters) {
  return ActionText("weighted_clusters { " + clusters + " }");
}
std::string Retry(const std::string& policy) {
  return ActionText("cluster: \"payments\" retry_policy { " + policy + " }");
}
std::string Hash(const std::string& header) {
  return ActionText("cluster: \"payments\" hash_policy { header { " + header + " } }");
}
std::string MaxDuration(const std::string& fields) {
  return ActionText("cluster: \"payments\" max_stream_duration { " + fields + " }");
}
std::string HostOverride(const std::string& any) { return HostText(OverrideText(any)); }
std::string TypeUrl(const std::string& type) {
  return "type_url: \"type.googleapis.com/" + type + "\"";
}
std::string Wrapped(const std::string& config) {
  return "[type.googleapis.com/envoy.config.route.v3.FilterConfig] { " + config + " }";
}
std::string Plugin(const std::string& name, const std::string& more) {
  return "cluster_specifier_plugins { extension { name: \"" + name + "\" typed_config { " +
         TypeUrl("acme.Lookup") + " } } " + more + " } ";
}

const Row kRows[] = {
    {"SecondVirtualHost",  // R12.40
     HostText("") + " virtual_hosts { domains: \"other\" routes { match {} } }",
     {{"virtual_hosts[1].routes[0].match",
       "must have prefix, path or safe_regex (got none of them)"}}},

    {"NoDomains",  // R12.41
     "virtual_hosts { name: \"host\" }",
     {{"virtual_hosts[0].domains", "must not be empty; \"*\" stands for every domain"}}},
    {"EmptyDomain",  // R12.41
     "virtual_hosts { domains: \"a\" domains: \"\" }",
     {{"virtual_hosts[0].domains[1]", "must not be empty; \"*\" stands for every domain"}}},
    {"StarsAtBothEnds",  // R12.41
     "virtual_hosts { domains: \"*foo*\" }",
     {{"virtual_hosts[0].domains[0]",
       "\"*foo*\" is not a domain pattern: \"*\" may stand alone, at the start or at the end"}}},
    {"StarInside",  // R12.41
     "virtual_hosts { domains: \"foo.*.com\" }",
     {{"virtual_hosts[0].domains[0]",
       "\"foo.*.com\" is not a domain pattern: \"*\" may stand alone, at the start or at the "
       "end"}}},
    {"TwoStars",  // R12.41
     "virtual_hosts { domains: \"**\" }",
     {{"virtual_hosts[0].domains[0]",
       "\"**\" is not a domain pattern: \"*\" may stand alone, at the start or at the end"}}},

    {"NoMatch",  // R12.42
     RouteText("route { cluster: \"payments\" }"),
     {{kMatch, "must be set"}}},
    {"NoPathSpecifier",  // R12.42
     MatchText("case_sensitive { value: true }"),
     {{kMatch, "must have prefix, path or safe_regex (got none of them)"}}},
    {"ConnectMatcher",  // R12.42
     MatchText("connect_matcher {}"),
     {{kMatch, "must have prefix, path or safe_regex (got connect_matcher)"}}},
    {"PathSeparatedPrefix",  // R12.42
     MatchText("path_separated_prefix: \"/a\""),
     {{kMatch, "must have prefix, path or safe_regex (got path_separated_prefix)"}}},
    {"PathMatchPolicy",  // R12.42
     MatchText("path_match_policy { name: \"template\" }"),
     {{kMatch, "must have prefix, path or safe_regex (got path_match_policy)"}}},
    {"BadPathRegex",  // R12.42
     MatchText("safe_regex { regex: \"/a(\" }"),
     {{In(kMatch, "safe_regex.regex"), "\"/a(\" is not a valid RE2 regex: missing ): /a("}}},
    {"PathRegexWithBackReference",  // R12.42
     MatchText("safe_regex { regex: \"(a)\\\\1\" }"),
     {{In(kMatch, "safe_regex.regex"),
       "\"(a)\\1\" is not a valid RE2 regex: invalid escape sequence: \\1"}}},
    {"PathRegexThatExplodes",  // R12.42
     MatchText("safe_regex { regex: \"((a{1000}){1000})\" }"),
     {{In(kMatch, "safe_regex.regex"),
       "\"((a{1000}){1000})\" is not a valid RE2 regex: invalid repetition size: {1000}"}}},
    {"PathRegexTooLarge",  // R12.42
     MatchText("safe_regex { regex: \"((\\\\pL{100}){9}|(\\\\pN{100}){9})(\\\\pL{100}){9}\" }"),
     {{In(kMatch, "safe_regex.regex"),
       "\"((\\pL{100}){9}|(\\pN{100}){9})(\\pL{100}){9}\" is not a valid RE2 regex: pattern too "
       "large - compile failed"}}},

    {"HeaderWithoutName",  // R12.45
     Header("exact_match: \"a\""),
     {{In(kHeader, "name"), "must not be empty"}}},
    {"HeaderWithoutSpecifier",  // R12.45
     Header("name: \"x\" invert_match: true"),
     {{kHeader,
       "must have exact_match, prefix_match, suffix_match, contains_match, safe_regex_match, "
       "range_match, present_match or string_match"}}},
    {"BadHeaderRegex",  // R12.45
     Header("name: \"x\" safe_regex_match { regex: \"[a\" }"),
     {{In(kHeader, "safe_regex_match.regex"), "\"[a\" is not a valid RE2 regex: missing ]: [a"}}},
    {"HeaderRangeThatEndsBeforeItStarts",  // R12.45
     Header("name: \"x\" range_match { start: 5 end: 4 }"),
     {{In(kHeader, "range_match"), "end must not be below start (got start 5, end 4)"}}},
    {"StringMatchWithoutPattern",  // R12.45
     Header("name: \"x\" string_match { ignore_case: true }"),
     {{In(kHeader, "string_match"), "must have exact, prefix, suffix, contains or safe_regex"}}},
    {"CustomStringMatch",  // R12.45
     Header("name: \"x\" string_match { custom { name: \"lua\" } }"),
     {{In(kHeader, "string_match"),
       "must have exact, prefix, suffix, contains or safe_regex (got custom)"}}},
    {"StringMatchWithBadRegex",  // R12.45
     Header("name: \"x\" string_match { safe_regex { regex: \"*\" } }"),
     {{In(kHeader, "string_match.safe_regex.regex"),
       "\"*\" is not a valid RE2 regex: no argument for repetition operator: *"}}},

    {"FractionOfUnknownDenominator",  // R12.46
     MatchText("prefix: \"\" runtime_fraction { default_value { numerator: 1 denominator: 7 } }"),
     {{In(kMatch, "runtime_fraction.default_value.denominator"),
       "must be HUNDRED, TEN_THOUSAND or MILLION (got 7)"}}},

    {"EmptyCluster",  // R12.49
     ActionText("cluster: \"\""),
     {{In(kAction, "cluster"), "must not be empty"}}},

    {"WeightedClusterWithoutName",  // R12.50
     Weighted("clusters { weight { value: 1 } }"),
     {{In(kWeighted, "clusters[0].name"), "must not be empty"}}},
    {"WeightedClusterWithoutWeight",  // R12.50
     Weighted("clusters { name: \"a\" weight { value: 1 } } clusters { name: \"b\" }"),
     {{In(kWeighted, "clusters[1].weight"), "must be set"}}},
    {"NoWeightedClusters",  // R12.50
     Weighted(""),
     {{kWeighted, "must have a cluster with a weight above 0"}}},
    {"OnlyWeightsOfZero",  // R12.50
     Weighted("clusters { name: \"a\" weight { value: 0 } }"),
     {{kWeighted, "must have a cluster with a weight above 0"}}},
    {"WeightsBeyondTheLimit",  // R12.50
     Weighted("clusters { name: \"a\" weight { value: 4294967295 } }"
              "clusters { name: \"b\" weight { value: 1 } }"),
     {{kWeighted, "the sum of the weights must not exceed 4294967295 (got 4294967296)"}}},

    {"OverrideOfUnknownType",  // R12.51
     HostOverride(TypeUrl("acme.Filter")),
     {{kHostOverride,
       "unknown filter type \"acme.Filter\"; wrap it in envoy.config.route.v3.FilterConfig with "
       "is_optional if clients may leave it out"}}},
    {"WrappedOverrideOfUnknownType",  // R12.51
     RouteText("match { prefix: \"\" } route { cluster: \"a\" } " +
               OverrideText(Wrapped("config { " + TypeUrl("acme.Filter") + " }"))),
     {{In(kRouteOverride, "config"),
       "unknown filter type \"acme.Filter\"; set is_optional beside config if clients may leave it "
       "out"}}},
    {"OverrideOfAWeightedCluster",  // R12.51
     Weighted("clusters { name: \"a\" weight { value: 1 } " + OverrideText(TypeUrl("acme.Filter")) +
              " }"),
     {{In(kWeighted, "clusters[0].typed_per_filter_config[fault]"),
       "unknown filter type \"acme.Filter\"; wrap it in envoy.config.route.v3.FilterConfig with "
       "is_optional if clients may leave it out"}}},
    {"WrapperAroundNothing",  // R12.51
     HostOverride(Wrapped("is_optional: true")),
     {{In(kHostOverride, "config"), "must be set"}}},
    {"WrapperAroundAWrapper",  // R12.51
     HostOverride(Wrapped("is_optional: true config { " + Wrapped("") + " }")),
     {{In(kHostOverride, "config"),
       "envoy.config.route.v3.FilterConfig must not hold another one"}}},
    {"WrapperAsTypedStruct",  // R12.51
     HostOverride("[type.googleapis.com/udpa.type.v1.TypedStruct] { " +
                  TypeUrl("envoy.config.route.v3.FilterConfig") + " }"),
     {{kHostOverride,
       "must be envoy.config.route.v3.FilterConfig itself (got it as a TypedStruct)"}}},
    {"OverrideWithoutType",  // R12.51
     HostOverride(""),
     {{In(kHostOverride, "type_url"), "is empty, so the type of what is inside is unknown"}}},
    {"OverrideOfNoFilter",  // R12.51
     HostText("typed_per_filter_config { key: \"\" value { " +
              TypeUrl("envoy.extensions.filters.http.fault.v3.HTTPFault") + " } }"),
     {{"virtual_hosts[0].typed_per_filter_config[]", "the filter's name must not be empty"}}},
    {"OverrideOfTheRouter",  // R12.51
     HostOverride(TypeUrl("envoy.extensions.filters.http.router.v3.Router")),
     {{kHostOverride, "envoy.extensions.filters.http.router.v3.Router takes no overrides"}}},
    {"FilterAsOverride",  // R12.51
     HostOverride(TypeUrl("envoy.extensions.filters.http.stateful_session.v3.StatefulSession")),
     {{kHostOverride,
       "envoy.extensions.filters.http.stateful_session.v3.StatefulSession is only for "
       "http_filters; use "
       "envoy.extensions.filters.http.stateful_session.v3.StatefulSessionPerRoute here"}}},
    {"BadFaultOverride",  // R12.51
     HostOverride("[type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault] { "
                  "abort { grpc_status: 17 } }"),
     {{In(kHostOverride, "abort.grpc_status"),
       "must be a gRPC status code from 0 to 16 (got 17)"}}},
    {"BadSessionOverride",  // R12.51
     HostOverride("[type.googleapis.com/envoy.extensions.filters.http.stateful_session.v3."
                  "StatefulSessionPerRoute] { stateful_session { " +
                  CookieText("") + " } }"),
     {{In(kHostOverride, "stateful_session.session_state.typed_config.cookie.name"),
       "must not be empty"}}},
    {"SessionOverrideThatDisablesNothing",  // R12.51
     HostOverride("[type.googleapis.com/envoy.extensions.filters.http.stateful_session.v3."
                  "StatefulSessionPerRoute] { disabled: false }"),
     {{In(kHostOverride, "disabled"), "must be true; leave the override out to keep the filter"}}},

    {"NoRetries",  // R12.52
     Retry("retry_on: \"unavailable\" num_retries { value: 0 }"),
     {{In(kRetry, "num_retries"),
       "must be at least 1 (got 0); leave the retry policy out to retry nothing"}}},
    {"RetryOfVirtualHost",  // R12.52
     HostText("retry_policy { retry_on: \"internal\" num_retries {} }"),
     {{"virtual_hosts[0].retry_policy.num_retries",
       "must be at least 1 (got 0); leave the retry policy out to retry nothing"}}},
    {"BackOffWithoutBase",  // R12.52
     Retry("retry_back_off { max_interval { seconds: 1 } }"),
     {{In(kRetry, "retry_back_off.base_interval"), "must be set"}}},
    {"BackOffOfZero",  // R12.52
     Retry("retry_back_off { base_interval {} }"),
     {{In(kRetry, "retry_back_off.base_interval"), "must be greater than 0"}}},
    {"BackOffBaseOutOfRange",  // R12.52
     Retry("retry_back_off { base_interval { seconds: -1 } max_interval { seconds: 1 } }"),
     {{In(kRetry, "retry_back_off.base_interval.seconds"),
       "is -1, must be from 0 to 315576000000"}}},
    {"BackOffMaxOutOfRange",  // R12.52
     Retry("retry_back_off { base_interval { seconds: 1 } max_interval { nanos: -1 } }"),
     {{In(kRetry, "retry_back_off.max_interval.nanos"), "is -1, must be from 0 to 999999999"}}},
    {"BackOffThatShrinks",  // R12.52
     Retry("retry_back_off { base_interval { seconds: 2 } max_interval { seconds: 1 } }"),
     {{In(kRetry, "retry_back_off.max_interval"),
       "must not be below base_interval (got 1s, base_interval 2s)"}}},

    {"HashOfNamelessHeader",  // R12.53
     Hash(""),
     {{In(kHash, "header_name"), "must not be empty"}}},
    {"HashWithBadRegex",  // R12.53
     Hash("header_name: \"x\" regex_rewrite { pattern { regex: \"(\" } }"),
     {{In(kRewrite, "pattern.regex"), "\"(\" is not a valid RE2 regex: missing ): ("}}},
    {"HashWithoutRegex",  // R12.53
     Hash("header_name: \"x\" regex_rewrite { substitution: \"a\" }"),
     {{In(kRewrite, "pattern.regex"), "must not be empty"}}},
    {"HashWithSubstitutionOfNoGroup",  // R12.53
     Hash("header_name: \"x\" regex_rewrite { pattern { regex: \"(a)\" } substitution: "
          "\"\\\\2\" }"),
     {{In(kRewrite, "substitution"),
       "\"\\2\" does not fit the regex \"(a)\": Rewrite schema requests 2 matches, but the regexp "
       "only has 1 parenthesized subexpressions."}}},

    {"BadMaxStreamDuration",  // R12.54
     MaxDuration("max_stream_duration { seconds: -1 }"),
     {{In(kMaxDuration, "max_stream_duration.seconds"), "is -1, must be from 0 to 315576000000"}}},
    {"BadTimeoutHeaderMax",  // R12.54
     MaxDuration("max_stream_duration { seconds: 1 } grpc_timeout_header_max { nanos: -1 }"),
     {{In(kMaxDuration, "grpc_timeout_header_max.nanos"), "is -1, must be from 0 to 999999999"}}},
    {"BadTimeoutHeaderOffset",  // R12.54
     MaxDuration("grpc_timeout_header_offset { nanos: -1 }"),
     {{In(kMaxDuration, "grpc_timeout_header_offset.nanos"),
       "is -1, must be from 0 to 999999999"}}},
    {"BadTimeout",
     ActionText("cluster: \"payments\" timeout { seconds: -1 }"),
     {{In(kAction, "timeout.seconds"), "is -1, must be from 0 to 315576000000"}}},
    {"BadPerTryTimeout",
     Retry("retry_on: \"unavailable\" per_try_timeout { nanos: -1 }"),
     {{In(kRetry, "per_try_timeout.nanos"), "is -1, must be from 0 to 999999999"}}},

    {"UnknownPlugin",  // R12.55
     Plugin("lookup", "") + ActionText("cluster_specifier_plugin: \"lookup\""),
     {{"cluster_specifier_plugins[0].extension.typed_config",
       "unknown plugin type \"acme.Lookup\"; set is_optional if clients may skip the routes that "
       "use it"}}},
    {"TwoPluginsOfOneName",  // R12.55
     Plugin("lookup", "is_optional: true") + Plugin("lookup", "is_optional: true"),
     {{"cluster_specifier_plugins[1].extension.name",
       "\"lookup\" is the name of an earlier plugin too"}}},
    {"PluginWithoutType",  // R12.55
     "cluster_specifier_plugins { extension { name: \"lookup\" } is_optional: true }",
     {{"cluster_specifier_plugins[0].extension.typed_config.type_url",
       "is empty, so the type of what is inside is unknown"}}},
    {"UndeclaredPlugin",  // R12.55
     Plugin("lookup", "is_optional: true") + ActionText("cluster_specifier_plugin: \"guess\""),
     {{In(kAction, "cluster_specifier_plugin"),
       "\"guess\" is not declared in cluster_specifier_plugins"}}},

    {"SeveralMistakes",  // R12.41, R12.42, R12.45, R12.49, R12.51: all are reported
     "virtual_hosts { domains: \"a*b\" domains: \"*\" routes {" + OverrideText(TypeUrl("acme.F")) +
         "} } virtual_hosts { domains: \"b\" routes { match { prefix: \"\" headers {} } "
         "route { cluster: \"\" hash_policy { header {} } } } }",
     {{"virtual_hosts[0].domains[0]",
       "\"a*b\" is not a domain pattern: \"*\" may stand alone, at the start or at the end"},
      {"virtual_hosts[0].routes[0].match", "must be set"},
      {"virtual_hosts[0].routes[0].typed_per_filter_config[fault]",
       "unknown filter type \"acme.F\"; wrap it in envoy.config.route.v3.FilterConfig with "
       "is_optional if clients may leave it out"},
      {"virtual_hosts[1].routes[0].match.headers[0]",
       "must have exact_match, prefix_match, suffix_match, contains_match, safe_regex_match, "
       "range_match, present_match or string_match"},
      {"virtual_hosts[1].routes[0].match.headers[0].name", "must not be empty"},
      {"virtual_hosts[1].routes[0].route.cluster", "must not be empty"},
      {"virtual_hosts[1].routes[0].route.hash_policy[0].header.header_name", "must not be empty"}}},
};

class BadRouteConfig : public testing::TestWithParam<Row> {};

TEST_P(BadRouteConfig, IsRejectedForItsOwnReasons) {
  const Decoded<RouteConfig> decoded =
      DecodeRouteConfig(FromText(kRouteConfigType, GetParam().text), DecodeContext{});
  EXPECT_THAT(LinesOf(decoded.errors.Sorted()), ElementsAreArray(LinesOf(GetParam().errors)));
}

INSTANTIATE_TEST_SUITE_P(Rules, BadRouteConfig, ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace holdfast

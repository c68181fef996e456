// Every way in which a client's Listener can be wrong (R12.01 to R12.08), with all that is said
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

constexpr char kApi[] = "api_listener.api_listener";
constexpr char kFilters[] = "api_listener.api_listener.http_filters";
constexpr char kFilter[] = "api_listener.api_listener.http_filters[0]";
constexpr char kConfig[] = "api_listener.api_listener.http_filters[0].typed_config";
constexpr char kAbort[] = "api_listener.api_listener.http_filters[0].typed_config.abort";
constexpr char kDelay[] = "api_listener.api_listener.http_filters[0].typed_config.delay";
constexpr char kState[] =
    "api_listener.api_listener.http_filters[0].typed_config.session_state.typed_config";
constexpr char kDuration[] =
    "api_listener.api_listener.common_http_protocol_options.max_stream_duration";

constexpr char kNotParsed[] =
    ": truncated, not protobuf, nested deeper than 100 levels, or a string that is not UTF-8";

std::string ApiListener(const std::string& any) {
  return "name: \"front\" api_listener { api_listener { " + any + " } }";
}
std::string Rds(const std::string& rds) {
  return ListenerText({"rds { " + rds + " }", kRouterText});
}
std::string Filters(const std::string& filters) { return ListenerText({kRdsText, filters}); }
std::string WithRouter(const std::string& filter) {
  return ListenerText({kRdsText, filter, kRouterText});
}
std::string MaxStreamDuration(const std::string& duration) {
  return ListenerText(
      {kRdsText, kRouterText,
       "common_http_protocol_options { max_stream_duration { " + duration + " } }"});
}
std::string TypedStruct(const std::string& package, const std::string& type) {
  return "[type.googleapis.com/" + package + ".TypedStruct] { type_url: \"type.googleapis.com/" +
         type + "\" }";
}

const Row kRows[] = {
    {"NeitherApiListenerNorAddress",  // R12.01
     "name: \"front\"",
     {{"", "must have an api_listener (got neither that nor an address)"}}},
    {"ListenerOfAServer",
     "name: \"front\" address { socket_address { address: \"0.0.0.0\" port_value: 80 } }",
     {{"", "this build does not support listeners of gRPC servers (without api_listener) yet"}}},
    {"ApiListenerWithoutAny",  // R12.01
     "name: \"front\" api_listener {}",
     {{kApi,
       "must be set; it must hold envoy.extensions.filters.network.http_connection_manager.v3."
       "HttpConnectionManager"}}},
    {"ApiListenerOfAnotherType",  // R12.01
     ApiListener("[type.googleapis.com/envoy.extensions.filters.http.router.v3.Router] {}"),
     {{kApi,
       "must hold envoy.extensions.filters.network.http_connection_manager.v3."
       "HttpConnectionManager (got \"envoy.extensions.filters.http.router.v3.Router\")"}}},
    {"ApiListenerWithoutType",  // R12.01
     ApiListener("value: \"x\""),
     {{"api_listener.api_listener.type_url",
       "is empty, so the type of what is inside is unknown"}}},
    {"ApiListenerWithMalformedType",  // R12.01
     ApiListener("type_url: \"HttpConnectionManager\""),
     {{"api_listener.api_listener.type_url",
       "must look like type.googleapis.com/package.Message (got \"HttpConnectionManager\")"}}},
    {"ConnectionManagerAsTypedStruct",  // R12.01
     ApiListener(TypedStruct("xds.type.v3",
                             "envoy.extensions.filters.network.http_connection_manager.v3."
                             "HttpConnectionManager")),
     {{kApi,
       "must be envoy.extensions.filters.network.http_connection_manager.v3."
       "HttpConnectionManager itself (got it as a TypedStruct)"}}},
    {"ConnectionManagerThatDoesNotParse",  // R12.01
     ApiListener("type_url: \"type.googleapis.com/envoy.extensions.filters.network."
                 "http_connection_manager.v3.HttpConnectionManager\" value: \"\\377\""),
     {{kApi, std::string("cannot be parsed as envoy.extensions.filters.network."
                         "http_connection_manager.v3.HttpConnectionManager") +
                 kNotParsed}}},

    {"ScopedRoutes",  // R12.02
     ListenerText({"scoped_routes { name: \"scopes\" }", kRouterText}),
     {{kApi, "must have rds or route_config (got scoped_routes)"}}},
    {"NoRoutes",  // R12.02
     ListenerText({kRouterText}),
     {{kApi, "must have rds or route_config (got neither)"}}},

    {"RdsFromAPath",  // R12.03
     Rds(R"pb(route_config_name: "routes"
              config_source { path: "/etc/routes" })pb"),
     {{"api_listener.api_listener.rds.config_source", "must be ads or self (got path)"}}},
    {"RdsFromAnotherServer",  // R12.03
     Rds(R"pb(route_config_name: "routes"
              config_source { api_config_source {} })pb"),
     {{"api_listener.api_listener.rds.config_source",
       "must be ads or self (got api_config_source)"}}},
    {"RdsWithEmptySource",  // R12.03
     Rds(R"pb(route_config_name: "routes"
              config_source {})pb"),
     {{"api_listener.api_listener.rds.config_source", "must be ads or self (got nothing)"}}},
    {"RdsWithoutSource",  // R12.03
     Rds(R"pb(route_config_name: "routes")pb"),
     {{"api_listener.api_listener.rds.config_source", "must be ads or self (got nothing)"}}},
    {"RdsWithoutName",  // R12.03
     Rds("config_source { self {} }"),
     {{"api_listener.api_listener.rds.route_config_name", "must not be empty"}}},

    {"TrustedHops",  // R12.04
     ListenerText({kRdsText, kRouterText, "xff_num_trusted_hops: 1"}),
     {{"api_listener.api_listener.xff_num_trusted_hops", "must be 0 (got 1)"}}},
    {"OriginalIpDetection",  // R12.04
     ListenerText({kRdsText, kRouterText, "original_ip_detection_extensions { name: \"xff\" }"}),
     {{"api_listener.api_listener.original_ip_detection_extensions", "must be empty (got 1)"}}},

    {"NegativeMaxStreamDuration",  // R12.05
     MaxStreamDuration("seconds: -1"),
     {{std::string(kDuration) + ".seconds", "is -1, must be from 0 to 315576000000"}}},
    {"MaxStreamDurationOfTooManyNanos",  // R12.05
     MaxStreamDuration("nanos: 1000000000"),
     {{std::string(kDuration) + ".nanos", "is 1000000000, must be from 0 to 999999999"}}},
    {"EndlessMaxStreamDuration",  // R12.05
     MaxStreamDuration("seconds: 315576000001"),
     {{std::string(kDuration) + ".seconds", "is 315576000001, must be from 0 to 315576000000"}}},

    {"NoFilters",  // R12.06
     Filters(""),
     {{kFilters,
       "must not be empty; the last filter must be the router "
       "(envoy.extensions.filters.http.router.v3.Router)"}}},
    {"OnlyUnknownOptionalFilters",  // R12.06
     Filters(FilterText("acme", "acme.Filter", "is_optional: true")),
     {{kFilters,
       "only optional filters, none of them known; the last filter must be the router "
       "(envoy.extensions.filters.http.router.v3.Router)"}}},
    {"FilterWithoutName",  // R12.06
     Filters(FilterText("", "envoy.extensions.filters.http.router.v3.Router")),
     {{std::string(kFilter) + ".name", "must not be empty"}}},
    {"TwoFiltersOfOneName",  // R12.06
     Filters(FilterText("router", "envoy.extensions.filters.http.fault.v3.HTTPFault") +
             std::string(kRouterText)),
     {{"api_listener.api_listener.http_filters[1].name",
       "\"router\" is the name of an earlier filter too"}}},
    {"UnknownFilter",  // R12.06
     WithRouter(FilterText("acme", "acme.Filter")),
     {{kConfig,
       "unknown filter type \"acme.Filter\"; set is_optional if clients may leave it out"}}},
    {"UnknownFilterInXdsTypedStruct",  // R12.06
     WithRouter("http_filters { name: \"acme\" typed_config { " +
                TypedStruct("xds.type.v3", "acme.Filter") + " } }"),
     {{kConfig,
       "unknown filter type \"acme.Filter\"; set is_optional if clients may leave it out"}}},
    {"UnknownFilterInUdpaTypedStruct",  // R12.06
     WithRouter("http_filters { name: \"acme\" typed_config { " +
                TypedStruct("udpa.type.v1", "acme.Filter") + " } }"),
     {{kConfig,
       "unknown filter type \"acme.Filter\"; set is_optional if clients may leave it out"}}},
    {"UnknownLastFilter",  // R12.06
     Filters(FilterText("acme", "acme.Filter")),
     {{kConfig,
       "unknown filter type \"acme.Filter\"; set is_optional if clients may leave it out"}}},
    {"FilterOfServers",  // R12.06
     WithRouter(FilterText("rbac", "envoy.extensions.filters.http.rbac.v3.RBAC")),
     {{kConfig,
       "envoy.extensions.filters.http.rbac.v3.RBAC is not supported on clients, only on gRPC "
       "servers; set is_optional if clients may leave it out"}}},
    {"SessionOverrideAsFilter",  // R12.06
     WithRouter(FilterText(
         "session", "envoy.extensions.filters.http.stateful_session.v3.StatefulSessionPerRoute")),
     {{kConfig,
       "envoy.extensions.filters.http.stateful_session.v3.StatefulSessionPerRoute is only for "
       "typed_per_filter_config; use "
       "envoy.extensions.filters.http.stateful_session.v3.StatefulSession here"}}},
    {"RbacOverrideAsOptionalFilter",  // R12.06
     WithRouter(FilterText("rbac", "envoy.extensions.filters.http.rbac.v3.RBACPerRoute",
                           "is_optional: true")),
     {{kConfig,
       "envoy.extensions.filters.http.rbac.v3.RBACPerRoute is only for typed_per_filter_config; "
       "use envoy.extensions.filters.http.rbac.v3.RBAC here"}}},
    {"FilterConfigAsFilter",  // R12.06
     WithRouter(FilterText("wrapped", "envoy.config.route.v3.FilterConfig")),
     {{kConfig,
       "envoy.config.route.v3.FilterConfig is only for typed_per_filter_config; give the filter's "
       "own configuration here"}}},
    {"FilterFromDiscovery",  // R12.06
     WithRouter("http_filters { name: \"acme\" config_discovery {} }"),
     {{std::string(kFilter) + ".config_discovery",
       "is not supported; give the filter's configuration in typed_config"}}},
    {"FilterWithoutConfig",  // R12.06
     WithRouter("http_filters { name: \"acme\" }"),
     {{kConfig, "must be set"}}},
    {"FilterWithoutType",  // R12.06
     WithRouter("http_filters { name: \"acme\" typed_config {} }"),
     {{std::string(kConfig) + ".type_url", "is empty, so the type of what is inside is unknown"}}},
    {"RouterBeforeTheEnd",  // R12.06
     Filters(absl::StrCat(kRouterText, " ", SessionText(""), " ",
                          FilterText("last", "envoy.extensions.filters.http.router.v3.Router"))),
     {{kFilter, "the router must be the last filter: filters after it never run"}}},
    {"RouterMissing",  // R12.06
     Filters(FaultText("")),
     {{kFilter,
       "the last filter must be the router (envoy.extensions.filters.http.router.v3.Router), got "
       "envoy.extensions.filters.http.fault.v3.HTTPFault"}}},
    {"RouterThatDoesNotParse",  // R12.06
     Filters("http_filters { name: \"router\" typed_config { type_url: \"type.googleapis.com/"
             "envoy.extensions.filters.http.router.v3.Router\" value: \"\\377\" } }"),
     {{kConfig, std::string("cannot be parsed as envoy.extensions.filters.http.router.v3.Router") +
                    kNotParsed}}},
    {"FaultAsTypedStruct",  // R12.06
     WithRouter("http_filters { name: \"fault\" typed_config { " +
                TypedStruct("xds.type.v3", "envoy.extensions.filters.http.fault.v3.HTTPFault") +
                " } }"),
     {{kConfig,
       "must be envoy.extensions.filters.http.fault.v3.HTTPFault itself (got it as a "
       "TypedStruct)"}}},

    {"FaultAbortOfUnknownGrpcStatus",  // R12.06, R13.53
     WithRouter(FaultText("abort { grpc_status: 17 }")),
     {{std::string(kAbort) + ".grpc_status", "must be a gRPC status code from 0 to 16 (got 17)"}}},
    {"FaultAbortOfNoKind",  // R12.06
     WithRouter(FaultText("abort { percentage { numerator: 5 } }")),
     {{kAbort, "must have http_status, grpc_status or header_abort"}}},
    {"FaultAbortOfUnknownDenominator",  // R12.06
     WithRouter(FaultText("abort { http_status: 503 percentage { denominator: 3 } }")),
     {{std::string(kAbort) + ".percentage.denominator",
       "must be HUNDRED, TEN_THOUSAND or MILLION (got 3)"}}},
    {"FaultDelayOfNoKind",  // R12.06
     WithRouter(FaultText("delay {}")),
     {{kDelay, "must have fixed_delay or header_delay"}}},
    {"FaultDelayThatIsNegative",  // R12.06
     WithRouter(FaultText("delay { fixed_delay { nanos: -1 } }")),
     {{std::string(kDelay) + ".fixed_delay.nanos", "is -1, must be from 0 to 999999999"}}},
    {"FaultDelayOfUnknownDenominator",  // R12.06
     WithRouter(FaultText("delay { header_delay {} percentage { denominator: 3 } }")),
     {{std::string(kDelay) + ".percentage.denominator",
       "must be HUNDRED, TEN_THOUSAND or MILLION (got 3)"}}},
    {"FaultForABadHeader",  // R12.06
     WithRouter(FaultText("headers { name: \"x\" }")),
     {{std::string(kConfig) + ".headers[0]",
       "must have exact_match, prefix_match, suffix_match, contains_match, safe_regex_match, "
       "range_match, present_match or string_match"}}},

    {"SessionInSomethingUnknown",  // R12.06, R13.62
     WithRouter(SessionText("session_state { name: \"header\" typed_config { "
                            "type_url: \"type.googleapis.com/acme.HeaderState\" } }")),
     {{kState,
       "unknown session state \"acme.HeaderState\"; only envoy.extensions.http.stateful_session."
       "cookie.v3.CookieBasedSessionState is supported"}}},
    {"SessionWithoutStateConfig",  // R12.06
     WithRouter(SessionText("session_state { name: \"cookie\" }")),
     {{std::string(kState) + ".type_url", "is empty, so the type of what is inside is unknown"}}},
    {"SessionCookieWithoutName",  // R12.06, R13.62
     WithRouter(SessionText(CookieText("ttl { seconds: 60 }"))),
     {{std::string(kState) + ".cookie.name", "must not be empty"}}},
    {"SessionCookieOfNegativeAge",  // R12.06, R13.62
     WithRouter(SessionText(CookieText("name: \"id\" ttl { seconds: -60 }"))),
     {{std::string(kState) + ".cookie.ttl.seconds", "is -60, must be from 0 to 315576000000"}}},

    {"BadInlineRoutes",  // R12.08
     ListenerText({"route_config { virtual_hosts { domains: \"*.foo.*\" } }", kRouterText}),
     {{"api_listener.api_listener.route_config.virtual_hosts[0].domains[0]",
       "\"*.foo.*\" is not a domain pattern: \"*\" may stand alone, at the start or at the end"}}},

    {"SeveralMistakes",  // R12.03, R12.04, R12.05, R12.06: all are reported
     ListenerText({"rds { config_source { path: \"p\" } }", "xff_num_trusted_hops: 2",
                   "common_http_protocol_options { max_stream_duration { seconds: -1 } }",
                   FilterText("", "acme.Filter"), FaultText("abort { grpc_status: 99 }")}),
     {{std::string(kDuration) + ".seconds", "is -1, must be from 0 to 315576000000"},
      {std::string(kFilter) + ".name", "must not be empty"},
      {kConfig, "unknown filter type \"acme.Filter\"; set is_optional if clients may leave it out"},
      {"api_listener.api_listener.http_filters[1]",
       "the last filter must be the router (envoy.extensions.filters.http.router.v3.Router), got "
       "envoy.extensions.filters.http.fault.v3.HTTPFault"},
      {"api_listener.api_listener.http_filters[1].typed_config.abort.grpc_status",
       "must be a gRPC status code from 0 to 16 (got 99)"},
      {"api_listener.api_listener.rds.config_source", "must be ads or self (got path)"},
      {"api_listener.api_listener.rds.route_config_name", "must not be empty"},
      {"api_listener.api_listener.xff_num_trusted_hops", "must be 0 (got 2)"}}},
};

class BadListener : public testing::TestWithParam<Row> {};

TEST_P(BadListener, IsRejectedForItsOwnReasons) {
  const Decoded<Listener> decoded =
      DecodeListener(FromText(kListenerType, GetParam().text), DecodeContext{});
  EXPECT_THAT(LinesOf(decoded.errors.Sorted()), ElementsAreArray(LinesOf(GetParam().errors)));
}

INSTANTIATE_TEST_SUITE_P(Rules, BadListener, ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace holdfast

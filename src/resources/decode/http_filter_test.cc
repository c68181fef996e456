// Valid filter chains: what they become, what is dropped, and what is not enforced.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "resources/decode/decode.h"
#include "resources/decode/example_texts.h"
#include "tests/support/text_resource.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kFaultType[] = "envoy.extensions.filters.http.fault.v3.HTTPFault";
constexpr char kRouterType[] = "envoy.extensions.filters.http.router.v3.Router";

Decoded<Listener> DecodeChain(const std::string& filters) {
  Decoded<Listener> decoded =
      DecodeListener(FromText(kListenerType, ListenerText({kRdsText, filters})), {});
  EXPECT_THAT(LinesOf(decoded.errors.Sorted()), IsEmpty());
  return decoded;
}

FaultFilter FaultOf(const std::string& fault) {
  const Decoded<Listener> decoded = DecodeChain(absl::StrCat(FaultText(fault), " ", kRouterText));
  return std::get<FaultFilter>(decoded.resource.http_filters.at(0).config);
}

StatefulSessionFilter SessionOf(const std::string& session) {
  const Decoded<Listener> decoded =
      DecodeChain(absl::StrCat(SessionText(session), " ", kRouterText));
  return std::get<StatefulSessionFilter>(decoded.resource.http_filters.at(0).config);
}

TEST(HttpFilters, RouterAlone) {  // R12.06
  const Decoded<Listener> decoded = DecodeChain(std::string(kRouterText));
  EXPECT_THAT(decoded.resource.http_filters, ElementsAre(HttpFilter{"router", RouterFilter{}}));
  EXPECT_THAT(decoded.not_enforced, IsEmpty());
}

TEST(HttpFilters, FieldsOfTheRouterAreIgnored) {  // R12.06
  const Decoded<Listener> decoded =
      DecodeChain(absl::StrCat("http_filters { name: \"router\" typed_config { type_url: "
                               "\"type.googleapis.com/",
                               kRouterType, "\" value: \"\\x08\\x01\" } }"));
  EXPECT_THAT(decoded.resource.http_filters, ElementsAre(HttpFilter{"router", RouterFilter{}}));
}

TEST(HttpFilters, SeveralOfOneTypeKeepTheirOrder) {  // R12.06
  const Decoded<Listener> decoded = DecodeChain(
      absl::StrCat(FilterText("b", kFaultType), FilterText("a", kFaultType, "disabled: true"),
                   SessionText(""), kRouterText));
  EXPECT_THAT(decoded.resource.http_filters,
              ElementsAre(HttpFilter{"b", FaultFilter{}}, HttpFilter{"a", FaultFilter{}, true},
                          HttpFilter{"session", StatefulSessionFilter{}},
                          HttpFilter{"router", RouterFilter{}}));
  EXPECT_THAT(decoded.not_enforced, ElementsAre("api_listener.api_listener.http_filters[0]",
                                                "api_listener.api_listener.http_filters[1]",
                                                "api_listener.api_listener.http_filters[2]"));
}

TEST(HttpFilters, OptionalFiltersThatClientsCannotRunAreDropped) {  // R12.06
  const Decoded<Listener> decoded = DecodeChain(absl::StrCat(
      FilterText("acme", "acme.Filter", "is_optional: true"),
      "http_filters { name: \"later\" is_optional: true config_discovery {} } ",
      FilterText("rbac", "envoy.extensions.filters.http.rbac.v3.RBAC", "is_optional: true"),
      FilterText("fault", kFaultType, "is_optional: true"), kRouterText,
      // What is dropped does not count as the end of the chain.
      FilterText("late", "acme.Filter", "is_optional: true")));
  EXPECT_THAT(decoded.resource.http_filters, ElementsAre(HttpFilter{"fault", FaultFilter{}},
                                                         HttpFilter{"router", RouterFilter{}}));
  EXPECT_THAT(decoded.not_enforced, ElementsAre("api_listener.api_listener.http_filters[3]"));
}

TEST(HttpFilters, OptionalDoesNotExcuseABadConfig) {  // R12.06
  const std::string text = ListenerText(
      {kRdsText,
       "http_filters { name: \"f\" is_optional: true typed_config { [type.googleapis.com/"
       "envoy.extensions.filters.http.fault.v3.HTTPFault] { delay {} } } }",
       kRouterText});
  EXPECT_THAT(LinesOf(DecodeListener(FromText(kListenerType, text), {}).errors.Sorted()),
              ElementsAre("api_listener.api_listener.http_filters[0].typed_config.delay: must have "
                          "fixed_delay or header_delay"));
}

TEST(FaultFilterDecode, Everything) {
  EXPECT_EQ(FaultOf(R"pb(abort {
                           grpc_status: 7
                           percentage { numerator: 12 denominator: TEN_THOUSAND }
                         }
                         delay {
                           fixed_delay { nanos: 5000000 }
                           percentage { numerator: 50 }
                         }
                         headers { name: "canary" present_match: true }
                         max_active_faults { value: 3 })pb"),
            (FaultFilter{
                .abort = FaultFilter::Abort{.grpc_code = 7, .per_million = 1200},
                .delay = FaultFilter::Delay{.fixed = absl::Milliseconds(5), .per_million = 500000},
                .headers = {{.name = "canary", .rule = HeaderMatcher::Presence{true}}},
                .max_active_faults = 3}));
}

TEST(FaultFilterDecode, NothingByDefault) {
  EXPECT_EQ(FaultOf(""), FaultFilter{});
  EXPECT_EQ(FaultOf("abort { header_abort {} } delay { header_delay {} }"),
            (FaultFilter{.abort = FaultFilter::Abort{.from_headers = true},
                         .delay = FaultFilter::Delay{.from_headers = true}}));
}

TEST(FaultFilterDecode, EveryGrpcStatusIsAllowed) {  // R13.53
  for (int code = 0; code <= 16; ++code) {
    EXPECT_EQ(FaultOf(absl::StrCat("abort { grpc_status: ", code, " }")).abort->grpc_code, code);
  }
}

TEST(FaultFilterDecode, HttpStatusBecomesAGrpcStatus) {  // R13.53
  struct {
    int http;
    int grpc;
  } const kTable[] = {
      {400, 13}, {401, 16}, {403, 7}, {404, 12}, {429, 14}, {502, 14}, {503, 14},
      {504, 14}, {200, 2},  {500, 2}, {418, 2},  {0, 2},    {599, 2},
  };
  for (const auto& row : kTable) {
    EXPECT_EQ(FaultOf(absl::StrCat("abort { http_status: ", row.http, " }")).abort->grpc_code,
              row.grpc)
        << row.http;
  }
}

TEST(SessionFilterDecode, Cookie) {  // R13.62
  EXPECT_EQ(SessionOf(CookieText("name: \"id\" path: \"/svc\" ttl { seconds: 60 }")),
            (StatefulSessionFilter{
                .cookie_name = "id", .cookie_path = "/svc", .cookie_ttl = absl::Seconds(60)}));
  EXPECT_EQ(SessionOf(CookieText("name: \"id\"")),
            (StatefulSessionFilter{
                .cookie_name = "id", .cookie_path = "/", .cookie_ttl = absl::ZeroDuration()}));
}

TEST(SessionFilterDecode, WithoutAStateItDoesNothing) {
  EXPECT_EQ(SessionOf(""), StatefulSessionFilter{});
}

}  // namespace
}  // namespace holdfast

// Listeners and routes that someone made to break the decoder. It may reject them, it may not
// crash, hang, or use memory without bound.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "resources/decode/decode.h"
#include "resources/decode/example_texts.h"
#include "tests/support/text_resource.h"
#include "tests/support/wire_bytes.h"

namespace holdfast {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kManagerUrl[] =
    "type.googleapis.com/"
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
constexpr char kNotParsed[] =
    ": truncated, not protobuf, nested deeper than 100 levels, or a string that is not UTF-8";

// Something of everything the decoder reads.
std::string FullListener() {
  const std::string routes = absl::StrCat(
      R"pb(name: "routes"
           cluster_specifier_plugins {
             is_optional: true
             extension {
               name: "lookup"
               typed_config {
                 [type.googleapis.com/xds.type.v3.TypedStruct] {
                   type_url: "type.googleapis.com/acme.Lookup"
                   value {
                     fields {
                       key: "a"
                       value { list_value { values { number_value: 1 } } }
                     }
                   }
                 }
               }
             }
           }
           virtual_hosts {
             name: "host"
             domains: "*.example.com"
             domains: "example.*"
             retry_policy {
               retry_on: "unavailable,internal"
               num_retries { value: 3 }
               retry_back_off {
                 base_interval { nanos: 1000 }
                 max_interval { seconds: 1 }
               }
             }
             routes {
               match {
                 safe_regex { regex: "/[a-z]+/.*" }
                 headers {
                   name: "x"
                   range_match { start: -5 end: 5 }
                 }
                 headers {
                   name: "y"
                   string_match { safe_regex { regex: "a|b" } }
                   invert_match: true
                 }
                 runtime_fraction { default_value { numerator: 5 denominator: MILLION } }
               }
               route {
                 weighted_clusters {
                   clusters {
                     name: "a"
                     weight { value: 1 }
                   }
                   clusters {
                     name: "b"
                     weight { value: 2 }
                   }
                 }
                 hash_policy {
                   header {
                     header_name: "z"
                     regex_rewrite {
                       pattern { regex: "(.)" }
                       substitution: "\\1"
                     }
                   }
                   terminal: true
                 }
                 max_stream_duration { grpc_timeout_header_max { seconds: 3 } }
               }
             })pb",
      OverrideText("[type.googleapis.com/envoy.config.route.v3.FilterConfig] { config { "
                   "[type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault] { "
                   "delay { fixed_delay { seconds: 1 } } } } }"),
      "}");
  return ListenerText({"route_config { " + routes + " }",
                       FaultText("abort { http_status: 503 percentage { numerator: 1 } }"),
                       SessionText(CookieText("name: \"id\" ttl { seconds: 1 }")), kRouterText});
}

std::string FullListenerBytes() { return FromText(kListenerType, FullListener()); }

// The HttpConnectionManager inside the full listener.
std::string ManagerBytes() {
  const std::string bytes = FullListenerBytes();
  const size_t url = bytes.find(kManagerUrl);
  EXPECT_NE(url, std::string::npos);
  // After the type URL come the tag and the length of the value, which runs to the end.
  size_t value = url + sizeof(kManagerUrl) - 1 + 1;
  while ((static_cast<unsigned char>(bytes[value]) & 0x80) != 0) ++value;
  return bytes.substr(value + 1);
}

std::string ListenerAround(absl::string_view manager) {
  return Field(1, "front") + Field(19, Field(1, Any(kManagerUrl, manager)));
}

// A RouteConfiguration with one virtual host that holds these bytes.
Decoded<RouteConfig> DecodeHost(absl::string_view host) {
  return DecodeRouteConfig(Field(2, host), {});
}

TEST(HostileListener, TheFullOneIsValid) {
  EXPECT_THAT(LinesOf(DecodeListener(FullListenerBytes(), {}).errors.Sorted()), IsEmpty());
  EXPECT_EQ(DecodeListener(ListenerAround(ManagerBytes()), {}).resource,
            DecodeListener(FullListenerBytes(), {}).resource);
}

TEST(HostileListener, EveryTruncationIsRejected) {
  const std::string bytes = FullListenerBytes();
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(DecodeListener(absl::string_view(bytes).substr(0, length), {}).errors.ok())
        << length << " of " << bytes.size() << " bytes";
  }
}

TEST(HostileListener, TruncationInsideTheAnyIsRejectedOrReadToAFieldsEnd) {
  const std::string manager = ManagerBytes();
  size_t rejected = 0;
  for (size_t length = 0; length < manager.size(); ++length) {
    const std::string bytes = ListenerAround(absl::string_view(manager).substr(0, length));
    if (!DecodeListener(bytes, {}).errors.ok()) ++rejected;
  }
  // A cut off router is missing, so no cut leaves a valid listener.
  EXPECT_EQ(rejected, manager.size());
}

TEST(HostileListener, NoChangedByteBreaksTheDecoder) {
  const std::string bytes = FullListenerBytes();
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const int change : {0x01, 0x08, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ change);
      const Decoded<Listener> first = DecodeListener(changed, {});
      const Decoded<Listener> second = DecodeListener(changed, {});
      EXPECT_EQ(first.errors.Text(), second.errors.Text());
      EXPECT_EQ(first.resource, second.resource);
    }
  }
}

TEST(HostileListener, Garbage) {
  const std::string expected =
      std::string(": cannot be parsed as envoy.config.listener.v3.Listener") + kNotParsed;
  uint32_t state = 1;
  std::string garbage(4096, '\0');
  for (char& byte : garbage) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<char>(state >> 24);
  }
  EXPECT_THAT(LinesOf(DecodeListener(garbage, {}).errors.Sorted()), ElementsAre(expected));
  EXPECT_THAT(LinesOf(DecodeListener(std::string(100, '\xff'), {}).errors.Sorted()),
              ElementsAre(expected));
  EXPECT_THAT(LinesOf(DecodeListener("not a protobuf at all", {}).errors.Sorted()),
              ElementsAre(expected));
}

TEST(HostileListener, EmptyIsRejected) {
  EXPECT_THAT(LinesOf(DecodeListener("", {}).errors.Sorted()),
              ElementsAre(": must have an api_listener (got neither that nor an address)"));
}

TEST(HostileListener, MoreThanTheMostBytes) {
  EXPECT_THAT(
      LinesOf(DecodeListener(std::string(kMostResourceBytes + 1, '\0'), {}).errors.Sorted()),
      ElementsAre(": is 16777217 bytes, the most accepted is 16777216"));
}

TEST(HostileListener, DeepStructInAFilter) {
  std::string value = NumberField(1, 0);  // null_value
  for (int level = 0; level < 10000; ++level) {
    value = Field(5, Field(1, Field(1, "a") + Field(2, value)));  // struct_value with one field
  }
  const std::string typed_struct = Field(1, "type.googleapis.com/acme.Filter") +
                                   Field(2, Field(1, Field(1, "a") + Field(2, value)));
  const std::string filter =
      Field(1, "acme") +
      Field(4, Any("type.googleapis.com/xds.type.v3.TypedStruct", typed_struct)) +
      NumberField(6, 1);  // is_optional
  EXPECT_THAT(
      LinesOf(DecodeListener(ListenerAround(Field(5, filter) + Field(4, "")), {}).errors.Sorted()),
      ElementsAre(std::string("api_listener.api_listener.http_filters[0].typed_config.value: "
                              "cannot be parsed as xds.type.v3.TypedStruct") +
                  kNotParsed));
}

TEST(HostileListener, DeepUnknownGroups) {
  std::string groups;
  for (int level = 0; level < 10000; ++level) groups += Tag(100, 3);
  for (int level = 0; level < 10000; ++level) groups += Tag(100, 4);
  EXPECT_THAT(LinesOf(DecodeListener(groups, {}).errors.Sorted()),
              ElementsAre(std::string(": cannot be parsed as envoy.config.listener.v3.Listener") +
                          kNotParsed));
}

TEST(HostileRoutes, DomainThatIsNotUtf8) {
  EXPECT_THAT(
      LinesOf(DecodeHost(Field(2, "a\xff.com")).errors.Sorted()),
      ElementsAre(std::string(": cannot be parsed as envoy.config.route.v3.RouteConfiguration") +
                  kNotParsed));
}

TEST(HostileRoutes, ErrorTextsStayShortAndOnOneLine) {
  const std::string domain = "*\n\x1b[31m" + std::string(1000000, 'a') + "*";
  const std::vector<FieldError> errors = DecodeHost(Field(2, domain)).errors.Sorted();
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_LT(errors[0].text.size(), 400U);
  EXPECT_EQ(errors[0].text.find_first_of("\n\x1b"), std::string::npos) << errors[0].text;
}

TEST(HostileRoutes, OnlySoManyErrorsAreKept) {
  std::string domains;
  for (int i = 0; i < 5000; ++i) domains += Field(2, absl::StrCat("*", i, "*"));
  const ValidationErrors errors = DecodeHost(domains).errors;
  EXPECT_EQ(errors.count(), 5000U);
  EXPECT_THAT(errors.Sorted(), SizeIs(ValidationErrors::kMostKept));
}

Decoded<RouteConfig> DecodePathRegex(absl::string_view regex) {
  const std::string match = Field(10, Field(2, regex));  // safe_regex
  return DecodeHost(Field(2, "*") + Field(3, Field(1, match)));
}

TEST(HostileRoutes, RegexBombs) {
  for (const std::string regex :
       {"((a{1000}){1000})", "(((((a{100}){100}){100}){100}){100})", "a{100000}"}) {
    EXPECT_THAT(LinesOf(DecodePathRegex(regex).errors.Sorted()),
                ElementsAre(AllOf(
                    HasSubstr("virtual_hosts[0].routes[0].match.safe_regex.regex: \"" + regex),
                    HasSubstr("is not a valid RE2 regex: invalid repetition size: "))));
  }
}

TEST(HostileRoutes, LongAndDeepRegexes) {
  const std::string deep = std::string(5000, '(') + "a" + std::string(5000, ')');
  EXPECT_THAT(LinesOf(DecodePathRegex(deep).errors.Sorted()), IsEmpty());
  EXPECT_THAT(
      LinesOf(DecodePathRegex(std::string(1000000, '(')).errors.Sorted()),
      ElementsAre("virtual_hosts[0].routes[0].match.safe_regex.regex: is 1000000 bytes, the "
                  "most accepted is 16384"));
}

// Each of them is fine. Together they would take minutes to compile.
TEST(HostileRoutes, ManyExpensiveRegexes) {
  const std::string match = Field(10, Field(2, R"((\pL{100}){3})"));
  std::string routes;
  for (int i = 0; i < 500; ++i) {
    routes += Field(3, Field(1, match) + Field(2, Field(1, "cluster")));
  }
  const Decoded<RouteConfig> decoded = DecodeHost(Field(2, "*") + routes);
  EXPECT_THAT(LinesOf(decoded.errors.Sorted()),
              ElementsAre(HasSubstr("safe_regex.regex: is too much: the regexes of a resource may "
                                    "compile to 2000000 instructions together")));
}

TEST(HostileRoutes, RegexesWriteNothingToStderr) {
  ::testing::internal::CaptureStderr();
  std::string regex;
  for (int i = 0; i < 4000; ++i) regex += "(a*)";
  DecodePathRegex(regex);
  DecodePathRegex(regex + regex);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(HostileRoutes, MoreRoutesThanFields) {
  std::string routes;
  for (int i = 0; i < 2'100'000; ++i) routes += std::string("\x1a\x00", 2);
  EXPECT_THAT(LinesOf(DecodeHost(routes).errors.Sorted()),
              ElementsAre(": has more than 2000000 fields"));
}

}  // namespace
}  // namespace holdfast

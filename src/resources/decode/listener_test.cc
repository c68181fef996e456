// Valid Listeners of clients: what they become, and what is not enforced.
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

Decoded<Listener> Decode(const std::string& text, const DecodeContext& context = {}) {
  Decoded<Listener> decoded = DecodeListener(FromText(kListenerType, text), context);
  EXPECT_THAT(LinesOf(decoded.errors.Sorted()), IsEmpty());
  return decoded;
}

TEST(ListenerDecode, RoutesFromRds) {  // R12.01, R12.02, R12.03
  const Decoded<Listener> decoded = Decode(ListenerText({kRdsText, kRouterText}));
  EXPECT_EQ(decoded.resource, (Listener{.name = "front",
                                        .routes = Listener::RdsName{"routes"},
                                        .http_filters = {{"router", RouterFilter{}}},
                                        .max_stream_duration = std::nullopt}));
  EXPECT_THAT(decoded.not_enforced, IsEmpty());
}

TEST(ListenerDecode, RdsFromSelf) {  // R12.03
  const Decoded<Listener> decoded = Decode(ListenerText(
      {"rds { route_config_name: \"xdstp://a/r\" config_source { self {} } }", kRouterText}));
  EXPECT_EQ(std::get<Listener::RdsName>(decoded.resource.routes).name, "xdstp://a/r");
}

TEST(ListenerDecode, AnAddressDoesNotMakeItAServers) {  // R12.01
  const Decoded<Listener> decoded =
      Decode(ListenerText({kRdsText, kRouterText}) +
             " address { socket_address { address: \"0.0.0.0\" port_value: 80 } }");
  EXPECT_EQ(decoded.resource.name, "front");
}

TEST(ListenerDecode, MaxStreamDuration) {  // R12.05
  const auto duration = [](const std::string& options) {
    return Decode(ListenerText(
                      {kRdsText, kRouterText, "common_http_protocol_options { " + options + " }"}))
        .resource.max_stream_duration;
  };
  EXPECT_EQ(duration(""), std::nullopt);
  EXPECT_EQ(duration("idle_timeout { seconds: 1 }"), std::nullopt);
  EXPECT_EQ(duration("max_stream_duration {}"), absl::ZeroDuration());
  EXPECT_EQ(duration("max_stream_duration { seconds: 315576000000 nanos: 999999999 }"),
            absl::Seconds(315576000000) + absl::Nanoseconds(999999999));
}

TEST(ListenerDecode, InlineRoutes) {  // R12.08
  DecodeContext trusted;
  trusted.features.trusted_xds_server = true;
  const Decoded<Listener> decoded =
      Decode(ListenerText({"route_config {" +
                               ActionText("cluster: \"payments\" auto_host_rewrite { value: true } "
                                          "retry_policy { retry_on: \"unavailable\" }") +
                               "}",
                           FaultText(""), kRouterText}),
             trusted);
  const ForwardAction action{.clusters = "payments",
                             .retry_policy = RetryPolicy{.retry_on = {"unavailable"}},
                             .auto_host_rewrite = true};
  const RouteConfig routes{
      .name = "routes",
      .virtual_hosts = {
          {.name = "host", .domains = {"*"}, .routes = {{.name = "route", .action = action}}}}};
  EXPECT_EQ(decoded.resource,
            (Listener{.name = "front",
                      .routes = routes,
                      .http_filters = {{"fault", FaultFilter{}}, {"router", RouterFilter{}}}}));
  EXPECT_THAT(decoded.not_enforced,
              ElementsAre("api_listener.api_listener.http_filters[0]",
                          "api_listener.api_listener.route_config.virtual_hosts[0].routes[0].route."
                          "retry_policy",
                          "api_listener.api_listener.route_config.virtual_hosts[0].routes[0].route."
                          "auto_host_rewrite"));
}

TEST(ListenerDecode, EmptyInlineRoutesAreValid) {  // R12.08
  const Decoded<Listener> decoded = Decode(ListenerText({"route_config {}", kRouterText}));
  EXPECT_EQ(std::get<RouteConfig>(decoded.resource.routes), RouteConfig{});
}

}  // namespace
}  // namespace holdfast

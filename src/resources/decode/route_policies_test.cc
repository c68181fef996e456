// Retry policies, hash policies and filter overrides of routes.
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
using ::testing::SizeIs;

Decoded<RouteConfig> Decode(const std::string& text) {
  Decoded<RouteConfig> decoded = DecodeRouteConfig(FromText(kRouteConfigType, text), {});
  EXPECT_THAT(LinesOf(decoded.errors.Sorted()), IsEmpty());
  return decoded;
}

ForwardAction ActionOf(const Decoded<RouteConfig>& decoded, size_t route = 0) {
  return std::get<ForwardAction>(decoded.resource.virtual_hosts.at(0).routes.at(route).action);
}

std::optional<RetryPolicy> RetryOf(const std::string& policy) {
  return ActionOf(Decode(ActionText("cluster: \"a\" retry_policy { " + policy + " }")))
      .retry_policy;
}

TEST(RetryPolicyDecode, Defaults) {  // R12.52
  EXPECT_EQ(RetryOf("retry_on: \"unavailable\""),
            (RetryPolicy{.retry_on = {"unavailable"},
                         .num_retries = 1,
                         .base_interval = absl::Milliseconds(25),
                         .max_interval = absl::Milliseconds(250)}));
}

TEST(RetryPolicyDecode, UnknownConditionsAreIgnored) {  // R12.52, R13.30
  const std::optional<RetryPolicy> policy = RetryOf(
      "retry_on: \"5xx, unavailable ,,cancelled,internal,resource-exhausted,deadline-exceeded,"
      "unavailable,Cancelled\"");
  ASSERT_TRUE(policy.has_value());
  EXPECT_THAT(policy->retry_on, ElementsAre("cancelled", "deadline-exceeded", "internal",
                                            "resource-exhausted", "unavailable"));
}

TEST(RetryPolicyDecode, PolicyWithoutKnownConditionsHasNoEffect) {  // R12.52, R13.30
  EXPECT_EQ(RetryOf("num_retries { value: 3 }"), std::nullopt);
  EXPECT_EQ(RetryOf("retry_on: \"5xx,gateway-error\""), std::nullopt);
}

TEST(RetryPolicyDecode, Intervals) {  // R12.52
  const auto retry = [](const std::string& back_off) {
    return RetryOf(
        "retry_on: \"internal\" num_retries { value: 7 } per_try_timeout { nanos: 1 } "
        "retry_back_off { " +
        back_off + " }");
  };
  EXPECT_EQ(retry("base_interval { nanos: 1000 }"),
            (RetryPolicy{.retry_on = {"internal"},
                         .num_retries = 7,
                         .base_interval = absl::Microseconds(1),
                         .max_interval = absl::Microseconds(10)}));
  EXPECT_EQ(retry("base_interval { seconds: 2 } max_interval { seconds: 2 }"),
            (RetryPolicy{.retry_on = {"internal"},
                         .num_retries = 7,
                         .base_interval = absl::Seconds(2),
                         .max_interval = absl::Seconds(2)}));
}

TEST(RetryPolicyDecode, RouteInheritsOnlyWithoutAPolicyOfItsOwn) {  // R12.52
  const Decoded<RouteConfig> decoded = Decode(HostText(
      R"pb(retry_policy { retry_on: "internal" }
           routes {
             match { prefix: "" }
             route { cluster: "inherits" }
           }
           routes {
             match { prefix: "" }
             route {
               cluster: "own"
               retry_policy { retry_on: "cancelled" }
             }
           }
           routes {
             match { prefix: "" }
             route {
               cluster: "never"
               retry_policy { retry_on: "5xx" }
             }
           }
           routes {
             match { prefix: "" }
             route { cluster: "inherits too" }
           })pb"));
  EXPECT_EQ(ActionOf(decoded, 0).retry_policy, (RetryPolicy{.retry_on = {"internal"}}));
  EXPECT_EQ(ActionOf(decoded, 1).retry_policy, (RetryPolicy{.retry_on = {"cancelled"}}));
  EXPECT_EQ(ActionOf(decoded, 2).retry_policy, std::nullopt);
  EXPECT_EQ(ActionOf(decoded, 3).retry_policy, (RetryPolicy{.retry_on = {"internal"}}));
  EXPECT_THAT(decoded.not_enforced, ElementsAre("virtual_hosts[0].retry_policy",
                                                "virtual_hosts[0].routes[1].route.retry_policy"));
}

TEST(RetryPolicyDecode, PolicyThatNoRouteUsesIsNotReported) {
  const Decoded<RouteConfig> decoded = Decode(HostText(
      R"pb(retry_policy { retry_on: "internal" }
           routes {
             match { prefix: "" }
             redirect {}
           })pb"));
  EXPECT_THAT(decoded.not_enforced, IsEmpty());
}

TEST(HashPolicyDecode, KindsThatGrpcDoesNotUseAreLeftOut) {  // R12.53
  const Decoded<RouteConfig> decoded = Decode(ActionText(
      R"pb(cluster: "a"
           hash_policy { cookie {} }
           hash_policy {
             header { header_name: "user" }
             terminal: true
           }
           hash_policy { connection_properties {} }
           hash_policy { query_parameter {} }
           hash_policy { filter_state { key: "other" } }
           hash_policy {}
           hash_policy {
             header {
               header_name: "session"
               regex_rewrite {
                 pattern { regex: "^([a-z]+)-.*" }
                 substitution: "\\1"
               }
             }
           }
           hash_policy { filter_state { key: "io.grpc.channel_id" } })pb"));
  EXPECT_EQ(ActionOf(decoded).hash_policies,
            (std::vector<HashPolicy>{
                {.source = HashPolicy::Header{.name = "user"}, .terminal = true},
                {.source = HashPolicy::Header{"session", "^([a-z]+)-.*", "\\1"}},
                {.source = HashPolicy::ChannelId{}},
            }));
  EXPECT_THAT(decoded.not_enforced, ElementsAre("virtual_hosts[0].routes[0].route.hash_policy"));
}

TEST(HashPolicyDecode, OnlyIgnoredKindsAreNotReported) {
  EXPECT_THAT(Decode(ActionText("cluster: \"a\" hash_policy { cookie {} }")).not_enforced,
              IsEmpty());
}

TEST(NotEnforced, NamesTheFirstTwentyOnly) {
  std::string routes;
  for (int i = 0; i < 30; ++i) {
    routes +=
        "routes { match { prefix: \"\" } route { cluster: \"a\" "
        "hash_policy { filter_state { key: \"io.grpc.channel_id\" } } } } ";
  }
  const Decoded<RouteConfig> decoded = Decode(HostText(routes));
  ASSERT_THAT(decoded.not_enforced, SizeIs(20));
  EXPECT_EQ(decoded.not_enforced.back(), "virtual_hosts[0].routes[19].route.hash_policy");
}

TEST(FilterOverridesDecode, ThreeLevels) {  // R12.51
  const std::string fault =
      "[type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault] { "
      "max_active_faults { value: ";
  const auto override_of = [&](int faults) {
    return OverrideText(absl::StrCat(fault, faults, " } }"));
  };
  const auto expected = [](uint32_t faults) {
    return FilterOverrides{{"fault", FaultFilter{.max_active_faults = faults}}};
  };
  const Decoded<RouteConfig> decoded = Decode(HostText(
      absl::StrCat(override_of(1), " routes { match { prefix: \"\" } ", override_of(2),
                   " route { weighted_clusters { clusters { name: \"a\" weight { value: 1 } ",
                   override_of(3), " } } } }")));
  const VirtualHost& host = decoded.resource.virtual_hosts.at(0);
  EXPECT_EQ(host.filter_overrides, expected(1));
  EXPECT_EQ(host.routes.at(0).filter_overrides, expected(2));
  EXPECT_EQ(std::get<std::vector<WeightedCluster>>(ActionOf(decoded).clusters),
            (std::vector<WeightedCluster>{{"a", 1, expected(3)}}));
}

TEST(FilterOverridesDecode, EveryKindOfOverride) {  // R12.51
  const auto override_of = [](const std::string& any) {
    const Decoded<RouteConfig> decoded = Decode(HostText(OverrideText(any)));
    return decoded.resource.virtual_hosts.at(0).filter_overrides;
  };
  const std::string session =
      "[type.googleapis.com/"
      "envoy.extensions.filters.http.stateful_session.v3.StatefulSessionPerRoute] { ";
  EXPECT_EQ(override_of(session + "disabled: true }"),
            (FilterOverrides{{"fault", StatefulSessionOverride{}}}));
  EXPECT_EQ(override_of(session + "}"), (FilterOverrides{{"fault", StatefulSessionOverride{}}}));
  EXPECT_EQ(
      override_of(session + "stateful_session { " + CookieText("name: \"id\"") + " } }"),
      (FilterOverrides{
          {"fault",
           StatefulSessionOverride{StatefulSessionFilter{
               .cookie_name = "id", .cookie_path = "/", .cookie_ttl = absl::ZeroDuration()}}}}));
  EXPECT_EQ(override_of("type_url: \"type.googleapis.com/envoy.extensions.filters.http.rbac.v3."
                        "RBACPerRoute\""),
            (FilterOverrides{{"fault", ServerOnlyOverride{}}}));
}

TEST(FilterOverridesDecode, WrappedOverrides) {  // R12.51
  const auto override_of = [](const std::string& config, const std::string& more) {
    const Decoded<RouteConfig> decoded = Decode(HostText(
        OverrideText("[type.googleapis.com/envoy.config.route.v3.FilterConfig] { config { " +
                     config + " } " + more + " }")));
    return decoded.resource.virtual_hosts.at(0).filter_overrides;
  };
  const std::string fault =
      "[type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault] {}";
  EXPECT_EQ(override_of(fault, ""), (FilterOverrides{{"fault", FaultFilter{}}}));
  EXPECT_EQ(override_of(fault, "is_optional: true"), (FilterOverrides{{"fault", FaultFilter{}}}));
  // Unknown, but it may be left out.
  EXPECT_EQ(override_of("type_url: \"type.googleapis.com/acme.Filter\"", "is_optional: true"),
            FilterOverrides{});
}

}  // namespace
}  // namespace holdfast

#include "channel/routing/route_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "channel/routing/routes_test.h"

namespace holdfast {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RouteText, NamesARouteByWhatItMatches) {
  Route route = To("a", Prefix("/acme.Pay/"));
  EXPECT_EQ(RouteText(route), "route (prefix \"/acme.Pay/\")");
  route.name = "canary";
  EXPECT_EQ(RouteText(route), "route \"canary\" (prefix \"/acme.Pay/\")");
  route.match = OfAMillion(WithHeader(Path("/a"), "x", "1"), 50'000);
  EXPECT_EQ(RouteText(route), "route \"canary\" (path \"/a\", 1 header, 5% of calls)");
  route.match = OfAMillion(WithHeader(WithHeader(Regex("/a.*"), "x", "1"), "y", "1"), 1);
  EXPECT_EQ(RouteText(route), "route \"canary\" (regex \"/a.*\", 2 headers, 0.0001% of calls)");
}

TEST(NotEnforcedText, IsEmptyIfAllIsDone) {
  EXPECT_THAT(NotEnforced(Host({})), IsEmpty());
  VirtualHost host = Numbered({Path("/a"), WithHeader(Prefix("/"), "x", "1")});
  // None of these would do anything.
  host.filter_overrides = {
      {"fault", FaultFilter{}},
      {"no abort", FaultFilter{.abort = FaultFilter::Abort{.grpc_code = 14}}},
      {"off", StatefulSessionOverride{}},
      {"rbac", ServerOnlyOverride{}},
      {"no cookie", StatefulSessionOverride{StatefulSessionFilter{}}},
  };
  std::get<ForwardAction>(host.routes[0].action).retry_policy = RetryPolicy{};
  // A route that no call takes to a cluster has nothing to lose.
  Route for_servers = {.match = Prefix(""), .action = NonForwardingAction{}};
  for_servers.filter_overrides = {
      {"fault", FaultFilter{.delay = FaultFilter::Delay{.per_million = 1}}}};
  host.routes.push_back(for_servers);
  EXPECT_THAT(NotEnforced(host), IsEmpty());
}

TEST(NotEnforcedText, SaysWhatPoliciesOfARouteAreNotApplied) {
  Route route = To("a", Prefix("/"));
  route.name = "all";
  auto& action = std::get<ForwardAction>(route.action);
  action.retry_policy = RetryPolicy{.retry_on = {"unavailable"}};
  action.hash_policies = {{.source = HashPolicy::ChannelId{}}, {.source = HashPolicy::ChannelId{}}};
  action.auto_host_rewrite = true;
  EXPECT_THAT(NotEnforced(Host({To("b", Path("/b")), route})),
              ElementsAre("virtual host \"pay\" route \"all\" (prefix \"/\"): its retry policy is "
                          "not applied; a call that fails is not tried again",
                          "virtual host \"pay\" route \"all\" (prefix \"/\"): its hash policies "
                          "are not applied; equal calls may go to different endpoints",
                          "virtual host \"pay\" route \"all\" (prefix \"/\"): auto_host_rewrite is "
                          "not applied; calls keep the authority of the channel"));
}

TEST(NotEnforcedText, SaysWhichFilterOverridesDoNothing) {
  const FaultFilter abort{.abort = FaultFilter::Abort{.grpc_code = 14, .per_million = 1}};
  const FaultFilter delay{.delay = FaultFilter::Delay{.from_headers = true, .per_million = 1}};
  const StatefulSessionOverride session{StatefulSessionFilter{.cookie_name = "c"}};
  Route route{
      .match = Prefix("/"),
      .action = ForwardAction{.clusters = std::vector<WeightedCluster>{{"a", 1, {{"fault", abort}}},
                                                                       {"b", 1, {}}}},
      .filter_overrides = {{"fault", delay}, {"session", session}}};
  VirtualHost host = Host({route});
  host.filter_overrides = {{"session", session}};
  const RouteTable table(host, std::nullopt);
  EXPECT_THAT(
      table.not_enforced(),
      ElementsAre("virtual host \"pay\": the stateful session of filter \"session\" is not kept; "
                  "calls of a session go to any endpoint",
                  "virtual host \"pay\" route (prefix \"/\") cluster \"a\": the faults of filter "
                  "\"fault\" are not injected; no call is delayed or aborted",
                  "virtual host \"pay\" route (prefix \"/\"): the faults of filter \"fault\" are "
                  "not injected; no call is delayed or aborted",
                  "virtual host \"pay\" route (prefix \"/\"): the stateful session of filter "
                  "\"session\" is not kept; calls of a session go to any endpoint"));
  // Never a failure.
  EXPECT_EQ(Chosen(table, "/a", {}, [](uint32_t) { return 0u; }), "a");
}

}  // namespace
}  // namespace holdfast

#include "channel/lb/lb_spec.h"

#include "channel/lb/lb_conversation_test.h"

namespace holdfast {
namespace {

using Texts = std::vector<std::string>;

TEST(LbSpec, FamiliesTakeTurnsBeginningWithTheFirst) {
  struct {
    const char* name;
    Texts targets;
    Texts in_turn;
  } cases[] = {
      {"none", {}, {}},
      {"one family", {"ipv4:a", "ipv4:b"}, {"ipv4:a", "ipv4:b"}},
      {"two", {"ipv4:a", "ipv4:b", "ipv6:c", "ipv6:d"}, {"ipv4:a", "ipv6:c", "ipv4:b", "ipv6:d"}},
      {"the second first",
       {"ipv6:c", "ipv4:a", "ipv4:b", "ipv4:e"},
       {"ipv6:c", "ipv4:a", "ipv4:b", "ipv4:e"}},
      {"more of the second", {"ipv4:a", "ipv6:c", "ipv6:d"}, {"ipv4:a", "ipv6:c", "ipv6:d"}},
      {"twice the same", {"ipv4:a", "ipv4:a", "ipv6:c"}, {"ipv4:a", "ipv6:c"}},
      {"three", {"dns:x", "dns:y", "ipv4:a", "ipv6:c"}, {"dns:x", "ipv4:a", "ipv6:c", "dns:y"}},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(InterleaveFamilies(each.targets), each.in_turn) << each.name;
  }
}

TEST(LbSpec, EndpointsBecomeTargets) {
  Endpoint endpoint = AtAll({"10.0.0.1", "10.0.0.2", "::1"});
  endpoint.hostname = "one.internal";
  endpoint.weight = 7;
  const std::vector<PrioritySpec> priorities = PrioritiesOf(Pay({{In("eu", 3, {endpoint})}}));
  const EndpointSpec spec{.targets = {"ipv4:10.0.0.1:443", "ipv6:[::1]:443", "ipv4:10.0.0.2:443"},
                          .addresses = {"10.0.0.1:443", "10.0.0.2:443", "[::1]:443"},
                          .hostname = "one.internal",
                          .weight = 7};
  const Locality eu{.region = "eu"};
  EXPECT_EQ(priorities,
            (std::vector<PrioritySpec>{{.localities = {{.endpoints = {spec}}}, .names = {eu}}}));
  EXPECT_EQ(
      PrioritiesOf(Pay({{In("eu", 3, {endpoint})}}, ByLocality(kRoundRobin))),
      (std::vector<PrioritySpec>{
          {.localities = {{.locality = eu, .weight = 3, .endpoints = {spec}}}, .names = {eu}}}));
}

TEST(LbSpec, TheInnermostPolicyIsForEndpoints) {
  EXPECT_EQ(EndpointPolicy(kPickFirst), kPickFirst);
  EXPECT_EQ(EndpointPolicy(ByLocality(ByLocality(kPickFirst))), kPickFirst);
  EXPECT_TRUE(ChoosesLocality(ByLocality(kPickFirst)));
  EXPECT_FALSE(ChoosesLocality(kPickFirst));
}

TEST(LbJournal, EventsAreOneLineEach) {
  LbLeaf leaf =
      Pay({{In("eu", 1, {At("10.0.0.1"), At("10.0.0.2")})}, {In("us", 1, {At("10.0.1.1")})}});
  LbLeaf dns{.cluster = "far", .dns_target = "dns:///far:443"};
  const auto line = [](const LbEvent& event) {
    std::ostringstream out;
    out << event;
    return out.str();
  };
  EXPECT_EQ(
      line(LbConfigChanged{{leaf, dns}}),
      "LbConfigChanged pay endpoints [2 1] (node \"web-1\") far endpoints [1] dns:///far:443");
  EXPECT_EQ(line(SubchannelStateChanged{SubchannelId(3), Connectivity::kTransientFailure,
                                        absl::UnavailableError("Connection refused")}),
            "SubchannelStateChanged #3 TRANSIENT_FAILURE UNAVAILABLE: Connection refused");
  EXPECT_EQ(line(SubchannelStateChanged{SubchannelId(3), Connectivity::kReady, {}}),
            "SubchannelStateChanged #3 READY");
  EXPECT_EQ(line(LbTimerFired{LbTimerId(2)}), "LbTimerFired #2");
  EXPECT_EQ(line(ConnectionWanted{}), "ConnectionWanted");
}

}  // namespace
}  // namespace holdfast

// A priority whose endpoints went and come back (gRFC A56): it has to work before it serves.
#include "channel/lb/lb_conversation_test.h"

namespace holdfast {
namespace {

Endpoint Draining(const std::string& ip) {
  Endpoint endpoint = At(ip);
  endpoint.health = HealthStatus::kDraining;
  return endpoint;
}
LbLeaf FirstAndSecond(std::vector<Endpoint> first, const LbPolicy& policy = kRoundRobin) {
  return Pay({{In("eu", 1, std::move(first))}, {In("us", 1, {At("10.0.1.1")})}}, policy);
}

TEST(PriorityReturn, OneThatGetsItsEndpointsBackLetsTheReadyOneServeUntilItWorks) {
  for (const LbPolicy& policy : {kRoundRobin, kPickFirst, ByLocality(kRoundRobin)}) {
    LbConversation talk;
    talk.Config(FirstAndSecond({At("10.0.0.1")}, policy));
    talk.Ready(1);
    EXPECT_EQ(
        talk.Config(FirstAndSecond({Draining("10.0.0.1")}, policy)),
        Lines({"ReleaseSubchannel #1", "CreateSubchannel #2 ipv4:10.0.1.1:443",
               "ConnectSubchannel #2", "StartLbTimer #2 10s", "PublishPicker CONNECTING queue"}));
    talk.Ready(2);
    EXPECT_EQ(talk.Config(FirstAndSecond({At("10.0.0.1")}, policy)),
              Lines({"CreateSubchannel #3 ipv4:10.0.0.1:443", "ConnectSubchannel #3"}));
    EXPECT_EQ(talk.Pick(), "#2");
    EXPECT_EQ(talk.Ready(3).StartingWith("StartLbTimer"), Lines({"StartLbTimer #3 15m"}));
    EXPECT_EQ(talk.Pick(), "#3");
  }
}

TEST(PriorityReturn, OneThatWasEmptyFromTheBeginningIsNoBetter) {
  LbConversation talk;
  talk.Config(FirstAndSecond({}));
  talk.Ready(1);
  EXPECT_EQ(talk.Config(FirstAndSecond({At("10.0.0.1")})),
            Lines({"CreateSubchannel #2 ipv4:10.0.0.1:443", "ConnectSubchannel #2"}));
  EXPECT_EQ(talk.Pick(), "#1");
}

// It stays the same priority, so it is known that it worked.
TEST(PriorityReturn, AnotherLocalityOfAPriorityMayTakeOver) {
  LbConversation talk;
  const auto leaf = [](std::vector<Endpoint> eu, std::vector<Endpoint> us) {
    return Pay({{In("eu", 1, std::move(eu)), In("us", 1, std::move(us))},
                {In("jp", 1, {At("10.0.1.1")})}});
  };
  talk.Config(leaf({At("10.0.0.1")}, {Draining("10.0.0.2")}));
  talk.Fail(1);
  talk.Ready(2);
  EXPECT_EQ(talk.Config(leaf({Draining("10.0.0.1")}, {At("10.0.0.2")})),
            Lines({"CreateSubchannel #3 ipv4:10.0.0.2:443", "ConnectSubchannel #3",
                   "ReleaseSubchannel #1"}));
  EXPECT_EQ(talk.Pick(), "#2");
}

// R14.16: an empty one would only hide why the others failed.
TEST(PriorityReturn, WhenAllFailTheLastWithEndpointsSaysWhy) {
  const std::string refused =
      Failing("no endpoint can be reached; last error: ipv4:10.0.1.1:443: Connection refused");
  LbConversation talk;
  talk.Config(Pay({{In("eu", 1, {Draining("10.0.0.1")})},
                   {In("us", 1, {At("10.0.1.1")})},
                   {In("jp", 1, {Draining("10.0.2.1")})}}));
  EXPECT_EQ(talk.Fail(1), Lines({"CancelLbTimer #1", refused}));
  EXPECT_EQ(talk.Config(Pay({{In("eu", 1, {})}, {In("us", 1, {})}})),
            Lines({"ReleaseSubchannel #1", Failing("it has no endpoints")}));
}

}  // namespace
}  // namespace holdfast

// Localities by weight, and drops.
#include "channel/lb/lb_conversation_test.h"

namespace holdfast {
namespace {

const LbPolicy kByLocality = ByLocality(kRoundRobin);

LbLeaf TwoLocalities(uint32_t eu = 3, uint32_t us = 1) {
  return Pay({{In("eu", eu, {At("10.0.0.1")}), In("us", us, {At("10.0.1.1")})}}, kByLocality);
}

TEST(Locality, CallsGoByWeightToThoseThatAreReady) {
  LbConversation talk;
  EXPECT_EQ(talk.Config(TwoLocalities()),
            Lines({"CreateSubchannel #1 ipv4:10.0.0.1:443", "ConnectSubchannel #1",
                   "CreateSubchannel #2 ipv4:10.0.1.1:443", "ConnectSubchannel #2",
                   "StartLbTimer #1 10s", "PublishPicker CONNECTING queue"}));
  EXPECT_EQ(talk.Ready(2), Lines({"CancelLbTimer #1", "PublishPicker READY round_robin(#2)"}));
  EXPECT_EQ(talk.Ready(1),
            Lines({"PublishPicker READY weighted(3: round_robin(#1), 1: round_robin(#2))"}));
  EXPECT_EQ(talk.Pick({0}), "#1");
  EXPECT_EQ(talk.Pick({1}), "#1");
  EXPECT_EQ(talk.Pick({2}), "#1");
  EXPECT_EQ(talk.Pick({3}), "#2");
  EXPECT_EQ(talk.Idle(1), Lines({"ConnectSubchannel #1", "PublishPicker READY round_robin(#2)"}));
}

TEST(Locality, WeightsMayAddUpToTheMostThereIs) {
  LbConversation talk;
  talk.Config(TwoLocalities(4294967294, 1));
  talk.Ready(1);
  talk.Ready(2);
  EXPECT_EQ(talk.Pick({4294967293}), "#1");
  EXPECT_EQ(talk.Pick({4294967294}), "#2");
}

TEST(Locality, ANewWeightNeedsNoNewConnection) {
  LbConversation talk;
  talk.Config(TwoLocalities());
  talk.Ready(1);
  talk.Ready(2);
  EXPECT_EQ(talk.Config(TwoLocalities(1, 7)),
            Lines({"PublishPicker READY weighted(1: round_robin(#1), 7: round_robin(#2))"}));
  EXPECT_EQ(talk.Config(Pay({{In("us", 7, {At("10.0.1.1")})}}, kByLocality)),
            Lines({"ReleaseSubchannel #1", "PublishPicker READY round_robin(#2)"}));
}

TEST(Locality, WhenAllFailEachSaysWhyByWeight) {
  // R11.34, R14.16
  LbConversation talk;
  talk.Config(TwoLocalities());
  EXPECT_EQ(talk.Fail(1), Lines());
  const std::string eu =
      "no endpoint can be reached; last error: ipv4:10.0.0.1:443: Connection refused";
  const std::string us =
      "no endpoint can be reached; last error: ipv4:10.0.1.1:443: No route to host";
  EXPECT_EQ(talk.Fail(2, "No route to host"),
            Lines({"CancelLbTimer #1",
                   absl::StrCat("PublishPicker TRANSIENT_FAILURE weighted(3: ", Unavailable(eu),
                                ", 1: ", Unavailable(us), ")")}));
  EXPECT_EQ(talk.Pick({2}),
            absl::StrCat("fail UNAVAILABLE: cluster \"pay\": ", eu, " (node \"web-1\")"));
  EXPECT_EQ(talk.Pick({3}),
            absl::StrCat("fail UNAVAILABLE: cluster \"pay\": ", us, " (node \"web-1\")"));
}

TEST(Locality, OneWithoutEndpointsGetsNoCalls) {
  LbConversation talk;
  talk.Config(Pay({{In("eu", 3, {}), In("us", 1, {At("10.0.1.1")})}}, kByLocality));
  EXPECT_EQ(talk.Ready(1), Lines({"CancelLbTimer #1", "PublishPicker READY round_robin(#1)"}));
}

TEST(Locality, IsNotLookedAtByAPolicyThatDoesNotAskForIt) {
  LbConversation talk;
  talk.Config(Pay({{In("eu", 3, {At("10.0.0.1")}), In("us", 1, {At("10.0.1.1")})}}));
  talk.Ready(1);
  EXPECT_EQ(talk.Ready(2), Lines({"PublishPicker READY round_robin(#1, #2)"}));
}

// gRFC A28. R: ready, C: connecting, F: failed; a letter a locality.
TEST(Locality, TheStateOfAPriorityIsThatOfItsBestLocality) {
  struct {
    const char* localities;
    const char* published;
  } table[] = {
      {"CC", "PublishPicker CONNECTING queue"},
      {"FC", "PublishPicker CONNECTING queue"},
      {"RC", "PublishPicker READY round_robin(#1)"},
      {"RF", "PublishPicker READY round_robin(#1)"},
      {"FR", "PublishPicker READY round_robin(#2)"},
      {"RR", "PublishPicker READY weighted(3: round_robin(#1), 1: round_robin(#2))"},
  };
  for (const auto& row : table) {
    SCOPED_TRACE(row.localities);
    LbConversation talk;
    Lines all = talk.Config(TwoLocalities());
    for (uint64_t id : {1, 2}) {
      Lines more;
      if (row.localities[id - 1] == 'R') more = talk.Ready(id);
      if (row.localities[id - 1] == 'F') more = talk.Fail(id);
      all.lines.insert(all.lines.end(), more.lines.begin(), more.lines.end());
    }
    EXPECT_EQ(all.StartingWith("PublishPicker").lines.back(), row.published);
  }
}

// --- Drops. ---

LbLeaf Dropping(std::vector<DropCategory> drops) {
  return Leaf("pay", {{In("eu", 1, {At("10.0.0.1")})}}, kRoundRobin, std::move(drops));
}
std::string Dropped(int per_million, absl::string_view category) {
  return absl::StrCat(
      "drop UNAVAILABLE: cluster \"pay\": the call was dropped, as the control "
      "plane asks for ",
      per_million, " of a million calls, category \"", category, "\" (node \"web-1\")");
}

TEST(Drop, EachCategoryHasAChanceOfItsOwnBeforeAnythingElse) {
  LbConversation talk;
  talk.Config(Dropping({{"throttle", 20000}, {"lb", 500000}}));
  EXPECT_EQ(talk.Ready(1).StartingWith("PublishPicker"),
            Lines({"PublishPicker READY drop(pay: throttle 20000 ppm, lb 500000 ppm (node "
                   "\"web-1\")) else round_robin(#1)"}));
  EXPECT_EQ(talk.Pick({19999}), Dropped(20000, "throttle"));
  EXPECT_EQ(talk.Pick({20000, 499999}), Dropped(500000, "lb"));
  EXPECT_EQ(talk.Pick({20000, 500000}), "#1");
}

// A call that waits asks again and again; it is to have the chance of one call, not of many.
TEST(Drop, IsOnlyForCallsThatHaveSomewhereToGo) {
  LbConversation talk;
  talk.Config(Dropping({{"throttle", 20000}}));
  EXPECT_EQ(talk.Pick({0}), "queue");
  talk.Fail(1);
  EXPECT_EQ(talk.Pick({0}),
            "fail UNAVAILABLE: cluster \"pay\": no endpoint can be reached; last error: "
            "ipv4:10.0.0.1:443: Connection refused (node \"web-1\")");
  talk.Ready(1);
  EXPECT_EQ(talk.Pick({0}), Dropped(20000, "throttle"));
}

TEST(Drop, ChangesWithoutTouchingConnections) {
  LbConversation talk;
  talk.Config(Dropping({{"throttle", 20000}}));
  talk.Ready(1);
  EXPECT_EQ(talk.Config(Dropping({{"throttle", 20000}})), Lines());
  EXPECT_EQ(talk.Config(Dropping({{"throttle", 30000}})),
            Lines({"PublishPicker READY drop(pay: throttle 30000 ppm (node \"web-1\")) else "
                   "round_robin(#1)"}));
  EXPECT_EQ(talk.Config(Dropping({})), Lines({"PublishPicker READY round_robin(#1)"}));
}

TEST(Drop, OfEveryCallIsNoReasonToFailOver) {
  LbConversation talk;
  LbLeaf near = Dropping({{"shed", 1000000}});
  EXPECT_EQ(talk.Config({near, Leaf("far", {{In("eu", 1, {At("10.0.2.1")})}})}),
            Lines({"CreateSubchannel #1 ipv4:10.0.0.1:443", "ConnectSubchannel #1",
                   "PublishPicker READY drop(pay: shed 1000000 ppm (node \"web-1\")) else queue"}));
  EXPECT_EQ(talk.Fail(1).StartingWith("CreateSubchannel"), Lines());
  EXPECT_EQ(talk.Pick({999999}), Dropped(1000000, "shed"));
}

TEST(Drop, BelongsToTheLeafThatServes) {
  LbConversation talk;
  talk.Config({Dropping({{"throttle", 20000}}), Leaf("far", {{In("eu", 1, {At("10.0.2.1")})}})});
  talk.Fail(1);
  EXPECT_EQ(talk.Ready(2), Lines({"CancelLbTimer #2", "PublishPicker READY round_robin(#2)"}));
}

}  // namespace
}  // namespace holdfast

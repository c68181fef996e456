// Which priority serves, and when a cluster fails over (gRFC A56).
#include "channel/lb/lb_conversation_test.h"

namespace holdfast {
namespace {

// An endpoint 10.0.<priority>.<n> for each.
std::vector<LocalityEndpoints> Priority(int priority, const std::string& region, int count = 1) {
  std::vector<Endpoint> endpoints;
  for (int i = 1; i <= count; ++i) endpoints.push_back(At(absl::StrCat("10.0.", priority, ".", i)));
  return {In(region, 1, std::move(endpoints))};
}
LbLeaf TwoPriorities() { return Pay({Priority(0, "eu"), Priority(1, "us")}); }

TEST(Priority, TheSecondIsMadeWhenTheFirstFails) {
  LbConversation talk;
  EXPECT_EQ(talk.Config(TwoPriorities()),
            Lines({"CreateSubchannel #1 ipv4:10.0.0.1:443", "ConnectSubchannel #1",
                   "StartLbTimer #1 10s", "PublishPicker CONNECTING queue"}));
  EXPECT_EQ(talk.Fail(1), Lines({"CancelLbTimer #1", "CreateSubchannel #2 ipv4:10.0.1.1:443",
                                 "ConnectSubchannel #2", "StartLbTimer #2 10s"}));
  EXPECT_EQ(talk.Ready(2), Lines({"CancelLbTimer #2", "PublishPicker READY round_robin(#2)"}));
}

TEST(Priority, TheSecondIsMadeWhenTheFirstTakesTooLong) {
  LbConversation talk;
  talk.Config(TwoPriorities());
  talk.Connecting(1);
  EXPECT_EQ(talk.Pass(absl::Seconds(10) - absl::Milliseconds(1)), Lines());
  EXPECT_EQ(talk.Pass(absl::Milliseconds(1)),
            Lines({"CreateSubchannel #2 ipv4:10.0.1.1:443", "ConnectSubchannel #2",
                   "StartLbTimer #2 10s"}));
  EXPECT_EQ(talk.Ready(2), Lines({"CancelLbTimer #2", "PublishPicker READY round_robin(#2)"}));
  // The first is not given up, and takes over when it works.
  EXPECT_EQ(talk.Ready(1), Lines({"StartLbTimer #3 15m", "PublishPicker READY round_robin(#1)"}));
}

TEST(Priority, OneThatServesNoLongerIsKeptForAWhile) {
  LbConversation talk;
  talk.Config(TwoPriorities());
  talk.Fail(1);
  talk.Ready(2);
  EXPECT_EQ(talk.Ready(1), Lines({"StartLbTimer #3 15m", "PublishPicker READY round_robin(#1)"}));
  // It is still there when it is needed again.
  EXPECT_EQ(talk.Pass(absl::Minutes(14)), Lines());
  EXPECT_EQ(talk.Fail(1), Lines({"CancelLbTimer #3", "PublishPicker READY round_robin(#2)"}));
  EXPECT_EQ(talk.Ready(1), Lines({"StartLbTimer #4 15m", "PublishPicker READY round_robin(#1)"}));
  EXPECT_EQ(talk.Pass(absl::Minutes(15)), Lines({"ReleaseSubchannel #2"}));
  // And made anew when it is not.
  EXPECT_EQ(talk.Fail(1), Lines({"CreateSubchannel #3 ipv4:10.0.1.1:443", "ConnectSubchannel #3",
                                 "StartLbTimer #5 10s", "PublishPicker CONNECTING queue"}));
}

TEST(Priority, OneThatBreaksHasTenSecondsToComeBack) {
  LbConversation talk;
  talk.Config(TwoPriorities());
  talk.Ready(1);
  EXPECT_EQ(talk.Idle(1), Lines({"ConnectSubchannel #1", "StartLbTimer #2 10s",
                                 "PublishPicker CONNECTING queue"}));
  EXPECT_EQ(talk.Pass(absl::Seconds(9)), Lines());
  EXPECT_EQ(talk.Ready(1), Lines({"CancelLbTimer #2", "PublishPicker READY round_robin(#1)"}));
  talk.Idle(1);
  EXPECT_EQ(talk.Pass(absl::Seconds(10)), Lines({"CreateSubchannel #2 ipv4:10.0.1.1:443",
                                                 "ConnectSubchannel #2", "StartLbTimer #4 10s"}));
}

TEST(Priority, OneThatFailedHasNoMoreTimeWhenItTriesAgain) {
  LbConversation talk;
  talk.Config(TwoPriorities());
  talk.Fail(1);
  talk.Fail(2);
  // A new endpoint makes the first try, which is better than the second that fails.
  EXPECT_EQ(talk.Config(Pay({Priority(0, "eu", 2), Priority(1, "us")})),
            Lines({"CreateSubchannel #3 ipv4:10.0.0.2:443", "ConnectSubchannel #3",
                   "PublishPicker CONNECTING queue"}));
  EXPECT_EQ(talk.Fail(3), Lines({Failing("no endpoint can be reached; last error: "
                                         "ipv4:10.0.1.1:443: Connection refused")}));
}

TEST(Priority, WhenAllFailTheLastOneSaysWhy) {
  // R11.34, R14.16
  LbConversation talk;
  talk.Config(TwoPriorities());
  talk.Fail(1, "No route to host");
  EXPECT_EQ(talk.Fail(2),
            Lines({"CancelLbTimer #2", Failing("no endpoint can be reached; last error: "
                                               "ipv4:10.0.1.1:443: Connection refused")}));
  EXPECT_EQ(talk.Fail(1, "Network is unreachable"), Lines());
}

TEST(Priority, OneWithoutEndpointsIsPassedOver) {
  LbConversation talk;
  EXPECT_EQ(talk.Config(Pay({Priority(0, "eu", 0), Priority(1, "us")})),
            Lines({"CreateSubchannel #1 ipv4:10.0.1.1:443", "ConnectSubchannel #1",
                   "StartLbTimer #1 10s", "PublishPicker CONNECTING queue"}));
  LbConversation other;
  other.Config(Pay({Priority(0, "eu"), Priority(1, "us", 0)}));
  EXPECT_EQ(other.Fail(1),
            Lines({"CancelLbTimer #1", Failing("no endpoint can be reached; last error: "
                                               "ipv4:10.0.0.1:443: Connection refused")}));
}

TEST(Priority, LocalitiesThatMoveUpTakeTheirConnectionsAlong) {
  LbConversation talk;
  talk.Config(TwoPriorities());
  talk.Fail(1);
  talk.Ready(2);
  EXPECT_EQ(talk.Config(Pay({Priority(1, "us"), Priority(0, "eu")})),
            Lines({"StartLbTimer #3 15m"}));
  EXPECT_EQ(talk.Config(Pay({Priority(1, "us")})),
            Lines({"CancelLbTimer #3", "ReleaseSubchannel #1"}));
}

TEST(Priority, ANewFirstOneIsMadeAndServesWhileItHasTime) {
  LbConversation talk;
  talk.Config(Pay({Priority(1, "us")}));
  talk.Ready(1);
  EXPECT_EQ(talk.Config(TwoPriorities()),
            Lines({"CreateSubchannel #2 ipv4:10.0.0.1:443", "ConnectSubchannel #2",
                   "StartLbTimer #2 10s", "PublishPicker CONNECTING queue"}));
  EXPECT_EQ(talk.Fail(2), Lines({"CancelLbTimer #2", "PublishPicker READY round_robin(#1)"}));
}

TEST(Priority, AnUpdateOfTheSecondLeavesTheFirstAlone) {
  LbConversation talk;
  talk.Config(TwoPriorities());
  talk.Ready(1);
  EXPECT_EQ(talk.Config(Pay({Priority(0, "eu"), Priority(1, "us", 2), Priority(2, "jp")})),
            Lines());
  talk.Fail(1);
  EXPECT_EQ(talk.Config(Pay({Priority(0, "eu"), Priority(1, "us", 3)})),
            Lines({"CreateSubchannel #4 ipv4:10.0.1.3:443", "ConnectSubchannel #4"}));
}

TEST(Priority, AnIdleOneServes) {
  LbConversation talk;
  talk.Config(Pay({Priority(0, "eu"), Priority(1, "us")}, kPickFirst));
  talk.Fail(1);
  talk.Ready(2);
  talk.Ready(1);
  EXPECT_EQ(talk.Idle(1), Lines({"PublishPicker IDLE queue"}));
  EXPECT_EQ(talk.Idle(2), Lines());
  EXPECT_EQ(talk.Wanted(), Lines({"ConnectSubchannel #1", "StartLbTimer #4 10s",
                                  "PublishPicker CONNECTING queue"}));
  // The second, still there, is idle as well, which is as good as ready.
  EXPECT_EQ(talk.Fail(1),
            Lines({"CancelLbTimer #4", "CancelLbTimer #3", "PublishPicker IDLE queue"}));
  EXPECT_EQ(talk.Wanted(), Lines({"ConnectSubchannel #2", "StartLbTimer #5 10s",
                                  "PublishPicker CONNECTING queue"}));
}

TEST(Priority, LeavesOfAnAggregateFollowOneAnotherWithPoliciesAndNotesOfTheirOwn) {
  // R11.34, R14.16
  LbConversation talk;
  LbLeaf near = Leaf("near", {Priority(0, "eu"), Priority(1, "eu-2")});
  LbLeaf far = Leaf("far", {Priority(2, "eu")}, kPickFirst);
  far.note = "node \"web-1\"; far is stale";
  EXPECT_EQ(talk.Config({near, far}),
            Lines({"CreateSubchannel #1 ipv4:10.0.0.1:443", "ConnectSubchannel #1",
                   "StartLbTimer #1 10s", "PublishPicker CONNECTING queue"}));
  EXPECT_EQ(talk.Fail(1), Lines({"CancelLbTimer #1", "CreateSubchannel #2 ipv4:10.0.1.1:443",
                                 "ConnectSubchannel #2", "StartLbTimer #2 10s"}));
  EXPECT_EQ(talk.Fail(2), Lines({"CancelLbTimer #2", "CreateSubchannel #3 ipv4:10.0.2.1:443",
                                 "ConnectSubchannel #3", "StartLbTimer #3 10s"}));
  EXPECT_EQ(talk.Fail(3),
            Lines({"CancelLbTimer #3",
                   "PublishPicker TRANSIENT_FAILURE fail(UNAVAILABLE: cluster \"far\": no endpoint "
                   "can be reached; last error: ipv4:10.0.2.1:443: Connection refused (node "
                   "\"web-1\"; far is stale))"}));
  EXPECT_EQ(talk.Ready(3), Lines({"PublishPicker READY pick_first(#3)"}));
  // A leaf of the same name is the same leaf, wherever it stands.
  EXPECT_EQ(talk.Config({far, near}), Lines({"StartLbTimer #4 15m", "StartLbTimer #5 15m"}));
  EXPECT_EQ(talk.Config({far}), Lines({"CancelLbTimer #4", "ReleaseSubchannel #1",
                                       "CancelLbTimer #5", "ReleaseSubchannel #2"}));
}

TEST(Priority, ALeafWithoutEndpointsIsPassedOverUntilItIsTheLast) {
  // R14.16
  LbConversation talk;
  EXPECT_EQ(talk.Config({Leaf("near", {}), Leaf("far", {Priority(2, "eu")})}),
            Lines({"CreateSubchannel #1 ipv4:10.0.2.1:443", "ConnectSubchannel #1",
                   "StartLbTimer #1 10s", "PublishPicker CONNECTING queue"}));
  EXPECT_EQ(talk.Config({Leaf("near", {})}),
            Lines({"CancelLbTimer #1", "ReleaseSubchannel #1",
                   "PublishPicker TRANSIENT_FAILURE fail(UNAVAILABLE: cluster \"near\": it has no "
                   "endpoints (node \"web-1\"))"}));
}

TEST(Priority, AnAggregateWithoutLeavesFails) {
  LbConversation talk;
  talk.Config(TwoPriorities());
  EXPECT_EQ(talk.Config(std::vector<LbLeaf>{}),
            Lines({"CancelLbTimer #1", "ReleaseSubchannel #1",
                   "PublishPicker TRANSIENT_FAILURE fail(UNAVAILABLE: the aggregate cluster has no "
                   "member clusters)"}));
  EXPECT_EQ(talk.Config(std::vector<LbLeaf>{}), Lines());
}

TEST(Priority, TimersThatWereCancelledChangeNothing) {
  LbConversation talk;
  talk.Config(TwoPriorities());
  talk.Ready(1);
  EXPECT_EQ(talk.Tell(LbTimerFired{LbTimerId(1)}), Lines());
  EXPECT_EQ(talk.Tell(LbTimerFired{LbTimerId(99)}), Lines());
}

TEST(Priority, BeforeTheFirstConfigurationNothingHappens) {
  LbConversation talk;
  EXPECT_EQ(talk.Wanted(), Lines());
  EXPECT_EQ(talk.Ready(1), Lines());
}

}  // namespace
}  // namespace holdfast

// One connection out of several addresses: Happy Eyeballs, sticky failures, idleness.
#include "channel/lb/lb_conversation_test.h"

namespace holdfast {
namespace {

LbLeaf PayAtOneEndpoint(const std::vector<std::string>& ips) {
  return Pay({{In("eu", 1, {AtAll(ips)})}});
}

TEST(PickFirst, TriesTheNextAddressAfterADelayAndTheFirstThatIsReadyWins) {
  LbConversation talk;
  EXPECT_EQ(
      talk.Config(PayAtOneEndpoint({"10.0.0.1", "::1", "10.0.0.2"})),
      Lines({"CreateSubchannel #1 ipv4:10.0.0.1:443", "ConnectSubchannel #1",
             "StartLbTimer #1 250ms", "StartLbTimer #2 10s", "PublishPicker CONNECTING queue"}));
  EXPECT_EQ(talk.Pass(absl::Milliseconds(249)), Lines());
  EXPECT_EQ(talk.Pass(absl::Milliseconds(1)),
            Lines({"CreateSubchannel #2 ipv6:[::1]:443", "ConnectSubchannel #2",
                   "StartLbTimer #3 250ms"}));
  EXPECT_EQ(talk.Ready(2), Lines({"CancelLbTimer #3", "ReleaseSubchannel #1", "CancelLbTimer #2",
                                  "PublishPicker READY round_robin(#2)"}));
  EXPECT_EQ(talk.Ready(1), Lines());
}

TEST(PickFirst, TriesTheNextAddressAtOnceWhenOneFails) {
  LbConversation talk;
  talk.Config(PayAtOneEndpoint({"10.0.0.1", "10.0.0.2"}));
  EXPECT_EQ(talk.Fail(1), Lines({"CancelLbTimer #1", "CreateSubchannel #2 ipv4:10.0.0.2:443",
                                 "ConnectSubchannel #2"}));
  EXPECT_EQ(talk.Fail(2),
            Lines({"CancelLbTimer #2", Failing("no endpoint can be reached; last error: "
                                               "ipv4:10.0.0.2:443: Connection refused")}));
}

TEST(PickFirst, AnEarlierAddressThatFailsLateDoesNotHurryTheNext) {
  LbConversation talk;
  talk.Config(PayAtOneEndpoint({"10.0.0.1", "10.0.0.2", "10.0.0.3"}));
  talk.Pass(absl::Milliseconds(250));
  EXPECT_EQ(talk.Fail(1), Lines());
  EXPECT_EQ(talk.Pass(absl::Milliseconds(250)),
            Lines({"CreateSubchannel #3 ipv4:10.0.0.3:443", "ConnectSubchannel #3"}));
  EXPECT_EQ(talk.Fail(3), Lines());
  EXPECT_EQ(talk.Fail(2),
            Lines({"CancelLbTimer #2", Failing("no endpoint can be reached; last error: "
                                               "ipv4:10.0.0.2:443: Connection refused")}));
}

TEST(PickFirst, FailureLastsUntilAnAddressIsReady) {
  LbConversation talk;
  talk.Config(PayAtOneEndpoint({"10.0.0.1", "10.0.0.2"}));
  talk.Fail(1);
  talk.Fail(2);
  EXPECT_EQ(talk.Connecting(1), Lines());
  // It was READY too briefly to be seen.
  EXPECT_EQ(talk.Idle(1), Lines({"ConnectSubchannel #1"}));
  EXPECT_EQ(talk.Connecting(1), Lines());
  EXPECT_EQ(talk.Ready(1), Lines({"ReleaseSubchannel #2", "PublishPicker READY round_robin(#1)"}));
}

TEST(PickFirst, AConnectionThatBreaksStartsANewPass) {
  LbConversation talk;
  talk.Config(PayAtOneEndpoint({"10.0.0.1", "10.0.0.2"}));
  talk.Fail(1);
  talk.Ready(2);
  EXPECT_EQ(talk.Idle(2), Lines({"CreateSubchannel #3 ipv4:10.0.0.1:443", "ConnectSubchannel #3",
                                 "StartLbTimer #3 250ms", "StartLbTimer #4 10s",
                                 "PublishPicker CONNECTING queue"}));
  EXPECT_EQ(talk.Fail(3), Lines({"CancelLbTimer #3", "ConnectSubchannel #2"}));
  EXPECT_EQ(talk.Ready(2), Lines({"ReleaseSubchannel #3", "CancelLbTimer #4",
                                  "PublishPicker READY round_robin(#2)"}));
}

TEST(PickFirst, AConnectionThatIsSeenFailingRightAfterItWorkedFails) {
  LbConversation talk;
  talk.Config(PayAt({"10.0.0.1"}));
  talk.Ready(1);
  EXPECT_EQ(talk.Fail(1), Lines({Failing("no endpoint can be reached; last error: "
                                         "ipv4:10.0.0.1:443: Connection refused")}));
  talk.Ready(1);
  // Somebody who shares the connection asked for it first.
  EXPECT_EQ(talk.Connecting(1), Lines({"StartLbTimer #2 10s", "PublishPicker CONNECTING queue"}));
}

TEST(PickFirst, AsTheClustersPolicyItUsesOneConnection) {
  LbConversation talk;
  EXPECT_EQ(
      talk.Config(PayAt({"10.0.0.1", "10.0.0.2", "::1"}, kPickFirst)),
      Lines({"CreateSubchannel #1 ipv4:10.0.0.1:443", "ConnectSubchannel #1",
             "StartLbTimer #1 250ms", "StartLbTimer #2 10s", "PublishPicker CONNECTING queue"}));
  // Families take turns: gRFC A61.
  EXPECT_EQ(talk.Fail(1), Lines({"CancelLbTimer #1", "CreateSubchannel #2 ipv6:[::1]:443",
                                 "ConnectSubchannel #2", "StartLbTimer #3 250ms"}));
  EXPECT_EQ(talk.Ready(2), Lines({"CancelLbTimer #3", "ReleaseSubchannel #1", "CancelLbTimer #2",
                                  "PublishPicker READY pick_first(#2)"}));
  EXPECT_EQ(talk.Pick(), "#2");
}

TEST(PickFirst, AsTheClustersPolicyItIsIdleWhenItsConnectionBreaksUntilACallComes) {
  LbConversation talk;
  talk.Config(PayAt({"10.0.0.1", "10.0.0.2"}, kPickFirst));
  EXPECT_EQ(talk.Wanted(), Lines());
  talk.Ready(1);
  EXPECT_EQ(talk.Wanted(), Lines());
  EXPECT_EQ(talk.Idle(1), Lines({"PublishPicker IDLE queue"}));
  EXPECT_EQ(talk.Pick(), "queue");
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.1", "10.0.0.3"}, kPickFirst)), Lines());
  EXPECT_EQ(talk.Wanted(), Lines({"ConnectSubchannel #1", "StartLbTimer #3 250ms",
                                  "StartLbTimer #4 10s", "PublishPicker CONNECTING queue"}));
  EXPECT_EQ(talk.Wanted(), Lines());
  EXPECT_EQ(talk.Fail(1), Lines({"CancelLbTimer #3", "CreateSubchannel #2 ipv4:10.0.0.3:443",
                                 "ConnectSubchannel #2"}));
}

TEST(PickFirst, AsTheClustersPolicyInsideLocalitiesItReconnects) {
  LbConversation talk;
  talk.Config(PayAt({"10.0.0.1"}, ByLocality(kPickFirst)));
  talk.Ready(1);
  EXPECT_EQ(talk.Idle(1), Lines({"ConnectSubchannel #1", "StartLbTimer #2 10s",
                                 "PublishPicker CONNECTING queue"}));
}

TEST(PickFirst, KeepsItsConnectionWhenAnUpdateStillHasTheAddress) {
  LbConversation talk;
  talk.Config(PayAt({"10.0.0.1", "10.0.0.2"}, kPickFirst));
  talk.Ready(1);
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.3", "10.0.0.1"}, kPickFirst)), Lines());
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.3", "10.0.0.4"}, kPickFirst)),
            Lines({"CreateSubchannel #2 ipv4:10.0.0.3:443", "ConnectSubchannel #2",
                   "StartLbTimer #3 250ms"}));
}

TEST(PickFirst, AnUpdateWhileFailingTriesOnlyWhatHasNotFailed) {
  // R14.16
  LbConversation talk;
  talk.Config(PayAt({"10.0.0.1", "10.0.0.2"}, kPickFirst));
  talk.Fail(1);
  EXPECT_EQ(talk.Fail(2),
            Lines({"CancelLbTimer #2", Failing("no endpoint can be reached; last error: "
                                               "ipv4:10.0.0.2:443: Connection refused")}));
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.1", "10.0.0.3"}, kPickFirst)),
            Lines({"CreateSubchannel #3 ipv4:10.0.0.3:443", "ConnectSubchannel #3",
                   "ReleaseSubchannel #2"}));
  EXPECT_EQ(talk.Fail(3), Lines({Failing("no endpoint can be reached; last error: "
                                         "ipv4:10.0.0.3:443: Connection refused")}));
}

TEST(PickFirst, ShufflesOnlyIfAskedTo) {
  std::vector<std::string> ips;
  for (int i = 1; i <= 20; ++i) ips.push_back(absl::StrCat("10.0.0.", i));
  const auto first_tried = [&](bool shuffled) {
    LbConversation talk;
    return talk.Config(PayAt(ips, {PickFirstLb{shuffled}})).lines.front();
  };
  EXPECT_EQ(first_tried(false), "CreateSubchannel #1 ipv4:10.0.0.1:443");
  EXPECT_EQ(first_tried(true), "CreateSubchannel #1 ipv4:10.0.0.2:443");  // By seed 1.
}

TEST(PickFirst, GivesWayToAnotherPolicyAndBack) {
  LbConversation talk;
  talk.Config(PayAt({"10.0.0.1"}, kPickFirst));
  talk.Ready(1);
  EXPECT_EQ(
      talk.Config(PayAt({"10.0.0.1"})),
      Lines({"CreateSubchannel #2 ipv4:10.0.0.1:443", "ConnectSubchannel #2",
             "ReleaseSubchannel #1", "StartLbTimer #2 10s", "PublishPicker CONNECTING queue"}));
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.1"}, kPickFirst)),
            Lines({"CreateSubchannel #3 ipv4:10.0.0.1:443", "ConnectSubchannel #3",
                   "ReleaseSubchannel #2"}));
}

}  // namespace
}  // namespace holdfast

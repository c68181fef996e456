// All endpoints of a cluster are replaced: calls stay on the old connections until a new one works.
#include "channel/lb/lb_conversation_test.h"

namespace holdfast {
namespace {

TEST(ReplacedEndpoints, ServeUntilANewOneIsReady) {
  LbConversation talk;
  talk.Config(PayAt({"10.0.0.1", "10.0.0.2"}));
  talk.Ready(1);
  talk.Ready(2);
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.3", "10.0.0.4"})),
            Lines({"CreateSubchannel #3 ipv4:10.0.0.3:443", "ConnectSubchannel #3",
                   "CreateSubchannel #4 ipv4:10.0.0.4:443", "ConnectSubchannel #4"}));
  EXPECT_EQ(talk.PickerText(), "round_robin(#1, #2)");
  EXPECT_EQ(talk.Connecting(3), Lines());
  EXPECT_EQ(talk.Fail(3), Lines());
  // From then on none of the old ones gets a call.
  EXPECT_EQ(talk.Ready(4), Lines({"ReleaseSubchannel #1", "ReleaseSubchannel #2",
                                  "PublishPicker READY round_robin(#4)"}));
}

TEST(ReplacedEndpoints, AreGivenUpWhenAllNewOnesFailed) {
  LbConversation talk;
  talk.Config(PayAt({"10.0.0.1"}));
  talk.Ready(1);
  talk.Config(PayAt({"10.0.0.2", "10.0.0.3"}));
  EXPECT_EQ(talk.Fail(2), Lines());
  EXPECT_EQ(talk.Fail(3),
            Lines({"ReleaseSubchannel #1", Failing("no endpoint can be reached; last error: "
                                                   "ipv4:10.0.0.3:443: Connection refused")}));
}

TEST(ReplacedEndpoints, ThatBreakAreGone) {
  LbConversation talk;
  talk.Config(PayAt({"10.0.0.1", "10.0.0.2"}));
  talk.Ready(1);
  talk.Ready(2);
  talk.Config(PayAt({"10.0.0.3"}));
  EXPECT_EQ(talk.Idle(1), Lines({"ConnectSubchannel #1", "ReleaseSubchannel #1",
                                 "PublishPicker READY round_robin(#2)"}));
  EXPECT_EQ(talk.Idle(2), Lines({"ConnectSubchannel #2", "ReleaseSubchannel #2",
                                 "StartLbTimer #2 10s", "PublishPicker CONNECTING queue"}));
}

TEST(ReplacedEndpoints, AreGoneAtOnceWhereThereAreNoNewOnes) {
  LbConversation talk;
  talk.Config(PayAt({"10.0.0.1"}));
  talk.Ready(1);
  EXPECT_EQ(talk.Config(PayAt({})),
            Lines({"ReleaseSubchannel #1", Failing("it has no endpoints")}));
}

TEST(ReplacedEndpoints, ThatNeverConnectedAreGoneAtOnce) {
  LbConversation talk;
  talk.Config(PayAt({"10.0.0.1", "10.0.0.2"}));
  talk.Ready(1);
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.3"})),
            Lines({"CreateSubchannel #3 ipv4:10.0.0.3:443", "ConnectSubchannel #3",
                   "ReleaseSubchannel #2"}));
  EXPECT_EQ(talk.PickerText(), "round_robin(#1)");
}

// One replaced again before a new one was ready, and one that comes back.
TEST(ReplacedEndpoints, MayBeReplacedAgain) {
  LbConversation talk;
  talk.Config(PayAt({"10.0.0.1", "10.0.0.2"}));
  talk.Ready(1);
  talk.Ready(2);
  talk.Config(PayAt({"10.0.0.3"}));
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.4"})),
            Lines({"CreateSubchannel #4 ipv4:10.0.0.4:443", "ConnectSubchannel #4",
                   "ReleaseSubchannel #3"}));
  EXPECT_EQ(talk.PickerText(), "round_robin(#1, #2)");
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.4", "10.0.0.1"})),
            Lines({"ReleaseSubchannel #2", "PublishPicker READY round_robin(#1)"}));
}

TEST(ReplacedEndpoints, OfPickFirstServeUntilANewAddressAnswers) {
  LbConversation talk;
  talk.Config(PayAt({"10.0.0.1"}, kPickFirst));
  talk.Ready(1);
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.2"}, kPickFirst)),
            Lines({"CreateSubchannel #2 ipv4:10.0.0.2:443", "ConnectSubchannel #2"}));
  EXPECT_EQ(talk.Pick(), "#1");
  EXPECT_EQ(talk.Ready(2), Lines({"ReleaseSubchannel #1", "PublishPicker READY pick_first(#2)"}));
}

TEST(ReplacedEndpoints, OfPickFirstAreGivenUpWhenAllNewAddressesFailed) {
  LbConversation talk;
  talk.Config(PayAt({"10.0.0.1"}, kPickFirst));
  talk.Ready(1);
  talk.Config(PayAt({"10.0.0.2"}, kPickFirst));
  EXPECT_EQ(talk.Fail(2),
            Lines({"ReleaseSubchannel #1", Failing("no endpoint can be reached; last error: "
                                                   "ipv4:10.0.0.2:443: Connection refused")}));
}

}  // namespace
}  // namespace holdfast

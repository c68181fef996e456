// Watchers that leave and come back, at every moment of a request's life.
#include <gtest/gtest.h>

#include <string>

#include "client/protocol/conversation_test.h"

namespace holdfast {
namespace {

using absl::Seconds;
using absl::StatusCode;

// Zoe keeps the stream alive; the list of one name is long enough for a change to wait a little.
class Unsubscribe : public testing::Test {
 protected:
  void SetUp() override {
    talk_.Begin(kCluster, {{"zoe", "oslo"}});
    talk_.Watch("alice", kCluster, "paris");
    talk_.Settle();
    talk_.Receive(Answer(kCluster, "2").Has("oslo", "v1").Has("paris", "v2"));
    talk_.Settle();
  }

  Conversation talk_;
};

TEST_F(Unsubscribe, LeavesTheServerAfterAWhile) {  // R1.18, R1.30, R3.14
  const Lines cancelled = talk_.Cancel("alice");
  EXPECT_EQ(cancelled.StartingWith("send"), Lines());
  EXPECT_EQ(talk_.Pass(Seconds(1)), Lines({Ack(kCluster, {"oslo"}, "2")}));
  EXPECT_EQ(talk_.Cached(kCluster, "paris"), "unknown");
}

// The unsubscription has not left: nothing is lost.
TEST_F(Unsubscribe, UndoneBeforeItLeftLosesNothing) {  // R1.19
  talk_.Cancel("alice");
  EXPECT_EQ(talk_.Cached(kCluster, "paris"), "unknown");  // R9.13: nobody watches it
  EXPECT_EQ(talk_.Watch("bob", kCluster, "paris"), Lines({Gets("bob", "v2", "2")}));
  EXPECT_EQ(talk_.Pass(Seconds(1)), Lines());
  EXPECT_EQ(talk_.Receive(Answer(kCluster, "3").Has("oslo", "v1").Has("paris", "v3")).For("bob"),
            Lines({Gets("bob", "v3", "3")}));
}

// What comes for a name that nobody watches, but the server thinks we want, is kept.
TEST_F(Unsubscribe, UndoneBeforeItLeftSeesWhatCameMeanwhile) {  // R1.19
  talk_.Watch("dave", kRoutes, "rome");                         // A request is on its way.
  talk_.Cancel("alice");
  EXPECT_EQ(talk_.Receive(Answer(kCluster, "3").Has("oslo", "v1").Has("paris", "v3")).For("alice"),
            Lines());
  EXPECT_EQ(talk_.Watch("bob", kCluster, "paris"), Lines({Gets("bob", "v3", "3")}));
}

TEST_F(Unsubscribe, UndoneWhileItIsOnItsWayAsksAgain) {  // R1.19, R1.38
  talk_.Cancel("alice");
  EXPECT_EQ(talk_.Pass(Seconds(1)), Lines({Ack(kCluster, {"oslo"}, "2")}));
  EXPECT_EQ(talk_.Watch("bob", kCluster, "paris"), Lines());
  EXPECT_EQ(talk_.Sent(), Lines({Ack(kCluster, {"oslo", "paris"}, "2")}));
  EXPECT_EQ(talk_.Sent().StartingWith("start timer").lines.size(), size_t{1});
  EXPECT_EQ(talk_.Receive(Answer(kCluster, "3").Has("oslo", "v1").Has("paris", "v2")).For("bob"),
            Lines({Gets("bob", "v2", "3")}));
}

TEST_F(Unsubscribe, UndoneAfterItWasSentAsksAgain) {  // R1.18, R1.38
  talk_.Cancel("alice");
  talk_.Pass(Seconds(1));
  talk_.Sent();
  EXPECT_EQ(talk_.Watch("bob", kCluster, "paris"), Lines({Ack(kCluster, {"oslo", "paris"}, "2")}));
  EXPECT_EQ(talk_.Cached(kCluster, "paris"), "requested");
  EXPECT_EQ(talk_.Sent().StartingWith("start timer").lines.size(), size_t{1});
}

TEST_F(Unsubscribe, LateNewsOfWhatWasLeftIsDropped) {  // R1.14
  talk_.Cancel("alice");
  talk_.Pass(Seconds(1));
  talk_.Sent();
  EXPECT_EQ(talk_.Receive(Answer(kCluster, "3").Has("oslo", "v1").Has("paris", "v3")),
            Lines({Valid(kCluster, 1), Ack(kCluster, {"oslo"}, "3"), "read stream 1"}));
  EXPECT_EQ(talk_.Cached(kCluster, "paris"), "unknown");
}

// The next stream asks under a version that brought what we have just forgotten: a server that sees
// its newest version there may send nothing.
TEST_F(Unsubscribe, ThatTheServerNeverHeardForgetsTheVersion) {  // R1.39, R1.35
  talk_.Cancel("alice");
  talk_.StreamEnds(absl::OkStatus());
  EXPECT_EQ(talk_.Watch("bob", kCluster, "paris"), Lines());
  EXPECT_EQ(talk_.Pass(Seconds(2)).StartingWith("send"),
            Lines({WithNode(Ask(kCluster, {"oslo", "paris"}))}));
}

// It left, but its stream died before the server can have read it.
TEST_F(Unsubscribe, ThatDiedOnItsWayForgetsTheVersion) {  // R1.39, R1.35
  talk_.Cancel("alice");
  talk_.Pass(Seconds(1));  // it is on its way, and was never sent
  talk_.StreamEnds(absl::OkStatus());
  EXPECT_EQ(talk_.Watch("bob", kCluster, "paris").For("bob"), Lines());
  EXPECT_EQ(talk_.Pass(Seconds(2)).StartingWith("send"),
            Lines({WithNode(Ask(kCluster, {"oslo", "paris"}))}));
}

TEST_F(Unsubscribe, OfAnErrorOfTheServerForgetsTheVersionToo) {  // R1.39, R2.16
  talk_.Receive(Answer(kCluster, "3").Has("oslo", "v1").Error("paris", 5, "gone"));
  talk_.Settle();
  talk_.StreamEnds(absl::OkStatus());
  talk_.Cancel("alice");
  talk_.Watch("bob", kCluster, "paris");
  EXPECT_EQ(talk_.Pass(Seconds(2)).StartingWith("send"),
            Lines({WithNode(Ask(kCluster, {"oslo", "paris"}))}));
}

TEST_F(Unsubscribe, OfOneOfTwoWatchersChangesNothing) {  // R1.18
  talk_.Watch("bob", kCluster, "paris");
  EXPECT_EQ(talk_.Cancel("bob"), Lines());
  EXPECT_EQ(talk_.Pass(Seconds(1)), Lines());
  EXPECT_EQ(talk_.Receive(Answer(kCluster, "3").Has("oslo", "v1").Has("paris", "v3")).For("bob"),
            Lines());
}

TEST_F(Unsubscribe, OfSomebodyUnknownIsNoError) {
  EXPECT_EQ(talk_.Tell(WatchCancelled{WatchId(99)}), Lines());
}

// --- Before anything came. ---

constexpr char kAbsent[] =
    "cluster \"paris\": xds server \"cp:18000\" did not send it within 15s, so it is taken not to "
    "exist";

TEST(UnsubscribeEarly, BeforeTheRequestLeftIsNeverHeardOf) {  // R1.19
  Conversation talk;
  talk.Watch("zoe", kCluster, "oslo");
  talk.Watch("alice", kCluster, "paris");
  EXPECT_EQ(talk.Cancel("alice"), Lines());
  EXPECT_EQ(talk.Sent(), Lines({"start timer 1: 15s"}));
}

TEST(UnsubscribeEarly, UndoneBeforeTheRequestLeftAsksOnce) {
  Conversation talk;
  talk.Watch("zoe", kCluster, "oslo");
  talk.Watch("alice", kCluster, "paris");
  talk.Cancel("alice");
  EXPECT_EQ(talk.Watch("bob", kCluster, "paris"), Lines());
  EXPECT_EQ(talk.Sent(), Lines({"start timer 1: 15s", Ask(kCluster, {"oslo", "paris"})}));
  EXPECT_EQ(talk.Sent().StartingWith("start timer").lines.size(), size_t{1});
}

TEST(UnsubscribeEarly, WhileTheRequestIsOnItsWayStartsNoTimer) {  // R4.06
  Conversation talk;
  talk.Begin(kCluster, {{"zoe", "oslo"}});
  talk.Watch("alice", kCluster, "paris");
  talk.Cancel("alice");
  EXPECT_EQ(talk.Sent().For("alice"), Lines());
  talk.Pass(Seconds(1));
  talk.Settle();
  EXPECT_EQ(talk.timers().size(), size_t{0});
}

// Whenever somebody waits for what was asked for, a timer runs.
TEST(UnsubscribeEarly, UndoneWhileTheRequestIsOnItsWayIsTimed) {  // R4.01
  Conversation talk;
  talk.Begin(kCluster, {{"zoe", "oslo"}});
  talk.Watch("alice", kCluster, "paris");
  talk.Cancel("alice");
  talk.Watch("bob", kCluster, "paris");
  talk.Settle();
  EXPECT_EQ(talk.Pass(Seconds(16)).For("bob"),
            Lines({Fails("bob", StatusCode::kNotFound, kAbsent)}));
}

TEST(UnsubscribeEarly, UndoneWhileTheUnsubscriptionWaitsIsTimed) {  // R4.01, R1.19
  Conversation talk;
  talk.Begin(kCluster, {{"zoe", "oslo"}});
  talk.Watch("alice", kCluster, "paris");
  talk.Cancel("alice");
  talk.Sent();  // No timer: nobody waits.
  talk.Watch("bob", kCluster, "paris");
  EXPECT_EQ(talk.Pass(Seconds(16)).For("bob"),
            Lines({Fails("bob", StatusCode::kNotFound, kAbsent)}));
}

TEST(UnsubscribeEarly, UndoneAfterTheTimerWasCancelledIsTimed) {  // R4.01, R1.19
  Conversation talk;
  talk.Begin(kCluster, {{"zoe", "oslo"}});
  talk.Watch("alice", kCluster, "paris");
  talk.Settle();
  talk.Pass(Seconds(10));
  talk.Watch("dave", kRoutes, "rome");  // A request is on its way.
  EXPECT_EQ(talk.Cancel("alice").StartingWith("cancel timer").lines.size(), size_t{1});
  talk.Watch("bob", kCluster, "paris");
  talk.Settle();
  EXPECT_EQ(talk.Pass(Seconds(14)).For("bob"), Lines());
  EXPECT_EQ(talk.Pass(Seconds(2)).For("bob"),
            Lines({Fails("bob", StatusCode::kNotFound, kAbsent)}));
}

TEST(UnsubscribeEarly, UndoneWhileAnotherRequestOfTheTypeIsOnItsWayIsTimed) {  // R4.01, R1.19
  Conversation talk;
  talk.Begin(kCluster, {{"zoe", "oslo"}});
  talk.Watch("alice", kCluster, "paris");
  talk.Settle();
  talk.Receive(Answer(kCluster, "2").Has("oslo", "v2"));  // Its ACK is on its way.
  talk.Finished();
  talk.Cancel("alice");
  talk.Watch("bob", kCluster, "paris");
  talk.Settle();
  EXPECT_EQ(talk.Pass(Seconds(16)).For("bob"),
            Lines({Fails("bob", StatusCode::kNotFound, kAbsent)}));
}

TEST(UnsubscribeEarly, UndoneAfterAnErrorOfTheServerIsNotTimed) {  // R2.16, DEC-10
  Conversation talk;
  talk.Begin(kCluster, {{"zoe", "oslo"}});
  talk.Watch("alice", kCluster, "paris");
  talk.Settle();
  talk.Receive(Answer(kCluster, "2").Has("oslo", "v1").Error("paris", 5, "no such place"));
  talk.Settle();
  talk.Watch("dave", kRoutes, "rome");
  talk.Cancel("alice");
  EXPECT_EQ(talk.Watch("bob", kCluster, "paris"),
            Lines({Fails("bob", StatusCode::kNotFound, "cluster \"paris\": no such place")}));
  talk.Settle();
  EXPECT_EQ(talk.Pass(absl::Hours(1)).For("bob"), Lines());
}

}  // namespace
}  // namespace holdfast

// When the next stream is opened (gRFC A57).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "client/protocol/conversation_test.h"

namespace holdfast {
namespace {

using absl::Milliseconds;
using absl::Seconds;

const absl::Status kRefused = absl::UnavailableError("refused");

// How long until the next attempt; there is no other timer.
absl::Duration Wait(const Conversation& talk) {
  EXPECT_EQ(talk.timers().size(), size_t{1});
  return talk.timers().empty() ? absl::ZeroDuration() : talk.timers().begin()->second;
}

TEST(Reconnect, WaitsLongerAfterEachFailure) {  // R4.30
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  absl::Duration middle = Seconds(1);
  for (int attempt = 0; attempt < 20; ++attempt) {
    talk.StreamEnds(kRefused);
    const absl::Duration wait = Wait(talk);
    EXPECT_GE(wait, middle * 0.8);
    EXPECT_LE(wait, middle * 1.2);
    EXPECT_EQ(talk.Pass(wait - Milliseconds(1)), Lines());
    EXPECT_EQ(talk.Pass(Milliseconds(2)).StartingWith("open").lines.size(), size_t{1});
    middle = std::min(middle * 1.6, Seconds(120));
  }
}

TEST(Reconnect, BeginsAnewAfterAnyResponse) {  // R4.30, R2.27
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  for (int attempt = 0; attempt < 10; ++attempt) {
    talk.StreamEnds(kRefused);
    talk.Pass(Seconds(150));
  }
  talk.Settle();
  talk.Receive(Answer("test.Mystery", "1"));
  talk.StreamEnds(kRefused);  // No failure: it saw a response.
  talk.Pass(Seconds(2));
  talk.StreamEnds(kRefused);
  EXPECT_LE(Wait(talk), Milliseconds(1200));
}

TEST(Reconnect, IsAtOnceAfterAStreamThatLastedAndAnswered) {  // R4.31
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Pass(absl::Minutes(1));
  EXPECT_EQ(talk.StreamEnds(absl::OkStatus()),
            Lines({Informs("xds server \"cp:18000\": the stream ended: OK; opening another"),
                   "open stream 2", "read stream 2",
                   WithNode(Request("test.Cluster", {"paris"}, "1", ""))}));
}

// A server that answers once and dies is no reason to back off, and none to call it in a loop.
TEST(Reconnect, KeepsAboutASecondBetweenStreams) {  // R4.34
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  for (int i = 0; i < 20; ++i) {
    talk.StreamEnds(kRefused);
    const absl::Duration wait = Wait(talk);
    EXPECT_GE(wait, Milliseconds(800));
    EXPECT_LE(wait, Milliseconds(1200));
    talk.Pass(wait);
    EXPECT_EQ(talk.Receive(Answer(kCluster, "1").Has("paris", "v1")).For("alice"), Lines());
  }
}

// A front end that takes connections and drops them before a request is out.
TEST(Reconnect, IsNoLoopWhereConnectionsComeAndGo) {  // R4.34
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  talk.StreamEnds(kRefused);
  EXPECT_EQ(talk.Tell(ChannelReady{}).StartingWith("open"), Lines());
  EXPECT_EQ(talk.Pass(Seconds(1)).StartingWith("open").lines.size(), size_t{1});
}

// Time is the world's, and may be set back.
TEST(Reconnect, DoesNotWaitForAClockThatWasSetBack) {  // R4.30
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Rewind(absl::Hours(5));
  talk.StreamEnds(absl::OkStatus());
  EXPECT_LE(Wait(talk), Seconds(2));
}

TEST(Reconnect, IsAtOnceWhenTheChannelIsReady) {  // R4.32
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  for (int attempt = 0; attempt < 10; ++attempt) {
    talk.StreamEnds(kRefused);
    talk.Pass(Seconds(150));
  }
  talk.StreamEnds(kRefused);
  EXPECT_GT(Wait(talk), Seconds(90));
  talk.Pass(Seconds(10));
  const Lines lines = talk.Tell(ChannelReady{});
  EXPECT_EQ(lines.StartingWith("cancel timer").lines.size(), size_t{1});
  EXPECT_EQ(lines.StartingWith("open").lines.size(), size_t{1});
  // And the backoff begins anew.
  talk.StreamEnds(kRefused);
  EXPECT_LE(Wait(talk), Milliseconds(1200));
}

// A server that takes connections and drops them must not be asked in a loop.
TEST(Reconnect, IsNotSoonerWhereTheLastStreamHadAConnection) {  // R4.30, R4.34
  Conversation unanswered;
  unanswered.Watch("alice", kCluster, "paris");
  unanswered.Sent();
  unanswered.StreamEnds(kRefused);
  EXPECT_EQ(unanswered.Tell(ChannelReady{}), Lines());
  EXPECT_GE(Wait(unanswered), Milliseconds(800));

  Conversation answered;
  answered.Begin(kCluster, {{"alice", "paris"}});
  answered.StreamEnds(kRefused);
  EXPECT_EQ(answered.Tell(ChannelReady{}), Lines());
  EXPECT_GE(Wait(answered), Milliseconds(800));
}

TEST(Reconnect, LeavesAnOpenStreamAloneWhenTheChannelIsReady) {  // R4.32
  Conversation talk;
  EXPECT_EQ(talk.Tell(ChannelReady{}), Lines());  // Nobody watches anything.
  talk.Begin(kCluster, {{"alice", "paris"}});
  EXPECT_EQ(talk.Tell(ChannelReady{}), Lines());
}

TEST(Reconnect, DoesNotHappenForNobody) {  // R1.57
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  talk.StreamEnds(kRefused);
  EXPECT_EQ(talk.Cancel("alice").StartingWith("cancel timer").lines.size(), size_t{1});
  EXPECT_EQ(talk.Pass(absl::Hours(1)), Lines());
}

TEST(Reconnect, IsNotSoonerForAWatcherWhoComes) {  // R4.30
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  talk.StreamEnds(kRefused);
  EXPECT_EQ(talk.Watch("bob", kCluster, "rome").StartingWith("open"), Lines());
  talk.Cancel("alice");
  talk.Cancel("bob");
  EXPECT_EQ(talk.Watch("carol", kCluster, "rome").StartingWith("open"), Lines());
  EXPECT_EQ(talk.Pass(Seconds(2)).StartingWith("open").lines.size(), size_t{1});
}

}  // namespace
}  // namespace holdfast

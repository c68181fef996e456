// What is asked for, and with which version and nonce (state of the world).
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/protocol/conversation_test.h"

namespace holdfast {
namespace {

using absl::Seconds;
using absl::StatusCode;

TEST(Subscription, AsksByNameWithTheNodeInTheFirstRequest) {  // R1.05, R1.30, R1.55
  Conversation talk;
  EXPECT_EQ(talk.Watch("alice", kCluster, "paris"),
            Lines({"open stream 1", "read stream 1", WithNode(Ask(kCluster, {"paris"}))}));
  EXPECT_EQ(talk.Watch("bob", kRoutes, "rome"), Lines());  // One request at a time.
  EXPECT_EQ(talk.Sent(), Lines({"start timer 1: 15s", Ask(kRoutes, {"rome"})}));
}

TEST(Subscription, NamesEverythingInEachRequest) {  // R1.30, R1.34
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  EXPECT_EQ(talk.Watch("bob", kCluster, "lyon"), Lines({Ack(kCluster, {"lyon", "paris"}, "1")}));
  EXPECT_EQ(talk.Sent(), Lines({"start timer 2: 15s"}));
}

TEST(Subscription, IsOneForManyWatchers) {  // R1.18
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  EXPECT_EQ(talk.Watch("bob", kCluster, "paris"), Lines({Gets("bob", "v1", "1")}));
  EXPECT_EQ(talk.Receive(Answer(kCluster, "2").Has("paris", "v2")),
            Lines({Gets("alice", "v2", "2"), Gets("bob", "v2", "2"), Valid(kCluster, 1),
                   Ack(kCluster, {"paris"}, "2")}));
  talk.Settle();
  EXPECT_EQ(talk.Cancel("alice"), Lines());
  EXPECT_EQ(talk.Cancel("bob"), Lines({"close stream 1"}));
}

TEST(Subscription, KeepsTypesApart) {  // R1.10
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  EXPECT_EQ(talk.Watch("bob", kRoutes, "paris"), Lines({Ask(kRoutes, {"paris"})}));
  talk.Settle();
  EXPECT_EQ(talk.Receive(Answer(kRoutes, "7").Has("paris", "v7")),
            Lines({"cancel timer 2", Gets("bob", "v7", "7"), Valid(kRoutes, 1),
                   Ack(kRoutes, {"paris"}, "7")}));
  talk.Settle();
  talk.Receive(Answer(kRoutes, "8").Has("paris", "bad"));
  talk.Settle();
  EXPECT_EQ(talk.Receive(Answer(kCluster, "2").Has("paris", "v2")),
            Lines({Gets("alice", "v2", "2"), Valid(kCluster, 1), Ack(kCluster, {"paris"}, "2")}));
}

TEST(Subscription, MeltsWhatWaitsForARequestIntoOne) {  // R1.20
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  EXPECT_EQ(talk.Watch("bob", kCluster, "rome"), Lines());
  EXPECT_EQ(talk.Watch("carol", kCluster, "lyon"), Lines());
  EXPECT_EQ(talk.Watch("dave", kRoutes, "oslo"), Lines());
  EXPECT_EQ(talk.Sent(), Lines({"start timer 1: 15s", Ask(kCluster, {"lyon", "paris", "rome"})}));
  EXPECT_EQ(talk.Sent(),
            Lines({"start timer 2: 15s", "start timer 3: 15s", Ask(kRoutes, {"oslo"})}));
  EXPECT_EQ(talk.Sent(), Lines({"start timer 4: 15s"}));
}

TEST(Subscription, AnswersTheNewestNonceOnce) {  // R1.12, R1.20
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Receive(Answer(kCluster, "2").Has("paris", "v2"));  // Its ACK is on its way...
  EXPECT_EQ(talk.Receive(Answer(kCluster, "3").Has("paris", "v3")),
            Lines({Gets("alice", "v3", "3"), Valid(kCluster, 1)}));
  EXPECT_EQ(talk.Receive(Answer(kCluster, "4").Has("paris", "v4")),
            Lines({Gets("alice", "v4", "4"), Valid(kCluster, 1)}));
  EXPECT_EQ(talk.Sent(), Lines({Ack(kCluster, {"paris"}, "4")}));  // ...and 3 is superseded.
  EXPECT_EQ(talk.Sent(), Lines());
}

TEST(Subscription, SendsTheTextOfANackWithItsNonce) {  // R1.12, R1.32
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Watch("bob", kCluster, "rome");
  // Decided while a request is on its way, and more is asked for before it leaves.
  talk.Receive(Answer(kCluster, "2").Has("paris", "bad"));
  talk.Watch("carol", kCluster, "lyon");
  EXPECT_EQ(talk.Sent().StartingWith("send"),
            Lines({Nack(kCluster, {"lyon", "paris", "rome"}, "1", "n2",
                        "resources[0] cluster \"paris\": word: must begin with v (got bad)")}));
  // Said once: what follows keeps the nonce and not the text.
  talk.Sent();
  EXPECT_EQ(talk.Watch("dave", kCluster, "oslo").StartingWith("send"), Lines());
  EXPECT_EQ(talk.Pass(Seconds(1)).StartingWith("send"),
            Lines({Request("test.Cluster", {"lyon", "oslo", "paris", "rome"}, "1", "n2")}));
}

TEST(Subscription, DropsTheTextOfANackThatWasSuperseded) {  // R1.12
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Watch("bob", kRoutes, "rome");
  talk.Receive(Answer(kCluster, "2").Has("paris", "bad"));
  talk.Receive(Answer(kCluster, "3").Has("paris", "v3"));
  EXPECT_EQ(talk.Sent().StartingWith("send"), Lines({Ack(kCluster, {"paris"}, "3")}));
}

TEST(Subscription, KeepsTheVersionAndNotTheNonceOnANewStream) {  // R1.13, R1.35, R1.05
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Watch("bob", kRoutes, "rome");
  talk.Settle();
  talk.StreamEnds(absl::OkStatus());
  const Lines lines = talk.Pass(Seconds(2));
  EXPECT_EQ(lines, Lines({"open stream 2", "read stream 2",
                          WithNode(Request("test.Cluster", {"paris"}, "1", ""))}));
  EXPECT_EQ(talk.Sent(), Lines({Ask(kRoutes, {"rome"})}));
}

TEST(Subscription, KeepsTheAcceptedVersionNotTheRejectedOneOnANewStream) {  // R1.35, R1.32
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Receive(Answer(kCluster, "2").Has("paris", "bad"));
  talk.StreamEnds(absl::OkStatus());
  EXPECT_EQ(talk.Pass(Seconds(2)).StartingWith("send"),
            Lines({WithNode(Request("test.Cluster", {"paris"}, "1", ""))}));
}

TEST(Subscription, DropsWhatItDidNotAskFor) {  // R1.14, R1.55, DEC-14
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  EXPECT_EQ(
      talk.Receive(
          Answer(kCluster, "2").Has("atlantis", "v1").Has("paris", "v1").Has("eldorado", "bad")),
      Lines({Valid(kCluster, 1), Ack(kCluster, {"paris"}, "2"), "read stream 1"}));
  EXPECT_EQ(talk.Cached(kCluster, "atlantis"), "unknown");
}

TEST(Subscription, LeavesATypeByAnEmptyListAfterNamesWereSent) {  // R1.51, R1.52
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Watch("bob", kRoutes, "rome");
  talk.Settle();
  talk.Pass(Seconds(1));
  EXPECT_EQ(talk.Cancel("alice"), Lines({Ack(kCluster, {}, "1")}));
  talk.Settle();
  // On the next stream nothing is asked for of this type: an empty list would mean everything.
  talk.Receive(Answer(kRoutes, "1").Has("rome", "v1"));
  talk.Settle();
  talk.StreamEnds(absl::OkStatus());
  EXPECT_EQ(talk.Pass(Seconds(2)).StartingWith("send"),
            Lines({WithNode(Request("test.Routes", {"rome"}, "1", ""))}));
  EXPECT_EQ(talk.Sent(), Lines());
}

// What was absent or in error counts for what that version brought, too.
TEST(Subscription, BeginsAnewAfterTheLastWatcherOfAnErrorLeft) {  // R1.39
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  talk.Settle();
  talk.Receive(Answer(kCluster, "1").Error("paris", 5, "no such place"));
  talk.Settle();
  talk.Cancel("alice");
  EXPECT_EQ(talk.Watch("bob", kCluster, "paris").StartingWith("send"),
            Lines({WithNode(Ask(kCluster, {"paris"}))}));
}

TEST(Subscription, NeverBeginsWithAnEmptyList) {  // R1.51, R1.52
  Conversation talk;
  talk.Watch("alice", kRoutes, "rome");
  EXPECT_EQ(talk.Watch("bob", kCluster, "paris"), Lines());
  EXPECT_EQ(talk.Cancel("bob"), Lines());
  EXPECT_EQ(talk.Sent(), Lines({"start timer 1: 15s"}));
}

TEST(Subscription, AnswersALateResponseOfATypeThatItLeft) {  // R1.12, R1.14
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Watch("bob", kRoutes, "rome");
  talk.Settle();
  talk.Pass(Seconds(1));
  talk.Cancel("alice");
  talk.Settle();
  EXPECT_EQ(talk.Receive(Answer(kCluster, "2").Has("paris", "v2")),
            Lines({Ack(kCluster, {}, "2"), "read stream 1"}));
}

TEST(Subscription, ClosesTheStreamWithTheLastWatcher) {  // R1.57, R3.14
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Watch("bob", kRoutes, "rome");
  talk.Settle();
  EXPECT_EQ(talk.Cancel("bob").StartingWith("close"), Lines());
  EXPECT_EQ(talk.Cancel("alice"), Lines({"close stream 1"}));
  EXPECT_TRUE(talk.Snapshot().resources.empty());
  EXPECT_TRUE(talk.Snapshot().servers.empty());
  EXPECT_EQ(talk.timers().size(), size_t{0});
}

TEST(Subscription, BeginsAnewAfterTheLastWatcherLeft) {  // R1.35, R1.57
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Cancel("alice");
  // We hold nothing any more, so we have no version.
  EXPECT_EQ(talk.Watch("bob", kCluster, "paris"),
            Lines({"open stream 2", "read stream 2", WithNode(Ask(kCluster, {"paris"}))}));
  EXPECT_EQ(talk.Cached(kCluster, "paris"), "requested");
}

// Every request names everything, so a request for each watcher would cost the square of them.
class ManyWatchers : public testing::Test {
 protected:
  static constexpr size_t kWatchers = 10'000;

  static size_t BytesOfRequests(const Lines& lines) {
    size_t bytes = 0;
    for (const std::string& line : lines.StartingWith("send").lines) bytes += line.size();
    return bytes;
  }
  static std::string Place(size_t i) { return absl::StrCat("place-", 10'000 + i); }
  static constexpr size_t kBytesOfAll = kWatchers * 12;  // "place-12345 "
};

TEST_F(ManyWatchers, CostLinearBytesWhenRequestsAreSlow) {  // R1.20
  Conversation talk;
  size_t bytes = 0;
  for (size_t i = 0; i < kWatchers; ++i) {
    bytes += BytesOfRequests(talk.Watch("somebody", kEndpoints, Place(i)));
  }
  bytes += BytesOfRequests(talk.Settle());
  EXPECT_EQ(talk.timers().size(), kWatchers);
  EXPECT_LT(bytes, 2 * kBytesOfAll);
}

TEST_F(ManyWatchers, CostLinearBytesWhenRequestsAreFast) {  // R1.20
  for (const absl::Duration between : {absl::ZeroDuration(), absl::Microseconds(50)}) {
    Conversation talk;
    size_t bytes = 0;
    for (size_t i = 0; i < kWatchers; ++i) {
      bytes += BytesOfRequests(talk.Watch("somebody", kEndpoints, Place(i)));
      bytes += BytesOfRequests(talk.Settle());
      bytes += BytesOfRequests(talk.Pass(between));
      bytes += BytesOfRequests(talk.Settle());
    }
    bytes += BytesOfRequests(talk.Pass(Seconds(1)));
    bytes += BytesOfRequests(talk.Settle());
    EXPECT_EQ(talk.timers().size(), kWatchers);  // All were asked for.
    EXPECT_LT(bytes, 12 * kBytesOfAll) << between;
    EXPECT_GT(bytes, kBytesOfAll);
  }
}

TEST_F(ManyWatchers, WaitNoLongerThanTheListIsLong) {  // R1.20
  Conversation talk;
  for (size_t i = 0; i < kWatchers; ++i) talk.Watch("somebody", kEndpoints, Place(i));
  talk.Settle();
  EXPECT_EQ(talk.Watch("alice", kEndpoints, "paris").StartingWith("start timer").lines.size(),
            size_t{1});
  EXPECT_EQ(talk.Pass(absl::Milliseconds(201)).StartingWith("send").lines.size(), size_t{1});
  // An answer does not wait, and takes everything along.
  talk.Settle();
  talk.Watch("bob", kEndpoints, "rome");
  const Lines lines = talk.Receive(Answer(kEndpoints, "1"));
  EXPECT_EQ(lines.StartingWith("send").lines.size(), size_t{1});
  EXPECT_TRUE(absl::StrContains(lines.StartingWith("send").lines[0], " rome]"));
  EXPECT_EQ(lines.StartingWith("cancel timer").lines.size(), size_t{1});
}

}  // namespace
}  // namespace holdfast

// The server cannot be reached, or can be again (gRFC A57, A88).
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "client/protocol/conversation_test.h"

namespace holdfast {
namespace {

using absl::StatusCode;

const absl::Status kRefused = absl::UnavailableError("connection refused");
const absl::Status kKicked = absl::PermissionDeniedError("who are you");

constexpr char kStreamRefused[] =
    "xds server \"cp:18000\": the stream ended before any response: UNAVAILABLE: connection "
    "refused";
constexpr char kStreamKicked[] =
    "xds server \"cp:18000\": the stream ended before any response: PERMISSION_DENIED: who are you";
constexpr char kChannelRefused[] =
    "xds server \"cp:18000\": cannot be reached: UNAVAILABLE: connection refused";

std::string Cached(absl::string_view text) {
  return absl::StrCat(text, "; using the cached resource");
}

// Alice has "v1" of paris, and the next stream is open and asked on.
void LoseTheStream(Conversation& talk) {
  talk.StreamEnds(absl::OkStatus());
  talk.Pass(absl::Seconds(2));
  talk.Settle();
}

TEST(Connectivity, AFailingChannelIsToldToThoseWhoHaveNothing) {  // R3-T01, R4.33
  for (const bool data_error_handling : {true, false}) {
    Conversation talk({}, data_error_handling);
    talk.Watch("alice", kCluster, "paris");
    const Lines lines = talk.ChannelFails(kRefused);
    EXPECT_EQ(lines.lines.size(), size_t{4}) << lines;
    EXPECT_EQ(lines.lines[0], Warns(absl::StrCat(kChannelRefused, " (node \"web-1\")")));
    EXPECT_EQ(lines.lines[1], "count server_failure 1");
    EXPECT_EQ(lines.lines[2], Fails("alice", StatusCode::kUnavailable, kChannelRefused));
    EXPECT_EQ(lines.StartingWith("start timer").lines.size(), size_t{1});  // until the next attempt
    EXPECT_EQ(talk.Cached(kCluster, "paris"), "requested");                // R3.09, DEC-36
  }
}

TEST(Connectivity, AFailingChannelLeavesWhatIsCached) {  // R3-T02, R3.03
  for (const bool data_error_handling : {true, false}) {
    for (const bool strict : {true, false}) {
      Conversation talk({.fail_on_data_errors = strict}, data_error_handling);
      talk.Begin(kCluster, {{"alice", "paris"}});
      LoseTheStream(talk);
      EXPECT_EQ(talk.ChannelFails(kRefused).For("alice"),
                Lines({Ambient("alice", StatusCode::kUnavailable, Cached(kChannelRefused))}));
      EXPECT_EQ(talk.Cached(kCluster, "paris"), "acked v1 of 1");
    }
  }
}

TEST(Connectivity, AStreamThatEndsUnansweredIsTold) {  // R3-T03, R4.33
  for (const bool data_error_handling : {true, false}) {
    Conversation talk({}, data_error_handling);
    talk.Watch("alice", kCluster, "paris");
    talk.Settle();
    EXPECT_EQ(talk.StreamEnds(kKicked).For("alice"),
              Lines({Fails("alice", StatusCode::kPermissionDenied, kStreamKicked)}));
    EXPECT_EQ(talk.Cached(kCluster, "paris"), "requested");
  }
}

TEST(Connectivity, AStreamThatEndsUnansweredWithOkIsUnavailable) {  // R3-T03
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  talk.Settle();
  EXPECT_EQ(talk.StreamEnds(absl::OkStatus()).For("alice"),
            Lines({Fails("alice", StatusCode::kUnavailable,
                         "xds server \"cp:18000\": the stream ended before any response: the "
                         "server closed it with OK")}));
}

TEST(Connectivity, AStreamThatEndsUnansweredLeavesWhatIsCached) {  // R3-T04
  for (const bool data_error_handling : {true, false}) {
    for (const bool strict : {true, false}) {
      Conversation talk({.fail_on_data_errors = strict}, data_error_handling);
      talk.Begin(kCluster, {{"alice", "paris"}});
      LoseTheStream(talk);
      EXPECT_EQ(talk.StreamEnds(kRefused).For("alice"),
                Lines({Ambient("alice", StatusCode::kUnavailable, Cached(kStreamRefused))}));
      EXPECT_EQ(talk.Cached(kCluster, "paris"), "acked v1 of 1");
    }
  }
}

TEST(Connectivity, AStreamThatEndsAfterAResponseIsNoError) {  // R3-T24, R4.31
  for (const bool data_error_handling : {true, false}) {
    Conversation talk({}, data_error_handling);
    talk.Begin(kCluster, {{"alice", "paris"}});
    talk.Watch("bob", kCluster, "rome");
    talk.Settle();
    const Lines lines = talk.StreamEnds(kRefused);
    EXPECT_EQ(lines.For("alice"), Lines());
    EXPECT_EQ(lines.For("bob"), Lines());
    EXPECT_EQ(lines.StartingWith("count"), Lines());
    EXPECT_EQ(lines.StartingWith("log"),
              Lines({Warns("xds server \"cp:18000\": the stream ended: UNAVAILABLE: connection "
                           "refused; opening another")}));
    EXPECT_TRUE(talk.Snapshot().servers[0].is_connected);  // as A78 has it
  }
}

TEST(Connectivity, IsToldToAllWatchersOfAllTypes) {  // R3.30
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Watch("bob", kCluster, "paris");
  talk.Watch("carol", kRoutes, "rome");
  LoseTheStream(talk);
  const Lines lines = talk.StreamEnds(kRefused);
  EXPECT_EQ(lines.For("alice"),
            Lines({Ambient("alice", StatusCode::kUnavailable, Cached(kStreamRefused))}));
  EXPECT_EQ(lines.For("bob"),
            Lines({Ambient("bob", StatusCode::kUnavailable, Cached(kStreamRefused))}));
  EXPECT_EQ(lines.For("carol"), Lines({Fails("carol", StatusCode::kUnavailable, kStreamRefused)}));
}

TEST(Connectivity, IsToldOnceForTheSameReason) {  // R10.A: healthy to unhealthy is counted, no more
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  talk.StreamEnds(kRefused);
  talk.Pass(absl::Seconds(2));
  const Lines again = talk.StreamEnds(kRefused);
  EXPECT_EQ(again.lines.size(), size_t{1}) << again;
  EXPECT_EQ(again.StartingWith("start timer"), again);
  talk.Pass(absl::Seconds(3));
  const Lines other = talk.StreamEnds(kKicked);
  EXPECT_EQ(other.For("alice"),
            Lines({Fails("alice", StatusCode::kPermissionDenied, kStreamKicked)}));
  EXPECT_EQ(other.StartingWith("count"), Lines());
}

// Nothing was resent, because nothing changed: the first response of anything ends the trouble.
TEST(Connectivity, IsOverWithTheFirstResponse) {  // R3-T26, R3.04, R1.39, DEC-06
  for (const bool data_error_handling : {true, false}) {
    Conversation talk({}, data_error_handling);
    talk.Begin(kCluster, {{"alice", "paris"}});
    talk.Watch("bob", kEndpoints, "rome");
    LoseTheStream(talk);
    talk.StreamEnds(kRefused);
    talk.Pass(absl::Seconds(2));
    EXPECT_EQ(talk.Settle().For("alice"), Lines());  // An open stream proves nothing.
    EXPECT_FALSE(talk.Snapshot().servers[0].is_connected);
    EXPECT_EQ(talk.Receive(Answer(kEndpoints, "1")),
              Lines({Informs("xds server \"cp:18000\": answers again"), AllClear("alice"),
                     Ack(kEndpoints, {"rome"}, "1")}));
    EXPECT_TRUE(talk.Snapshot().servers[0].is_connected);
    talk.Settle();
    EXPECT_EQ(talk.Receive(Answer(kEndpoints, "2")),
              Lines({Ack(kEndpoints, {"rome"}, "2"), "read stream 3"}));
  }
}

TEST(Connectivity, IsOverInOneCallWithTheSameResource) {  // R3.34, R3-T17, R3-T26
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  LoseTheStream(talk);
  talk.StreamEnds(kRefused);
  talk.Pass(absl::Seconds(2));
  talk.Settle();
  EXPECT_EQ(talk.Receive(Answer(kCluster, "1").Has("paris", "v1")).For("alice"),
            Lines({AllClear("alice")}));
}

TEST(Connectivity, IsOverInOneCallWithAChange) {  // R3.34, R3.04
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  LoseTheStream(talk);
  talk.StreamEnds(kRefused);
  talk.Pass(absl::Seconds(2));
  talk.Settle();
  EXPECT_EQ(talk.Receive(Answer(kCluster, "2").Has("paris", "v2")).For("alice"),
            Lines({Gets("alice", "v2", "2")}));
}

// What the entry itself has counts again.
TEST(Connectivity, GivesWayToTheErrorThatWasThereBefore) {  // R3-T26
  for (const bool strict : {true, false}) {
    Conversation talk({.fail_on_data_errors = strict});
    talk.Begin(kCluster, {{"alice", "paris"}});
    talk.Watch("bob", kEndpoints, "rome");
    talk.Receive(Answer(kCluster, "2").Error("paris", 5, "no such place"));
    talk.Settle();
    LoseTheStream(talk);
    talk.StreamEnds(kRefused);
    talk.Pass(absl::Seconds(2));
    talk.Settle();
    EXPECT_EQ(
        talk.Receive(Answer(kEndpoints, "1")).For("alice"),
        Lines({strict ? Fails("alice", StatusCode::kNotFound,
                              "cluster \"paris\": no such place; version 1 is no longer used, "
                              "because the server has fail_on_data_errors")
                      : Ambient("alice", StatusCode::kNotFound,
                                "cluster \"paris\": no such place; keeping version 1")}));
    talk.Settle();
    EXPECT_EQ(talk.Receive(Answer(kEndpoints, "2")).For("alice"), Lines());
  }
}

TEST(Connectivity, ThatReturnsSaysNothingToThoseWhoWait) {  // R3-T26
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  talk.Watch("bob", kEndpoints, "rome");
  talk.StreamEnds(kRefused);
  talk.Pass(absl::Seconds(2));
  talk.Settle();
  EXPECT_EQ(talk.Receive(Answer(kEndpoints, "1")).For("alice"), Lines());
  // So the same failure is news again.
  talk.Settle();
  LoseTheStream(talk);
  EXPECT_EQ(talk.StreamEnds(kRefused).For("alice"),
            Lines({Fails("alice", StatusCode::kUnavailable, kStreamRefused)}));
}

TEST(Connectivity, ErrorAfterADropIsTheWatchersState) {  // R3-T30
  for (const bool data_error_handling : {true, false}) {
    Conversation talk({.fail_on_data_errors = true}, data_error_handling);
    talk.Begin(kCluster, {{"alice", "paris"}});
    talk.Receive(Answer(kCluster, "2"));
    talk.Settle();
    LoseTheStream(talk);
    EXPECT_EQ(talk.StreamEnds(kRefused).For("alice"),
              Lines({Fails("alice", StatusCode::kUnavailable, kStreamRefused)}));
    EXPECT_EQ(talk.Shown(kCluster, "paris").cache_state, "does_not_exist");
  }
}

TEST(Connectivity, NewsOfAStreamThatWasReplacedChangesNothing) {
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  const StreamId old = talk.stream();
  LoseTheStream(talk);
  const Answer deletion(kCluster, "2");
  EXPECT_EQ(talk.Tell(ResponseReceived{old, deletion.response()}), Lines());
  EXPECT_EQ(talk.Tell(ResponseUnreadable{old, kRefused}), Lines());
  EXPECT_EQ(talk.Tell(WatchersFinished{old}), Lines());
  EXPECT_EQ(talk.Tell(StreamClosed{old, kRefused}), Lines());
  EXPECT_EQ(talk.Tell(RequestSent{old}), Lines());
  EXPECT_EQ(talk.Cached(kCluster, "paris"), "acked v1 of 1");
}

TEST(Connectivity, BoundsTheReason) {
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  const Lines lines = talk.StreamEnds(absl::UnavailableError(std::string(1 << 20, 'x')));
  for (const std::string& line : lines.lines) EXPECT_LT(line.size(), size_t{5000});
}

}  // namespace
}  // namespace holdfast

// When the next message is read: nothing that a server sends may stop the reading for good.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "client/protocol/conversation_test.h"

namespace holdfast {
namespace {

TEST(FlowControl, ReadsOnWhenTheWatchersAreDone) {  // R1.21
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  talk.Settle();
  EXPECT_EQ(talk.Receive(Answer(kCluster, "1").Has("paris", "v1")).StartingWith("read"), Lines());
  EXPECT_EQ(talk.Sent(), Lines());  // The ACK does not wait for them.
  EXPECT_EQ(talk.Finished(), Lines({"read stream 1"}));
  EXPECT_EQ(talk.Finished(), Lines());  // One read at a time.
}

TEST(FlowControl, ReadsOnAtOnceWhenNobodyHasAnythingToDo) {  // R1.21
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  EXPECT_EQ(talk.Receive(Answer(kCluster, "2").Has("paris", "v1")).StartingWith("read"),
            Lines({"read stream 1"}));
  EXPECT_EQ(talk.Finished(), Lines());
}

// What the server sent about rome may lie unread while alice is busy: it is we who are late.
TEST(FlowControl, BlamesNoServerForItsOwnSilence) {  // R4.08
  Conversation talk;
  talk.Watch("alice", kEndpoints, "paris");
  talk.Watch("bob", kEndpoints, "rome");
  talk.Settle();
  talk.Receive(Answer(kEndpoints, "1").Has("paris", "v1"));
  talk.Sent();
  EXPECT_EQ(talk.Pass(absl::Seconds(16)).For("bob"), Lines());
  EXPECT_EQ(talk.Cached(kEndpoints, "rome"), "requested");
  talk.Finished();
  EXPECT_EQ(talk.Pass(absl::Seconds(16)).For("bob").lines.size(), size_t{1});
  EXPECT_EQ(talk.Shown(kEndpoints, "rome").cache_state, "does_not_exist");
}

TEST(FlowControl, DoesNotWaitForWatchersOfAnotherStream) {  // R1.21
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  const StreamId old = talk.stream();
  talk.Receive(Answer(kCluster, "2").Has("paris", "v2"));
  talk.StreamEnds(absl::OkStatus());
  EXPECT_EQ(talk.Pass(absl::Seconds(2)).StartingWith("read"), Lines({"read stream 2"}));
  EXPECT_EQ(talk.Tell(WatchersFinished{old}), Lines());
}

TEST(FlowControl, ReadsOnAfterAnUnknownType) {  // R1.16
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  EXPECT_EQ(talk.Receive(Answer("test.Mystery", "1").Has("paris", "v2")),
            Lines({Warns("xds server \"cp:18000\": sent type \"type.googleapis.com/test.Mystery\", "
                         "which was not asked for on this stream; ignored (said once a type)"),
                   "read stream 1"}));
  EXPECT_EQ(talk.Receive(Answer("test.Mystery", "2")), Lines({"read stream 1"}));
  EXPECT_EQ(talk.Cached(kCluster, "paris"), "acked v1 of 1");
}

TEST(FlowControl, ReadsOnAfterATypeThatWasNotAskedFor) {  // R1.16
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Watch("bob", kRoutes, "rome");
  talk.Cancel("bob");
  talk.StreamEnds(absl::OkStatus());
  talk.Pass(absl::Seconds(2));
  talk.Settle();
  const Lines lines = talk.Receive(Answer(kRoutes, "1").Has("rome", "v1"));
  EXPECT_EQ(lines.StartingWith("read"), Lines({"read stream 2"}));
  EXPECT_EQ(lines.StartingWith("send"), Lines());  // As an answer it would ask for everything.
}

TEST(FlowControl, BoundsWhatItLogsOfUnknownTypes) {  // R1.16
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  size_t logged = 0;
  for (int i = 0; i < 1000; ++i) {
    const Lines lines = talk.Receive(Answer(absl::StrCat("test.Mystery", i), "1"));
    logged += lines.StartingWith("log").lines.size();
    EXPECT_EQ(lines.StartingWith("read"), Lines({"read stream 1"}));
  }
  EXPECT_EQ(logged, size_t{100});
}

TEST(FlowControl, ReadsOnAfterGarbage) {  // R5.07
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  EXPECT_EQ(
      talk.Tell(ResponseUnreadable{talk.stream(), absl::InvalidArgumentError("not protobuf")}),
      Lines({Warns("xds server \"cp:18000\": sent what cannot be read: not protobuf; ignored (said "
                   "once a stream)"),
             "read stream 1"}));
  EXPECT_EQ(talk.Tell(ResponseUnreadable{talk.stream(), absl::InvalidArgumentError("again")}),
            Lines({"read stream 1"}));
  EXPECT_EQ(talk.Cached(kCluster, "paris"), "acked v1 of 1");
}

// Garbage proves nothing good.
TEST(FlowControl, DoesNotTakeGarbageForAResponse) {  // R5.07, R4.30
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  talk.Settle();
  talk.Tell(ResponseUnreadable{talk.stream(), absl::InvalidArgumentError("not protobuf")});
  EXPECT_EQ(talk.StreamEnds(absl::UnavailableError("gone")).For("alice"),
            Lines({Fails("alice", absl::StatusCode::kUnavailable,
                         "xds server \"cp:18000\": the stream ended before any response: "
                         "UNAVAILABLE: gone")}));
}

TEST(FlowControl, ReadsOnAfterEveryKindOfResponse) {  // R1.21
  const auto reads = [](const Answer& answer) {
    Conversation talk;
    talk.Begin(kCluster, {{"alice", "paris"}});
    Lines lines = talk.Receive(answer);
    const size_t at_once = lines.StartingWith("read").lines.size();
    lines = talk.Finished();
    return at_once + lines.StartingWith("read").lines.size();
  };
  EXPECT_EQ(reads(Answer(kCluster, "2")), size_t{1});
  EXPECT_EQ(reads(Answer(kCluster, "2").Has("paris", "v2")), size_t{1});
  EXPECT_EQ(reads(Answer(kCluster, "2").Has("paris", "bad")), size_t{1});
  EXPECT_EQ(reads(Answer(kCluster, "2").HasBroken("", "?")), size_t{1});
  EXPECT_EQ(reads(Answer(kCluster, "2").Has("rome", "v1")), size_t{1});
  EXPECT_EQ(reads(Answer(kCluster, "2").Error("paris", 5, "gone")), size_t{1});
  EXPECT_EQ(reads(Answer(kCluster, "2").BrokenError("paris", "?")), size_t{1});
  EXPECT_EQ(reads(Answer(kCluster, "2").Problem("too long")), size_t{1});
  EXPECT_EQ(reads(Answer("", "")), size_t{1});
}

}  // namespace
}  // namespace holdfast

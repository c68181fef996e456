// How long we wait for a resource that was asked for (gRFC A57, A88).
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "client/protocol/conversation_test.h"

namespace holdfast {
namespace {

using absl::Milliseconds;
using absl::Seconds;
using absl::StatusCode;

constexpr char kAbsent[] =
    "cluster \"paris\": xds server \"cp:18000\" did not send it within 15s, so it is taken not to "
    "exist";
constexpr char kSlow[] =
    "cluster \"paris\": xds server \"cp:18000\" did not send it within 30s; the server is slow, or "
    "forgot it";

TEST(ResourceTimer, DeclaresAbsentWhatDoesNotComeIn15Seconds) {  // R3-T08a, R4.01, R3.31, R4.09
  for (const bool data_error_handling : {true, false}) {
    Conversation talk({.fail_on_data_errors = true}, data_error_handling);
    talk.Watch("alice", kCluster, "paris");
    talk.Sent();
    EXPECT_EQ(talk.Pass(Milliseconds(14'900)), Lines());
    EXPECT_EQ(talk.Pass(Milliseconds(200)),
              Lines({Warns(absl::StrCat(kAbsent, " (node \"web-1\")")),
                     Fails("alice", StatusCode::kNotFound, kAbsent)}));
    EXPECT_EQ(talk.Shown(kCluster, "paris").cache_state, "does_not_exist");
    EXPECT_EQ(talk.Pass(absl::Hours(1)), Lines());
  }
}

TEST(ResourceTimer, BlamesTheServerAfter30SecondsWhereItIsTransient) {  // R3-T08b, R4.01, R4.21
  Conversation talk({.resource_timer_is_transient_error = true});
  talk.Watch("alice", kCluster, "paris");
  talk.Sent();
  EXPECT_EQ(talk.Pass(Milliseconds(29'900)), Lines());
  EXPECT_EQ(talk.Pass(Milliseconds(200)), Lines({Warns(absl::StrCat(kSlow, " (node \"web-1\")")),
                                                 Fails("alice", StatusCode::kUnavailable, kSlow)}));
  EXPECT_EQ(talk.Shown(kCluster, "paris").cache_state, "timeout");
  EXPECT_EQ(talk.Pass(absl::Hours(1)), Lines());
}

TEST(ResourceTimer, IsNeverTransientWithTheGuardOff) {  // R3-T08b, R3.33, R4.01
  Conversation talk({.resource_timer_is_transient_error = true}, /*data_error_handling=*/false);
  talk.Watch("alice", kCluster, "paris");
  EXPECT_EQ(talk.Sent(), Lines({"start timer 1: 15s"}));
  EXPECT_EQ(talk.Pass(Seconds(16)).For("alice"),
            Lines({Fails("alice", StatusCode::kNotFound, kAbsent)}));
}

TEST(ResourceTimer, RunsForEachResourceFromItsOwnRequest) {  // R4.01, R4.02
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  talk.Sent();
  talk.Pass(Seconds(10));
  talk.Watch("bob", kCluster, "rome");
  EXPECT_EQ(talk.Sent(), Lines({"start timer 2: 15s"}));
  EXPECT_EQ(talk.Pass(Seconds(6)).For("bob"), Lines());
  EXPECT_EQ(talk.Shown(kCluster, "paris").cache_state, "does_not_exist");
  EXPECT_EQ(talk.Pass(Seconds(10)).For("bob").lines.size(), size_t{1});
}

TEST(ResourceTimer, DoesNotRunForARequestThatWaits) {  // R4.02, R4.03
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  EXPECT_EQ(talk.Pass(absl::Hours(1)), Lines());  // The channel connects, and connects.
  talk.Watch("bob", kCluster, "rome");
  // Rome is in no request yet.
  const Lines sent = talk.Sent();
  EXPECT_EQ(sent.StartingWith("start timer"), Lines({"start timer 1: 15s"}));
  EXPECT_EQ(talk.Sent(), Lines({"start timer 2: 15s"}));
}

TEST(ResourceTimer, DoesNotRunWhileDisconnected) {  // R4.03, R4.06
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  EXPECT_EQ(talk.Sent(), Lines({"start timer 1: 15s"}));
  EXPECT_EQ(talk.StreamEnds(absl::UnavailableError("refused")).StartingWith("cancel timer"),
            Lines({"cancel timer 1"}));
  for (int attempt = 0; attempt < 20; ++attempt) {
    const Lines lines = talk.Pass(Seconds(150));
    EXPECT_EQ(lines.For("alice"), Lines());
    talk.StreamEnds(absl::UnavailableError("refused"));
  }
  EXPECT_EQ(talk.Cached(kCluster, "paris"), "requested");
}

TEST(ResourceTimer, DoesNotRunForWhatIsCached) {  // R4.04, R1.39
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.StreamEnds(absl::OkStatus());
  talk.Pass(Seconds(2));
  EXPECT_EQ(talk.Settle(), Lines());
  EXPECT_EQ(talk.Pass(absl::Hours(1)), Lines());
}

TEST(ResourceTimer, DoesNotRunForWhatIsCachedAndInError) {  // R4.04
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Receive(Answer(kCluster, "2"));
  talk.Settle();
  talk.StreamEnds(absl::OkStatus());
  talk.Pass(Seconds(2));
  EXPECT_EQ(talk.Settle(), Lines());
}

TEST(ResourceTimer, RunsAnewOnANewStream) {  // R4.05
  // Nothing came; it was taken not to exist; the server was slow; what came was rejected.
  for (const char* story : {"requested", "does_not_exist", "timeout", "nacked"}) {
    Conversation talk({.resource_timer_is_transient_error = std::string(story) == "timeout"});
    talk.Watch("alice", kCluster, "paris");
    talk.Watch("bob", kEndpoints, "rome");
    talk.Settle();
    talk.Receive(Answer(kEndpoints, "1").Has("rome", "v1"));
    talk.Finished();
    if (std::string(story) == "nacked") talk.Receive(Answer(kCluster, "1").Has("paris", "bad"));
    talk.Finished();
    talk.Settle();
    if (std::string(story) != "requested") talk.Pass(Seconds(31));
    ASSERT_EQ(talk.Shown(kCluster, "paris").cache_state, story);
    talk.StreamEnds(absl::OkStatus());
    talk.Pass(Seconds(2));
    EXPECT_EQ(talk.Settle().StartingWith("start timer").lines.size(), size_t{1}) << story;
  }
}

TEST(ResourceTimer, IsCancelledByAnyMention) {  // R4.06
  const auto cancels = [](const Answer& answer) {
    Conversation talk;
    talk.Watch("alice", kCluster, "paris");
    talk.Sent();
    const Lines lines = talk.Receive(answer);
    EXPECT_EQ(talk.Pass(absl::Hours(1)), Lines());
    return lines.StartingWith("cancel timer");
  };
  EXPECT_EQ(cancels(Answer(kCluster, "1").Has("paris", "v1")), Lines({"cancel timer 1"}));
  EXPECT_EQ(cancels(Answer(kCluster, "1").Has("paris", "bad")), Lines({"cancel timer 1"}));
  EXPECT_EQ(cancels(Answer(kCluster, "1").HasBroken("paris", "cannot be parsed")),
            Lines({"cancel timer 1"}));
  EXPECT_EQ(cancels(Answer(kCluster, "1").Error("paris", 14, "later")), Lines({"cancel timer 1"}));
}

TEST(ResourceTimer, IsNotCancelledByAResponseWithoutTheName) {  // R1.43
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  talk.Sent();
  EXPECT_EQ(talk.Receive(Answer(kCluster, "1")),
            Lines({Ack(kCluster, {"paris"}, "1"), "read stream 1"}));
  EXPECT_EQ(talk.Pass(Seconds(16)).For("alice"),
            Lines({Fails("alice", StatusCode::kNotFound, kAbsent)}));
}

TEST(ResourceTimer, IsCancelledByTheLastWatcher) {  // R4.06, R3.14
  Conversation talk;
  talk.Begin(kCluster, {{"zoe", "oslo"}});
  talk.Watch("alice", kCluster, "paris");
  talk.Watch("bob", kCluster, "paris");
  talk.Settle();
  EXPECT_EQ(talk.Cancel("alice"), Lines());
  EXPECT_EQ(talk.Cancel("bob").StartingWith("cancel timer").lines.size(), size_t{1});
}

TEST(ResourceTimer, DoesNotStartForWhatCameBeforeTheRequestWasReportedSent) {  // R4.07
  for (const char* body : {"v1", "bad"}) {
    Conversation talk;
    talk.Watch("alice", kCluster, "paris");
    talk.Receive(Answer(kCluster, "1").Has("paris", body));
    EXPECT_EQ(talk.Sent().StartingWith("start timer"), Lines());
  }
}

TEST(ResourceTimer, FiringAfterTheResourceArrivedIsIgnored) {  // R4.08
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  talk.Sent();
  talk.Receive(Answer(kCluster, "1").Has("paris", "v1"));
  EXPECT_EQ(talk.Tell(TimerFired{TimerId(1)}), Lines());
  EXPECT_EQ(talk.Cached(kCluster, "paris"), "acked v1 of 1");
}

TEST(ResourceTimer, MayBeWrong) {  // R1.40, R3.22
  for (const bool transient : {false, true}) {
    Conversation talk({.resource_timer_is_transient_error = transient});
    talk.Watch("alice", kCluster, "paris");
    talk.Sent();
    talk.Pass(Seconds(31));
    EXPECT_EQ(talk.Receive(Answer(kCluster, "1").Has("paris", "v1")),
              Lines({Gets("alice", "v1", "1"), Valid(kCluster, 1), Ack(kCluster, {"paris"}, "1")}));
    EXPECT_EQ(talk.Cached(kCluster, "paris"), "acked v1 of 1");
  }
}

TEST(ResourceTimer, ClosesNoStream) {  // R4.09
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  talk.Sent();
  const Lines lines = talk.Pass(Seconds(16));
  EXPECT_EQ(lines.StartingWith("close"), Lines());
  EXPECT_EQ(lines.StartingWith("open"), Lines());
  EXPECT_TRUE(talk.Snapshot().servers[0].is_connected);
}

// Errors of the server are honoured whether or not we rely on them.
TEST(ResourceTimer, IsOverWithAnErrorOfTheServerEitherWay) {  // R4.20, R4.21
  for (const bool transient : {false, true}) {
    Conversation talk({.resource_timer_is_transient_error = transient});
    talk.Begin(kCluster, {{"alice", "paris"}});
    // Nothing but the timer is different: a deletion is still a deletion.
    EXPECT_EQ(talk.Receive(Answer(kCluster, "2")).For("alice"),
              Lines({Ambient("alice", StatusCode::kNotFound,
                             "cluster \"paris\": deleted: version 2 of xds server \"cp:18000\" no "
                             "longer has it; keeping version 1")}));
    talk.Settle();
    EXPECT_EQ(talk.Receive(Answer(kCluster, "3").Error("paris", 5, "gone")).For("alice"),
              Lines({Ambient("alice", StatusCode::kNotFound,
                             "cluster \"paris\": gone; keeping version 1")}));
  }
}

}  // namespace
}  // namespace holdfast

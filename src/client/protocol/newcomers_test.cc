// What a watcher hears who comes later than others.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "client/protocol/conversation_test.h"

namespace holdfast {
namespace {

using absl::Seconds;
using absl::StatusCode;

constexpr char kRefused[] =
    "xds server \"cp:18000\": the stream ended before any response: UNAVAILABLE: refused";
constexpr char kRefusedCached[] =
    "xds server \"cp:18000\": the stream ended before any response: UNAVAILABLE: refused; using "
    "the cached resource";

void LoseTheServer(Conversation& talk) {
  if (!talk.Snapshot().resources.empty()) {
    talk.StreamEnds(absl::OkStatus());
    talk.Pass(Seconds(2));
  }
  talk.StreamEnds(absl::UnavailableError("refused"));
}

TEST(Newcomers, HearTheValue) {  // R1.18, R3.05
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  EXPECT_EQ(talk.Watch("bob", kCluster, "paris"), Lines({Gets("bob", "v1", "1")}));
}

TEST(Newcomers, HearTheValueThenTheAmbientError) {  // R3.05, R3-T27
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Receive(Answer(kCluster, "2").Error("paris", 7, "ask #net"));
  talk.Settle();
  EXPECT_EQ(
      talk.Watch("bob", kCluster, "paris"),
      Lines({Gets("bob", "v1", "1"), Ambient("bob", StatusCode::kPermissionDenied,
                                             "cluster \"paris\": ask #net; keeping version 1")}));
}

TEST(Newcomers, HearTheValueThenTheAmbientErrorWithTheGuardOff) {  // R3-T27
  Conversation talk({}, /*data_error_handling=*/false);
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Receive(Answer(kCluster, "2").Has("paris", "bad"));
  talk.Settle();
  EXPECT_EQ(talk.Watch("bob", kCluster, "paris"),
            Lines({Gets("bob", "v1", "1"),
                   Ambient("bob", StatusCode::kInvalidArgument,
                           "cluster \"paris\": word: must begin with v (got bad); keeping version "
                           "1")}));
}

TEST(Newcomers, HearTheErrorWhereThereIsNothingElse) {  // R3.06, R3-T28
  for (const bool data_error_handling : {true, false}) {
    Conversation talk({}, data_error_handling);
    talk.Watch("alice", kCluster, "paris");
    talk.Settle();
    talk.Pass(Seconds(16));
    EXPECT_EQ(talk.Watch("bob", kCluster, "paris"),
              Lines({Fails("bob", StatusCode::kNotFound,
                           "cluster \"paris\": xds server \"cp:18000\" did not send it within 15s, "
                           "so it is taken not to exist")}));
  }
}

TEST(Newcomers, HearNothingWhereNothingIsKnown) {
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  talk.Settle();
  EXPECT_EQ(talk.Watch("bob", kCluster, "paris"), Lines());
}

TEST(Newcomers, HearLastThatTheServerIsOutOfReach) {  // R3.07, DEC-36
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Receive(Answer(kCluster, "2"));
  talk.Settle();
  LoseTheServer(talk);
  EXPECT_EQ(talk.Watch("bob", kCluster, "paris"),
            Lines({Gets("bob", "v1", "1"),
                   Ambient("bob", StatusCode::kNotFound,
                           "cluster \"paris\": deleted: version 2 of xds server \"cp:18000\" no "
                           "longer has it; keeping version 1"),
                   Ambient("bob", StatusCode::kUnavailable, kRefusedCached)}));
  EXPECT_EQ(talk.Watch("carol", kCluster, "rome"),
            Lines({Fails("carol", StatusCode::kUnavailable, kRefused)}));
}

TEST(Newcomers, AfterEverybodyLeftHearOfAnOutageOnlyWhileItKeepsUsFromTrying) {  // R3.07
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  LoseTheServer(talk);
  talk.Cancel("alice");
  EXPECT_EQ(talk.Watch("bob", kCluster, "paris").For("bob"),
            Lines({Fails("bob", StatusCode::kUnavailable, kRefused)}));
  talk.Cancel("bob");
  talk.Pass(Seconds(3600));
  EXPECT_EQ(talk.Watch("carol", kCluster, "paris").For("carol"), Lines());
}

TEST(Newcomers, AreToldTheRestLikeEverybody) {  // R3.05, R3-T17
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Receive(Answer(kCluster, "2"));
  talk.Settle();
  talk.Watch("bob", kCluster, "paris");
  EXPECT_EQ(talk.Receive(Answer(kCluster, "3").Has("paris", "v1")),
            Lines({AllClear("alice"), AllClear("bob"), Valid(kCluster, 1),
                   Ack(kCluster, {"paris"}, "3")}));
}

TEST(Newcomers, DuringAnOutageAreToldThatItIsOver) {  // R3-T26, R3.07
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  LoseTheServer(talk);
  talk.Watch("bob", kCluster, "paris");
  talk.Pass(Seconds(2));
  talk.Settle();
  const Lines lines = talk.Receive(Answer(kCluster, "1").Has("paris", "v1"));
  EXPECT_EQ(lines.For("alice"), Lines({AllClear("alice")}));
  EXPECT_EQ(lines.For("bob"), Lines({AllClear("bob")}));
}

// After any error that is over, everybody who heard it hears that once, whoever came when.
TEST(Newcomers, HearOnceThatAnErrorIsOver) {  // R3.04, R3-T17, R3-T29
  const auto story = [](bool strict, const Answer& error) {
    SCOPED_TRACE(absl::StrCat(strict ? "strict" : "tolerant"));
    Conversation talk({.fail_on_data_errors = strict});
    talk.Begin(kCluster, {{"alice", "paris"}});
    talk.Receive(error);
    talk.Settle();
    talk.Watch("bob", kCluster, "paris");
    const bool is_kept = talk.Shown(kCluster, "paris").bytes != nullptr;
    const Lines lines = talk.Receive(Answer(kCluster, "3").Has("paris", "v1"));
    for (const std::string person : {"alice", "bob"}) {
      EXPECT_EQ(lines.For(person), Lines({is_kept ? AllClear(person) : Gets(person, "v1", "3")}));
    }
    talk.Settle();
    const Lines again = talk.Receive(Answer(kCluster, "4").Has("paris", "v1"));
    EXPECT_EQ(again.For("alice"), Lines());
    EXPECT_EQ(again.For("bob"), Lines());
  };
  for (const bool strict : {true, false}) {
    story(strict, Answer(kCluster, "2"));
    story(strict, Answer(kCluster, "2").Has("paris", "bad"));
    story(strict, Answer(kCluster, "2").Error("paris", 5, "gone"));
    story(strict, Answer(kCluster, "2").Error("paris", 14, "later"));
    story(strict, Answer(kCluster, "2").Has("paris", "v1").Has("paris", "v1"));
    story(strict, Answer(kCluster, "2").Has("paris", "v2").Error("paris", 5, "gone"));
  }
}

}  // namespace
}  // namespace holdfast

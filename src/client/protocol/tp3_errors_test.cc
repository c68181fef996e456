// Errors that the server reports in place of a resource (xRFC TP3, gRFC A88).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/protocol/client_errors.h"
#include "client/protocol/conversation_test.h"

namespace holdfast {
namespace {

using absl::StatusCode;

constexpr int kNotFound = 5;
constexpr int kPermissionDenied = 7;
constexpr int kInternal = 13;
constexpr int kUnavailable = 14;

// What the first error of a name logs, and what its watchers hear.
std::string Says(absl::string_view message) { return absl::StrCat("cluster \"paris\": ", message); }
std::string Logs(absl::string_view message) {
  return Warns(absl::StrCat(Says(message), " (node \"web-1\")"));
}

// The timer, the cache, then the watcher, in this order.
TEST(Tp3Errors, PassOnTheServersOwnWords) {  // R2.11, R2.24, R2.25, R3-T11, R3-T14, R4.06, R2.19
  for (const auto& [number, code] : {std::pair(kNotFound, StatusCode::kNotFound),
                                     std::pair(kPermissionDenied, StatusCode::kPermissionDenied),
                                     std::pair(kInternal, StatusCode::kInternal)}) {
    for (const bool strict : {true, false}) {
      Conversation talk({.fail_on_data_errors = strict});
      talk.Watch("alice", kCluster, "paris");
      talk.Sent();
      EXPECT_EQ(talk.Receive(Answer(kCluster, "1").Error("paris", number, "ask #net")),
                Lines({"cancel timer 1", Logs("ask #net"), Fails("alice", code, Says("ask #net")),
                       Invalid(kCluster, 1), Ack(kCluster, {"paris"}, "1")}));
      EXPECT_EQ(talk.Cached(kCluster, "paris"), "received_error; ask #net");
      EXPECT_EQ(talk.Pass(absl::Hours(1)), Lines());
    }
  }
}

TEST(Tp3Errors, KeepWhatIsCached) {  // R2.10, R2.12, R2.13, R3-T12, R3-T15, R3.03
  for (const auto& [number, code] : {std::pair(kNotFound, StatusCode::kNotFound),
                                     std::pair(kPermissionDenied, StatusCode::kPermissionDenied),
                                     std::pair(kUnavailable, StatusCode::kUnavailable)}) {
    Conversation talk;
    talk.Begin(kCluster, {{"alice", "paris"}});
    EXPECT_EQ(talk.Receive(Answer(kCluster, "2").Error("paris", number, "ask #net")),
              Lines({Logs("ask #net; keeping version 1"),
                     Ambient("alice", code, Says("ask #net; keeping version 1")),
                     Invalid(kCluster, 1), Ack(kCluster, {"paris"}, "2")}));
    EXPECT_EQ(talk.Cached(kCluster, "paris"), "received_error_but_cached v1 of 1; ask #net");
  }
}

TEST(Tp3Errors, DropWhatIsCachedWhereTheServerIsStrict) {  // R2.11, R2.13, R3-T13, R3.02
  for (const auto& [number, code] : {std::pair(kNotFound, StatusCode::kNotFound),
                                     std::pair(kPermissionDenied, StatusCode::kPermissionDenied)}) {
    Conversation talk({.fail_on_data_errors = true});
    talk.Begin(kCluster, {{"alice", "paris"}});
    const std::string text =
        "ask #net; version 1 is no longer used, because the server has fail_on_data_errors";
    EXPECT_EQ(talk.Receive(Answer(kCluster, "2").Error("paris", number, "ask #net")),
              Lines({Logs(text), Fails("alice", code, Says(text)), Invalid(kCluster, 1),
                     Ack(kCluster, {"paris"}, "2")}));
    EXPECT_EQ(talk.Cached(kCluster, "paris"), "received_error; ask #net");
  }
}

// A strict server does not make a transient error a data error.
TEST(Tp3Errors, KeepWhatIsCachedWithEveryOtherCode) {  // R2.12, R2.14, R3-T15, DEC-25, DEC-27
  for (int number : {1, 2, 3, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, -1, 1 << 30}) {
    Conversation talk({.fail_on_data_errors = true});
    talk.Begin(kCluster, {{"alice", "paris"}});
    const bool is_code = number >= 1 && number <= 16;
    const StatusCode code = is_code ? static_cast<StatusCode>(number) : StatusCode::kUnknown;
    const std::string said =
        is_code ? "ask #net" : absl::StrCat("status code ", number, ": ask #net");
    EXPECT_EQ(talk.Receive(Answer(kCluster, "2").Error("paris", number, "ask #net")).For("alice"),
              Lines({Ambient("alice", code, absl::StrCat(Says(said), "; keeping version 1"))}));
    EXPECT_EQ(talk.Cached(kCluster, "paris"),
              absl::StrCat("received_error_but_cached v1 of 1; ", said));
  }
}

// "The client should handle this case exactly the same way that it would if the does-not-exist
// timer fired" (TP3): the watcher is told that there is nothing, in the words of who knows best.
TEST(Tp3Errors, NotFoundIsLikeTheTimerFiring) {  // R2.15, R4.20, DEC-03
  for (const bool transient : {false, true}) {
    Conversation by_error({.resource_timer_is_transient_error = transient});
    by_error.Watch("alice", kCluster, "paris");
    by_error.Settle();
    EXPECT_EQ(by_error.Receive(Answer(kCluster, "1").Error("paris", kNotFound, "no such place"))
                  .For("alice"),
              Lines({Fails("alice", StatusCode::kNotFound, Says("no such place"))}));
  }
}

TEST(Tp3Errors, SpeakForAServerThatGivesNoReason) {  // R2.24
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  talk.Settle();
  EXPECT_EQ(talk.Receive(Answer(kCluster, "1").Error("paris", kPermissionDenied, "")).For("alice"),
            Lines({Fails(
                "alice", StatusCode::kPermissionDenied,
                Says("xds server \"cp:18000\" answered PERMISSION_DENIED and gave no reason"))}));
}

// Said once by the server, remembered until there is news of the name itself.
TEST(Tp3Errors, SurviveResponsesThatSayNothingOfTheName) {  // R2.16, R3-T19, DEC-04, R2.22
  for (const bool strict : {true, false}) {
    Conversation talk({.fail_on_data_errors = strict});
    talk.Begin(kCluster, {{"alice", "paris"}, {"bob", "rome"}});
    talk.Receive(Answer(kCluster, "2").Has("rome", "v1").Error("paris", kUnavailable, "later"));
    talk.Settle();
    const std::string cached = talk.Cached(kCluster, "paris");
    EXPECT_EQ(cached, "received_error_but_cached v1 of 1; later");
    EXPECT_EQ(
        talk.Receive(Answer(kCluster, "3").Has("rome", "v3")),
        Lines({Gets("bob", "v3", "3"), Valid(kCluster, 1), Ack(kCluster, {"paris", "rome"}, "3")}));
    talk.Settle();
    EXPECT_EQ(talk.Receive(Answer(kCluster, "4").Has("rome", "v3")),
              Lines({Valid(kCluster, 1), Ack(kCluster, {"paris", "rome"}, "4"), "read stream 1"}));
    EXPECT_EQ(talk.Cached(kCluster, "paris"), cached);
  }
}

TEST(Tp3Errors, SurviveAStreamThatEnds) {  // R2.16, R4.05, DEC-10
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  talk.Settle();
  talk.Receive(Answer(kCluster, "1").Error("paris", kNotFound, "no such place"));
  talk.Settle();
  talk.StreamEnds(absl::OkStatus());
  talk.Pass(absl::Seconds(2));
  EXPECT_EQ(talk.Settle(), Lines());  // No timer: it would overwrite what the server said.
  EXPECT_EQ(talk.Pass(absl::Hours(1)), Lines());
  EXPECT_EQ(talk.Cached(kCluster, "paris"), "received_error; no such place");
}

TEST(Tp3Errors, EndWithTheResource) {  // R2.17, R2.40, R3.04, R3-T29, R3.21, R3.22
  for (const bool strict : {true, false}) {
    Conversation talk({.fail_on_data_errors = strict});
    talk.Begin(kCluster, {{"alice", "paris"}});
    talk.Receive(Answer(kCluster, "2").Error("paris", kNotFound, "no such place"));
    talk.Settle();
    // The same resource as before. Alice knows it, or had to let go of it.
    EXPECT_EQ(talk.Receive(Answer(kCluster, "3").Has("paris", "v1")),
              Lines({strict ? Gets("alice", "v1", "3") : AllClear("alice"), Valid(kCluster, 1),
                     Ack(kCluster, {"paris"}, "3")}));
    EXPECT_EQ(talk.Cached(kCluster, "paris"), "acked v1 of 3");
    talk.Settle();
    EXPECT_EQ(talk.Receive(Answer(kCluster, "4").Has("paris", "v1")),
              Lines({Valid(kCluster, 1), Ack(kCluster, {"paris"}, "4"), "read stream 1"}));
  }
}

TEST(Tp3Errors, GiveWayToNewerOnes) {  // R2.16, R3-T31, R3.22
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Receive(Answer(kCluster, "2").Error("paris", kUnavailable, "later"));
  talk.Settle();
  // The same again: said before.
  EXPECT_EQ(talk.Receive(Answer(kCluster, "3").Error("paris", kUnavailable, "later")),
            Lines({Invalid(kCluster, 1), Ack(kCluster, {"paris"}, "3"), "read stream 1"}));
  talk.Settle();
  // Other words, or another code, are news.
  EXPECT_EQ(talk.Receive(Answer(kCluster, "4").Error("paris", kUnavailable, "soon")).For("alice"),
            Lines({Ambient("alice", StatusCode::kUnavailable, Says("soon; keeping version 1"))}));
  talk.Settle();
  EXPECT_EQ(talk.Receive(Answer(kCluster, "5").Error("paris", kInternal, "soon")).For("alice"),
            Lines({Ambient("alice", StatusCode::kInternal, Says("soon; keeping version 1"))}));
}

TEST(Tp3Errors, OfAResourceThatWasDroppedAreToldAsItsState) {  // R3-T30
  Conversation talk({.fail_on_data_errors = true});
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Receive(Answer(kCluster, "2").Error("paris", kNotFound, "no such place"));
  talk.Settle();
  EXPECT_EQ(talk.Receive(Answer(kCluster, "3").Error("paris", kUnavailable, "later")).For("alice"),
            Lines({Fails("alice", StatusCode::kUnavailable, Says("later"))}));
  EXPECT_EQ(talk.Cached(kCluster, "paris"), "received_error; later");
}

TEST(Tp3Errors, TouchNoOtherResource) {  // R2.26, R5.05
  Conversation talk({.fail_on_data_errors = true});
  talk.Begin(kEndpoints, {{"alice", "paris"}, {"bob", "rome"}});
  const Lines lines =
      talk.Receive(Answer(kEndpoints, "2").Error("paris", kPermissionDenied, "ask #net"));
  EXPECT_EQ(lines.For("bob"), Lines());
  EXPECT_EQ(lines.StartingWith("close"), Lines());
  EXPECT_EQ(talk.Cached(kEndpoints, "rome"), "acked v1 of 1");
}

TEST(Tp3Errors, AreNotReadWithTheGuardOff) {  // R2.10, R2.18, R3.33, R3-T11, R3-T14
  Conversation talk({}, /*data_error_handling=*/false);
  talk.Watch("alice", kCluster, "paris");
  talk.Sent();
  EXPECT_EQ(talk.Receive(Answer(kCluster, "1")
                             .Error("paris", kNotFound, "no such place")
                             .BrokenError("paris", "has no status")),
            Lines({Ack(kCluster, {"paris"}, "1"), "read stream 1"}));
  EXPECT_EQ(talk.Cached(kCluster, "paris"), "requested");
  EXPECT_EQ(talk.timers().size(), size_t{1});
}

// A name with an error is a name that is missing.
TEST(Tp3Errors, AreAbsenceWithTheGuardOff) {  // R3.33, R3-T12, R3-T13, R3-T15, R6.04
  Conversation talk({}, /*data_error_handling=*/false);
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Receive(Answer(kCluster, "2").Error("paris", kUnavailable, "later"));
  EXPECT_EQ(talk.Shown(kCluster, "paris").cache_state, "does_not_exist");

  Conversation ignoring({.ignore_resource_deletion = true}, /*data_error_handling=*/false);
  ignoring.Begin(kCluster, {{"alice", "paris"}});
  EXPECT_EQ(
      ignoring.Receive(Answer(kCluster, "2").Error("paris", kUnavailable, "later")).For("alice"),
      Lines());
  EXPECT_EQ(ignoring.Cached(kCluster, "paris"), "acked v1 of 1");
}

TEST(Tp3Errors, AreResponses) {  // R2.27
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  talk.StreamEnds(absl::UnavailableError("refused"));
  talk.Pass(absl::Seconds(2));
  talk.Settle();
  EXPECT_FALSE(talk.Snapshot().servers[0].is_connected);
  const Lines lines =
      talk.Receive(Answer(kCluster, "1").Error("paris", kNotFound, "no such place"));
  EXPECT_EQ(lines.StartingWith("log INFO"),
            Lines({Informs("xds server \"cp:18000\": answers again")}));
  EXPECT_TRUE(talk.Snapshot().servers[0].is_connected);
  // The stream brought a response, so its end is no failure.
  EXPECT_EQ(talk.StreamEnds(absl::UnavailableError("refused")).For("alice"), Lines());
}

TEST(Tp3Errors, AreBounded) {
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  const Lines lines =
      talk.Receive(Answer(kCluster, "2").Error("paris", kNotFound, std::string(1 << 20, 'x')));
  for (const std::string& line : lines.lines) EXPECT_LT(line.size(), size_t{5000});
  EXPECT_THAT(lines.For("alice").lines[0],
              testing::HasSubstr("xxx… (1048576 bytes in all); keeping version 1"));
  EXPECT_LT(talk.Shown(kCluster, "paris").error->text.size(), size_t{5000});
}

TEST(Tp3Errors, LogAFewOfAResponseAndCountTheRest) {
  Conversation talk;
  Answer answer(kEndpoints, "1");
  for (int i = 0; i < 8; ++i) {
    talk.Watch("alice", kEndpoints, absl::StrCat("place-", i));
    answer.Error(absl::StrCat("place-", i), kUnavailable, "later");
  }
  talk.Settle();
  talk.Pass(absl::Seconds(1));
  talk.Settle();
  const Lines logs = talk.Receive(answer).StartingWith("log");
  ASSERT_EQ(logs.lines.size(), size_t{6});
  EXPECT_EQ(logs.lines[4], Warns("endpoints \"place-4\": later (node \"web-1\")"));
  EXPECT_EQ(logs.lines[5], Warns("and 3 more of type test.Endpoints in the same response"));
}

}  // namespace
}  // namespace holdfast

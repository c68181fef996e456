// What a response is answered with, and what of it is used (gRFC A46).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "client/protocol/conversation_test.h"
#include "client/protocol/nack_text.h"

namespace holdfast {
namespace {

using absl::StatusCode;

constexpr char kBadWord[] = "word: must begin with v (got bad)";

std::string Rejects(absl::string_view version, absl::string_view text) {
  return Warns(absl::StrCat("xds server \"cp:18000\": rejected version ", version,
                            " of test.Cluster: ", text));
}

TEST(AckNack, AcceptsAValidResponse) {  // R1.12, R1.31, R3-T16, R3.02
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  talk.Sent();
  EXPECT_EQ(talk.Receive(Answer(kCluster, "1").Has("paris", "v1")),
            Lines({"cancel timer 1", Gets("alice", "v1", "1"), Valid(kCluster, 1),
                   Ack(kCluster, {"paris"}, "1")}));
  EXPECT_EQ(talk.Cached(kCluster, "paris"), "acked v1 of 1");
}

TEST(AckNack, DeliversAChange) {  // R3-T16
  for (const bool data_error_handling : {true, false}) {
    Conversation talk({}, data_error_handling);
    talk.Begin(kCluster, {{"alice", "paris"}});
    EXPECT_EQ(talk.Receive(Answer(kCluster, "2").Has("paris", "v2")),
              Lines({Gets("alice", "v2", "2"), Valid(kCluster, 1), Ack(kCluster, {"paris"}, "2")}));
  }
}

TEST(AckNack, SaysNothingOfTheSameAgain) {  // R3.10, R3-T17
  for (const bool data_error_handling : {true, false}) {
    for (const char* body : {"v1", "v1  "}) {  // the same bytes; other bytes that mean the same
      Conversation talk({}, data_error_handling);
      talk.Begin(kCluster, {{"alice", "paris"}});
      EXPECT_EQ(talk.Receive(Answer(kCluster, "2").Has("paris", body)),
                Lines({Valid(kCluster, 1), Ack(kCluster, {"paris"}, "2"), "read stream 1"}));
      EXPECT_EQ(talk.Cached(kCluster, "paris"), absl::StrCat("acked ", body, " of 2"));
    }
  }
}

// One bad cluster of three: the two others are used, and the server hears one NACK that still
// names the version before.
TEST(AckNack, UsesTheGoodPartOfWhatItRejects) {  // R5.01, R5.02, R5.05, R1.32, R1.33, DEC-05
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "lyon"}, {"bob", "paris"}, {"carol", "rome"}});
  const std::string nack = absl::StrCat("resources[1] cluster \"paris\": ", kBadWord);
  EXPECT_EQ(
      talk.Receive(Answer(kCluster, "2").Has("lyon", "v2").Has("paris", "bad").Has("rome", "v2")),
      Lines({Gets("alice", "v2", "2"),
             Ambient("bob", StatusCode::kInvalidArgument,
                     absl::StrCat("cluster \"paris\": ", kBadWord, "; keeping version 1")),
             Gets("carol", "v2", "2"), Valid(kCluster, 2), Invalid(kCluster, 1), Rejects("2", nack),
             Nack(kCluster, {"lyon", "paris", "rome"}, "1", "n2", nack)}));
  // R5.06, DEC-12
  EXPECT_EQ(talk.Cached(kCluster, "lyon"), "acked v2 of 2");
  EXPECT_EQ(talk.Cached(kCluster, "rome"), "acked v2 of 2");
  EXPECT_EQ(talk.Cached(kCluster, "paris"), absl::StrCat("nacked_but_cached v1 of 1; ", kBadWord));
  EXPECT_EQ(talk.Shown(kCluster, "paris").error->version, "2");

  talk.Settle();
  EXPECT_EQ(
      talk.Receive(Answer(kCluster, "3").Has("lyon", "v2").Has("paris", "v3").Has("rome", "v2")),
      Lines({Gets("bob", "v3", "3"), Valid(kCluster, 3),
             Ack(kCluster, {"lyon", "paris", "rome"}, "3")}));
}

TEST(AckNack, ReportsEveryBadResourceAtOnce) {  // R5.03, R5.04, R1.33
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "lyon"}, {"bob", "paris"}});
  const Lines lines = talk.Receive(Answer(kCluster, "2").Has("paris", "bad").Has("lyon", "worse"));
  EXPECT_EQ(lines.StartingWith("send"),
            Lines({Nack(kCluster, {"lyon", "paris"}, "1", "n2",
                        "resources[0] cluster \"paris\": word: must begin with v (got bad); "
                        "resources[1] cluster \"lyon\": word: must begin with v (got worse)")}));
}

TEST(AckNack, RejectsTheFirstVersion) {  // R3-T05, R1.32
  for (const bool data_error_handling : {true, false}) {
    for (const bool strict : {true, false}) {
      Conversation talk({.fail_on_data_errors = strict}, data_error_handling);
      talk.Watch("alice", kEndpoints, "paris");
      talk.Sent();
      const std::string nack = absl::StrCat("resources[0] endpoints \"paris\": ", kBadWord);
      EXPECT_EQ(talk.Receive(Answer(kEndpoints, "1").Has("paris", "bad")),
                Lines({"cancel timer 1",
                       Fails("alice", StatusCode::kInvalidArgument,
                             absl::StrCat("endpoints \"paris\": ", kBadWord)),
                       Invalid(kEndpoints, 1),
                       Warns(absl::StrCat("xds server \"cp:18000\": rejected version 1 of "
                                          "test.Endpoints: ",
                                          nack)),
                       Nack(kEndpoints, {"paris"}, "", "n1", nack)}));
      EXPECT_EQ(talk.Cached(kEndpoints, "paris"), absl::StrCat("nacked; ", kBadWord));
    }
  }
}

TEST(AckNack, DropsWhatIsCachedWhereTheServerIsStrict) {  // R3-T07, R3.02
  Conversation talk({.fail_on_data_errors = true});
  talk.Begin(kRoutes, {{"alice", "paris"}});
  EXPECT_EQ(talk.Receive(Answer(kRoutes, "2").Has("paris", "bad")).For("alice"),
            Lines({Fails("alice", StatusCode::kInvalidArgument,
                         absl::StrCat("routes \"paris\": ", kBadWord,
                                      "; version 1 is no longer used, because the server has "
                                      "fail_on_data_errors"))}));
  EXPECT_EQ(talk.Cached(kRoutes, "paris"), absl::StrCat("nacked; ", kBadWord));
}

TEST(AckNack, KeepsWhatIsCachedWithTheGuardOff) {  // R3-T06, R3-T07, R3.33
  Conversation talk({.fail_on_data_errors = true}, /*data_error_handling=*/false);
  talk.Begin(kRoutes, {{"alice", "paris"}});
  EXPECT_EQ(talk.Receive(Answer(kRoutes, "2").Has("paris", "bad")).For("alice"),
            Lines({Ambient("alice", StatusCode::kInvalidArgument,
                           absl::StrCat("routes \"paris\": ", kBadWord, "; keeping version 1"))}));
}

TEST(AckNack, RejectsTheSameBodyEachTimeAndSaysSoOnce) {  // R3.10, R5.13
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Receive(Answer(kCluster, "2").Has("paris", "bad"));
  talk.Settle();
  const std::string nack = absl::StrCat("resources[0] cluster \"paris\": ", kBadWord);
  EXPECT_EQ(talk.Receive(Answer(kCluster, "3").Has("paris", "bad")),
            Lines({Invalid(kCluster, 1), Rejects("3", nack),
                   Nack(kCluster, {"paris"}, "1", "n3", nack), "read stream 1"}));
  EXPECT_EQ(talk.Shown(kCluster, "paris").error->version, "3");
}

TEST(AckNack, ClearsTheErrorsOfWhatItContainsAndNoOthers) {  // R5.11
  Conversation talk;
  talk.Begin(kEndpoints, {{"alice", "lyon"}, {"bob", "paris"}});
  talk.Receive(Answer(kEndpoints, "2").Has("lyon", "bad").Has("paris", "bad"));
  talk.Settle();
  EXPECT_EQ(talk.Receive(Answer(kEndpoints, "3").Has("lyon", "v3")),
            Lines({Gets("alice", "v3", "3"), Valid(kEndpoints, 1),
                   Ack(kEndpoints, {"lyon", "paris"}, "3")}));
  EXPECT_EQ(talk.Cached(kEndpoints, "lyon"), "acked v3 of 3");
  EXPECT_EQ(talk.Cached(kEndpoints, "paris"),
            absl::StrCat("nacked_but_cached v1 of 1; ", kBadWord));
}

TEST(AckNack, RejectsOneNameTwiceInAResponse) {  // R1.15, R3.34
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "lyon"}, {"bob", "paris"}});
  const std::string nack =
      "resources[0] cluster \"paris\": is listed more than once in one response";
  EXPECT_EQ(
      talk.Receive(Answer(kCluster, "2").Has("paris", "v2").Has("lyon", "v2").Has("paris", "v2")),
      Lines({Ambient("bob", StatusCode::kInvalidArgument,
                     "cluster \"paris\": is listed more than once in one response; keeping "
                     "version 1"),
             Gets("alice", "v2", "2"), Valid(kCluster, 1), Invalid(kCluster, 1), Rejects("2", nack),
             Nack(kCluster, {"lyon", "paris"}, "1", "n2", nack)}));
}

TEST(AckNack, RejectsAnEntryThatIsBrokenOnTheOutside) {  // R1.17, R1.81, R5.08
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  const std::string nack =
      "resources[0] cluster \"paris\": its type is \"test.Listener\", not that of the response";
  EXPECT_EQ(talk.Receive(
                Answer(kCluster, "2")
                    .HasBroken("paris", "its type is \"test.Listener\", not that of the response")),
            Lines({Ambient("alice", StatusCode::kInvalidArgument,
                           "cluster \"paris\": its type is \"test.Listener\", not that of the "
                           "response; keeping version 1"),
                   Invalid(kCluster, 1), Rejects("2", nack),
                   Nack(kCluster, {"paris"}, "1", "n2", nack)}));
}

// It may be any of those that are missing, so none of them is taken for deleted.
TEST(AckNack, TakesNothingForDeletedBesideAnEntryWithoutAName) {  // R5.08, R5.10, DEC-13
  Conversation talk({.fail_on_data_errors = true});
  talk.Begin(kCluster, {{"alice", "lyon"}, {"bob", "paris"}});
  const std::string nack = "resources[1]: cannot be parsed";
  EXPECT_EQ(talk.Receive(Answer(kCluster, "2").Has("lyon", "v2").HasBroken("", "cannot be parsed")),
            Lines({Gets("alice", "v2", "2"), Valid(kCluster, 1), Invalid(kCluster, 1),
                   Rejects("2", nack), Nack(kCluster, {"lyon", "paris"}, "1", "n2", nack)}));
  EXPECT_EQ(talk.Cached(kCluster, "paris"), "acked v1 of 1");
}

TEST(AckNack, TakesWhatIsMissingForDeletedInARejectedResponseToo) {  // DEC-13
  Conversation talk({.fail_on_data_errors = true});
  talk.Begin(kCluster, {{"alice", "lyon"}, {"bob", "paris"}});
  const Lines lines = talk.Receive(Answer(kCluster, "2").Has("lyon", "bad"));
  EXPECT_EQ(lines.For("bob"),
            Lines({Fails("bob", StatusCode::kNotFound,
                         "cluster \"paris\": deleted: version 2 of xds server \"cp:18000\" no "
                         "longer has it; version 1 is no longer used, because the server has "
                         "fail_on_data_errors")}));
}

TEST(AckNack, AnInvalidResourceIsNotADeletedOne) {  // R5.09
  Conversation talk;
  talk.Begin(kListener, {{"alice", "paris"}});
  talk.Receive(Answer(kListener, "2").Has("paris", "bad"));
  EXPECT_EQ(talk.Cached(kListener, "paris"), absl::StrCat("nacked_but_cached v1 of 1; ", kBadWord));
}

TEST(AckNack, RejectsAResponseThatCannotBeUsedAtAll) {  // R1.12, R5.07
  Conversation talk({.fail_on_data_errors = true});
  talk.Begin(kCluster, {{"alice", "paris"}});
  EXPECT_EQ(talk.Receive(Answer(kCluster, "2").Problem("discovery response has 1000001 entries")),
            Lines({Rejects("2", "discovery response has 1000001 entries"),
                   Nack(kCluster, {"paris"}, "1", "n2", "discovery response has 1000001 entries"),
                   "read stream 1"}));
  EXPECT_EQ(talk.Cached(kCluster, "paris"), "acked v1 of 1");
}

TEST(AckNack, SubstitutesNothing) {  // R5.14
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  talk.Settle();
  const Lines lines = talk.Receive(Answer(kCluster, "1").Has("paris", "unknown_policy"));
  EXPECT_EQ(lines.For("alice"),
            Lines({Fails("alice", StatusCode::kInvalidArgument,
                         "cluster \"paris\": word: must begin with v (got unknown_policy)")}));
  EXPECT_EQ(talk.Shown(kCluster, "paris").bytes, nullptr);
}

TEST(AckNack, LogsOnceAFieldThatItDoesNotEnforce) {
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "lyon"}, {"bob", "paris"}});
  const auto logged = [](const Lines& lines) { return lines.StartingWith("log"); };
  EXPECT_EQ(logged(talk.Receive(Answer(kCluster, "2")
                                    .Has("lyon", "v2!hosts[3].retries")
                                    .Has("paris", "v2!hosts[12].retries"))),
            Lines({Informs("cluster \"lyon\": hosts[3].retries: accepted, but not enforced by "
                           "this build (said once a field)")}));
  talk.Settle();
  EXPECT_EQ(logged(talk.Receive(Answer(kCluster, "3")
                                    .Has("lyon", "v3!hosts[4].retries")
                                    .Has("paris", "v3!outlier_detection"))),
            Lines({Informs("cluster \"paris\": outlier_detection: accepted, but not enforced by "
                           "this build (said once a field)")}));
}

TEST(AckNack, BoundsTheTextOfANack) {  // R1.33
  Conversation talk;
  Answer answer(kEndpoints, "1");
  for (int i = 0; i < 1000; ++i) {
    const std::string place = absl::StrCat("place-", i);
    talk.Watch("alice", kEndpoints, place);
    answer.Has(place, std::string(1000, 'x'));
  }
  talk.Settle();
  talk.Pass(absl::Seconds(1));  // subscriptions may wait a little
  talk.Settle();
  const Lines lines = talk.Receive(answer).StartingWith("send");
  ASSERT_EQ(lines.lines.size(), size_t{1});
  const absl::string_view request = lines.lines[0];
  const absl::string_view text = request.substr(request.find("NACK 3: "));
  EXPECT_LT(text.size(), NackText::kMostBytes + 100);
  EXPECT_THAT(std::string(text), testing::HasSubstr("resources[0] endpoints \"place-0\": word: "));
  EXPECT_THAT(std::string(text), testing::ContainsRegex("; and [0-9]+ more$"));
  EXPECT_LT(talk.Shown(kEndpoints, "place-0").error->text.size(), size_t{8000});
}

}  // namespace
}  // namespace holdfast

#include "demo/story/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Report, ComesBackAsItWas) {
  for (const CallReport& report :
       {CallReport{}, CallReport{12, 3, "UNAVAILABLE: it is gone"}, CallReport{12, 12, "UNKNOWN: "},
        CallReport{0, 0, "", absl::Microseconds(2500001)}}) {
    EXPECT_EQ(ReportIn(LineOf(report)), report);
  }
}

TEST(Report, StaysOneLine) {
  EXPECT_EQ(LineOf(CallReport{1, 1, "UNKNOWN: two\nlines\tand a tab"}),
            "1\t1\t0\tUNKNOWN: two lines and a tab");
}

TEST(Report, IsNotInALineOfAnotherKind) {
  for (const char* line :
       {"", "1", "1\t2", "1\t2\t", "one\t2\t3\t", "1\t-2\t3\t", "1\t2\tlong\t"}) {
    EXPECT_EQ(ReportIn(line), std::nullopt) << line;
  }
}

TEST(Answer, ComesBackAsItWas) {
  const Answer answer = {absl::Milliseconds(4), "UNAVAILABLE: no listener"};
  EXPECT_EQ(AnswerIn(LineOf(answer)), answer);
  EXPECT_EQ(AnswerIn("soon\tUNAVAILABLE"), std::nullopt);
}

TEST(Warning, IsFoundInTheLogAndNothingElse) {
  EXPECT_EQ(WarningIn("2026-01-02T03:04:05.678Z WARNING client: cluster \"web\": rejected"),
            "cluster \"web\": rejected");
  EXPECT_EQ(WarningIn("2026-01-02T03:04:05.678Z INFO client: all is well"), std::nullopt);
  EXPECT_EQ(WarningIn("WARNING"), std::nullopt);
  EXPECT_EQ(WarningIn(""), std::nullopt);
}

TEST(Record, AddsUpAndKeepsTheNewestError) {
  ClientRecord client;
  client.Add({10, 1, "UNAVAILABLE: first", absl::Milliseconds(10)});
  client.Add({10, 2, "UNAVAILABLE: second", absl::Milliseconds(30)});
  client.Add({10, 0, "", absl::Milliseconds(20)});
  EXPECT_EQ(client.calls, (CallReport{30, 3, "UNAVAILABLE: second", absl::Milliseconds(30)}));
}

TEST(Record, QuotesTheWarningThatSaysWhatWasPromised) {
  const Promise promise = {.log_says = {"listener", "keeping"}};
  EXPECT_EQ(TellingWarning(promise, {}), "");
  EXPECT_EQ(TellingWarning(promise, {.warnings = {"one", "two"}}), "two");
  EXPECT_EQ(TellingWarning(promise, {.warnings = {"listener: keeping it", "two"}}),
            "listener: keeping it");
}

struct Row {
  std::string name;
  Promise promise;
  ClientRecord client;
  std::vector<std::string> broken;
};

class Promises : public testing::TestWithParam<Row> {};

TEST_P(Promises, AreBrokenForTheReasonThatIsGiven) {
  const Row& row = GetParam();
  const Act act = {.trouble = Mishap::kNone, .event = "act", .promise = row.promise};
  EXPECT_EQ(BrokenPromises(act, row.client), row.broken);
}

const Promise kNoFailure = {.no_call_fails = true};
const Promise kNoPause = {.no_call_fails = true, .longest_pause = absl::Seconds(2)};
const Promise kLog = {.log_says = {"cluster \"web\"", "keeping"}};
const Promise kBoth = {.error_says = {"refused", "xds server"}};
const Promise kAnswer = {.answer_says = {"no listener"}, .answers_within = absl::Seconds(1)};
const Promise kRecovery = {.recovers_within = absl::Seconds(30)};
const CallReport kGood = {100, 0, ""};

INSTANTIATE_TEST_SUITE_P(
    Table, Promises,
    testing::Values(
        Row{"NothingPromised", {}, {.calls = kGood}, {}},
        Row{"NoCalls", {}, {}, {"act: calls go on; not one came to an end"}},
        Row{"NoneFailed", kNoFailure, {.calls = kGood}, {}},
        Row{"OneFailed",
            kNoFailure,
            {.calls = {100, 1, "UNAVAILABLE: gone"}},
            {"act: no call fails; 1 of 100 did: UNAVAILABLE: gone"}},
        Row{"AShortPause", kNoPause, {.calls = {100, 0, "", absl::Seconds(2)}}, {}},
        Row{"ALongPause",
            kNoPause,
            {.calls = {100, 0, "", absl::Milliseconds(2100)}},
            {"act: no pause between calls is longer than 2.0 s; one is 2.1 s"}},
        Row{"ALongPauseWhereNoneIsExcluded",
            kNoFailure,
            {.calls = {100, 0, "", absl::Seconds(9)}},
            {}},
        Row{"LogSaysIt",
            kLog,
            {.calls = kGood, .warnings = {"cluster \"web\": keeping 1", "x"}},
            {}},
        Row{"LogSaysItInTwoLines",
            kLog,
            {.calls = kGood, .warnings = {"cluster \"web\"", "keeping"}},
            {"act: the log says \"cluster \\\"web\\\"\" and \"keeping\"; its newest warning is: "
             "keeping"}},
        Row{"LogIsEmpty",
            kLog,
            {.calls = kGood},
            {"act: the log says \"cluster \\\"web\\\"\" and \"keeping\"; it says nothing"}},
        Row{"BothReasons", kBoth, {.calls = {100, 100, "refused (xds server dead)"}}, {}},
        Row{"OneReason",
            kBoth,
            {.calls = {100, 100, "UNAVAILABLE: refused"}},
            {"act: a call that fails says \"refused\" and \"xds server\"; it says: UNAVAILABLE: "
             "refused"}},
        Row{"NoFailureToExplain",
            kBoth,
            {.calls = kGood},
            {"act: a call that fails says \"refused\" and \"xds server\"; none failed"}},
        Row{"AnswersSoon",
            kAnswer,
            {.calls = kGood, .answer = Answer{absl::Milliseconds(4), "no listener \"x\""}},
            {}},
        Row{"AnswersLate",
            kAnswer,
            {.calls = kGood, .answer = Answer{absl::Seconds(15), "no listener \"x\""}},
            {"act: an answer that says \"no listener\" within 1.0 s; after 15.0 s: no listener "
             "\"x\""}},
        Row{"AnswersSomethingElse",
            kAnswer,
            {.calls = kGood, .answer = Answer{absl::Milliseconds(4), "no idea"}},
            {"act: an answer that says \"no listener\" within 1.0 s; after 4 ms: no idea"}},
        Row{"StaysSilent",
            kAnswer,
            {.calls = kGood, .silence = absl::Seconds(9)},
            {"act: an answer that says \"no listener\" within 1.0 s; none after 9.0 s"}},
        Row{"Recovers", kRecovery, {.calls = kGood, .recovered = absl::Seconds(2)}, {}},
        Row{"RecoversLate",
            kRecovery,
            {.calls = kGood, .recovered = absl::Seconds(31)},
            {"act: calls are answered within 30.0 s; it took 31.0 s"}},
        Row{"NeverRecovers",
            kRecovery,
            {.calls = {100, 100, "UNAVAILABLE: gone"}},
            {"act: calls are answered within 30.0 s; they are not: UNAVAILABLE: gone"}},
        Row{"BreaksTwoAtOnce",
            {.no_call_fails = true, .log_says = {"why"}},
            {.calls = {2, 2, "UNAVAILABLE: gone"}},
            {"act: no call fails; 2 of 2 did: UNAVAILABLE: gone",
             "act: the log says \"why\"; it says nothing"}}),
    [](const auto& row) { return row.param.name; });

TEST(Decided, IsWhatMoreTimeCannotChange) {
  const CallReport failed = {100, 1, "UNAVAILABLE: refused"};
  EXPECT_TRUE(IsDecided({}, {}));
  EXPECT_TRUE(IsDecided(kNoFailure, {.calls = kGood}));
  EXPECT_FALSE(IsDecided(kLog, {.calls = kGood}));
  EXPECT_TRUE(IsDecided(kLog, {.warnings = {"cluster \"web\": keeping 1"}}));
  EXPECT_FALSE(IsDecided(kBoth, {.calls = failed}));
  EXPECT_TRUE(IsDecided(kBoth, {.calls = {1, 1, "refused (xds server dead)"}}));
  EXPECT_FALSE(IsDecided(kAnswer, {.calls = kGood}));
  EXPECT_TRUE(IsDecided(kAnswer, {.answer = Answer{absl::Seconds(15), "anything"}}));
  // Broken is broken, whatever the log would have said.
  const Promise both = {.no_call_fails = true, .log_says = {"why"}};
  EXPECT_FALSE(IsDecided(both, {.calls = kGood}));
  const Promise goes_on = {.longest_pause = absl::Seconds(2), .log_says = {"why"}};
  EXPECT_FALSE(IsDecided(goes_on, {.calls = kGood}));
  EXPECT_TRUE(IsDecided(goes_on, {.calls = {1, 0, "", absl::Seconds(3)}}));
  EXPECT_TRUE(IsDecided(both, {.calls = failed}));
}

}  // namespace
}  // namespace holdfast

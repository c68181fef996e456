#include "demo/story/act_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text_width.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;

TEST(Wrapped, BreaksAtSpaces) {
  EXPECT_THAT(WrappedAt("", 10), ElementsAre(""));
  EXPECT_THAT(WrappedAt("one two three", 10), ElementsAre("one two", "three"));
  EXPECT_THAT(WrappedAt("one two", 7), ElementsAre("one two"));
  EXPECT_THAT(WrappedAt("✔ ok", 4), ElementsAre("✔ ok"));
  EXPECT_THAT(WrappedAt("a-very-long-word and more", 8),
              ElementsAre("a-very-long-word", "and more"));
}

TEST(LiveLines, SayHowCallsDoNow) {
  const ClientRecord sum = {.calls = {310, 287, "UNAVAILABLE: before"}};
  EXPECT_EQ(TextOf(LiveLine{"Holdfast", sum, {10, 0, ""}, 99.6}, 100, {}),
            "     ✔ Holdfast            100 calls/s     23 ok    287 failed");
  EXPECT_EQ(TextOf(LiveLine{"Holdfast", sum, {10, 1, "UNAVAILABLE: it is gone"}, 99.6}, 100, {}),
            "     ✖ Holdfast            100 calls/s     23 ok    287 failed  UNAVAILABLE: it is "
            "gone");
  // No call came to an end: that is not well.
  EXPECT_EQ(TextOf(LiveLine{"Holdfast", sum, {}, 0}, 100, {}),
            "     ✖ Holdfast              0 calls/s     23 ok    287 failed");
}

TEST(LiveLines, FitIntoTheTerminal) {
  const ClientRecord sum = {.calls = {310, 287, ""}};
  const CallReport now = {10, 1, "UNAVAILABLE: it is gone"};
  for (const size_t columns : {0, 3, 8, 40, 70, 90}) {
    EXPECT_LE(WidthOf(TextOf(LiveLine{"Holdfast", sum, now, 100}, columns, {})),
              std::max<size_t>(columns, 8));
  }
}

TEST(Heading, NumbersTheAct) {
  EXPECT_THAT(Heading({.title = "It breaks", .telling = {"One.", "Two."}}, 2, 8, {}),
              ElementsAre("", "2/8  It breaks", "     One.", "     Two."));
}

TEST(Outcome, IsNotGoodIfCallsStoodStill) {
  const Promise promise = {.no_call_fails = true, .longest_pause = absl::Seconds(2)};
  const Outcome stood = OutcomeOf(promise, {.calls = {12, 0, "", absl::Seconds(4)}});
  EXPECT_EQ(stood.text, "0 of 12 failed, none ended for 4.0 s");
  EXPECT_FALSE(stood.is_good);
  const Outcome went_on = OutcomeOf(promise, {.calls = {12, 0, "", absl::Seconds(1)}});
  EXPECT_EQ(went_on.text, "0 of 12 failed");
  EXPECT_TRUE(went_on.is_good);
}

TEST(Closing, SaysWhatBecameOfBoth) {
  const Act act = {.promise = {.no_call_fails = true, .log_says = {"keeping"}}};
  const ActRecord record = {
      .holdfast = {.calls = {312, 0, ""}, .warnings = {"xds:///web: listener: keeping 7"}},
      .stock = {.calls = {310, 287, "UNAVAILABLE: it does not exist"},
                .unwell = absl::Milliseconds(2040)}};
  EXPECT_THAT(
      Closing(act, record, "stock gRPC 1.51.1", 40, {}),
      ElementsAre("     ✖ stock gRPC 1.51.1  287 of 310 failed, not back in 2.0 s",
                  "       UNAVAILABLE: it does not exist",
                  "       All is repaired, and it does not…",
                  "     ✔ Holdfast           0 of 312 failed", "       log: listener: keeping 7"));
}

TEST(Closing, QuotesInFullWhereTheWordsAreThePoint) {
  const Act act = {.promise = {.error_says = {"refused", "xds"}}, .ends_repaired = false};
  const ActRecord record = {.holdfast = {.calls = {80, 80, "UNAVAILABLE: refused (xds is dead)"}},
                            .stock = {.calls = {80, 80, "UNAVAILABLE: refused"}}};
  EXPECT_THAT(Closing(act, record, "stock gRPC 1.51.1", 32, {}),
              ElementsAre("     ✖ stock gRPC 1.51.1  80 of 80 failed, 1 of 2 reasons",
                          "       UNAVAILABLE: refused",
                          "     ✔ Holdfast           80 of 80 failed, 2 of 2 reasons",
                          "       UNAVAILABLE: refused (xds",  //
                          "       is dead)"));
}

}  // namespace
}  // namespace holdfast

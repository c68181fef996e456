#include "demo/story/ending.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "demo/story/act_text.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kStock[] = "stock gRPC 1.51.1";

// A story in which all happens that a table can show.
std::vector<ToldAct> Told() {
  const Act deleted = {.trouble = Mishap::kListenerDeleted,
                       .event = "listener deleted",
                       .promise = {.no_call_fails = true, .log_says = {"keeping"}}};
  const Act missing = {
      .trouble = Mishap::kMissingName,
      .event = "missing name",
      .promise = {.answer_says = {"no listener"}, .answers_within = absl::Seconds(1)}};
  const Act dead = {.trouble = Mishap::kAllDead,
                    .event = "all dead",
                    .promise = {.error_says = {"refused", "xds"}},
                    .ends_repaired = false};
  const Act repaired = {.trouble = Mishap::kRepaired,
                        .event = "all repaired",
                        .promise = {.recovers_within = absl::Seconds(30)}};
  return {
      {deleted,
       {.holdfast = {.calls = {312, 0, ""}, .warnings = {"listener: keeping 7", "and routes"}},
        .stock = {.calls = {310, 287, "UNAVAILABLE: does not exist"}, .unwell = absl::Seconds(2)}}},
      {missing,
       {.holdfast = {.calls = {10, 0, ""},
                     .answer = Answer{absl::Milliseconds(4), "UNAVAILABLE: no listener"}},
        .stock = {.calls = {10, 0, ""}, .silence = absl::Milliseconds(9100)}}},
      {dead,
       {.holdfast = {.calls = {80, 80, "UNAVAILABLE: refused (xds server dead)"}},
        .stock = {.calls = {81, 80, "UNAVAILABLE: refused"}}}},
      {repaired,
       {.holdfast = {.calls = {40, 9, "UNAVAILABLE: refused"},
                     .recovered = absl::Milliseconds(258)},
        .stock = {.calls = {40, 40, "UNAVAILABLE: refused"}, .unwell = absl::Seconds(30)}}},
  };
}

TEST(Ending, HasARowForEachAct) {
  EXPECT_THAT(
      EndingOf(Told(), kStock, {}).table,
      ElementsAre("what happened       stock gRPC 1.51.1                       Holdfast",
                  "listener deleted  ✖ 287 of 310 failed, not back in 2.0 s  ✔ 0 of 312 failed",
                  "missing name      ✖ still silent after 9.1 s              ✔ told after 4 ms",
                  "all dead          ✖ 80 of 81 failed, 1 of 2 reasons       "
                  "✔ 80 of 80 failed, 2 of 2 reasons",
                  "all repaired      ✖ not well after 30.0 s                 "
                  "✔ well again after 258 ms"));
}

TEST(Ending, QuotesAllThatWasSaid) {
  EXPECT_THAT(EndingOf(Told(), kStock, {}).words,
              ElementsAre("listener deleted:", "  stock gRPC 1.51.1  UNAVAILABLE: does not exist",
                          "  Holdfast's log     listener: keeping 7",  //
                          "missing name:",
                          "  Holdfast           UNAVAILABLE: no listener",  //
                          "all dead:",                                      //
                          "  stock gRPC 1.51.1  UNAVAILABLE: refused",
                          "  Holdfast           UNAVAILABLE: refused (xds server dead)",
                          "all repaired:",  //
                          "  stock gRPC 1.51.1  UNAVAILABLE: refused"));
}

TEST(Ending, JudgesHoldfastAndNobodyElse) {
  std::vector<ToldAct> told = Told();
  const Ending kept = EndingOf(told, kStock, {});
  EXPECT_TRUE(kept.is_kept());
  EXPECT_THAT(Conclusion(kept, told.size(), {}),
              ElementsAre("✔ Holdfast kept what it promises, in all 4 acts."));

  told[0].record.holdfast.calls = {312, 2, "UNAVAILABLE: deleted"};
  const Ending broken = EndingOf(told, kStock, {});
  EXPECT_FALSE(broken.is_kept());
  EXPECT_THAT(Conclusion(broken, told.size(), {}),
              ElementsAre("✖ Holdfast broke its promises:",
                          "  listener deleted: no call fails; 2 of 312 did: UNAVAILABLE: deleted"));
}

TEST(Ending, ColoursWhatItMarks) {
  const std::vector<std::string> table = EndingOf(Told(), kStock, {.has_colour = true}).table;
  EXPECT_EQ(table[1],
            "listener deleted  \033[31m✖ 287 of 310 failed, not back in 2.0 s\033[0m  "
            "\033[32m✔ 0 of 312 failed\033[0m");
}

}  // namespace
}  // namespace holdfast

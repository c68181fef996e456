#include "demo/story/act.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace holdfast {
namespace {

TEST(Script, HasEveryTroubleOnceInTheOrderOfTheStory) {
  std::vector<Mishap> troubles;
  for (const Act& act : Script("127.0.0.1:18000")) troubles.push_back(act.trouble);
  EXPECT_THAT(troubles,
              testing::ElementsAre(Mishap::kNone, Mishap::kBadCluster, Mishap::kListenerDeleted,
                                   Mishap::kDenied, Mishap::kMissingName, Mishap::kControlPlaneDead,
                                   Mishap::kAllDead, Mishap::kRepaired));
}

TEST(Script, PromisesThatNoCallFailsWhereverSomethingUsableIsKnown) {
  for (const Act& act : Script("127.0.0.1:18000")) {
    const bool has_nothing_usable =
        act.trouble == Mishap::kAllDead || act.trouble == Mishap::kRepaired;
    EXPECT_EQ(act.promise.no_call_fails, !has_nothing_usable) << act.event;
  }
}

// Calls that wait for ever do not fail: without this a client that stands still would be praised.
TEST(Script, PromisesThatCallsGoOnWhereverNoneMayFail) {
  for (const Act& act : Script("127.0.0.1:18000")) {
    EXPECT_EQ(act.promise.longest_pause,
              act.promise.no_call_fails ? absl::Seconds(2) : absl::InfiniteDuration())
        << act.event;
  }
}

TEST(Script, NeedsAReasonWhereverACallFailsOrTheNewestIsNotUsed) {
  for (const Act& act : Script("127.0.0.1:18000")) {
    const bool is_well = act.trouble == Mishap::kNone || act.trouble == Mishap::kRepaired;
    EXPECT_EQ(act.promise.log_says.empty() && act.promise.error_says.empty() &&
                  act.promise.answer_says.empty(),
              is_well)
        << act.event;
  }
}

TEST(Script, WantsTheControlPlaneNamedInTheWordsOfACallThatFails) {
  for (const Act& act : Script("127.0.0.1:18000")) {
    if (act.trouble != Mishap::kAllDead) continue;
    EXPECT_THAT(act.promise.error_says,
                testing::ElementsAre("Connection refused", "127.0.0.1:18000"));
  }
}

TEST(Script, CallsNoTwoActsByOneName) {
  std::set<std::string> events;
  for (const Act& act : Script("127.0.0.1:18000")) {
    EXPECT_TRUE(events.insert(act.event).second) << act.event;
    EXPECT_FALSE(act.title.empty());
    EXPECT_FALSE(act.telling.empty()) << act.event;
    for (const std::string& line : act.telling) EXPECT_LE(line.size(), 90U) << line;
  }
}

}  // namespace
}  // namespace holdfast

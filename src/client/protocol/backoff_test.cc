#include "client/protocol/backoff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "absl/time/time.h"

namespace holdfast {
namespace {

using absl::Seconds;

std::vector<absl::Duration> Delays(uint64_t seed, int count) {
  Backoff backoff(Seconds(1), Seconds(120), seed);
  std::vector<absl::Duration> delays;
  for (int i = 0; i < count; ++i) delays.push_back(backoff.Next());
  return delays;
}

TEST(Backoff, GrowsBySixTenthsUpToTwoMinutesEachWithinAFifth) {  // R4.30
  for (uint64_t seed = 0; seed < 100; ++seed) {
    absl::Duration middle = Seconds(1);
    for (const absl::Duration delay : Delays(seed, 30)) {
      EXPECT_GE(delay, middle * 0.8);
      EXPECT_LE(delay, middle * 1.2);
      middle = std::min(middle * 1.6, Seconds(120));
    }
    EXPECT_EQ(middle, Seconds(120));
  }
}

TEST(Backoff, UsesAllOfTheFifth) {  // R4.30
  absl::Duration least = Seconds(100);
  absl::Duration most;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const absl::Duration delay = Delays(seed, 1)[0];
    least = std::min(least, delay);
    most = std::max(most, delay);
  }
  EXPECT_LT(least, absl::Milliseconds(810));
  EXPECT_GT(most, absl::Milliseconds(1190));
}

TEST(Backoff, IsTheSameForTheSameSeed) {  // R4.30
  EXPECT_EQ(Delays(7, 10), Delays(7, 10));
  std::set<absl::Duration> firsts;
  for (uint64_t seed = 0; seed < 100; ++seed) firsts.insert(Delays(seed, 1)[0]);
  EXPECT_EQ(firsts.size(), size_t{100});
}

TEST(Backoff, BeginsAnewAfterAReset) {  // R4.30
  Backoff backoff(Seconds(1), Seconds(120), 1);
  for (int i = 0; i < 20; ++i) backoff.Next();
  EXPECT_GE(backoff.Next(), Seconds(96));
  backoff.Reset();
  EXPECT_LE(backoff.Next(), absl::Milliseconds(1200));
}

TEST(Backoff, CountsNoFailureForWhatIsOnlyJittered) {  // R4.34
  Backoff backoff(Seconds(1), Seconds(120), 1);
  for (int i = 0; i < 20; ++i) {
    const absl::Duration delay = backoff.Jittered(Seconds(10));
    EXPECT_GE(delay, Seconds(8));
    EXPECT_LE(delay, Seconds(12));
  }
  EXPECT_LE(backoff.Next(), absl::Milliseconds(1200));
}

TEST(Backoff, IsNeverShorterThanItsFirstDelayForASmallCap) {
  Backoff backoff(Seconds(5), Seconds(1), 1);
  EXPECT_GE(backoff.Next(), Seconds(4));
  EXPECT_GE(backoff.Next(), Seconds(4));
}

}  // namespace
}  // namespace holdfast

#include "app/duration_text.h"

#include "gtest/gtest.h"

namespace holdfast {
namespace {

TEST(ParseDuration, TakesANumberAndAUnit) {
  EXPECT_EQ(*ParseDuration("3s"), absl::Seconds(3));
  EXPECT_EQ(*ParseDuration("250ms"), absl::Milliseconds(250));
  EXPECT_EQ(*ParseDuration("1m30s"), absl::Seconds(90));
  EXPECT_EQ(*ParseDuration("0.5s"), absl::Milliseconds(500));
}

TEST(ParseDuration, RefusesWhatNobodyCanWaitFor) {
  for (const char* text : {"", "3", "s", "-1s", "0s", "inf", "three seconds"}) {
    const absl::StatusOr<absl::Duration> parsed = ParseDuration(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.status(),
              absl::InvalidArgumentError(
                  '"' + std::string(text) +
                  "\" is no duration above 0; write a number and a unit, as in 3s or 250ms"));
  }
}

TEST(MillisecondsText, HasOneDigitBehindThePoint) {
  EXPECT_EQ(MillisecondsText(absl::Microseconds(704)), "0.7ms");
  EXPECT_EQ(MillisecondsText(absl::Seconds(12)), "12000.0ms");
}

}  // namespace
}  // namespace holdfast

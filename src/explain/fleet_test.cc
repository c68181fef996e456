#include "explain/fleet.h"

#include <gtest/gtest.h>

#include "explain/age_text.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

TEST(Fleet, TypesHaveShortNames) {
  EXPECT_EQ(ShortTypeOf(kClusterTypeName), "cds");
  EXPECT_EQ(ShortTypeOf("acme.Thing"), "acme.Thing");
  EXPECT_EQ(FullTypeOf("eds"), kEndpointsTypeName);
  EXPECT_EQ(FullTypeOf("type.googleapis.com/acme.Thing"), "acme.Thing");
  EXPECT_EQ(NounAndName(kRouteConfigTypeName, "web"), "route configuration web");
  EXPECT_EQ(NounAndName("acme.Thing", "web"), "resource of type acme.Thing web");
}

TEST(Fleet, StandingsHaveNames) {
  for (const Standing standing :
       {Standing::kGood, Standing::kWaiting, Standing::kHeldBack, Standing::kFailed}) {
    EXPECT_EQ(StandingNamed(NameOf(standing)), standing);
  }
  EXPECT_EQ(StandingNamed("held back"), std::nullopt);
  EXPECT_EQ(WordFor(Standing::kHeldBack), "held back");
}

TEST(Fleet, AHashIsKnownByItsBeginning) {
  EXPECT_EQ(ShortVersion("93a2c3f4007c4d4866c641995b10caa7"), "93a2c3f4");
  EXPECT_EQ(ShortVersion("93a2c3f4"), "93a2c3f4");
  EXPECT_EQ(ShortVersion("2026-11-16T18:00:00Z/commit-12"), "2026-11-16T18:00:00Z/commit-12");
  EXPECT_EQ(ShortVersion("a\nb"), "a b");
}

// What clients do with a resource that does not come (R4.01): 15 s, or 30.
TEST(Fleet, WaitingIsACountdown) {
  EXPECT_EQ(WaitingText(absl::Seconds(4)), "REQUESTED (4 s of 15)");
  EXPECT_EQ(WaitingText(absl::Seconds(15)), "REQUESTED (15 s of 15)");
  EXPECT_EQ(WaitingText(absl::Seconds(16)), "REQUESTED (16 s of 30)");
  EXPECT_EQ(WaitingText(absl::Seconds(100)), "REQUESTED (100 s, longer than clients wait)");
  EXPECT_EQ(WaitingText(-absl::Seconds(1)), "REQUESTED (0 s of 15)");
  EXPECT_EQ(WaitingText(std::nullopt), "REQUESTED (clients wait 15 s, or 30)");
}

TEST(Fleet, WhoeverIsWaitedForIsInTheReason) {
  FleetResource pay;
  pay.standing = Standing::kWaiting;
  pay.trouble = Trouble::kRequested;
  pay.since = absl::UnixEpoch();
  const absl::Time now = absl::UnixEpoch() + absl::Seconds(4);
  EXPECT_EQ(ReasonOf(pay, now), "REQUESTED (4 s of 15)");
  // A version without a word that it was sent is one that it had.
  pay.offered = "a1";
  EXPECT_EQ(ReasonOf(pay, now), "REQUESTED (4 s of 15)");
  pay.trouble = Trouble::kUnanswered;
  EXPECT_EQ(ReasonOf(pay, now), "version a1 was sent and is not answered yet");
}

TEST(Fleet, AgesAreShort) {
  EXPECT_EQ(AgeText(absl::Milliseconds(10)), "0s");
  EXPECT_EQ(AgeText(absl::Seconds(119)), "119s");
  EXPECT_EQ(AgeText(absl::Minutes(2)), "2m");
  EXPECT_EQ(AgeText(absl::Minutes(119)), "119m");
  EXPECT_EQ(AgeText(absl::Hours(47)), "47h");
  EXPECT_EQ(AgeText(absl::Hours(48)), "2d");
  EXPECT_EQ(AgeText(-absl::Hours(1)), "0s");
  EXPECT_EQ(AgeText(absl::UnixEpoch(), std::nullopt), "-");
}

}  // namespace
}  // namespace holdfast

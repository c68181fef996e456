#include "channel/routing/timeouts.h"

#include <gtest/gtest.h>

#include <optional>

namespace holdfast {
namespace {

using Seconds = std::optional<int>;

std::optional<absl::Duration> DurationOf(Seconds seconds) {
  if (!seconds.has_value()) return std::nullopt;
  return absl::Seconds(*seconds);
}

ForwardAction Allowing(Seconds header_max, Seconds stream) {
  return {.clusters = "a",
          .max_stream_duration = DurationOf(stream),
          .grpc_timeout_header_max = DurationOf(header_max)};
}

TEST(Timeouts, AreCappedByTheFirstOfThreeThatIsSet) {  // R13.20
  struct Row {
    Seconds header_max, stream, listener, longest;
  };
  const Seconds unset;
  for (const Row& row : {
           Row{unset, unset, unset, unset}, Row{unset, unset, 0, unset}, Row{unset, unset, 7, 7},
           Row{unset, 0, unset, unset}, Row{unset, 0, 7, unset},  // the route's own "no cap" stands
           Row{unset, 5, unset, 5}, Row{unset, 5, 7, 5}, Row{unset, 9, 7, 9},  // and its longer cap
           Row{0, unset, unset, unset}, Row{0, unset, 7, unset}, Row{0, 5, 7, unset},
           Row{3, unset, unset, 3}, Row{3, 5, 7, 3},
           Row{30, 5, 7, 30},  // alone, though it is longer
       }) {
    EXPECT_EQ(LongestCall(Allowing(row.header_max, row.stream), DurationOf(row.listener)),
              DurationOf(row.longest))
        << row.header_max.value_or(-1) << ' ' << row.stream.value_or(-1) << ' '
        << row.listener.value_or(-1);
  }
}

TEST(Timeouts, EndACallAtTheEarlierOfApplicationAndRoute) {  // R13.21
  struct Row {
    Seconds application, header_max, stream, deadline;
  };
  const Seconds unset;
  const absl::Time now = absl::FromUnixSeconds(1'700'000'000);
  const auto time_of = [&](Seconds seconds) {
    return seconds.has_value() ? now + absl::Seconds(*seconds) : absl::InfiniteFuture();
  };
  for (const Row& row : {
           Row{unset, unset, unset, unset}, Row{unset, unset, 0, unset}, Row{unset, unset, 10, 10},
           Row{unset, 0, unset, unset},     Row{unset, 0, 0, unset},     Row{unset, 0, 5, unset},
           Row{unset, 10, unset, 10},       Row{unset, 10, 0, 10},       Row{unset, 10, 5, 10},
           Row{20, unset, unset, 20},       Row{20, unset, 0, 20},       Row{20, unset, 10, 10},
           Row{20, 0, unset, 20},           Row{20, 0, 0, 20},           Row{20, 0, 5, 20},
           Row{20, 10, unset, 10},          Row{20, 10, 0, 10},          Row{20, 10, 5, 10},
           Row{20, unset, 30, 20},          Row{20, 30, unset, 20},
       }) {
    const auto longest = LongestCall(Allowing(row.header_max, row.stream), std::nullopt);
    EXPECT_EQ(EffectiveDeadline(now, time_of(row.application), longest), time_of(row.deadline))
        << row.application.value_or(-1) << ' ' << row.header_max.value_or(-1) << ' '
        << row.stream.value_or(-1);
  }
}

TEST(Timeouts, AreNoTroubleWhenTheyAreVeryLong) {  // R13.21
  const absl::Time now = absl::FromUnixSeconds(1'700'000'000);
  EXPECT_EQ(EffectiveDeadline(now, absl::InfiniteFuture(), absl::InfiniteDuration()),
            absl::InfiniteFuture());
  EXPECT_EQ(EffectiveDeadline(now, absl::InfinitePast(), absl::Seconds(1)), absl::InfinitePast());
}

}  // namespace
}  // namespace holdfast

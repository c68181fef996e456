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

}  // namespace
}  // namespace holdfast

#include "channel/call/call_deadline.h"

#include <grpcpp/client_context.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "channel/routing/timeouts.h"

namespace holdfast {
namespace {

using Seconds = std::optional<int64_t>;

std::optional<absl::Duration> DurationOf(Seconds seconds) {
  if (!seconds.has_value()) return std::nullopt;
  return absl::Seconds(*seconds);
}

// A call that is made now; its deadline is in so many seconds.
class LimitedCall {
 public:
  explicit LimitedCall(Seconds application) {
    if (application.has_value()) {
      context_.set_deadline(gpr_time_add(gpr_convert_clock_type(made_, GPR_CLOCK_REALTIME),
                                         gpr_time_from_seconds(*application, GPR_TIMESPAN)));
    }
  }

  void Limit(absl::Duration longest) { LimitDeadline(context_, made_, longest); }

  // Rounded, as two clocks are not read at the same time.
  Seconds DeadlineIn() const {
    const gpr_timespec deadline = context_.raw_deadline();
    if (gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) == 0) return std::nullopt;
    const gpr_timespec in =
        gpr_time_sub(deadline, gpr_convert_clock_type(made_, deadline.clock_type));
    return in.tv_sec + (in.tv_nsec >= 500'000'000 ? 1 : 0);
  }

 private:
  const gpr_timespec made_ = gpr_now(GPR_CLOCK_MONOTONIC);
  grpc::ClientContext context_;
};

TEST(LimitDeadline, EndsACallAtTheEarlierOfApplicationAndRoute) {  // R13.21
  struct Row {
    Seconds application, header_max, stream, deadline;
  };
  const Seconds unset;
  for (const Row& row : {
           Row{unset, unset, unset, unset}, Row{unset, unset, 0, unset}, Row{unset, unset, 10, 10},
           Row{unset, 0, unset, unset},     Row{unset, 0, 0, unset},     Row{unset, 0, 5, unset},
           Row{unset, 10, unset, 10},       Row{unset, 10, 0, 10},       Row{unset, 10, 5, 10},
           Row{20, unset, unset, 20},       Row{20, unset, 0, 20},       Row{20, unset, 10, 10},
           Row{20, 0, unset, 20},           Row{20, 0, 0, 20},           Row{20, 0, 5, 20},
           Row{20, 10, unset, 10},          Row{20, 10, 0, 10},          Row{20, 10, 5, 10},
           Row{20, unset, 30, 20},          Row{20, 30, unset, 20},
       }) {
    const ForwardAction action = {.clusters = "a",
                                  .max_stream_duration = DurationOf(row.stream),
                                  .grpc_timeout_header_max = DurationOf(row.header_max)};
    LimitedCall call(row.application);
    if (const auto longest = LongestCall(action, std::nullopt)) call.Limit(*longest);
    EXPECT_EQ(call.DeadlineIn(), row.deadline)
        << row.application.value_or(-1) << ' ' << row.header_max.value_or(-1) << ' '
        << row.stream.value_or(-1);
  }
}

TEST(LimitDeadline, IsNoTroubleForALimitThatIsVeryLong) {  // R13.21
  constexpr int64_t kHundredYears = int64_t{100} * 365 * 24 * 3600;
  LimitedCall endless(std::nullopt);
  endless.Limit(absl::InfiniteDuration());
  EXPECT_EQ(endless.DeadlineIn(), Seconds(kHundredYears));
  LimitedCall over(-5);
  over.Limit(absl::Seconds(1));
  EXPECT_EQ(over.DeadlineIn(), Seconds(-5));
}

}  // namespace
}  // namespace holdfast

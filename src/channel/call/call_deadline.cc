#include "channel/call/call_deadline.h"

#include <algorithm>

namespace holdfast {
namespace {

// No call lives so long, and it can be added to any time.
constexpr absl::Duration kLongest = absl::Hours(24 * 365 * 100);

}  // namespace

gpr_timespec LatestEnd(gpr_timespec made, absl::Duration longest) {
  longest = std::clamp(longest, absl::ZeroDuration(), kLongest);
  return gpr_time_add(made, gpr_time_from_nanos(absl::ToInt64Nanoseconds(longest), GPR_TIMESPAN));
}

void LimitDeadline(grpc::ClientContext& context, gpr_timespec made, absl::Duration longest) {
  const gpr_timespec limit = LatestEnd(made, longest);
  // Compared on the clock of `made`, but written on the one that contexts have: an interceptor may
  // read it, and gRPC does not compare times of different clocks.
  const gpr_timespec deadline = context.raw_deadline();
  if (gpr_time_cmp(gpr_convert_clock_type(deadline, limit.clock_type), limit) <= 0) return;
  context.set_deadline(gpr_convert_clock_type(limit, deadline.clock_type));
}

}  // namespace holdfast

#include "channel/routing/timeouts.h"

namespace holdfast {

std::optional<absl::Duration> LongestCall(const ForwardAction& action,
                                          std::optional<absl::Duration> default_longest) {
  std::optional<absl::Duration> longest = action.grpc_timeout_header_max;
  if (!longest.has_value()) longest = action.max_stream_duration;
  if (!longest.has_value()) longest = default_longest;
  if (longest.has_value() && *longest <= absl::ZeroDuration()) return std::nullopt;
  return longest;
}

}  // namespace holdfast

// How long a call may take at most (gRFC A31).
#pragma once

#include <optional>

#include "absl/time/time.h"
#include "resources/route_config.h"

namespace holdfast {

// What a route allows its calls; absent: as long as the application does. A
// grpc_timeout_header_max alone decides where it is set; else the route's max_stream_duration, else
// `default_longest`, which is the listener's. Zero is no cap.
std::optional<absl::Duration> LongestCall(const ForwardAction& action,
                                          std::optional<absl::Duration> default_longest);

}  // namespace holdfast

// Durations as people write them on a command line: "3s", "250ms", "1m30s".
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace holdfast {

// INVALID_ARGUMENT, with how it is written, for anything that is not finite and above 0.
absl::StatusOr<absl::Duration> ParseDuration(absl::string_view text);

// In milliseconds, as a column wants it: "0.7ms", "12003.0ms".
std::string MillisecondsText(absl::Duration duration);

}  // namespace holdfast

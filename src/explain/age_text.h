// How long ago, as people say it in a column: "3s", "5m", "2h", "4d".
#pragma once

#include <optional>
#include <string>

#include "absl/time/time.h"

namespace holdfast {

// Below zero, where two clocks disagree, is "0s".
std::string AgeText(absl::Duration age);
// "-" if nobody knows since when.
std::string AgeText(absl::Time now, std::optional<absl::Time> since);

// RFC 3339 in UTC, with milliseconds.
std::string TimeText(absl::Time time);

}  // namespace holdfast

#include "app/duration_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/outside_text.h"

namespace holdfast {

absl::StatusOr<absl::Duration> ParseDuration(absl::string_view text) {
  absl::Duration duration;
  if (!absl::ParseDuration(text, &duration) || duration <= absl::ZeroDuration() ||
      duration == absl::InfiniteDuration()) {
    return absl::InvalidArgumentError(absl::StrCat(
        Quoted(text), " is no duration above 0; write a number and a unit, as in 3s or 250ms"));
  }
  return duration;
}

std::string MillisecondsText(absl::Duration duration) {
  return absl::StrFormat("%.1fms", absl::ToDoubleMilliseconds(duration));
}

}  // namespace holdfast

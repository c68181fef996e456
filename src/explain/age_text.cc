#include "explain/age_text.h"

#include <cstdint>

#include "absl/strings/str_cat.h"

namespace holdfast {

std::string AgeText(absl::Duration age) {
  if (age < absl::ZeroDuration()) return "0s";
  const int64_t seconds = absl::ToInt64Seconds(age);
  if (seconds < 120) return absl::StrCat(seconds, "s");
  if (seconds < 120 * 60) return absl::StrCat(seconds / 60, "m");
  if (seconds < 48 * 3600) return absl::StrCat(seconds / 3600, "h");
  return absl::StrCat(seconds / (24 * 3600), "d");
}

std::string AgeText(absl::Time now, std::optional<absl::Time> since) {
  return since.has_value() ? AgeText(now - *since) : "-";
}

std::string TimeText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", time, absl::UTCTimeZone());
}

}  // namespace holdfast

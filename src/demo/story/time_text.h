// Times for people: "4 ms", "1.2 s".
#pragma once

#include <string>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"

namespace holdfast {

inline std::string TimeText(absl::Duration time) {
  if (time < absl::Seconds(1)) return absl::StrFormat("%.0f ms", absl::ToDoubleMilliseconds(time));
  return absl::StrFormat("%.1f s", absl::ToDoubleSeconds(time));
}

}  // namespace holdfast

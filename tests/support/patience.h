// How long a test waits for what must come.
#pragma once

#include "absl/time/time.h"

namespace holdfast {

// Far longer than anything takes on a loaded machine with sanitizers; only failures wait so long.
inline constexpr absl::Duration kPatience = absl::Seconds(30);

}  // namespace holdfast

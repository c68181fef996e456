// Whether a name may be that of a resource.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace holdfast {

// INVALID_ARGUMENT for what no client could ask for: an empty name, "*", which asks for all, and a
// malformed xdstp name. `type` is without prefix.
absl::Status CheckResourceName(absl::string_view name, absl::string_view type);

}  // namespace holdfast

// What the system says of a path, as a status:
//   "/etc/holdfast/bootstrap.json": cannot be opened: No such file or directory
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace holdfast {

// `error` is an errno. Without the duplicate that absl::ErrnoToStatus makes.
absl::Status SystemError(const std::string& path, absl::string_view what, int error);

}  // namespace holdfast

// Small files that a user named: configuration and certificates.
//
// An error names the file and the reason, never what is in it. Thread-safe; may block as files do.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace holdfast {

// All of it. NOT_FOUND, PERMISSION_DENIED and the like as the system says; RESOURCE_EXHAUSTED if it
// is longer than `most_bytes`:
//   "/etc/holdfast/bootstrap.json": cannot be opened: No such file or directory
absl::StatusOr<std::string> ReadTextFile(const std::string& path, size_t most_bytes);

// OK if it can be read and is not empty; INVALID_ARGUMENT if it is empty.
absl::Status CheckTextFile(const std::string& path);

}  // namespace holdfast

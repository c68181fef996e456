// Environment variables. Thread-safe as long as nobody writes them.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace holdfast {

// nullopt if it is not set. An empty variable counts as not set: that is how shells unset one for a
// single command.
inline std::optional<std::string> ReadVariable(absl::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

}  // namespace holdfast

// Text as a JSON string.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace holdfast {

// In quotes, all of it, on one line, without control characters. What is no UTF-8 comes as U+FFFD,
// byte by byte.
std::string JsonText(absl::string_view text);

}  // namespace holdfast

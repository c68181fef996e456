// Percent-decoding of a part of a URI (RFC 3986), as ResourceName does it.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace holdfast {

// Any bytes may come out. nullopt if a "%" is not followed by two hexadecimal digits.
std::optional<std::string> PercentDecoded(absl::string_view text);

}  // namespace holdfast

// Text as RFC 3629 wants it: shortest form only, no surrogates, nothing above U+10FFFF. What a
// proto3 string or a JSON text may hold.
#pragma once

#include <cstddef>

#include "absl/strings/string_view.h"

namespace holdfast {

// How long the character at the start of `text` is; 0 if there is none.
size_t Utf8CharacterLength(absl::string_view text);

bool IsUtf8(absl::string_view text);

}  // namespace holdfast

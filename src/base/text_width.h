// Columns of a terminal: text measured, filled and cut in characters.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace holdfast {

// How many characters; a wide one, of which some terminals make two columns, counts as one.
size_t WidthOf(absl::string_view text);

// With spaces behind it, if it is narrower.
std::string Padded(std::string text, size_t width);

// With "…" as its last character if it is wider.
std::string CutTo(absl::string_view text, size_t width);

}  // namespace holdfast

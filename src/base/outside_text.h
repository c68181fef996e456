// Text that somebody else wrote, made fit for our own error messages and logs: bounded, one line,
// valid UTF-8, whatever it was.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace holdfast {

// Enough to recognise a name by.
inline constexpr size_t kMostQuotedBytes = 200;

// At most `most` bytes of it, cut at a whole character, with "… (N bytes in all)" where it was cut.
// Control characters become spaces, and so do those that turn the direction of a text; if it is no
// UTF-8 its bytes come as \xNN.
std::string BoundedText(absl::string_view text, size_t most = kMostQuotedBytes);

// Whether BoundedText would have to make spaces of characters of this text, which is UTF-8.
bool HasUnseenCharacters(absl::string_view text);

// As BoundedText, in quotes, with any quote inside as \", so that nobody can end it early.
std::string Quoted(absl::string_view text);

}  // namespace holdfast

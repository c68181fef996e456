#include "base/outside_text.h"

#include "absl/algorithm/container.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/utf8.h"

namespace holdfast {
namespace {

bool IsContinuationByte(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

// U+0080 to U+009F, which some terminals take for commands: 0xC2 and a second byte below 0xA0.
bool IsLateControl(const std::string& text, size_t at) {
  return static_cast<unsigned char>(text[at]) == 0xC2 && at + 1 < text.size() &&
         static_cast<unsigned char>(text[at + 1]) < 0xA0;
}

// What changes the direction or the lines of all that follows it on a terminal, and is not seen
// itself: U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069 and U+FEFF, of three bytes each.
bool IsUnseen(absl::string_view character) {
  constexpr absl::string_view kUnseen[] = {"\u200e", "\u200f", "\u2028", "\u2029", "\u202a",
                                           "\u202b", "\u202c", "\u202d", "\u202e", "\u2066",
                                           "\u2067", "\u2068", "\u2069", "\ufeff"};
  return absl::c_linear_search(kUnseen, character);
}

}  // namespace

std::string BoundedText(absl::string_view text, size_t most) {
  size_t length = text.size();
  if (length > most) {
    length = most;
    while (length > 0 && IsContinuationByte(text[length])) --length;
  }
  const absl::string_view start = text.substr(0, length);
  std::string bounded = IsUtf8(start) ? std::string(start) : absl::CHexEscape(start);
  for (size_t i = 0; i < bounded.size(); ++i) {
    if (IsControl(bounded[i])) bounded[i] = ' ';
    if (IsLateControl(bounded, i)) bounded.replace(i, 2, "  ");
    if (IsUnseen(absl::string_view(bounded).substr(i, 3))) bounded.replace(i, 3, "   ");
  }
  if (length < text.size()) absl::StrAppend(&bounded, "… (", text.size(), " bytes in all)");
  return bounded;
}

bool HasUnseenCharacters(absl::string_view text) {
  return IsUtf8(text) && BoundedText(text, text.size()) != text;
}

std::string Quoted(absl::string_view text) {
  return absl::StrCat("\"", absl::StrReplaceAll(BoundedText(text), {{"\"", "\\\""}}), "\"");
}

}  // namespace holdfast

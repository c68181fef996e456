#include "base/outside_text.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/utf8.h"

namespace holdfast {
namespace {

bool IsContinuationByte(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

}  // namespace

std::string BoundedText(absl::string_view text, size_t most) {
  size_t length = text.size();
  if (length > most) {
    length = most;
    while (length > 0 && IsContinuationByte(text[length])) --length;
  }
  const absl::string_view start = text.substr(0, length);
  std::string bounded = IsUtf8(start) ? std::string(start) : absl::CHexEscape(start);
  for (char& c : bounded) {
    if (IsControl(c)) c = ' ';
  }
  if (length < text.size()) absl::StrAppend(&bounded, "… (", text.size(), " bytes in all)");
  return bounded;
}

std::string Quoted(absl::string_view text) { return absl::StrCat("\"", BoundedText(text), "\""); }

}  // namespace holdfast

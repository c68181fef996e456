#include "base/text_width.h"

namespace holdfast {
namespace {

bool IsStartOfCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

}  // namespace

size_t WidthOf(absl::string_view text) {
  size_t width = 0;
  for (const char c : text) width += IsStartOfCharacter(c) ? 1 : 0;
  return width;
}

std::string Padded(std::string text, size_t width) {
  const size_t has = WidthOf(text);
  if (has < width) text.append(width - has, ' ');
  return text;
}

std::string CutTo(absl::string_view text, size_t width) {
  if (WidthOf(text) <= width) return std::string(text);
  if (width == 0) return "";
  size_t at = 0;
  for (size_t kept = 0; at < text.size(); ++at) {
    if (IsStartOfCharacter(text[at]) && ++kept == width) break;
  }
  return std::string(text.substr(0, at)) + "…";
}

}  // namespace holdfast

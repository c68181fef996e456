#include "base/json_text.h"

#include "absl/strings/str_cat.h"
#include "base/utf8.h"

namespace holdfast {
namespace {

void AppendEscaped(char c, std::string& out) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte < 0x20 || byte == 0x7F) {
    absl::StrAppend(&out, "\\u", absl::Hex(byte, absl::kZeroPad4));
  } else {
    out += c;
  }
}

}  // namespace

std::string JsonText(absl::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const size_t length = Utf8CharacterLength(text);
    if (length == 0) {
      out += "\uFFFD";
    } else if (length == 1) {
      AppendEscaped(text[0], out);
    } else if (length == 2 && text[0] == '\xC2' && text[1] < '\xA0') {
      // U+0080 to U+009F: some terminals take them for commands.
      absl::StrAppend(&out, "\\u", absl::Hex(static_cast<unsigned char>(text[1]), absl::kZeroPad4));
    } else {
      absl::StrAppend(&out, text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out += '"';
}

}  // namespace holdfast

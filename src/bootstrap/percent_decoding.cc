#include "bootstrap/percent_decoding.h"

#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"

namespace holdfast {

std::optional<std::string> PercentDecoded(absl::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const absl::string_view digits = text.substr(i + 1, 2);
    const bool is_hex = digits.size() == 2 &&
                        absl::ascii_isxdigit(static_cast<unsigned char>(digits[0])) &&
                        absl::ascii_isxdigit(static_cast<unsigned char>(digits[1]));
    if (!is_hex) return std::nullopt;
    decoded += absl::HexStringToBytes(digits);
    i += 2;
  }
  return decoded;
}

}  // namespace holdfast

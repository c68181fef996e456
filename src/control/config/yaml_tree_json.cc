// ReadJsonInto: JSON, which is YAML too, but comes in files that are one line. yaml-cpp holds all
// tokens of a flow collection until it ends, at a hundred bytes each; this reader holds nothing.
#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "control/config/yaml_tree_builder.h"

namespace holdfast {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

class JsonScan {
 public:
  JsonScan(YamlTreeBuilder& builder, absl::string_view text) : builder_(builder), rest_(text) {}

  bool ReadAll() {
    builder_.StartDocument();
    SkipSpace();
    if (!ReadValue()) return false;
    SkipSpace();
    return rest_.empty();
  }

 private:
  YamlPlace Here() const { return {line_, column_}; }

  char Peek() const { return rest_.empty() ? '\0' : rest_[0]; }

  void Skip(size_t bytes) {
    rest_.remove_prefix(bytes);
    column_ += static_cast<int>(bytes);
  }

  bool Take(char c) {
    if (Peek() != c || rest_.empty()) return false;
    Skip(1);
    return true;
  }

  void SkipSpace() {
    while (!rest_.empty()) {
      if (rest_[0] == '\n') {
        rest_.remove_prefix(1);
        ++line_;
        column_ = 1;
      } else if (rest_[0] == ' ' || rest_[0] == '\t' || rest_[0] == '\r') {
        Skip(1);
      } else {
        return;
      }
    }
  }

  // The builder refuses to go deeper than its limit, so this does not either.
  bool ReadValue() {
    const YamlPlace place = Here();
    switch (Peek()) {
      case '{':
        return ReadObject(place);
      case '[':
        return ReadArray(place);
      case '"': {
        std::string text;
        if (!ReadString(text)) return false;
        builder_.AddScalar(place, text, /*is_quoted=*/true);
        return true;
      }
      default:
        return ReadWord(place) || ReadNumber(place);
    }
  }

  bool ReadObject(YamlPlace place) {
    Skip(1);
    builder_.Open(place, YamlNode::Kind::kMap);
    SkipSpace();
    if (!Take('}')) {
      do {
        SkipSpace();
        const YamlPlace key_place = Here();
        std::string key;
        if (!ReadString(key)) return false;
        builder_.AddScalar(key_place, key, /*is_quoted=*/true);
        SkipSpace();
        if (!Take(':')) return false;
        SkipSpace();
        if (!ReadValue()) return false;
        SkipSpace();
      } while (Take(','));
      if (!Take('}')) return false;
    }
    builder_.Close();
    return true;
  }

  bool ReadArray(YamlPlace place) {
    Skip(1);
    builder_.Open(place, YamlNode::Kind::kSequence);
    SkipSpace();
    if (!Take(']')) {
      do {
        SkipSpace();
        if (!ReadValue()) return false;
        SkipSpace();
      } while (Take(','));
      if (!Take(']')) return false;
    }
    builder_.Close();
    return true;
  }

  bool ReadWord(YamlPlace place) {
    for (const absl::string_view word : {"true", "false", "null"}) {
      if (!absl::StartsWith(rest_, word)) continue;
      Skip(word.size());
      if (word == "null") {
        builder_.AddNull(place);
      } else {
        builder_.AddScalar(place, word, /*is_quoted=*/false);
      }
      return true;
    }
    return false;
  }

  bool ReadNumber(YamlPlace place) {
    size_t length = 0;
    while (length < rest_.size() &&
           (IsDigit(rest_[length]) ||
            absl::string_view("+-.eE").find(rest_[length]) != absl::string_view::npos)) {
      ++length;
    }
    const absl::string_view number = rest_.substr(0, length);
    // YAML takes more than JSON does; whoever reads the number says what is wrong with it.
    if (number.empty() || TypeOfPlainScalar(number) != YamlScalarType::kNumber) return false;
    Skip(length);
    builder_.AddScalar(place, number, /*is_quoted=*/false);
    return true;
  }

  bool ReadString(std::string& out) {
    if (!Take('"')) return false;
    while (true) {
      const size_t plain = rest_.find_first_of("\"\\\n\r\t");
      if (plain == absl::string_view::npos) return false;
      out.append(rest_.data(), plain);
      Skip(plain);
      if (Take('"')) return true;
      if (!Take('\\') || !ReadEscape(out)) return false;
    }
  }

  bool ReadEscape(std::string& out) {
    constexpr absl::string_view kLetters = "\"\\/bfnrt";
    constexpr absl::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char letter = Peek();
    if (rest_.empty()) return false;
    Skip(1);
    if (const size_t at = kLetters.find(letter); at != absl::string_view::npos) {
      out += kMeanings[at];
      return true;
    }
    uint32_t code = 0;
    if (letter != 'u' || !ReadHex(code)) return false;
    if (code >= 0xdc00 && code <= 0xdfff) return false;
    if (code >= 0xd800 && code <= 0xdbff) {
      uint32_t low = 0;
      if (!Take('\\') || !Take('u') || !ReadHex(low) || low < 0xdc00 || low > 0xdfff) return false;
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    AppendUtf8(code, out);
    return true;
  }

  bool ReadHex(uint32_t& code) {
    if (rest_.size() < 4) return false;
    for (size_t i = 0; i < 4; ++i) {
      const char c = rest_[i];
      const char lower = static_cast<char>(c | 0x20);
      if (IsDigit(c)) {
        code = code * 16 + static_cast<uint32_t>(c - '0');
      } else if (lower >= 'a' && lower <= 'f') {
        code = code * 16 + static_cast<uint32_t>(lower - 'a' + 10);
      } else {
        return false;
      }
    }
    Skip(4);
    return true;
  }

  static void AppendUtf8(uint32_t code, std::string& out) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xc0 | (code >> 6));
      tail(0);
    } else if (code < 0x10000) {
      out += static_cast<char>(0xe0 | (code >> 12));
      tail(6);
      tail(0);
    } else {
      out += static_cast<char>(0xf0 | (code >> 18));
      tail(12);
      tail(6);
      tail(0);
    }
  }

  YamlTreeBuilder& builder_;
  absl::string_view rest_;
  int line_ = 1;
  int column_ = 1;
};

}  // namespace

bool ReadJsonInto(YamlTreeBuilder& builder, absl::string_view text) {
  return JsonScan(builder, text).ReadAll();
}

}  // namespace holdfast

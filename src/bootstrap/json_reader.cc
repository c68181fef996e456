#include "bootstrap/json_reader.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/outside_text.h"
#include "base/utf8.h"

namespace holdfast {
namespace {

constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

// REQUIRES: a Unicode scalar value.
void AppendCharacter(uint32_t code, std::string& out) {
  const auto append = [&](uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    append(code);
  } else if (code < 0x800) {
    append(0xC0 | (code >> 6));
    append(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    append(0xE0 | (code >> 12));
    append(0x80 | ((code >> 6) & 0x3F));
    append(0x80 | (code & 0x3F));
  } else {
    append(0xF0 | (code >> 18));
    append(0x80 | ((code >> 12) & 0x3F));
    append(0x80 | ((code >> 6) & 0x3F));
    append(0x80 | (code & 0x3F));
  }
}

bool IsHighSurrogate(uint32_t code) { return code >= 0xD800 && code <= 0xDBFF; }
bool IsLowSurrogate(uint32_t code) { return code >= 0xDC00 && code <= 0xDFFF; }

// A recursive descent, never deeper than kMostJsonLevels. Each Read… returns false once error_ is
// set, and everybody above returns false too.
class Reader {
 public:
  Reader(absl::string_view text, size_t most_values) : text_(text), most_values_(most_values) {}

  absl::StatusOr<JsonValue> Read() {
    JsonValue value;
    SkipSpace();
    if (!ReadValue(value)) return error_;
    SkipSpace();
    if (next_ < text_.size()) {
      Expected("nothing after the value");
      return error_;
    }
    return value;
  }

 private:
  bool ReadValue(JsonValue& value);
  bool ReadArray(JsonValue::Array& array);
  bool ReadObject(JsonValue::Object& object);
  bool ReadMember(JsonValue::Object& object);
  bool ReadString(std::string& string);
  bool ReadEscape(std::string& string);
  bool ReadUnicodeEscape(std::string& string);
  bool ReadFourHexDigits(uint32_t& code);
  bool ReadNumber(double& number);
  bool ReadDigits();
  bool ReadWord(absl::string_view word);

  bool Fail(TextPosition at, absl::string_view text) {
    error_ = absl::InvalidArgumentError(absl::StrCat(TextOf(at), ": ", text));
    return false;
  }
  bool Expected(absl::string_view what) {
    return Fail(Here(), absl::StrCat("expected ", what, " (got ", Got(), ")"));
  }
  // What stands here, in words. One character and no more: it may be inside somebody's secret.
  std::string Got() const;

  TextPosition Here() const {
    return {.line = line_, .column = static_cast<int>(next_ - line_start_) + 1};
  }
  bool AtEnd() const { return next_ == text_.size(); }
  bool IsNext(char c) const { return !AtEnd() && text_[next_] == c; }
  bool IsDigitNext() const { return !AtEnd() && IsDigit(text_[next_]); }
  bool Take(char c) {
    if (!IsNext(c)) return false;
    ++next_;
    return true;
  }
  void SkipSpace();

  const absl::string_view text_;
  const size_t most_values_;
  size_t next_ = 0;
  // Only white space moves these: a newline cannot stand inside any other part of JSON.
  int line_ = 1;
  size_t line_start_ = 0;

  int levels_ = 0;
  size_t values_ = 0;
  absl::Status error_;
};

std::string Reader::Got() const {
  if (AtEnd()) return "the end of the text";
  const char c = text_[next_];
  if (absl::ascii_isprint(static_cast<unsigned char>(c))) {
    return c == '"' ? "a quote" : absl::StrCat("\"", absl::string_view(&c, 1), "\"");
  }
  return absl::StrCat("byte 0x", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
}

void Reader::SkipSpace() {
  while (!AtEnd()) {
    const char c = text_[next_];
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') return;
    ++next_;
    if (c == '\n') {
      ++line_;
      line_start_ = next_;
    }
  }
}

bool Reader::ReadValue(JsonValue& value) {
  value.at = Here();
  if (++values_ > most_values_) {
    return Fail(value.at, absl::StrCat("more than ", most_values_, " values"));
  }
  if (AtEnd()) return Expected("a value");
  switch (text_[next_]) {
    case '{':
      return ReadObject(value.value.emplace<JsonValue::Object>());
    case '[':
      return ReadArray(value.value.emplace<JsonValue::Array>());
    case '"':
      return ReadString(value.value.emplace<std::string>());
    case 't':
      value.value = true;
      return ReadWord("true");
    case 'f':
      value.value = false;
      return ReadWord("false");
    case 'n':
      return ReadWord("null");
    default:
      if (!IsNext('-') && !IsDigitNext()) return Expected("a value");
      return ReadNumber(value.value.emplace<double>());
  }
}

bool Reader::ReadArray(JsonValue::Array& array) {
  if (++levels_ > kMostJsonLevels) {
    return Fail(Here(), absl::StrCat("nested deeper than ", kMostJsonLevels, " levels"));
  }
  ++next_;  // "["
  SkipSpace();
  if (!IsNext(']')) {
    do {
      SkipSpace();
      if (!ReadValue(array.emplace_back())) return false;
      SkipSpace();
    } while (Take(','));
  }
  if (!Take(']')) return Expected("\",\" or \"]\" after an element");
  --levels_;
  return true;
}

bool Reader::ReadObject(JsonValue::Object& object) {
  if (++levels_ > kMostJsonLevels) {
    return Fail(Here(), absl::StrCat("nested deeper than ", kMostJsonLevels, " levels"));
  }
  ++next_;  // "{"
  SkipSpace();
  if (!IsNext('}')) {
    do {
      SkipSpace();
      if (!ReadMember(object)) return false;
      SkipSpace();
    } while (Take(','));
  }
  if (!Take('}')) return Expected("\",\" or \"}\" after a member");
  --levels_;
  return true;
}

bool Reader::ReadMember(JsonValue::Object& object) {
  const TextPosition at = Here();
  if (!IsNext('"')) return Expected("a key in quotes");
  std::string key;
  if (!ReadString(key)) return false;
  const auto [member, is_new] = object.try_emplace(std::move(key));
  if (!is_new) {
    return Fail(at, absl::StrCat("key \"", BoundedText(member->first),
                                 "\" appears twice (its first value is at ",
                                 TextOf(member->second.at), ")"));
  }
  SkipSpace();
  if (!Take(':')) return Expected("\":\" after a key");
  SkipSpace();
  return ReadValue(member->second);
}

bool Reader::ReadString(std::string& string) {
  const TextPosition start = Here();
  ++next_;  // the quote
  while (!AtEnd()) {
    const char c = text_[next_];
    if (c == '"') {
      ++next_;
      return true;
    }
    if (c == '\\') {
      if (!ReadEscape(string)) return false;
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x20) {
      return Expected("a string without raw control characters");
    }
    const size_t length = Utf8CharacterLength(text_.substr(next_));
    if (length == 0) return Expected("valid UTF-8 in a string");
    string.append(text_.data() + next_, length);
    next_ += length;
  }
  return Expected(absl::StrCat("the closing quote of the string that starts at ", TextOf(start)));
}

bool Reader::ReadEscape(std::string& string) {
  ++next_;  // the backslash
  constexpr absl::string_view kLetters = "\"\\/bfnrt";
  constexpr absl::string_view kMeanings = "\"\\/\b\f\n\r\t";
  if (IsNext('u')) return ReadUnicodeEscape(string);
  const size_t which = AtEnd() ? absl::string_view::npos : kLetters.find(text_[next_]);
  if (which == absl::string_view::npos) {
    return Expected("one of \" \\ / b f n r t u after a backslash");
  }
  string += kMeanings[which];
  ++next_;
  return true;
}

bool Reader::ReadUnicodeEscape(std::string& string) {
  TextPosition at = Here();
  --at.column;  // the backslash
  const auto fail_alone = [&] {
    return Fail(at, "half of a surrogate pair; a character needs both halves");
  };
  ++next_;  // "u"
  uint32_t code = 0;
  if (!ReadFourHexDigits(code)) return false;
  if (IsLowSurrogate(code)) return fail_alone();
  if (IsHighSurrogate(code)) {
    uint32_t low = 0;
    if (!Take('\\') || !Take('u')) {
      return AtEnd() ? Expected("the second half of a surrogate pair") : fail_alone();
    }
    if (!ReadFourHexDigits(low)) return false;
    if (!IsLowSurrogate(low)) return fail_alone();
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  AppendCharacter(code, string);
  return true;
}

bool Reader::ReadFourHexDigits(uint32_t& code) {
  for (int i = 0; i < 4; ++i) {
    const char c = AtEnd() ? '?' : text_[next_];
    if (!absl::ascii_isxdigit(static_cast<unsigned char>(c))) {
      return Expected("four hexadecimal digits after \\u");
    }
    const int digit =
        IsDigit(c) ? c - '0' : absl::ascii_tolower(static_cast<unsigned char>(c)) - 'a' + 10;
    code = code * 16 + static_cast<uint32_t>(digit);
    ++next_;
  }
  return true;
}

bool Reader::ReadNumber(double& number) {
  const TextPosition at = Here();
  const size_t start = next_;
  Take('-');
  if (Take('0')) {
    if (IsDigitNext()) return Fail(at, "a number must not begin with 0 and another digit");
  } else if (!ReadDigits()) {
    return false;
  }
  if (Take('.') && !ReadDigits()) return false;
  if (Take('e') || Take('E')) {
    if (!Take('+')) Take('-');
    if (!ReadDigits()) return false;
  }
  const absl::from_chars_result parsed =
      absl::from_chars(text_.data() + start, text_.data() + next_, number);
  // A number too small is out of range too, and becomes 0, which is near enough.
  if (parsed.ec == std::errc::result_out_of_range && std::abs(number) > 1) {
    return Fail(at, "number too large");
  }
  return true;
}

bool Reader::ReadDigits() {
  if (!IsDigitNext()) return Expected("a digit");
  while (IsDigitNext()) ++next_;
  return true;
}

bool Reader::ReadWord(absl::string_view word) {
  for (const char c : word) {
    if (!Take(c)) return Expected(absl::StrCat("the word ", word));
  }
  return true;
}

}  // namespace

std::string TextOf(TextPosition at) {
  return absl::StrCat("line ", at.line, ", column ", at.column);
}

absl::StatusOr<JsonValue> ReadJson(absl::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "text of ", text.size(), " bytes is longer than the limit of ", limits.bytes, " bytes"));
  }
  absl::ConsumePrefix(&text, kByteOrderMark);
  return Reader(text, limits.values).Read();
}

}  // namespace holdfast

#include "control/config/scalar_values.h"

#include <cmath>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

// Beyond it a double cannot tell a whole number from its neighbour.
constexpr double kMostExactDouble = 9007199254740992.0;  // 2^53

// Ten thousand years, in google.protobuf.Duration's own words.
constexpr int64_t kMostDurationSeconds = 315'576'000'000;
constexpr int64_t kLeastTimestampSeconds = -62'135'596'800;  // 0001-01-01T00:00:00Z
constexpr int64_t kMostTimestampSeconds = 253'402'300'799;   // 9999-12-31T23:59:59Z

constexpr absl::string_view kDigits = "0123456789";

bool AllDigits(absl::string_view text) {
  return !text.empty() && text.find_first_not_of(kDigits) == absl::string_view::npos;
}

std::string TextOf(absl::int128 number) {
  // Only 64 bits are ever asked for.
  return number < 0 ? absl::StrCat(static_cast<int64_t>(number))
                    : absl::StrCat(static_cast<uint64_t>(number));
}

absl::Status OutOfRange(YamlNode node, absl::int128 least, absl::int128 most) {
  return absl::InvalidArgumentError(absl::StrCat("must be from ", TextOf(least), " to ",
                                                 TextOf(most), " (got ", BoundedText(node.text()),
                                                 ")"));
}

// "0x1f" and "0o17" of YAML 1.2; nullopt for anything else.
absl::StatusOr<absl::int128> PrefixedInteger(absl::string_view digits, int bits_a_digit) {
  absl::int128 value = 0;
  if (digits.size() > 22) return absl::OutOfRangeError("");
  for (const char c : digits) {
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    value = (value << bits_a_digit) + digit;
  }
  return value;
}

// Two readers of "010" see two numbers: 8 to one, 10 to the other.
bool HasLeadingZero(absl::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0' && AllDigits(text);
}

}  // namespace

absl::Status Expected(absl::string_view what, YamlNode got) {
  const bool is_text = got.is_scalar() && (got.is_quoted() || TypeOfPlainScalar(got.text()) ==
                                                                  YamlScalarType::kString);
  return absl::InvalidArgumentError(absl::StrCat(
      "expected ", what, ", got ",
      is_text           ? Quoted(got.text())
      : got.is_scalar() ? absl::StrCat(got.KindText(), " (", BoundedText(got.text()), ")")
                        : std::string(got.KindText())));
}

absl::StatusOr<absl::int128> IntegerOf(YamlNode node, absl::int128 least, absl::int128 most) {
  if (!node.is_scalar()) return Expected("a number", node);
  absl::string_view text = node.text();
  if (TypeOfPlainScalar(text) != YamlScalarType::kNumber) return Expected("a number", node);
  if (HasLeadingZero(text)) {
    return absl::InvalidArgumentError(absl::StrCat("a number must not begin with 0 (got ",
                                                   BoundedText(text),
                                                   "): some would read it as octal"));
  }
  absl::int128 value = 0;
  absl::string_view digits = text;
  if (absl::ConsumePrefix(&digits, "0x") || absl::ConsumePrefix(&digits, "0o")) {
    const absl::StatusOr<absl::int128> read = PrefixedInteger(digits, text[1] == 'x' ? 4 : 3);
    if (!read.ok()) return OutOfRange(node, least, most);
    value = *read;
  } else if (AllDigits(absl::StripPrefix(absl::StripPrefix(text, "-"), "+"))) {
    if (!absl::SimpleAtoi(text, &value)) return OutOfRange(node, least, most);
  } else {
    double number = 0;
    if (!absl::SimpleAtod(text, &number) || std::isnan(number) || std::trunc(number) != number) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected a whole number, got ", BoundedText(text)));
    }
    if (std::abs(number) > kMostExactDouble) return OutOfRange(node, least, most);
    value = static_cast<int64_t>(number);
  }
  if (value < least || value > most) return OutOfRange(node, least, most);
  return value;
}

absl::StatusOr<double> DoubleOf(YamlNode node) {
  if (!node.is_scalar()) return Expected("a number", node);
  const absl::string_view text = node.text();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "NaN" || absl::EqualsIgnoreCase(text, ".nan")) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const absl::string_view unsigned_text = absl::StripPrefix(absl::StripPrefix(text, "-"), "+");
  if (unsigned_text == "Infinity" || absl::EqualsIgnoreCase(unsigned_text, ".inf")) {
    return absl::StartsWith(text, "-") ? -kInfinity : kInfinity;
  }
  if (TypeOfPlainScalar(text) != YamlScalarType::kNumber) return Expected("a number", node);
  if (absl::StartsWith(text, "0x") || absl::StartsWith(text, "0o")) {
    const absl::StatusOr<absl::int128> integer =
        IntegerOf(node, 0, absl::int128(std::numeric_limits<uint64_t>::max()));
    if (!integer.ok()) return integer.status();
    return static_cast<double>(*integer);
  }
  double number = 0;
  // The one thing that can be wrong with a well-formed number: too big.
  if (!absl::SimpleAtod(text, &number) || std::isinf(number)) {
    return absl::InvalidArgumentError(
        absl::StrCat("is too big a number (", BoundedText(text), ")"));
  }
  return number;
}

absl::StatusOr<float> FloatOf(YamlNode node) {
  const absl::StatusOr<double> number = DoubleOf(node);
  if (!number.ok()) return number.status();
  if (std::isfinite(*number) && std::abs(*number) > std::numeric_limits<float>::max()) {
    return absl::InvalidArgumentError(
        absl::StrCat("is too big a number (", BoundedText(node.text()), ")"));
  }
  return static_cast<float>(*number);
}

absl::StatusOr<bool> BoolOf(YamlNode node) {
  if (!node.is_scalar()) return Expected("true or false", node);
  for (const char* const word : {"true", "True", "TRUE"}) {
    if (node.text() == word) return true;
  }
  for (const char* const word : {"false", "False", "FALSE"}) {
    if (node.text() == word) return false;
  }
  return Expected("true or false", node);
}

absl::StatusOr<std::string> StringOf(YamlNode node) {
  if (!node.is_scalar()) return Expected("a string", node);
  if (!node.is_quoted() && TypeOfPlainScalar(node.text()) != YamlScalarType::kString) {
    return absl::InvalidArgumentError(
        absl::StrCat(Expected("a string", node).message(), "; write it in quotes"));
  }
  return std::string(node.text());
}

absl::StatusOr<std::string> BytesOf(YamlNode node) {
  if (!node.is_scalar()) return Expected("bytes in base64", node);
  std::string bytes;
  if (absl::Base64Unescape(node.text(), &bytes) ||
      absl::WebSafeBase64Unescape(node.text(), &bytes)) {
    return bytes;
  }
  // What was meant to be bytes may be a key.
  return absl::InvalidArgumentError(
      absl::StrCat("expected bytes in base64, got a text of ", node.text().size(), " bytes"));
}

absl::StatusOr<SecondsAndNanos> DurationOf(YamlNode node) {
  constexpr absl::string_view kForm = "a duration in seconds, such as 1s or 0.25s";
  if (!node.is_scalar()) return Expected(kForm, node);
  absl::string_view text = node.text();
  const bool is_negative = absl::ConsumePrefix(&text, "-");
  if (!absl::ConsumeSuffix(&text, "s")) return Expected(kForm, node);
  const size_t point = text.find('.');
  const absl::string_view whole = text.substr(0, point);
  const absl::string_view fraction =
      point == absl::string_view::npos ? "0" : text.substr(point + 1);
  if (!AllDigits(whole) || !AllDigits(fraction)) return Expected(kForm, node);
  if (fraction.size() > 9) {
    return absl::InvalidArgumentError(
        absl::StrCat("is finer than a nanosecond (", BoundedText(node.text()), ")"));
  }
  SecondsAndNanos duration;
  if (!absl::SimpleAtoi(whole, &duration.seconds) || duration.seconds > kMostDurationSeconds) {
    return absl::InvalidArgumentError(absl::StrCat("must be at most ", kMostDurationSeconds,
                                                   "s (got ", BoundedText(node.text()), ")"));
  }
  for (size_t i = 0; i < 9; ++i) {
    duration.nanos = duration.nanos * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
  }
  if (is_negative) {
    duration.seconds = -duration.seconds;
    duration.nanos = -duration.nanos;
  }
  return duration;
}

absl::StatusOr<SecondsAndNanos> TimestampOf(YamlNode node) {
  constexpr absl::string_view kForm = "a time such as 2026-01-02T03:04:05Z";
  absl::Time time;
  // absl would also take "infinite-future".
  if (!node.is_scalar() || !absl::StrContains(node.text(), "T") ||
      !absl::ParseTime(absl::RFC3339_full, node.text(), &time, nullptr)) {
    return Expected(kForm, node);
  }
  const int64_t seconds = absl::ToUnixSeconds(time);
  if (seconds < kLeastTimestampSeconds || seconds > kMostTimestampSeconds) {
    return absl::InvalidArgumentError(
        absl::StrCat("must be in the years 1 to 9999 (got ", BoundedText(node.text()), ")"));
  }
  const absl::Duration rest = time - absl::FromUnixSeconds(seconds);
  return SecondsAndNanos{seconds, static_cast<int32_t>(absl::ToInt64Nanoseconds(rest))};
}

}  // namespace holdfast

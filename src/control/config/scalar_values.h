// What the scalars of proto3 JSON mean: numbers, booleans, bytes, durations and times, from YAML or
// JSON, quoted or not where both are allowed.
//
// An error is INVALID_ARGUMENT; its message says what was expected and what was there.
#pragma once

#include <cstdint>
#include <string>

#include "absl/numeric/int128.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "control/config/yaml_tree.h"

namespace holdfast {

// A whole number, also as a string, since JSON cannot hold 64 bits; 1.0 and 1e3 are whole.
absl::StatusOr<absl::int128> IntegerOf(YamlNode node, absl::int128 least, absl::int128 most);

// "NaN", "Infinity", and YAML's .nan and .inf are numbers too.
absl::StatusOr<double> DoubleOf(YamlNode node);
absl::StatusOr<float> FloatOf(YamlNode node);

absl::StatusOr<bool> BoolOf(YamlNode node);

// Strict: what looks like a number is one, and must be put in quotes to be a string.
absl::StatusOr<std::string> StringOf(YamlNode node);

// Base64, the standard alphabet or the one for URLs, padded or not. Errors do not show what is
// there.
absl::StatusOr<std::string> BytesOf(YamlNode node);

struct SecondsAndNanos {
  int64_t seconds = 0;
  int32_t nanos = 0;  // of a duration: never of the other sign than seconds

  friend bool operator==(const SecondsAndNanos&, const SecondsAndNanos&) = default;
};

// "1.5s": seconds, with up to nine digits of a fraction.
absl::StatusOr<SecondsAndNanos> DurationOf(YamlNode node);
// RFC 3339: "2026-01-02T03:04:05.678Z".
absl::StatusOr<SecondsAndNanos> TimestampOf(YamlNode node);

// "expected a number, got a list"; a scalar is quoted instead of its kind.
absl::Status Expected(absl::string_view what, YamlNode got);

}  // namespace holdfast

// Matchers that several resources share, as plain values. Compiling a regex is the reader's
// business; the decoder has already proved that RE2 accepts it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace holdfast {

struct StringMatcher {
  enum class Kind { kExact, kPrefix, kSuffix, kContains, kSafeRegex };
  Kind kind = Kind::kExact;
  std::string pattern;
  bool ignore_case = false;  // never set for a regex, which brings its own flags

  friend bool operator==(const StringMatcher&, const StringMatcher&) = default;
};

struct HeaderMatcher {
  // start <= value < end, for a header that is a base-10 integer.
  struct Range {
    int64_t start = 0;
    int64_t end = 0;
    friend bool operator==(const Range&, const Range&) = default;
  };
  struct Presence {
    bool present = true;
    friend bool operator==(const Presence&, const Presence&) = default;
  };

  std::string name;
  std::variant<StringMatcher, Range, Presence> rule;
  bool invert = false;

  friend bool operator==(const HeaderMatcher&, const HeaderMatcher&) = default;
};

}  // namespace holdfast

// How a standing looks on a terminal: a sign and a colour, which say the same as its word.
#pragma once

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "explain/fleet.h"

namespace holdfast {

struct StandingSign {
  absl::string_view sign;
  absl::string_view colour;
};

inline constexpr absl::string_view kColourReset = "\x1b[0m";

inline StandingSign SignOf(Standing standing) {
  constexpr StandingSign kSigns[] = {
      {"✔", "\x1b[32m"}, {"◌", "\x1b[36m"}, {"▲", "\x1b[33m"}, {"✖", "\x1b[31m"}};
  return kSigns[static_cast<size_t>(standing)];
}

// "▲ held back", all equally wide.
inline std::string SignAndWord(Standing standing, bool has_colour) {
  constexpr size_t kWidest = 9;  // "held back"
  const absl::string_view word = WordFor(standing);
  return absl::StrCat(has_colour ? SignOf(standing).colour : "", SignOf(standing).sign, " ", word,
                      has_colour ? kColourReset : "", std::string(kWidest - word.size(), ' '));
}

}  // namespace holdfast

// How the demo writes: each colour goes with a sign, so that nothing is lost without it.
#pragma once

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace holdfast {

struct Style {
  bool has_colour = false;

  std::string Good(absl::string_view text) const { return Painted("32", text); }
  std::string Bad(absl::string_view text) const { return Painted("31", text); }
  std::string Bold(absl::string_view text) const { return Painted("1", text); }
  std::string Faint(absl::string_view text) const { return Painted("2", text); }
  // With its sign.
  std::string Marked(bool is_good, absl::string_view text) const {
    return is_good ? Good(absl::StrCat("✔ ", text)) : Bad(absl::StrCat("✖ ", text));
  }

 private:
  std::string Painted(absl::string_view code, absl::string_view text) const {
    if (!has_colour) return std::string(text);
    return absl::StrCat("\033[", code, "m", text, "\033[0m");
  }
};

}  // namespace holdfast

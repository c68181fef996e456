#include "bootstrap/data_error_handling.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/outside_text.h"

namespace holdfast {

DataErrorHandling ReadDataErrorHandling(std::optional<absl::string_view> text) {
  if (!text.has_value()) return {};
  for (const absl::string_view yes : {"true", "1", "yes"}) {
    if (absl::EqualsIgnoreCase(*text, yes)) return {.is_enabled = true, .warning = {}};
  }
  for (const absl::string_view no : {"false", "0", "no"}) {
    if (absl::EqualsIgnoreCase(*text, no)) return {.is_enabled = false, .warning = {}};
  }
  return {.is_enabled = true,
          .warning = absl::StrCat(kDataErrorHandlingVariable, ": must be true or false (got ",
                                  Quoted(*text), "); treated as unset, which means true")};
}

}  // namespace holdfast

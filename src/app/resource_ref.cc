#include "app/resource_ref.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/did_you_mean.h"
#include "base/outside_text.h"
#include "resources/decode/registry.h"

namespace holdfast {
namespace {

constexpr absl::string_view kShortTypes[] = {"lds", "rds", "cds", "eds"};

// What else people call them.
constexpr std::pair<absl::string_view, absl::string_view> kOtherWords[] = {
    {"listener", "lds"}, {"listeners", "lds"}, {"route", "rds"},    {"routes", "rds"},
    {"cluster", "cds"},  {"clusters", "cds"},  {"endpoint", "eds"}, {"endpoints", "eds"},
};

// Empty if nothing comes to mind.
std::string ShortTypeMeantBy(absl::string_view word) {
  const std::string lower = absl::AsciiStrToLower(word);
  for (const auto& [other, short_type] : kOtherWords) {
    if (lower == other) return std::string(short_type);
  }
  return std::string(DidYouMean(word, kShortTypes).value_or(""));
}

absl::Status UnknownType(absl::string_view type, absl::string_view name) {
  const std::string meant = ShortTypeMeantBy(type);
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown type ", Quoted(type), ": it is lds, rds, cds or eds",
      meant.empty() ? "" : absl::StrCat("; did you mean ", meant, "/", BoundedText(name), "?")));
}

}  // namespace

absl::StatusOr<ResourceRef> ParseResourceRef(absl::string_view text) {
  const size_t slash = text.find('/');
  if (slash == absl::string_view::npos) {
    const bool is_type = FindResourceTypeByShortName(text) != nullptr;
    return absl::InvalidArgumentError(
        absl::StrCat(Quoted(text), " is no resource: write TYPE/NAME, as in ",
                     is_type        ? absl::StrCat(text, "/pay")
                     : text.empty() ? "cds/pay"
                                    : absl::StrCat("cds/", BoundedText(text))));
  }
  const absl::string_view type_word = text.substr(0, slash);
  const absl::string_view name = text.substr(slash + 1);
  const AnyResourceType* type = FindResourceTypeByShortName(type_word);
  if (type == nullptr) return UnknownType(type_word, name);
  if (name.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(Quoted(text), " names no resource: write TYPE/NAME, as in ", text, "pay"));
  }
  return ResourceRef{type, absl::AsciiStrToLower(type_word), std::string(name)};
}

}  // namespace holdfast

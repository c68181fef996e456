#include "channel/lb/policy_words.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

std::string InParentheses(absl::string_view note) {
  return note.empty() ? std::string() : absl::StrCat(" (", note, ")");
}

}  // namespace

absl::Status PolicyWords::Failure(absl::string_view sentence) const {
  return absl::UnavailableError(
      absl::StrCat("cluster ", Quoted(cluster), ": ", sentence, InParentheses(note)));
}

absl::Status PolicyWords::WithNote(const absl::Status& theirs) const {
  absl::Status noted(theirs.code(), absl::StrCat(theirs.message(), InParentheses(note)));
  theirs.ForEachPayload([&](absl::string_view type_url, const absl::Cord& payload) {
    noted.SetPayload(type_url, payload);
  });
  return noted;
}

}  // namespace holdfast

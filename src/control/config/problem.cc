#include "control/config/problem.h"

#include "absl/strings/str_cat.h"

namespace holdfast {

std::string TextOf(const Problem& problem) {
  std::string text = problem.file;
  if (problem.line > 0) absl::StrAppend(&text, ":", problem.line, ":", problem.column);
  absl::StrAppend(&text, problem.kind == Problem::Kind::kError ? ": error: " : ": warning: ");
  if (!problem.field.empty()) absl::StrAppend(&text, problem.field, ": ");
  absl::StrAppend(&text, problem.text);
  return text;
}

}  // namespace holdfast

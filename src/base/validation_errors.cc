#include "base/validation_errors.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace holdfast {
namespace {

// The run of digits at `at`, without leading zeros, so that length then text orders numbers.
absl::string_view NumberAt(absl::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[end]))) ++end;
  absl::string_view digits = text.substr(at, end - at);
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return digits;
}

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

}  // namespace

bool FieldPathBefore(absl::string_view a, absl::string_view b) {
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (IsDigit(a[i]) && IsDigit(b[j])) {
      const absl::string_view x = NumberAt(a, i);
      const absl::string_view y = NumberAt(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      while (i < a.size() && IsDigit(a[i])) ++i;
      while (j < b.size() && IsDigit(b[j])) ++j;
      continue;
    }
    if (a[i] != b[j]) return a[i] < b[j];
    ++i;
    ++j;
  }
  return a.size() - i < b.size() - j;
}

ValidationErrors::Field::Field(ValidationErrors& errors, absl::string_view name)
    : errors_(errors), length_before_(errors.path_.size()) {
  absl::StrAppend(&errors_.path_, name);
}

ValidationErrors::Field::Field(ValidationErrors& errors, absl::string_view name, size_t index)
    : errors_(errors), length_before_(errors.path_.size()) {
  absl::StrAppend(&errors_.path_, name, "[", index, "]");
}

ValidationErrors::Field::~Field() { errors_.path_.resize(length_before_); }

void ValidationErrors::Add(absl::string_view text) {
  ++count_;
  const bool is_full = kept_.size() == kMostKept;
  if (is_full && (matters_ == nullptr || mattering_from_ == 0)) return;
  absl::string_view path = path_;
  if (!path.empty() && path.front() == '.') path.remove_prefix(1);
  FieldError error{std::string(path), std::string(text)};
  if (!is_full) {
    kept_.push_back(std::move(error));
    return;
  }
  if (!matters_(error)) return;
  while (mattering_from_ > 0 && matters_(kept_[mattering_from_ - 1])) --mattering_from_;
  if (mattering_from_ > 0) kept_[--mattering_from_] = std::move(error);
}

bool ValidationErrors::Spend(size_t effort) {
  // Saturates, so that no sum of efforts comes out small again.
  effort_ = effort > kMostEffort ? kMostEffort + 1 : std::min(effort_ + effort, kMostEffort + 1);
  return has_effort_left();
}

std::vector<FieldError> ValidationErrors::Sorted() const {
  std::vector<FieldError> sorted = kept_;
  std::sort(sorted.begin(), sorted.end(), [](const FieldError& a, const FieldError& b) {
    if (a.path != b.path) {
      // Paths that differ only in leading zeros are equal to a reader; keep the order total.
      if (FieldPathBefore(a.path, b.path)) return true;
      if (FieldPathBefore(b.path, a.path)) return false;
      return a.path < b.path;
    }
    return a.text < b.text;
  });
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

std::string ValidationErrors::Text(size_t most) const {
  const std::vector<FieldError> errors = Sorted();
  const size_t not_kept = count_ - kept_.size();
  std::string text;
  for (size_t i = 0; i < errors.size() && i < most; ++i) {
    if (i > 0) text += "; ";
    if (!errors[i].path.empty()) absl::StrAppend(&text, errors[i].path, ": ");
    text += errors[i].text;
  }
  const size_t unquoted = (errors.size() > most ? errors.size() - most : 0) + not_kept;
  if (unquoted > 0) absl::StrAppend(&text, "; and ", unquoted, " more");
  return text;
}

}  // namespace holdfast

#include "control/config/field_problems.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

// "lbPolicy" and "lb_policy" are one field.
bool IsSameField(absl::string_view a, absl::string_view b) {
  size_t i = 0;
  size_t j = 0;
  while (true) {
    while (i < a.size() && a[i] == '_') ++i;
    while (j < b.size() && b[j] == '_') ++j;
    if (i == a.size() || j == b.size()) return i == a.size() && j == b.size();
    if (absl::ascii_tolower(static_cast<unsigned char>(a[i++])) !=
        absl::ascii_tolower(static_cast<unsigned char>(b[j++]))) {
      return false;
    }
  }
}

std::optional<YamlNode> FieldOf(YamlNode node, absl::string_view field) {
  if (!node.is_map()) return std::nullopt;
  for (size_t i = 0; i < node.size(); ++i) {
    if (IsSameField(node.key(i).text(), field)) return node.value(i);
  }
  return std::nullopt;
}

// What stands in brackets: an index, or a key in quotes or without.
std::optional<YamlNode> MemberOf(YamlNode node, absl::string_view inside) {
  size_t index = 0;
  if (node.is_sequence()) {
    if (!absl::SimpleAtoi(inside, &index) || index >= node.size()) return std::nullopt;
    return node.element(index);
  }
  if (!node.is_map()) return std::nullopt;
  if (inside.size() >= 2 && inside.front() == '"' && inside.back() == '"') {
    inside = inside.substr(1, inside.size() - 2);
  }
  return node.Find(inside);
}

}  // namespace

void FieldProblems::AddError(YamlPlace place, absl::string_view field, absl::string_view text) {
  ++error_count_;
  if (errors_.size() >= kMostKept && !first_error_.empty()) return;
  Problem problem{Problem::Kind::kError, file_, place.line, place.column, std::string(field),
                  std::string(text)};
  if (first_error_.empty()) first_error_ = TextOf(problem);
  if (errors_.size() < kMostKept) errors_.push_back(std::move(problem));
}

void FieldProblems::AddWarning(YamlPlace place, absl::string_view field, absl::string_view text) {
  ++warning_count_;
  if (warnings_.size() >= kMostKept) return;
  warnings_.push_back({Problem::Kind::kWarning, file_, place.line, place.column, std::string(field),
                       std::string(text)});
}

std::vector<Problem> FieldProblems::Sorted() const {
  std::vector<Problem> sorted = errors_;
  sorted.insert(sorted.end(), warnings_.begin(), warnings_.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const Problem& a, const Problem& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  });
  const auto add_rest = [&](Problem::Kind kind, size_t count, absl::string_view what) {
    if (count <= kMostKept) return;
    sorted.push_back({.kind = kind,
                      .file = file_,
                      .text = absl::StrCat("and ", count - kMostKept, " more ", what)});
  };
  add_rest(Problem::Kind::kError, error_count_, "errors");
  add_rest(Problem::Kind::kWarning, warning_count_, "warnings");
  return sorted;
}

FieldPath::Step::Step(FieldPath& path, absl::string_view field) : Step(path) {
  absl::StrAppend(&path.text_, path.text_.empty() ? "" : ".", field);
}

FieldPath::Step::Step(FieldPath& path, size_t index) : Step(path) {
  absl::StrAppend(&path.text_, "[", index, "]");
}

FieldPath::KeyStep::KeyStep(FieldPath& path, absl::string_view key) : Step(path) {
  absl::StrAppend(&path_.text_, "[", Quoted(key), "]");
}

YamlNode NearestNode(YamlNode node, absl::string_view field) {
  while (!field.empty()) {
    std::optional<YamlNode> next;
    if (field[0] == '[') {
      const size_t end = field.find(']');
      if (end == absl::string_view::npos) break;
      next = MemberOf(node, field.substr(1, end - 1));
      field.remove_prefix(end + 1);
    } else {
      if (field[0] == '.') field.remove_prefix(1);
      const size_t end = std::min(field.find_first_of(".["), field.size());
      next = FieldOf(node, field.substr(0, end));
      field.remove_prefix(end);
    }
    if (!next.has_value()) break;
    node = *next;
  }
  return node;
}

}  // namespace holdfast

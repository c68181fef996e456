#include "control/config/yaml_tree.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "base/check.h"

namespace holdfast {

YamlNode::Kind YamlNode::kind() const { return tree_->nodes_[index_].kind; }

YamlPlace YamlNode::place() const {
  const YamlTree::Node& node = tree_->nodes_[index_];
  return {static_cast<int>(node.line), static_cast<int>(node.column)};
}

absl::string_view YamlNode::text() const {
  HOLDFAST_CHECK(is_scalar());
  const YamlTree::Node& node = tree_->nodes_[index_];
  return absl::string_view(tree_->texts_).substr(node.begin, node.size);
}

bool YamlNode::is_quoted() const { return tree_->nodes_[index_].is_quoted; }

size_t YamlNode::size() const {
  const size_t size = tree_->nodes_[index_].size;
  return is_map() ? size / 2 : is_sequence() ? size : 0;
}

YamlNode YamlNode::element(size_t index) const {
  HOLDFAST_CHECK(is_sequence() && index < size());
  return YamlNode(*tree_, tree_->children_[tree_->nodes_[index_].begin + index]);
}

YamlNode YamlNode::key(size_t index) const {
  HOLDFAST_CHECK(is_map() && index < size());
  return YamlNode(*tree_, tree_->children_[tree_->nodes_[index_].begin + 2 * index]);
}

YamlNode YamlNode::value(size_t index) const {
  HOLDFAST_CHECK(is_map() && index < size());
  return YamlNode(*tree_, tree_->children_[tree_->nodes_[index_].begin + 2 * index + 1]);
}

std::optional<YamlNode> YamlNode::Find(absl::string_view wanted) const {
  for (size_t i = 0; i < size(); ++i) {
    if (key(i).is_scalar() && key(i).text() == wanted) return value(i);
  }
  return std::nullopt;
}

std::vector<YamlNode> YamlNode::RepeatedKeys() const {
  std::vector<std::pair<absl::string_view, size_t>> keys;
  keys.reserve(size());
  for (size_t i = 0; i < size(); ++i) {
    if (key(i).is_scalar()) keys.emplace_back(key(i).text(), i);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<YamlNode> repeated;
  for (size_t i = 1; i < keys.size(); ++i) {
    if (keys[i].first == keys[i - 1].first) repeated.push_back(key(keys[i].second));
  }
  return repeated;
}

absl::string_view YamlNode::KindText() const {
  switch (kind()) {
    case Kind::kNull:
      return "null";
    case Kind::kSequence:
      return "a list";
    case Kind::kMap:
      return "a map";
    case Kind::kScalar:
      break;
  }
  switch (is_quoted() ? YamlScalarType::kString : TypeOfPlainScalar(text())) {
    case YamlScalarType::kBool:
      return "true or false";
    case YamlScalarType::kNumber:
      return "a number";
    case YamlScalarType::kString:
      break;
  }
  return "a string";
}

namespace {

bool AllIn(absl::string_view text, absl::string_view digits) {
  return !text.empty() && text.find_first_not_of(digits) == absl::string_view::npos;
}

bool IsDecimal(absl::string_view text) {
  constexpr absl::string_view kDigits = "0123456789";
  const size_t exponent = text.find_first_of("eE");
  if (exponent != absl::string_view::npos) {
    absl::string_view power = text.substr(exponent + 1);
    if (!power.empty() && (power[0] == '+' || power[0] == '-')) power.remove_prefix(1);
    if (!AllIn(power, kDigits)) return false;
    text = text.substr(0, exponent);
  }
  const size_t point = text.find('.');
  if (point == absl::string_view::npos) return AllIn(text, kDigits);
  const absl::string_view whole = text.substr(0, point);
  const absl::string_view fraction = text.substr(point + 1);
  if (whole.empty() && fraction.empty()) return false;
  return (whole.empty() || AllIn(whole, kDigits)) && (fraction.empty() || AllIn(fraction, kDigits));
}

}  // namespace

YamlScalarType TypeOfPlainScalar(absl::string_view text) {
  for (const char* const word : {"true", "True", "TRUE", "false", "False", "FALSE"}) {
    if (text == word) return YamlScalarType::kBool;
  }
  for (const char* const word : {".nan", ".NaN", ".NAN"}) {
    if (text == word) return YamlScalarType::kNumber;
  }
  if (absl::ConsumePrefix(&text, "0x")) {
    return AllIn(text, "0123456789abcdefABCDEF") ? YamlScalarType::kNumber
                                                 : YamlScalarType::kString;
  }
  if (absl::ConsumePrefix(&text, "0o")) {
    return AllIn(text, "01234567") ? YamlScalarType::kNumber : YamlScalarType::kString;
  }
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  for (const char* const word : {".inf", ".Inf", ".INF"}) {
    if (text == word) return YamlScalarType::kNumber;
  }
  return IsDecimal(text) ? YamlScalarType::kNumber : YamlScalarType::kString;
}

std::vector<YamlNode> YamlTree::documents() const {
  std::vector<YamlNode> documents;
  for (const uint32_t index : documents_) documents.push_back(YamlNode(*this, index));
  return documents;
}

}  // namespace holdfast

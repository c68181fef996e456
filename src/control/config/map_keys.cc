#include "control/config/map_keys.h"

#include <algorithm>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/did_you_mean.h"
#include "base/outside_text.h"
#include "control/config/scalar_values.h"

namespace holdfast {
namespace {

std::string UnknownKeyText(absl::string_view key, const std::vector<absl::string_view>& known) {
  if (const std::optional<absl::string_view> meant = DidYouMean(key, known)) {
    return absl::StrCat("unknown key; did you mean ", *meant, "?");
  }
  return absl::StrCat("unknown key; there are ", absl::StrJoin(known, ", "));
}

// "services[0].name".
std::string Under(const FieldPath& path, absl::string_view key) {
  return absl::StrCat(path.text(), path.text().empty() ? "" : ".", BoundedText(key));
}

}  // namespace

void CheckKeys(YamlNode node, std::initializer_list<absl::string_view> known_keys,
               const FieldPath& path, FieldProblems& problems) {
  const std::vector<absl::string_view> known(known_keys);
  for (size_t i = 0; i < node.size(); ++i) {
    const YamlNode key = node.key(i);
    if (std::find(known.begin(), known.end(), key.text()) != known.end()) continue;
    problems.AddError(key.place(), Under(path, key.text()),
                      problems.is_full() ? "unknown key" : UnknownKeyText(key.text(), known));
  }
  for (const YamlNode key : node.RepeatedKeys()) {
    problems.AddError(key.place(), Under(path, key.text()), "is there twice");
  }
}

std::optional<std::string> RequiredString(YamlNode node, absl::string_view key,
                                          const FieldPath& path, FieldProblems& problems) {
  const std::optional<YamlNode> value = node.Find(key);
  if (!value.has_value() || value->is_null()) {
    problems.AddError(node.place(), Under(path, key), "is missing");
    return std::nullopt;
  }
  absl::StatusOr<std::string> text = StringOf(*value);
  if (!text.ok()) {
    problems.AddError(value->place(), Under(path, key), text.status().message());
    return std::nullopt;
  }
  if (text->empty()) {
    problems.AddError(value->place(), Under(path, key), "must not be empty");
    return std::nullopt;
  }
  return *std::move(text);
}

}  // namespace holdfast

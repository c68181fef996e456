#include "control/config/error_entry.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/did_you_mean.h"
#include "base/outside_text.h"
#include "control/config/map_keys.h"
#include "control/config/message_reader.h"
#include "control/config/resource_names.h"
#include "control/config/scalar_values.h"
#include "resources/decode/registry.h"
#include "xds/resource_name.h"

namespace holdfast {
namespace {

constexpr int kMostCode = 16;

std::string CodeName(int code) {
  return absl::StatusCodeToString(static_cast<absl::StatusCode>(code));
}

// By name or number; OK is code 0.
absl::StatusOr<int> CodeOf(YamlNode node) {
  if (!node.is_scalar()) return Expected("a status code, such as NOT_FOUND", node);
  std::vector<std::string> names;
  for (int code = 0; code <= kMostCode; ++code) {
    names.push_back(CodeName(code));
    if (node.text() == names.back() || node.text() == absl::StrCat(code)) return code;
  }
  const std::vector<absl::string_view> known(names.begin(), names.end());
  const std::optional<absl::string_view> meant = DidYouMean(node.text(), known);
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown status code ", Quoted(node.text()),
      meant.has_value() ? absl::StrCat("; did you mean ", *meant, "?") : std::string()));
}

// The type without prefix.
absl::StatusOr<std::string> TypeOf(absl::string_view text, const Schema& schema) {
  if (const AnyResourceType* const known = FindResourceTypeByShortName(text)) {
    return std::string(known->type_name());
  }
  if (!absl::StrContains(text, "/")) {
    return absl::InvalidArgumentError(
        absl::StrCat("must be lds, rds, cds, eds or a type URL (got ", Quoted(text), ")"));
  }
  const absl::string_view type = TypeOfUrl(text);
  if (schema.Find(type) == nullptr) {
    return absl::InvalidArgumentError(UnknownTypeText(type, schema));
  }
  return std::string(type);
}

}  // namespace

ErrorEntry ReadErrorEntry(YamlNode node, const FieldPath& path, const Schema& schema,
                          FieldProblems& problems) {
  ErrorEntry entry;
  if (!node.is_map()) {
    problems.AddError(node.place(), path.text(), Expected("a map", node).message());
    return entry;
  }
  const size_t errors_before = problems.error_count();
  const auto add = [&](absl::string_view key, const absl::Status& status) {
    problems.AddError(NearestNode(node, key).place(), absl::StrCat(path.text(), ".", key),
                      status.message());
  };
  CheckKeys(node, {"type", "name", "code", "message"}, path, problems);

  if (const auto type = RequiredString(node, "type", path, problems)) {
    absl::StatusOr<std::string> known = TypeOf(*type, schema);
    if (known.ok()) {
      entry.key.type = *std::move(known);
    } else {
      add("type", known.status());
    }
  }
  if (const auto name = RequiredString(node, "name", path, problems)) {
    const absl::Status valid = CheckResourceName(*name, entry.key.type);
    // Of a type that is unknown nothing can be said but that.
    if (!valid.ok() && !entry.key.type.empty()) add("name", valid);
    if (valid.ok()) entry.key.name = CanonicalName(*name, entry.key.type);
  }
  int code = 0;
  if (const std::optional<YamlNode> code_node = node.Find("code"); !code_node.has_value()) {
    add("code", absl::InvalidArgumentError("is missing"));
  } else if (const absl::StatusOr<int> read = CodeOf(*code_node); !read.ok()) {
    add("code", read.status());
  } else if (code = *read; code == 0) {
    add("code", absl::InvalidArgumentError("must not be OK: that is no error"));
  } else {
    entry.may_deny = MeansAbsence({.code = code});
  }
  std::string message;
  if (const std::optional<YamlNode> text = node.Find("message"); text && !text->is_null()) {
    absl::StatusOr<std::string> read = StringOf(*text);
    if (!read.ok()) add("message", read.status());
    if (read.ok()) message = *std::move(read);
  }
  if (problems.error_count() == errors_before) entry.error = MakeNameError(code, message);
  return entry;
}

}  // namespace holdfast

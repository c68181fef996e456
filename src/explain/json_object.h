// An object of JSON, member after member, on one line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/json_text.h"
#include "explain/age_text.h"

namespace holdfast {

class JsonObject {
 public:
  void Text(absl::string_view key, absl::string_view value) { Raw(key, JsonText(value)); }
  void TextIfAny(absl::string_view key, absl::string_view value) {
    if (!value.empty()) Text(key, value);
  }
  void TimeIfAny(absl::string_view key, std::optional<absl::Time> time) {
    if (time.has_value()) Text(key, TimeText(*time));
  }
  void Number(absl::string_view key, uint64_t number) { Raw(key, absl::StrCat(number)); }
  void Flag(absl::string_view key, bool flag) { Raw(key, flag ? "true" : "false"); }
  // Of values that are JSON already.
  void Array(absl::string_view key, const std::vector<std::string>& values) {
    Raw(key, absl::StrCat("[", absl::StrJoin(values, ","), "]"));
  }
  void Raw(absl::string_view key, absl::string_view json) {
    absl::StrAppend(&members_, members_.empty() ? "" : ",", JsonText(key), ":", json);
  }
  std::string Close() const { return absl::StrCat("{", members_, "}"); }

 private:
  std::string members_;
};

}  // namespace holdfast

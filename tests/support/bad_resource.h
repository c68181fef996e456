// A row of a table of bad resources: what is wrong, and every error it must yield.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/validation_errors.h"
#include "tests/support/text_resource.h"

namespace holdfast {

struct BadResource {
  std::string name;
  std::string base;  // a valid resource, as text
  std::string text;  // what to merge into it: scalars replace, lists grow
  std::vector<FieldError> errors;

  // One message after the other is the merge of both.
  std::string Bytes(absl::string_view message_type) const {
    return FromText(message_type, base) + FromText(message_type, text);
  }

  friend void PrintTo(const BadResource& row, std::ostream* out) { *out << row.name; }
};

// An Any in text form.
inline std::string AnyText(absl::string_view message_type, absl::string_view body) {
  return absl::StrCat("[type.googleapis.com/", message_type, "] { ", body, " }");
}

}  // namespace holdfast

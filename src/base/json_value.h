// A JSON value that remembers where it stood in its text.
//
// The position is for error messages only: two values are equal if they say the same.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"

namespace holdfast {

struct TextPosition {
  int line = 0;    // from 1; 0 means "not read from a text"
  int column = 0;  // from 1, in bytes
};

struct JsonValue {
  using Array = std::vector<JsonValue>;
  using Object = std::map<std::string, JsonValue>;

  std::variant<std::monostate, bool, double, std::string, Array, Object> value;
  TextPosition at;

  bool is_null() const { return std::holds_alternative<std::monostate>(value); }
  const bool* if_bool() const { return std::get_if<bool>(&value); }
  const double* if_number() const { return std::get_if<double>(&value); }
  const std::string* if_string() const { return std::get_if<std::string>(&value); }
  const Array* if_array() const { return std::get_if<Array>(&value); }
  const Object* if_object() const { return std::get_if<Object>(&value); }

  // "null", "a boolean", "a number", "a string", "an array", "an object": for error messages.
  absl::string_view Kind() const;

  friend bool operator==(const JsonValue& a, const JsonValue& b) { return a.value == b.value; }
};

}  // namespace holdfast

#include "base/json_value.h"

namespace holdfast {

absl::string_view JsonValue::Kind() const {
  switch (value.index()) {
    case 0:
      return "null";
    case 1:
      return "a boolean";
    case 2:
      return "a number";
    case 3:
      return "a string";
    case 4:
      return "an array";
    default:
      return "an object";
  }
}

}  // namespace holdfast

// google.protobuf.Struct ↔ JsonValue.
#pragma once

#include "base/json_value.h"

namespace google::protobuf {
class Struct;
}

namespace holdfast {

// A message of unlimited depth cannot be parsed in the first place, so neither is the recursion
// here.
JsonValue::Object JsonFromStruct(const google::protobuf::Struct& object);
void StructFromJson(const JsonValue::Object& json, google::protobuf::Struct& object);

}  // namespace holdfast

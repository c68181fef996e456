#include "wire/struct_json.h"

#include <google/protobuf/struct.pb.h>

#include <cmath>
#include <string>
#include <utility>

namespace holdfast {
namespace {

// JSON has no such numbers; as texts they are at least equal to themselves.
JsonValue JsonFromNumber(double number) {
  if (std::isnan(number)) return {.value = std::string("NaN")};
  if (std::isinf(number)) return {.value = std::string(number > 0 ? "Infinity" : "-Infinity")};
  return {.value = number};
}

JsonValue JsonFromValue(const google::protobuf::Value& value) {
  JsonValue json;
  switch (value.kind_case()) {
    case google::protobuf::Value::kBoolValue:
      json.value = value.bool_value();
      break;
    case google::protobuf::Value::kNumberValue:
      json = JsonFromNumber(value.number_value());
      break;
    case google::protobuf::Value::kStringValue:
      json.value = value.string_value();
      break;
    case google::protobuf::Value::kListValue: {
      JsonValue::Array array;
      for (const google::protobuf::Value& element : value.list_value().values()) {
        array.push_back(JsonFromValue(element));
      }
      json.value = std::move(array);
      break;
    }
    case google::protobuf::Value::kStructValue:
      json.value = JsonFromStruct(value.struct_value());
      break;
    case google::protobuf::Value::kNullValue:
    case google::protobuf::Value::KIND_NOT_SET:
      break;
  }
  return json;
}

void ValueFromJson(const JsonValue& json, google::protobuf::Value& value) {
  if (const bool* boolean = json.if_bool()) {
    value.set_bool_value(*boolean);
  } else if (const double* number = json.if_number()) {
    value.set_number_value(*number);
  } else if (const std::string* text = json.if_string()) {
    value.set_string_value(*text);
  } else if (const JsonValue::Array* array = json.if_array()) {
    google::protobuf::ListValue& list = *value.mutable_list_value();
    for (const JsonValue& element : *array) ValueFromJson(element, *list.add_values());
  } else if (const JsonValue::Object* object = json.if_object()) {
    StructFromJson(*object, *value.mutable_struct_value());
  } else {
    value.set_null_value(google::protobuf::NULL_VALUE);
  }
}

}  // namespace

JsonValue::Object JsonFromStruct(const google::protobuf::Struct& object) {
  JsonValue::Object json;
  for (const auto& [key, value] : object.fields()) json[key] = JsonFromValue(value);
  return json;
}

void StructFromJson(const JsonValue::Object& json, google::protobuf::Struct& object) {
  for (const auto& [key, value] : json) ValueFromJson(value, (*object.mutable_fields())[key]);
}

}  // namespace holdfast

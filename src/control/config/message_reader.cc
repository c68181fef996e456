#include "control/config/message_reader.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/did_you_mean.h"
#include "base/outside_text.h"
#include "control/config/scalar_values.h"

namespace holdfast {
namespace {

namespace pb = google::protobuf;

template <class T>
absl::StatusOr<T> NumberOf(YamlNode node) {
  const absl::StatusOr<absl::int128> number =
      IntegerOf(node, std::numeric_limits<T>::min(), absl::int128(std::numeric_limits<T>::max()));
  if (!number.ok()) return number.status();
  return static_cast<T>(*number);
}

const pb::FieldDescriptor* FindField(const pb::Descriptor& type, const std::string& name) {
  if (const pb::FieldDescriptor* field = type.FindFieldByName(name)) return field;
  return type.FindFieldByCamelcaseName(name);
}

const pb::EnumValueDescriptor* FindEnumValue(const pb::EnumDescriptor& type, YamlNode node) {
  const std::string text(node.text());
  if (const pb::EnumValueDescriptor* value = type.FindValueByName(text)) return value;
  const absl::StatusOr<int32_t> number = NumberOf<int32_t>(node);
  return number.ok() ? type.FindValueByNumber(*number) : nullptr;
}

// Messages that hold keys, passwords and the like, or the file or text that does.
bool MayHoldSecrets(const pb::Descriptor& type) {
  constexpr absl::string_view kTls = "envoy.extensions.transport_sockets.tls.v3.";
  absl::string_view name = type.full_name();
  if (name == "envoy.config.core.v3.DataSource") return true;
  if (!absl::ConsumePrefix(&name, kTls)) return false;
  return name == "Secret" || name == "TlsCertificate" || name == "GenericSecret" ||
         name == "TlsSessionTicketKeys" || name == "PrivateKeyProvider";
}

}  // namespace

MessageReader::Inside::Inside(MessageReader& reader, const Descriptor& type)
    : reader_(reader), was_secret_(reader.is_secret_) {
  reader_.is_secret_ = was_secret_ || MayHoldSecrets(type);
}

void MessageReader::AddValueError(YamlNode node, absl::string_view text) {
  if (!is_secret_ || !node.is_scalar()) return AddError(node, text);
  AddError(node, absl::StrCat("is no value of this field; what is there, ", node.text().size(),
                              " bytes, is not shown because it may be secret"));
}

std::string SerializedDeterministically(const pb::Message& message) {
  std::string bytes;
  {
    pb::io::StringOutputStream stream(&bytes);
    pb::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializePartialToCodedStream(&coded);
  }
  return bytes;
}

std::string SuggestionText(absl::string_view word, const std::vector<absl::string_view>& known,
                           const Schema& schema) {
  if (const std::optional<absl::string_view> meant = DidYouMean(word, known)) {
    return absl::StrCat("; did you mean ", *meant, "?");
  }
  if (!schema.is_embedded()) return "";
  return "; only the embedded schema is loaded, which is small: for the full one run ./dev setup "
         "or give --protoset FILE";
}

absl::string_view TypeOfUrl(absl::string_view type_url) {
  const size_t slash = type_url.rfind('/');
  return slash == absl::string_view::npos ? "" : type_url.substr(slash + 1);
}

std::string UnknownTypeText(absl::string_view type, const Schema& schema) {
  const std::vector<std::string> names = schema.MessageNames();
  const std::vector<absl::string_view> known(names.begin(), names.end());
  return absl::StrCat("unknown type ", Quoted(type), SuggestionText(type, known, schema));
}

void MessageReader::Read(YamlNode node, Message& message) {
  const Inside inside(*this, *message.GetDescriptor());
  if (ReadWellKnown(node, message)) return;
  if (!node.is_map()) {
    AddValueError(node, absl::StrCat(Expected("a map", node).message(), " (for ",
                                     message.GetDescriptor()->full_name(), ")"));
    return;
  }
  ReadFields(node, message, /*except=*/"");
}

void MessageReader::ReadFields(YamlNode node, Message& message, absl::string_view except) {
  const Descriptor& type = *message.GetDescriptor();
  std::map<int, YamlNode> seen;                                    // by field number
  std::map<const pb::OneofDescriptor*, const Field*> seen_oneofs;  // and the field that is set
  for (size_t i = 0; i < node.size(); ++i) {
    const YamlNode key = node.key(i);
    if (!except.empty() && key.text() == except) continue;
    const Field* const field = FindField(type, std::string(key.text()));
    if (field == nullptr) {
      AddUnknownField(key, type);
      continue;
    }
    const FieldPath::Step step(path_, field->name());
    if (const auto [first, is_new] = seen.emplace(field->number(), key); !is_new) {
      AddError(key, absl::StrCat("is set twice, first in line ", first->second.place().line));
      continue;
    }
    const YamlNode value = node.value(i);
    if (value.is_null() && field->cpp_type() != Field::CPPTYPE_MESSAGE) continue;
    if (const pb::OneofDescriptor* const oneof = field->real_containing_oneof();
        oneof != nullptr && !value.is_null()) {
      const auto [first, is_new] = seen_oneofs.emplace(oneof, field);
      if (!is_new) {
        AddError(key, absl::StrCat("cannot be set beside ", first->second->name(),
                                   ": only one of them has effect"));
        continue;
      }
    }
    ReadField(value, *field, message);
  }
}

void MessageReader::AddUnknownField(YamlNode key, const Descriptor& type) {
  const FieldPath::Step step(path_, BoundedText(key.text()));
  // One line of a file may be wrong in a thousand places.
  if (problems_.is_full()) return AddError(key, "unknown field");
  if (key.text() == "<<" && !key.is_quoted()) {
    return AddError(key, "merge keys (<<) are not supported; use an alias for the whole value");
  }
  std::vector<absl::string_view> known;
  for (int i = 0; i < type.field_count(); ++i) known.push_back(type.field(i)->name());
  AddError(key, absl::StrCat("unknown field of ", type.full_name(),
                             SuggestionText(key.text(), known, schema_)));
}

void MessageReader::ReadField(YamlNode node, const Field& field, Message& message) {
  if (field.is_map()) {
    if (!node.is_null()) ReadMap(node, field, message);
  } else if (field.is_repeated()) {
    if (!node.is_null()) ReadList(node, field, message);
  } else if (node.is_null() &&
             field.message_type()->well_known_type() != Descriptor::WELLKNOWNTYPE_VALUE) {
    // Unset. To a google.protobuf.Value null is a value like any other.
  } else {
    ReadValue(node, field, message);
  }
}

void MessageReader::ReadList(YamlNode node, const Field& field, Message& message) {
  if (!node.is_sequence()) return AddValueError(node, Expected("a list", node).message());
  for (size_t i = 0; i < node.size(); ++i) {
    const FieldPath::Step step(path_, i);
    ReadValue(node.element(i), field, message);
  }
}

void MessageReader::ReadMap(YamlNode node, const Field& field, Message& message) {
  if (!node.is_map()) return AddValueError(node, Expected("a map", node).message());
  const std::vector<YamlNode> repeated = node.RepeatedKeys();
  for (const YamlNode key : repeated) {
    const FieldPath::KeyStep step(path_, key.text());
    AddError(key, "is there twice");
  }
  if (!repeated.empty()) return;
  const Field& key_field = *field.message_type()->map_key();
  const Field& value_field = *field.message_type()->map_value();
  for (size_t i = 0; i < node.size(); ++i) {
    const FieldPath::KeyStep step(path_, node.key(i).text());
    Message& entry = *message.GetReflection()->AddMessage(&message, &field, &schema_.factory());
    ReadMapKey(node.key(i), key_field, entry);
    ReadValue(node.value(i), value_field, entry);
  }
}

// JSON writes every key as a string.
void MessageReader::ReadMapKey(YamlNode key, const Field& field, Message& entry) {
  if (field.cpp_type() == Field::CPPTYPE_STRING) {
    entry.GetReflection()->SetString(&entry, &field, std::string(key.text()));
  } else {
    ReadValue(key, field, entry);
  }
}

void MessageReader::ReadEnum(YamlNode node, const Field& field, Message& message) {
  const pb::EnumDescriptor& type = *field.enum_type();
  if (!node.is_scalar()) {
    return AddError(node, Expected(absl::StrCat("a value of ", type.full_name()), node).message());
  }
  if (const pb::EnumValueDescriptor* const value = FindEnumValue(type, node)) {
    if (field.is_repeated()) {
      message.GetReflection()->AddEnum(&message, &field, value);
    } else {
      message.GetReflection()->SetEnum(&message, &field, value);
    }
    return;
  }
  if (problems_.is_full()) return AddError(node, "unknown value");
  std::vector<absl::string_view> known;
  for (int i = 0; i < type.value_count(); ++i) known.push_back(type.value(i)->name());
  AddValueError(node, absl::StrCat("unknown value ", Quoted(node.text()), " of ", type.full_name(),
                                   SuggestionText(node.text(), known, schema_)));
}

void MessageReader::ReadValue(YamlNode node, const Field& field, Message& message) {
  const pb::Reflection& reflection = *message.GetReflection();
  // Sets or adds what was read, or notes why it was not.
  const auto store = [&](const auto& value, auto set, auto add) {
    if (!value.ok()) return AddValueError(node, value.status().message());
    if (field.is_repeated()) {
      (reflection.*add)(&message, &field, *value);
    } else {
      (reflection.*set)(&message, &field, *value);
    }
  };
  using R = pb::Reflection;
  switch (field.cpp_type()) {
    case Field::CPPTYPE_INT32:
      return store(NumberOf<int32_t>(node), &R::SetInt32, &R::AddInt32);
    case Field::CPPTYPE_INT64:
      return store(NumberOf<int64_t>(node), &R::SetInt64, &R::AddInt64);
    case Field::CPPTYPE_UINT32:
      return store(NumberOf<uint32_t>(node), &R::SetUInt32, &R::AddUInt32);
    case Field::CPPTYPE_UINT64:
      return store(NumberOf<uint64_t>(node), &R::SetUInt64, &R::AddUInt64);
    case Field::CPPTYPE_DOUBLE:
      return store(DoubleOf(node), &R::SetDouble, &R::AddDouble);
    case Field::CPPTYPE_FLOAT:
      return store(FloatOf(node), &R::SetFloat, &R::AddFloat);
    case Field::CPPTYPE_BOOL:
      return store(BoolOf(node), &R::SetBool, &R::AddBool);
    case Field::CPPTYPE_ENUM:
      return ReadEnum(node, field, message);
    case Field::CPPTYPE_STRING:
      return store(field.type() == Field::TYPE_BYTES ? BytesOf(node) : StringOf(node),
                   &R::SetString, &R::AddString);
    case Field::CPPTYPE_MESSAGE: {
      Message& inner = field.is_repeated()
                           ? *reflection.AddMessage(&message, &field, &schema_.factory())
                           : *reflection.MutableMessage(&message, &field, &schema_.factory());
      return Read(node, inner);
    }
  }
}

}  // namespace holdfast

// MessageReader, continued: the messages of google.protobuf whose JSON is not an object of their
// fields.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/outside_text.h"
#include "control/config/message_reader.h"
#include "control/config/scalar_values.h"

namespace holdfast {
namespace {

namespace pb = google::protobuf;

constexpr absl::string_view kTypeKey = "@type";
constexpr absl::string_view kValueKey = "value";

// Numbers of fields that will never change.
constexpr int kAnyTypeUrl = 1;
constexpr int kAnyValue = 2;
constexpr int kSeconds = 1;
constexpr int kNanos = 2;
constexpr int kWrapped = 1;
constexpr int kStructFields = 1;
constexpr int kListValues = 1;
constexpr int kMaskPaths = 1;
enum ValueField { kNull = 1, kNumber = 2, kString = 3, kBool = 4, kStruct = 5, kList = 6 };

const pb::FieldDescriptor& FieldOf(const pb::Message& message, int number) {
  return *message.GetDescriptor()->FindFieldByNumber(number);
}

void SetTime(const SecondsAndNanos& time, pb::Message& message) {
  message.GetReflection()->SetInt64(&message, &FieldOf(message, kSeconds), time.seconds);
  message.GetReflection()->SetInt32(&message, &FieldOf(message, kNanos), time.nanos);
}

// "fooBar.baz" is written for foo_bar.baz.
std::string SnakePath(absl::string_view path) {
  std::string snake;
  for (const char c : path) {
    if (absl::ascii_isupper(static_cast<unsigned char>(c))) snake += '_';
    snake += absl::ascii_tolower(static_cast<unsigned char>(c));
  }
  return snake;
}

}  // namespace

bool MessageReader::ReadWellKnown(YamlNode node, Message& message) {
  switch (message.GetDescriptor()->well_known_type()) {
    case Descriptor::WELLKNOWNTYPE_UNSPECIFIED:
      return false;
    case Descriptor::WELLKNOWNTYPE_DOUBLEVALUE:
    case Descriptor::WELLKNOWNTYPE_FLOATVALUE:
    case Descriptor::WELLKNOWNTYPE_INT64VALUE:
    case Descriptor::WELLKNOWNTYPE_UINT64VALUE:
    case Descriptor::WELLKNOWNTYPE_INT32VALUE:
    case Descriptor::WELLKNOWNTYPE_UINT32VALUE:
    case Descriptor::WELLKNOWNTYPE_STRINGVALUE:
    case Descriptor::WELLKNOWNTYPE_BYTESVALUE:
    case Descriptor::WELLKNOWNTYPE_BOOLVALUE:
      ReadValue(node, FieldOf(message, kWrapped), message);
      return true;
    case Descriptor::WELLKNOWNTYPE_ANY:
      ReadAny(node, message);
      return true;
    case Descriptor::WELLKNOWNTYPE_FIELDMASK:
      ReadFieldMask(node, message);
      return true;
    case Descriptor::WELLKNOWNTYPE_DURATION:
    case Descriptor::WELLKNOWNTYPE_TIMESTAMP: {
      const bool is_duration =
          message.GetDescriptor()->well_known_type() == Descriptor::WELLKNOWNTYPE_DURATION;
      const absl::StatusOr<SecondsAndNanos> time =
          is_duration ? DurationOf(node) : TimestampOf(node);
      if (time.ok()) {
        SetTime(*time, message);
      } else {
        AddValueError(node, time.status().message());
      }
      return true;
    }
    case Descriptor::WELLKNOWNTYPE_VALUE:
      ReadDynamicValue(node, message);
      return true;
    case Descriptor::WELLKNOWNTYPE_LISTVALUE:
      ReadListValue(node, message);
      return true;
    case Descriptor::WELLKNOWNTYPE_STRUCT:
      ReadStruct(node, message);
      return true;
    case Descriptor::__WELLKNOWNTYPE__DO_NOT_USE__ADD_DEFAULT_INSTEAD__:
      break;
  }
  return false;
}

void MessageReader::ReadAny(YamlNode node, Message& any) {
  Packed packed = ReadPacked(node);
  any.GetReflection()->SetString(&any, &FieldOf(any, kAnyTypeUrl), std::move(packed.type_url));
  any.GetReflection()->SetString(&any, &FieldOf(any, kAnyValue), std::move(packed.body));
}

MessageReader::Packed MessageReader::ReadPacked(YamlNode node) {
  Packed packed;
  if (!node.is_map()) {
    AddValueError(node, Expected("a map with \"@type\"", node).message());
    return packed;
  }
  const std::optional<YamlNode> type_node = node.Find(kTypeKey);
  if (!type_node.has_value()) {
    AddError(node,
             "\"@type\" is missing: the type of this message, such as "
             "type.googleapis.com/envoy.config.cluster.v3.Cluster");
    return packed;
  }
  const Descriptor* const type = FindType(*type_node, packed);
  if (type == nullptr) return packed;
  for (const YamlNode repeated : node.RepeatedKeys()) {
    if (repeated.text() == kTypeKey) AddError(repeated, "\"@type\" is there twice");
  }
  const Inside inside(*this, *type);
  const std::unique_ptr<Message> message(schema_.factory().GetPrototype(type)->New());
  if (type->well_known_type() == Descriptor::WELLKNOWNTYPE_UNSPECIFIED) {
    ReadFields(node, *message, /*except=*/kTypeKey);
  } else {
    ReadWellKnownBesideType(node, *message);
  }
  packed.body = SerializedDeterministically(*message);
  return packed;
}

const MessageReader::Descriptor* MessageReader::FindType(YamlNode node, Packed& packed) {
  const FieldPath::Step step(path_, kTypeKey);
  const absl::StatusOr<std::string> type_url = StringOf(node);
  if (!type_url.ok()) {
    AddError(node, type_url.status().message());
    return nullptr;
  }
  packed.type_url = *type_url;
  const absl::string_view type = TypeOfUrl(packed.type_url);
  if (type.empty()) {
    AddError(node, absl::StrCat("must be \"type.googleapis.com/\" and the name of a message (got ",
                                Quoted(packed.type_url), ")"));
    return nullptr;
  }
  packed.type = std::string(type);
  if (const Descriptor* const found = schema_.Find(type)) return found;
  AddError(node, problems_.is_full() ? "unknown type" : UnknownTypeText(type, schema_));
  return nullptr;
}

// {"@type": …, "value": "1s"}: there are no fields that could stand beside the type.
void MessageReader::ReadWellKnownBesideType(YamlNode node, Message& message) {
  for (size_t i = 0; i < node.size(); ++i) {
    const YamlNode key = node.key(i);
    if (key.text() == kTypeKey) continue;
    const FieldPath::Step step(path_, BoundedText(key.text()));
    if (key.text() == kValueKey) {
      ReadWellKnown(node.value(i), message);
    } else {
      AddError(key, absl::StrCat("unknown field: beside the \"@type\" of ",
                                 message.GetDescriptor()->full_name(), " there is only \"value\""));
    }
  }
}

void MessageReader::ReadStruct(YamlNode node, Message& message) {
  ReadMap(node, FieldOf(message, kStructFields), message);
}

void MessageReader::ReadListValue(YamlNode node, Message& message) {
  ReadList(node, FieldOf(message, kListValues), message);
}

void MessageReader::ReadDynamicValue(YamlNode node, Message& message) {
  const pb::Reflection& reflection = *message.GetReflection();
  const auto read_inner = [&](int number) { ReadValue(node, FieldOf(message, number), message); };
  switch (node.kind()) {
    case YamlNode::Kind::kNull:
      reflection.SetEnumValue(&message, &FieldOf(message, kNull), 0);
      return;
    case YamlNode::Kind::kSequence:
      return read_inner(kList);
    case YamlNode::Kind::kMap:
      return read_inner(kStruct);
    case YamlNode::Kind::kScalar:
      break;
  }
  switch (node.is_quoted() ? YamlScalarType::kString : TypeOfPlainScalar(node.text())) {
    case YamlScalarType::kBool:
      return read_inner(kBool);
    case YamlScalarType::kNumber:
      return read_inner(kNumber);
    case YamlScalarType::kString:
      return read_inner(kString);
  }
}

void MessageReader::ReadFieldMask(YamlNode node, Message& message) {
  const absl::StatusOr<std::string> text = StringOf(node);
  if (!text.ok()) return AddValueError(node, text.status().message());
  for (const absl::string_view path : absl::StrSplit(*text, ',', absl::SkipEmpty())) {
    message.GetReflection()->AddString(&message, &FieldOf(message, kMaskPaths), SnakePath(path));
  }
}

}  // namespace holdfast

#include "tests/interop/rebuild_message.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/unknown_field_set.h>

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/support/text_resource.h"

namespace holdfast {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// One value of one field: the only one, or the one at `index` of a repeated field.
struct Place {
  const Message& from;
  Message& to;
  const FieldDescriptor* field;
  int index;
};

template <class Get, class GetRepeated, class Set, class Add>
void CopyWith(const Place& at, Get get, GetRepeated get_repeated, Set set, Add add) {
  const Reflection* reflection = at.from.GetReflection();
  if (at.field->is_repeated()) {
    (reflection->*add)(&at.to, at.field, (reflection->*get_repeated)(at.from, at.field, at.index));
  } else {
    (reflection->*set)(&at.to, at.field, (reflection->*get)(at.from, at.field));
  }
}

void CopyScalar(const Place& at) {
  using R = Reflection;
  switch (at.field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return CopyWith(at, &R::GetInt32, &R::GetRepeatedInt32, &R::SetInt32, &R::AddInt32);
    case FieldDescriptor::CPPTYPE_INT64:
      return CopyWith(at, &R::GetInt64, &R::GetRepeatedInt64, &R::SetInt64, &R::AddInt64);
    case FieldDescriptor::CPPTYPE_UINT32:
      return CopyWith(at, &R::GetUInt32, &R::GetRepeatedUInt32, &R::SetUInt32, &R::AddUInt32);
    case FieldDescriptor::CPPTYPE_UINT64:
      return CopyWith(at, &R::GetUInt64, &R::GetRepeatedUInt64, &R::SetUInt64, &R::AddUInt64);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return CopyWith(at, &R::GetDouble, &R::GetRepeatedDouble, &R::SetDouble, &R::AddDouble);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return CopyWith(at, &R::GetFloat, &R::GetRepeatedFloat, &R::SetFloat, &R::AddFloat);
    case FieldDescriptor::CPPTYPE_BOOL:
      return CopyWith(at, &R::GetBool, &R::GetRepeatedBool, &R::SetBool, &R::AddBool);
    case FieldDescriptor::CPPTYPE_ENUM:
      return CopyWith(at, &R::GetEnumValue, &R::GetRepeatedEnumValue, &R::SetEnumValue,
                      &R::AddEnumValue);
    case FieldDescriptor::CPPTYPE_STRING:
      return CopyWith(at, &R::GetString, &R::GetRepeatedString, &R::SetString, &R::AddString);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return;
  }
}

bool IsMessage(const FieldDescriptor* field) {
  return field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
}

}  // namespace

std::string MessageRebuilder::Rebuild(const std::string& type, const std::string& bytes,
                                      const std::string& path) {
  const std::unique_ptr<Message> from = NewMessage(type);
  const std::unique_ptr<Message> to = NewMessage(type);
  if (from == nullptr) {
    problems_.push_back(absl::StrCat(path, ": is a ", type, ", which is not in our schema"));
    return bytes;
  }
  if (!from->ParseFromString(bytes)) {
    problems_.push_back(absl::StrCat(path, ": cannot be parsed as ", type));
    return bytes;
  }
  Copy(*from, *to, path);
  return to->SerializeAsString();
}

void MessageRebuilder::Copy(const Message& from, Message& to, const std::string& path) {
  const Reflection* reflection = from.GetReflection();
  const google::protobuf::UnknownFieldSet& unknown = reflection->GetUnknownFields(from);
  for (int i = 0; i < unknown.field_count(); ++i) {
    problems_.push_back(absl::StrCat(path, ": has the field ", unknown.field(i).number(),
                                     ", which is not in our schema"));
  }
  if (from.GetDescriptor()->full_name() == "google.protobuf.Any") return CopyAny(from, to, path);

  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(from, &fields);
  for (const FieldDescriptor* field : fields) {
    const std::string here = absl::StrCat(path, ".", field->name());
    if (!field->is_repeated()) {
      if (IsMessage(field)) {
        Copy(reflection->GetMessage(from, field), *reflection->MutableMessage(&to, field), here);
      } else {
        CopyScalar({from, to, field, 0});
      }
      continue;
    }
    // The entries of a map are messages to reflection.
    for (int i = 0; i < reflection->FieldSize(from, field); ++i) {
      if (IsMessage(field)) {
        Copy(reflection->GetRepeatedMessage(from, field, i), *reflection->AddMessage(&to, field),
             absl::StrCat(here, "[", i, "]"));
      } else {
        CopyScalar({from, to, field, i});
      }
    }
  }
}

void MessageRebuilder::CopyAny(const Message& from, Message& to, const std::string& path) {
  const Reflection* reflection = from.GetReflection();
  const FieldDescriptor* type_url = from.GetDescriptor()->FindFieldByName("type_url");
  const FieldDescriptor* value = from.GetDescriptor()->FindFieldByName("value");
  const std::string url = reflection->GetString(from, type_url);
  reflection->SetString(&to, type_url, url);
  reflection->SetString(
      &to, value,
      Rebuild(url.substr(url.rfind('/') + 1), reflection->GetString(from, value), path));
}

}  // namespace holdfast

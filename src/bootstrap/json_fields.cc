#include "bootstrap/json_fields.h"

#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/did_you_mean.h"
#include "base/outside_text.h"
#include "bootstrap/json_reader.h"

namespace holdfast {
namespace {

void AddWrongType(const JsonValue& value, absl::string_view wanted, JsonFindings& findings) {
  findings.AddError(absl::StrCat("must be ", wanted, " (got ", value.Kind(), ")"), value.at);
}

// A key of `object` that is probably `key` mistyped.
std::optional<absl::string_view> MisspellingOf(absl::string_view key,
                                               const JsonValue::Object& object) {
  for (const auto& [other, value] : object) {
    if (DidYouMean(other, {key}).has_value()) return other;
  }
  return std::nullopt;
}

}  // namespace

void JsonFindings::AddError(absl::string_view text, TextPosition at, absl::string_view hint) {
  errors_.Add(absl::StrCat(text, " at ", TextOf(at), hint));
}

void JsonFindings::AddWarning(absl::string_view text, TextPosition at) {
  warnings_.Add(absl::StrCat(text, " (", TextOf(at), ")"));
}

void JsonFindings::AddWarningOnce(absl::string_view text, TextPosition at) {
  if (given_once_.emplace(text).second) AddWarning(text, at);
}

std::vector<std::string> JsonFindings::Warnings() const {
  std::vector<std::string> texts;
  for (const FieldError& warning : warnings_.Sorted()) {
    texts.push_back(absl::StrCat(warning.path, ": ", warning.text));
  }
  return texts;
}

ObjectReader::ObjectReader(const JsonValue& object, JsonFindings& findings)
    : object_(object), findings_(findings) {
  HOLDFAST_CHECK(object.if_object() != nullptr);
}

const JsonValue* ObjectReader::Member(absl::string_view key, Presence presence,
                                      const JsonValue& example) const {
  const JsonValue::Object& members = *object_.if_object();
  const auto member = members.find(std::string(key));
  JsonFindings::Field field(findings_, absl::StrCat(".", key));
  if (member != members.end()) {
    if (member->second.value.index() == example.value.index()) return &member->second;
    AddWrongType(member->second, example.Kind(), findings_);
    return nullptr;
  }
  if (presence == Presence::kRequired) {
    const std::optional<absl::string_view> misspelt = MisspellingOf(key, members);
    findings_.AddError(
        "missing in the object", object_.at,
        misspelt.has_value() ? absl::StrCat(" (is ", Quoted(*misspelt), " a slip?)") : "");
  }
  return nullptr;
}

const JsonValue* ObjectReader::Boolean(absl::string_view key, Presence presence) const {
  return Member(key, presence, {.value = false, .at = {}});
}

const JsonValue* ObjectReader::String(absl::string_view key, Presence presence) const {
  return Member(key, presence, {.value = std::string(), .at = {}});
}

const JsonValue* ObjectReader::Array(absl::string_view key, Presence presence) const {
  return Member(key, presence, {.value = JsonValue::Array(), .at = {}});
}

const JsonValue* ObjectReader::Object(absl::string_view key, Presence presence) const {
  return Member(key, presence, {.value = JsonValue::Object(), .at = {}});
}

std::string ObjectReader::NonEmptyString(absl::string_view key, Presence presence) const {
  const JsonValue* string = String(key, presence);
  if (string == nullptr) return "";
  JsonFindings::Field field(findings_, absl::StrCat(".", key));
  if (string->if_string()->empty()) findings_.AddError("must not be empty", string->at);
  if (absl::StrContains(*string->if_string(), '\0')) {
    findings_.AddError("must not contain a NUL character", string->at);
  }
  return *string->if_string();
}

const JsonValue* ObjectReader::EachObject(
    absl::string_view key, Presence presence,
    absl::FunctionRef<void(const JsonValue& element)> visit) const {
  const JsonValue* array = Array(key, presence);
  if (array == nullptr) return nullptr;
  size_t index = 0;
  for (const JsonValue& element : *array->if_array()) {
    JsonFindings::Field field(findings_, absl::StrCat(".", key, "[", index++, "]"));
    if (element.if_object() != nullptr) {
      visit(element);
    } else {
      AddWrongType(element, "an object", findings_);
    }
  }
  return array;
}

void ObjectReader::EachEntry(
    absl::string_view key,
    absl::FunctionRef<void(const std::string& name, const JsonValue& entry)> visit) const {
  const JsonValue* map = Object(key);
  if (map == nullptr) return;
  for (const auto& [name, entry] : *map->if_object()) {
    JsonFindings::Field field(findings_, absl::StrCat(".", key, "[", Quoted(name), "]"));
    if (entry.if_object() != nullptr) {
      visit(name, entry);
    } else {
      AddWrongType(entry, "an object", findings_);
    }
  }
}

void ObjectReader::WarnOfMisspellings(absl::Span<const absl::string_view> known) const {
  for (const auto& [key, value] : *object_.if_object()) {
    const std::optional<absl::string_view> meant = DidYouMean(key, known);
    if (!meant.has_value()) continue;
    JsonFindings::Field field(findings_, absl::StrCat(".", BoundedText(key)));
    findings_.AddWarning(absl::StrCat("unknown key, did you mean \"", *meant, "\"?"), value.at);
  }
}

}  // namespace holdfast

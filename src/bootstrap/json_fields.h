// Reads the members of a JSON object that a format knows, and notes what is wrong with them.
//
//   JsonFindings findings;
//   ObjectReader server(value, findings);
//   const JsonValue* uri = server.String("server_uri", Presence::kRequired);
//   findings.Errors()   // "xds_servers[0].server_uri: must be a string (got a number) at line 4,
//   ..."
//
// Members nobody asks for are ignored. A reader goes on after a mistake, so that all of them are
// reported at once. Texts quote keys, and strings where their content is what is wrong (a type, a
// template, an interval), bounded; of a value of the wrong type they say only the kind. Files that
// a document names are not read, so nothing from them can be in a text.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/json_value.h"
#include "base/validation_errors.h"

namespace holdfast {

// What was noticed in a document: errors, which make it invalid, and warnings.
class JsonFindings {
 public:
  // Findings made while it lives are about this field; names as in ValidationErrors::Field.
  class Field {
   public:
    Field(JsonFindings& findings, absl::string_view name)
        : errors_(findings.errors_, name), warnings_(findings.warnings_, name) {}

   private:
    ValidationErrors::Field errors_;
    ValidationErrors::Field warnings_;
  };

  // "<text> at line 4, column 21<hint>"
  void AddError(absl::string_view text, TextPosition at, absl::string_view hint = "");
  // "<text> (line 4, column 21)"
  void AddWarning(absl::string_view text, TextPosition at);
  // The same, but only the first time for this text.
  void AddWarningOnce(absl::string_view text, TextPosition at);

  bool ok() const { return errors_.ok(); }
  size_t error_count() const { return errors_.count(); }
  // All errors in one text, sorted by path.
  std::string Errors() const { return errors_.Text(ValidationErrors::kMostKept); }
  // Sorted by path, each with its path.
  std::vector<std::string> Warnings() const;

 private:
  ValidationErrors errors_;
  ValidationErrors warnings_;
  std::set<std::string> given_once_;
};

enum class Presence { kOptional, kRequired };

class ObjectReader {
 public:
  // REQUIRES: `object` is an object; both outlive the reader.
  ObjectReader(const JsonValue& object, JsonFindings& findings);

  // The member `key` if it is there and of that type, else null. A wrong type is an error, as is
  // absence of a required member.
  const JsonValue* Boolean(absl::string_view key, Presence presence = Presence::kOptional) const;
  const JsonValue* String(absl::string_view key, Presence presence = Presence::kOptional) const;
  const JsonValue* Array(absl::string_view key, Presence presence = Presence::kOptional) const;
  const JsonValue* Object(absl::string_view key, Presence presence = Presence::kOptional) const;

  // As String, and the string must not be empty nor contain a NUL character: it names a file, a
  // target or a listener, and would be cut short there. The text itself; "" if there is none.
  std::string NonEmptyString(absl::string_view key, Presence presence = Presence::kOptional) const;

  // Visits each element of the array `key`, inside its field; each must be an object. Returns the
  // array, as Array does.
  const JsonValue* EachObject(absl::string_view key, Presence presence,
                              absl::FunctionRef<void(const JsonValue& element)> visit) const;
  // Visits each member of the object `key`, inside its field; each must be an object.
  void EachEntry(
      absl::string_view key,
      absl::FunctionRef<void(const std::string& name, const JsonValue& entry)> visit) const;

  // Warns of unknown keys that look like a slip of a known one.
  void WarnOfMisspellings(absl::Span<const absl::string_view> known) const;

 private:
  const JsonValue* Member(absl::string_view key, Presence presence, const JsonValue& example) const;

  const JsonValue& object_;
  JsonFindings& findings_;
};

}  // namespace holdfast

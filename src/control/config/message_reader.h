// A message of any type from YAML or JSON: the JSON mapping of proto3, read by reflection.
//
// Our own reader because of the errors: protobuf's stops at the first one and says neither line nor
// field path, nor what was probably meant. Every mistake is noted, and reading goes on.
//
// Stricter than a parser of JSON: an unknown field is an error, because a field that nobody reads
// is a decision that was not made.
//
// Errors are read by more people than keys and passwords are: of what may be one they say how long
// it is.
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "control/config/field_problems.h"
#include "control/config/schema.h"
#include "control/config/yaml_tree.h"

namespace holdfast {

class MessageReader {
 public:
  // Paths in errors begin with `path`. Everything must outlive the reader.
  MessageReader(const Schema& schema, std::string path, FieldProblems& problems)
      : schema_(schema), path_(std::move(path)), problems_(problems) {}

  // Fills a message of the schema. What it holds after an error means nothing.
  void Read(YamlNode node, google::protobuf::Message& message);

  // A message in the form of a google.protobuf.Any: its fields beside a "@type".
  struct Packed {
    std::string type_url;
    std::string type;  // the URL without prefix; empty if it could not be told
    std::string body;  // serialized; means nothing after an error
  };
  Packed ReadPacked(YamlNode node);

 private:
  using Message = google::protobuf::Message;
  using Descriptor = google::protobuf::Descriptor;
  using Field = google::protobuf::FieldDescriptor;

  // message_reader.cc
  void ReadFields(YamlNode node, Message& message, absl::string_view except);
  void ReadField(YamlNode node, const Field& field, Message& message);
  void ReadList(YamlNode node, const Field& field, Message& message);
  void ReadMap(YamlNode node, const Field& field, Message& message);
  // One value: sets a single field, adds to a repeated one.
  void ReadValue(YamlNode node, const Field& field, Message& message);
  void ReadEnum(YamlNode node, const Field& field, Message& message);
  void ReadMapKey(YamlNode key, const Field& field, Message& entry);
  void AddUnknownField(YamlNode key, const Descriptor& type);

  // well_known_reader.cc: the messages whose JSON is not an object of their fields. False if this
  // is none of them.
  bool ReadWellKnown(YamlNode node, Message& message);
  void ReadAny(YamlNode node, Message& any);
  void ReadStruct(YamlNode node, Message& message);
  void ReadListValue(YamlNode node, Message& message);
  void ReadDynamicValue(YamlNode node, Message& message);
  void ReadFieldMask(YamlNode node, Message& message);
  void ReadWellKnownBesideType(YamlNode node, Message& message);
  // Fills in the type of `packed`; null after an error.
  const Descriptor* FindType(YamlNode node, Packed& packed);

  void AddError(YamlNode node, absl::string_view text) {
    problems_.AddError(node.place(), path_.text(), text);
  }
  // `text` shows what is there, unless that may be a secret.
  void AddValueError(YamlNode node, absl::string_view text);

  // While the fields of such a message are read.
  class Inside {
   public:
    Inside(MessageReader& reader, const Descriptor& type);
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() { reader_.is_secret_ = was_secret_; }

   private:
    MessageReader& reader_;
    const bool was_secret_;
  };

  const Schema& schema_;
  FieldPath path_;
  FieldProblems& problems_;
  bool is_secret_ = false;  // what is being read, so that no value may be shown
};

// The same bytes for the same content, maps sorted.
std::string SerializedDeterministically(const google::protobuf::Message& message);

// "; did you mean X?" or, with the embedded schema and nothing near, how to get the full one.
std::string SuggestionText(absl::string_view word, const std::vector<absl::string_view>& known,
                           const Schema& schema);

// "envoy.config.cluster.v3.Cluster" of "type.googleapis.com/envoy.config.cluster.v3.Cluster",
// whatever stands before the last slash; "" if there is none.
absl::string_view TypeOfUrl(absl::string_view type_url);

// unknown type "envoy.config.cluster.v3.Clusterr"; did you mean …?
std::string UnknownTypeText(absl::string_view type, const Schema& schema);

}  // namespace holdfast

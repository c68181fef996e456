#include "control/config/message_reader.h"

#include <gmock/gmock.h>
#include <google/protobuf/any.pb.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/field_mask.pb.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/wrappers.pb.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace holdfast {
namespace {

namespace pb = google::protobuf;
using ::testing::ElementsAre;

// A message with a field of every kind.
constexpr char kFile[] = R"pb(
  name: "all.proto"
  package: "test"
  syntax: "proto3"
  dependency: "google/protobuf/any.proto"
  dependency: "google/protobuf/duration.proto"
  dependency: "google/protobuf/timestamp.proto"
  dependency: "google/protobuf/struct.proto"
  dependency: "google/protobuf/wrappers.proto"
  dependency: "google/protobuf/field_mask.proto"
  enum_type {
    name: "Color"
    value { name: "RED" number: 0 }
    value { name: "GREEN" number: 2 }
  }
  message_type {
    name: "All"
    oneof_decl { name: "choice" }
    field { name: "an_int32" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
    field { name: "an_int64" number: 2 type: TYPE_INT64 label: LABEL_OPTIONAL }
    field { name: "a_uint32" number: 3 type: TYPE_UINT32 label: LABEL_OPTIONAL }
    field { name: "a_uint64" number: 4 type: TYPE_UINT64 label: LABEL_OPTIONAL }
    field { name: "a_double" number: 5 type: TYPE_DOUBLE label: LABEL_OPTIONAL }
    field { name: "a_float" number: 6 type: TYPE_FLOAT label: LABEL_OPTIONAL }
    field { name: "a_bool" number: 7 type: TYPE_BOOL label: LABEL_OPTIONAL }
    field { name: "a_string" number: 8 type: TYPE_STRING label: LABEL_OPTIONAL }
    field { name: "some_bytes" number: 9 type: TYPE_BYTES label: LABEL_OPTIONAL }
    field {
      name: "color"
      number: 10
      type: TYPE_ENUM
      type_name: ".test.Color"
      label: LABEL_OPTIONAL
    }
    field { name: "numbers" number: 11 type: TYPE_INT32 label: LABEL_REPEATED }
    field { name: "all" number: 12 type: TYPE_MESSAGE type_name: ".test.All" label: LABEL_OPTIONAL }
    field {
      name: "alls"
      number: 13
      type: TYPE_MESSAGE
      type_name: ".test.All"
      label: LABEL_REPEATED
    }
    field {
      name: "by_text"
      number: 14
      type: TYPE_MESSAGE
      type_name: ".test.All.ByTextEntry"
      label: LABEL_REPEATED
    }
    field {
      name: "by_number"
      number: 15
      type: TYPE_MESSAGE
      type_name: ".test.All.ByNumberEntry"
      label: LABEL_REPEATED
    }
    field { name: "left" number: 16 type: TYPE_INT32 label: LABEL_OPTIONAL oneof_index: 0 }
    field { name: "right" number: 17 type: TYPE_INT32 label: LABEL_OPTIONAL oneof_index: 0 }
    field {
      name: "any"
      number: 18
      type: TYPE_MESSAGE
      type_name: ".google.protobuf.Any"
      label: LABEL_OPTIONAL
    }
    field {
      name: "duration"
      number: 19
      type: TYPE_MESSAGE
      type_name: ".google.protobuf.Duration"
      label: LABEL_OPTIONAL
    }
    field {
      name: "time"
      number: 20
      type: TYPE_MESSAGE
      type_name: ".google.protobuf.Timestamp"
      label: LABEL_OPTIONAL
    }
    field {
      name: "struct"
      number: 21
      type: TYPE_MESSAGE
      type_name: ".google.protobuf.Struct"
      label: LABEL_OPTIONAL
    }
    field {
      name: "value"
      number: 22
      type: TYPE_MESSAGE
      type_name: ".google.protobuf.Value"
      label: LABEL_OPTIONAL
    }
    field {
      name: "wrapped"
      number: 23
      type: TYPE_MESSAGE
      type_name: ".google.protobuf.UInt32Value"
      label: LABEL_OPTIONAL
    }
    field {
      name: "mask"
      number: 24
      type: TYPE_MESSAGE
      type_name: ".google.protobuf.FieldMask"
      label: LABEL_OPTIONAL
    }
    field {
      name: "wrapped_text"
      number: 25
      type: TYPE_MESSAGE
      type_name: ".google.protobuf.StringValue"
      label: LABEL_OPTIONAL
    }
    nested_type {
      name: "ByTextEntry"
      options { map_entry: true }
      field { name: "key" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
      field { name: "value" number: 2 type: TYPE_INT32 label: LABEL_OPTIONAL }
    }
    nested_type {
      name: "ByNumberEntry"
      options { map_entry: true }
      field { name: "key" number: 1 type: TYPE_UINT32 label: LABEL_OPTIONAL }
      field {
        name: "value"
        number: 2
        type: TYPE_MESSAGE
        type_name: ".test.All"
        label: LABEL_OPTIONAL
      }
    }
  })pb";

const Schema& TestSchema() {
  static const auto* const kSchema = [] {
    pb::FileDescriptorSet set;
    for (const pb::FileDescriptor* file :
         {pb::Any::descriptor()->file(), pb::Duration::descriptor()->file(),
          pb::Timestamp::descriptor()->file(), pb::Struct::descriptor()->file(),
          pb::UInt32Value::descriptor()->file(), pb::FieldMask::descriptor()->file()}) {
      file->CopyTo(set.add_file());
    }
    HOLDFAST_CHECK(pb::TextFormat::ParseFromString(kFile, set.add_file()));
    auto schema = Schema::FromProtoset(set.SerializeAsString(), "test");
    HOLDFAST_CHECK(schema.ok());
    return new std::shared_ptr<const Schema>(*std::move(schema));
  }();
  return **kSchema;
}

struct ReadText {
  std::string message;                // in one line of text format
  std::vector<std::string> problems;  // "2:5 path: text"
  std::string bytes;
};

ReadText Read(absl::string_view yaml) {
  const Schema& schema = TestSchema();
  ReadText read;
  YamlTree tree;
  if (const auto error = tree.Read(yaml)) return {error->text, {}, ""};
  FieldProblems problems("f.yaml");
  const std::unique_ptr<pb::Message> message(
      schema.factory().GetPrototype(schema.Find("test.All"))->New());
  MessageReader(schema, "", problems).Read(tree.documents()[0], *message);
  pb::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  printer.PrintToString(*message, &read.message);
  if (!read.message.empty()) read.message.pop_back();
  for (const Problem& problem : problems.Sorted()) {
    read.problems.push_back(
        absl::StrCat(problem.line, ":", problem.column, " ", problem.field, ": ", problem.text));
  }
  read.bytes = SerializedDeterministically(*message);
  return read;
}

struct Row {
  absl::string_view yaml;
  absl::string_view expected;
};

TEST(MessageReader, ReadsProto3Json) {
  for (
      const Row& row : std::vector<Row>{
          {"{}", ""},
          {"a_string: x", R"(a_string: "x")"},
          {"aString: x", R"(a_string: "x")"},
          {"a_string: '1'", R"(a_string: "1")"},
          {"a_string: null", ""},
          {"an_int32: -7", "an_int32: -7"},
          {"an_int32: '-7'", "an_int32: -7"},
          {"an_int32: 1.0", "an_int32: 1"},
          {"an_int32: 1e3", "an_int32: 1000"},
          {"an_int32: 0x1f", "an_int32: 31"},
          {"an_int32: 0o17", "an_int32: 15"},
          {"an_int32: -2147483648", "an_int32: -2147483648"},
          {"an_int64: '9223372036854775807'", "an_int64: 9223372036854775807"},
          {"a_uint64: 18446744073709551615", "a_uint64: 18446744073709551615"},
          {"a_double: 1.5", "a_double: 1.5"},
          {"a_double: NaN", "a_double: nan"},
          {"a_double: -Infinity", "a_double: -inf"},
          {"a_double: .inf", "a_double: inf"},
          {"a_float: '0.25'", "a_float: 0.25"},
          {"a_bool: true", "a_bool: true"},
          {"a_bool: 'true'", "a_bool: true"},
          {"some_bytes: aGk=", R"(some_bytes: "hi")"},
          {"some_bytes: _-8", R"(some_bytes: "\377\357")"},
          {"color: GREEN", "color: GREEN"},
          {"color: 2", "color: GREEN"},
          {"numbers: [1, 2]", "numbers: 1 numbers: 2"},
          {"numbers: []", ""},
          {"numbers: null", ""},
          {"all: {}", "all { }"},
          {"all: {all: {an_int32: 1}}", "all { all { an_int32: 1 } }"},
          {"alls: [{an_int32: 1}, {}]", "alls { an_int32: 1 } alls { }"},
          {"by_text: {b: 1, a: 2, 3: 4}",
           R"(by_text { key: "3" value: 4 } by_text { key: "a" value: 2 } by_text { key: "b" value: 1 })"},
          {"by_number: {7: {a_bool: true}}", "by_number { key: 7 value { a_bool: true } }"},
          {"left: 1\nright: null", "left: 1"},
          {"duration: 1s", "duration { seconds: 1 }"},
          {"duration: 0.25s", "duration { nanos: 250000000 }"},
          {"duration: -1.5s", "duration { seconds: -1 nanos: -500000000 }"},
          {"time: 2026-01-02T03:04:05.5Z", "time { seconds: 1767323045 nanos: 500000000 }"},
          {"time: '1969-12-31T23:59:59.5+00:00'", "time { seconds: -1 nanos: 500000000 }"},
          {"wrapped: 0", "wrapped { }"},
          {"wrapped: '5'", "wrapped { value: 5 }"},
          {"wrapped_text: ''", "wrapped_text { }"},
          {"mask: 'fooBar.baz,q'", R"(mask { paths: "foo_bar.baz" paths: "q" })"},
          {"value: null", "value { null_value: NULL_VALUE }"},
          {"value: [1, a, true, '2', ~]",
           R"(value { list_value { values { number_value: 1 } values { string_value: "a" } values { bool_value: true } values { string_value: "2" } values { null_value: NULL_VALUE } } })"},
          {"struct: {a: {b: 1}}",
           R"(struct { fields { key: "a" value { struct_value { fields { key: "b" value { number_value: 1 } } } } } })"},
          {"any: {'@type': t/test.All, an_int32: 1}",
           R"(any { type_url: "t/test.All" value: "\010\001" })"},
          {"any: {'@type': t/google.protobuf.Duration, value: 1s}",
           R"(any { type_url: "t/google.protobuf.Duration" value: "\010\001" })"},
          {"any: {'@type': t/google.protobuf.Any, value: {'@type': t/test.All}}",
           R"(any { type_url: "t/google.protobuf.Any" value: "\n\nt/test.All" })"},
      }) {
    const ReadText read = Read(row.yaml);
    EXPECT_THAT(read.problems, ::testing::IsEmpty()) << row.yaml;
    EXPECT_EQ(read.message, row.expected) << row.yaml;
  }
}

TEST(MessageReader, SaysWhatIsWrongAndWhere) {
  for (const Row& row : std::vector<Row>{
           {"[]", "1:1 : expected a map, got a list (for test.All)"},
           {"an_int23: 1", "1:1 an_int23: unknown field of test.All; did you mean an_int32?"},
           {"frobnicate: 1", "1:1 frobnicate: unknown field of test.All"},
           {"<<: {}",
            "1:1 <<: merge keys (<<) are not supported; use an alias for the whole value"},
           {"an_int32: [1]", "1:11 an_int32: expected a number, got a list"},
           {"an_int32: x", "1:11 an_int32: expected a number, got \"x\""},
           {"an_int32: true", "1:11 an_int32: expected a number, got true or false (true)"},
           {"an_int32: 1.5", "1:11 an_int32: expected a whole number, got 1.5"},
           {"an_int32: 2147483648",
            "1:11 an_int32: must be from -2147483648 to 2147483647 (got 2147483648)"},
           {"a_uint32: -1", "1:11 a_uint32: must be from 0 to 4294967295 (got -1)"},
           {"a_uint64: 99999999999999999999",
            "1:11 a_uint64: must be from 0 to 18446744073709551615 (got 99999999999999999999)"},
           {"an_int32: 010",
            "1:11 an_int32: a number must not begin with 0 (got 010): some would read it as octal"},
           {"a_double: much", "1:11 a_double: expected a number, got \"much\""},
           {"a_double: 1e999", "1:11 a_double: is too big a number (1e999)"},
           {"a_float: 1e39", "1:10 a_float: is too big a number (1e39)"},
           {"a_bool: yes", "1:9 a_bool: expected true or false, got \"yes\""},
           {"a_bool: 1", "1:9 a_bool: expected true or false, got a number (1)"},
           {"a_string: 1",
            "1:11 a_string: expected a string, got a number (1); write it in quotes"},
           {"a_string: {}", "1:11 a_string: expected a string, got a map"},
           {"some_bytes: '*'", "1:13 some_bytes: expected bytes in base64, got a text of 1 bytes"},
           {"color: GREN", "1:8 color: unknown value \"GREN\" of test.Color; did you mean GREEN?"},
           {"color: 7", "1:8 color: unknown value \"7\" of test.Color"},
           {"color: []", "1:8 color: expected a value of test.Color, got a list"},
           {"numbers: 1", "1:10 numbers: expected a list, got a number (1)"},
           {"numbers: [1, x]", "1:14 numbers[1]: expected a number, got \"x\""},
           {"numbers: [null]", "1:11 numbers[0]: expected a number, got null"},
           {"alls:\n- {}\n- an_int32: x", "3:13 alls[1].an_int32: expected a number, got \"x\""},
           {"all: 5", "1:6 all: expected a map, got a number (5) (for test.All)"},
           {"by_text: []", "1:10 by_text: expected a map, got a list"},
           {"by_text: {a: x}", "1:14 by_text[\"a\"]: expected a number, got \"x\""},
           {"by_text: {a: 1, a: 2}", "1:17 by_text[\"a\"]: is there twice"},
           {"by_number: {x: {}}", "1:13 by_number[\"x\"]: expected a number, got \"x\""},
           {"left: 1\nright: 2",
            "2:1 right: cannot be set beside left: only one of them has effect"},
           {"a_bool: true\naBool: true", "2:1 a_bool: is set twice, first in line 1"},
           {"duration: 1",
            "1:11 duration: expected a duration in seconds, such as 1s or 0.25s, got a number (1)"},
           {"duration: 5m",
            "1:11 duration: expected a duration in seconds, such as 1s or 0.25s, got \"5m\""},
           {"duration: 1.0000000001s", "1:11 duration: is finer than a nanosecond (1.0000000001s)"},
           {"duration: 315576000001s",
            "1:11 duration: must be at most 315576000000s (got 315576000001s)"},
           {"time: yesterday",
            "1:7 time: expected a time such as 2026-01-02T03:04:05Z, got \"yesterday\""},
           {"wrapped: -1", "1:10 wrapped: must be from 0 to 4294967295 (got -1)"},
           {"struct: 1", "1:9 struct: expected a map, got a number (1)"},
           {"struct: {a: 1, a: 2}", "1:16 struct[\"a\"]: is there twice"},
           {"any: x", "1:6 any: expected a map with \"@type\", got \"x\""},
           {"any: {}",
            "1:6 any: \"@type\" is missing: the type of this message, such as "
            "type.googleapis.com/envoy.config.cluster.v3.Cluster"},
           {"any: {'@type': test.All}",
            "1:16 any.@type: must be \"type.googleapis.com/\" and the name of a message (got "
            "\"test.All\")"},
           {"any: {'@type': t/test.Al}",
            "1:16 any.@type: unknown type \"test.Al\"; did you mean test.All?"},
           {"any: {'@type': t/test.All, any: {'@type': t/test.All, color: X}}",
            "1:62 any.any.color: unknown value \"X\" of test.Color"},
           {"any: {'@type': t/google.protobuf.Duration, seconds: 1}",
            "1:44 any.seconds: unknown field: beside the \"@type\" of google.protobuf.Duration "
            "there is only \"value\""},
       }) {
    EXPECT_THAT(Read(row.yaml).problems, ElementsAre(std::string(row.expected))) << row.yaml;
  }
}

TEST(MessageReader, AllMistakesAreFound) {
  EXPECT_THAT(Read("an_int32: x\na_bool: y\nall: {color: z}\n").problems,
              ElementsAre("1:11 an_int32: expected a number, got \"x\"",
                          "2:9 a_bool: expected true or false, got \"y\"",
                          "3:14 all.color: unknown value \"z\" of test.Color"));
}

TEST(MessageReader, OfVeryManyMistakesOneThousandAreKept) {
  std::string yaml = "numbers:\n";
  for (int i = 0; i < 3000; ++i) yaml += "- x\n";
  const std::vector<std::string> problems = Read(yaml).problems;
  ASSERT_EQ(problems.size(), FieldProblems::kMostKept + 1);
  EXPECT_EQ(problems.front(), "2:3 numbers[0]: expected a number, got \"x\"");
  EXPECT_EQ(problems.back(), "0:0 : and 2000 more errors");
}

TEST(MessageReader, TheOrderOfKeysDoesNotChangeTheBytes) {
  const ReadText one = Read(
      "a_bool: true\nby_text: {x: 1, y: 2, z: 3}\n"
      "any: {'@type': t/test.All, left: 1, by_text: {p: 1, q: 2, r: 3}}\n");
  const ReadText other = Read(
      "any: {by_text: {r: 3, p: 1, q: 2}, left: 1, '@type': t/test.All}\n"
      "by_text: {z: 3, x: 1, y: 2}\naBool: true\n");
  EXPECT_THAT(one.problems, ::testing::IsEmpty());
  EXPECT_EQ(one.bytes, other.bytes);
  EXPECT_NE(Read("numbers: [1, 2]").bytes, Read("numbers: [2, 1]").bytes);
}

}  // namespace
}  // namespace holdfast

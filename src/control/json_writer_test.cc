#include "control/json_writer.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(JsonWriter, WritesWhatItIsTold) {
  JsonWriter json;
  json.BeginObject().Member("name", "pay").Member("bytes", size_t{512}).Key("tags").BeginArray();
  json.Value("a").Value(true).EndArray().EndObject();
  EXPECT_EQ(json.text(), R"({"name":"pay","bytes":512,"tags":["a",true]})");
}

TEST(JsonWriter, WritesTextThatDoesNotStandInJsonAsItIs) {
  for (const absl::string_view text : {"", "plain ~ text", "a \"word\"", "back\\slash", "a\nline",
                                       "\x1f", "\x7f", "naïve", "\xff broken"}) {
    JsonWriter json;
    json.BeginObject().Member(text, text).EndObject();
    EXPECT_EQ(json.text(), absl::StrCat("{", JsonText(text), ":", JsonText(text), "}"));
  }
}

TEST(JsonWriter, WritesEachTime) {
  const absl::Time time = absl::UnixEpoch() + absl::Milliseconds(1500);
  JsonWriter json;
  json.BeginArray().Value(absl::UnixEpoch()).Value(time).Value(time).Value(absl::UnixEpoch());
  json.EndArray();
  EXPECT_EQ(json.text(), R"(["1970-01-01T00:00:00.000Z","1970-01-01T00:00:01.500Z",)"
                         R"("1970-01-01T00:00:01.500Z","1970-01-01T00:00:00.000Z"])");
}

}  // namespace
}  // namespace holdfast

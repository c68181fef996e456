#include "bootstrap/json_reader.h"

#include <limits>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/utf8.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

using ::testing::EndsWith;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

std::string Repeated(absl::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) absl::StrAppend(&all, text);
  return all;
}

std::string ErrorOf(absl::string_view text) {
  const absl::StatusOr<JsonValue> value = ReadJson(text);
  if (value.ok()) return "no error";
  EXPECT_EQ(value.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(value.status().message());
}

JsonValue Read(absl::string_view text) {
  absl::StatusOr<JsonValue> value = ReadJson(text);
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? *std::move(value) : JsonValue{};
}

TEST(JsonReader, ReadsEveryKindOfValue) {
  EXPECT_TRUE(Read("null").is_null());
  EXPECT_EQ(*Read(" true ").if_bool(), true);
  EXPECT_EQ(*Read("false").if_bool(), false);
  EXPECT_EQ(*Read("\"text\"").if_string(), "text");
  EXPECT_TRUE(Read("[]").if_array()->empty());
  EXPECT_TRUE(Read("{ }").if_object()->empty());
  EXPECT_EQ(Read("[1, [2], {\"a\": 3}]").if_array()->size(), 3u);
  EXPECT_THAT(*Read("{\"a\": 1, \"b\": 2}").if_object(),
              UnorderedElementsAre(Pair("a", Read("1")), Pair("b", Read("2"))));
}

TEST(JsonReader, ReadsNumbersAsDoubles) {
  struct Row {
    absl::string_view text;
    double number;
  };
  constexpr Row kTable[] = {
      {"0", 0},
      {"-0", 0},
      {"-12", -12},
      {"0.5", 0.5},
      {"1e3", 1000},
      {"1E+3", 1000},
      {"25e-1", 2.5},
      {"9007199254740993", 9007199254740992.0},  // beyond 2^53 a double rounds
      {"1.7976931348623157e308", std::numeric_limits<double>::max()},
      {"1e-400", 0},  // too small to tell from 0
  };
  for (const Row& row : kTable) {
    EXPECT_EQ(*Read(row.text).if_number(), row.number) << row.text;
  }
}

TEST(JsonReader, ReadsEscapes) {
  struct Row {
    absl::string_view text;
    std::string string;
  };
  const Row kTable[] = {
      {R"("\" \\ \/ \b \f \n \r \t")", "\" \\ / \b \f \n \r \t"},
      {R"("\u0041\u00e9\u20AC")", "A\xC3\xA9\xE2\x82\xAC"},
      {R"("\ud83d\ude00")", "\xF0\x9F\x98\x80"},  // a surrogate pair
      {R"("a\u0000b")", std::string("a\0b", 3)},
      {"\"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \xF4\x8F\xBF\xBF \x7F\"",
       "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \xF4\x8F\xBF\xBF \x7F"},
  };
  for (const Row& row : kTable) EXPECT_EQ(*Read(row.text).if_string(), row.string) << row.text;
}

TEST(JsonReader, KnowsLineAndColumnOfEveryValue) {
  const JsonValue value = Read("\n {\"a\": [1,\r\n\t\"\xC3\xA9\", null]}");
  EXPECT_EQ(TextOf(value.at), "line 2, column 2");
  const JsonValue& array = value.if_object()->at("a");
  EXPECT_EQ(TextOf(array.at), "line 2, column 8");
  EXPECT_EQ(TextOf(array.if_array()->at(0).at), "line 2, column 9");
  EXPECT_EQ(TextOf(array.if_array()->at(1).at), "line 3, column 2");
  EXPECT_EQ(TextOf(array.if_array()->at(2).at), "line 3, column 8");  // bytes, not characters
}

TEST(JsonReader, SkipsAByteOrderMarkAtTheStartOnly) {
  EXPECT_EQ(TextOf(Read("\xEF\xBB\xBF{}").at), "line 1, column 1");
  EXPECT_EQ(ErrorOf("\xEF\xBB\xBF\xEF\xBB\xBF{}"),
            "line 1, column 1: expected a value (got byte 0xef)");
}

struct BadText {
  std::string text;
  absl::string_view error;
};

const BadText kBadTexts[] = {
    {"", "line 1, column 1: expected a value (got the end of the text)"},
    {" \n ", "line 2, column 2: expected a value (got the end of the text)"},
    {"x", "line 1, column 1: expected a value (got \"x\")"},
    {"{}x", "line 1, column 3: expected nothing after the value (got \"x\")"},
    {"1 2", "line 1, column 3: expected nothing after the value (got \"2\")"},
    {"// no\n1", "line 1, column 1: expected a value (got \"/\")"},
    {std::string("\0", 1), "line 1, column 1: expected a value (got byte 0x00)"},
    // Words.
    {"tru", "line 1, column 4: expected the word true (got the end of the text)"},
    {"falze", "line 1, column 4: expected the word false (got \"z\")"},
    {"nul1", "line 1, column 4: expected the word null (got \"1\")"},
    {"truex", "line 1, column 5: expected nothing after the value (got \"x\")"},
    {"NaN", "line 1, column 1: expected a value (got \"N\")"},
    // Arrays and objects.
    {"[", "line 1, column 2: expected a value (got the end of the text)"},
    {"[1", "line 1, column 3: expected \",\" or \"]\" after an element (got the end of the text)"},
    {"[1,]", "line 1, column 4: expected a value (got \"]\")"},
    {"[1 2]", "line 1, column 4: expected \",\" or \"]\" after an element (got \"2\")"},
    {"[1}", "line 1, column 3: expected \",\" or \"]\" after an element (got \"}\")"},
    {"{", "line 1, column 2: expected a key in quotes (got the end of the text)"},
    {"{a:1}", "line 1, column 2: expected a key in quotes (got \"a\")"},
    {"{\"a\"}", "line 1, column 5: expected \":\" after a key (got \"}\")"},
    {"{\"a\" 1}", "line 1, column 6: expected \":\" after a key (got \"1\")"},
    {"{\"a\":}", "line 1, column 6: expected a value (got \"}\")"},
    {"{\"a\":1,}", "line 1, column 8: expected a key in quotes (got \"}\")"},
    {"{\n  \"a\": 1\n  \"b\": 2\n}",
     "line 3, column 3: expected \",\" or \"}\" after a member (got a quote)"},
    {"{\"a\": 1,\n \"b\": 2,\n  \"a\": 3}",
     "line 3, column 3: key \"a\" appears twice (its first value is at line 1, column 7)"},
    {R"({"a": 1, "\u0061": 3})",
     "line 1, column 10: key \"a\" appears twice (its first value is at line 1, column 7)"},
    // Numbers.
    {"-", "line 1, column 2: expected a digit (got the end of the text)"},
    {"+1", "line 1, column 1: expected a value (got \"+\")"},
    {".5", "line 1, column 1: expected a value (got \".\")"},
    {"1.", "line 1, column 3: expected a digit (got the end of the text)"},
    {"1.e1", "line 1, column 3: expected a digit (got \"e\")"},
    {"1e", "line 1, column 3: expected a digit (got the end of the text)"},
    {"1e-x", "line 1, column 4: expected a digit (got \"x\")"},
    {"01", "line 1, column 1: a number must not begin with 0 and another digit"},
    {"-00", "line 1, column 1: a number must not begin with 0 and another digit"},
    {"0x10", "line 1, column 2: expected nothing after the value (got \"x\")"},
    {"[1e309]", "line 1, column 2: number too large"},
    {"-1e999999999999", "line 1, column 1: number too large"},
    // Strings.
    {"\"abc",
     "line 1, column 5: expected the closing quote of the string that starts at line 1, column 1 "
     "(got the end of the text)"},
    {"\"a\nb\"",
     "line 1, column 3: expected a string without raw control characters (got byte 0x0a)"},
    {"'a'", "line 1, column 1: expected a value (got \"'\")"},
    {R"("\x")",
     "line 1, column 3: expected one of \" \\ / b f n r t u after a backslash (got \"x\")"},
    {"\"\\",
     "line 1, column 3: expected one of \" \\ / b f n r t u after a backslash (got the end of the "
     "text)"},
    {R"("\u12g4")", "line 1, column 6: expected four hexadecimal digits after \\u (got \"g\")"},
    {R"("\u12)",
     "line 1, column 6: expected four hexadecimal digits after \\u (got the end of the "
     "text)"},
    {R"("a\ud800")", "line 1, column 3: half of a surrogate pair; a character needs both halves"},
    {R"("\ude00")", "line 1, column 2: half of a surrogate pair; a character needs both halves"},
    {R"("\ud800\n")", "line 1, column 2: half of a surrogate pair; a character needs both halves"},
    {R"("\ud800\u0041")",
     "line 1, column 2: half of a surrogate pair; a character needs both halves"},
    {R"("\ud800\ud800")",
     "line 1, column 2: half of a surrogate pair; a character needs both halves"},
    {R"("\ud800)",
     "line 1, column 8: expected the second half of a surrogate pair (got the end of the text)"},
};

TEST(JsonReader, SaysWhereAndWhatIsWrong) {
  for (const BadText& row : kBadTexts) EXPECT_EQ(ErrorOf(row.text), row.error) << row.text;
}

TEST(JsonReader, RefusesInvalidUtf8) {
  const absl::string_view kTable[] = {
      "\x80",              // continues nothing
      "\xC0\x80",          // could be shorter
      "\xC1\xBF",          //
      "\xC3",              // is cut short by the quote
      "\xC3\x28",          //
      "\xE0\x9F\xBF",      // could be shorter
      "\xE2\x82",          // is cut short
      "\xED\xA0\x80",      // a surrogate
      "\xF0\x8F\xBF\xBF",  // could be shorter
      "\xF0\x9F\x98",      // is cut short
      "\xF4\x90\x80\x80",  // above U+10FFFF
      "\xF5\x80\x80\x80",  //
      "\xFF",              // never
  };
  for (const absl::string_view bytes : kTable) {
    const unsigned char first = static_cast<unsigned char>(bytes[0]);
    EXPECT_FALSE(IsUtf8(absl::StrCat("a", bytes)));
    EXPECT_EQ(ErrorOf(absl::StrCat("\"a", bytes, "\"")),
              absl::StrCat("line 1, column 3: expected valid UTF-8 in a string (got byte 0x",
                           absl::Hex(first), ")"));
  }
  EXPECT_TRUE(IsUtf8("") && IsUtf8("a \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"));
  EXPECT_EQ(ErrorOf("\xC3\xA9"), "line 1, column 1: expected a value (got byte 0xc3)");
}

TEST(JsonReader, TakesAHundredLevelsAndNoMore) {
  EXPECT_EQ(ErrorOf(absl::StrCat(Repeated("[", 100), Repeated("]", 100))), "no error");
  EXPECT_EQ(ErrorOf(absl::StrCat("[", Repeated("[],", 200), "{}]")), "no error");
  EXPECT_EQ(ErrorOf(Repeated("[", 101)), "line 1, column 101: nested deeper than 100 levels");
  EXPECT_EQ(ErrorOf(Repeated("[", 10'000)), "line 1, column 101: nested deeper than 100 levels");
  EXPECT_EQ(ErrorOf(Repeated("{\"a\":", 10'000)),
            "line 1, column 501: nested deeper than 100 levels");
  EXPECT_EQ(ErrorOf(absl::StrCat(Repeated("[", 10'000), Repeated("]", 10'000))),
            "line 1, column 101: nested deeper than 100 levels");
}

TEST(JsonReader, RefusesATextThatIsTooLong) {
  EXPECT_EQ(ErrorOf(std::string(20'000'000, ' ')),
            "text of 20000000 bytes is longer than the limit of 16777216 bytes");
  std::string longest(kMostJsonBytes, ' ');
  longest.back() = '1';
  EXPECT_EQ(*Read(longest).if_number(), 1);
}

TEST(JsonReader, RefusesTooManyValues) {
  EXPECT_EQ(ErrorOf(absl::StrCat("[", Repeated("1,", 999'998), "1]")), "no error");
  EXPECT_EQ(ErrorOf(absl::StrCat("[", Repeated("1,", 999'999), "1]")),
            "line 1, column 2000000: more than 1000000 values");
}

// Whatever is cut off, the error points at the cut.
TEST(JsonReader, NamesTheEndOfATruncatedText) {
  const absl::string_view text =
      R"({"a": [1, -2.5e+3, true, false, null], "b\n": {"c": "\ud83d\ude00 é", "d": {}}})";
  ASSERT_EQ(ErrorOf(text), "no error");
  for (size_t length = 0; length < text.size(); ++length) {
    const std::string error = ErrorOf(text.substr(0, length));
    // Between the two bytes of "é" the text is not even UTF-8.
    const bool inside_character = length > 0 && text[length - 1] == '\xC3';
    EXPECT_THAT(error,
                EndsWith(inside_character ? "expected valid UTF-8 in a string (got byte 0xc3)"
                                          : "(got the end of the text)"))
        << length;
    EXPECT_THAT(error, testing::StartsWith(absl::StrCat(
                           "line 1, column ", inside_character ? length : length + 1, ": ")))
        << length;
  }
}

}  // namespace
}  // namespace holdfast

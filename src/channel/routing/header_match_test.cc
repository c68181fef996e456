#include "channel/routing/header_match.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace holdfast {
namespace {

using Kind = StringMatcher::Kind;
using Metadata = std::multimap<std::string, std::string>;
using Range = HeaderMatcher::Range;
using Presence = HeaderMatcher::Presence;

bool Matches(const HeaderMatcher& matcher, const Metadata& metadata) {
  HeaderNames names;
  const HeaderRule rule(matcher, names);
  CallHeaders headers(metadata);
  return rule.Matches(headers);
}

HeaderMatcher Of(const std::string& name, Kind kind, const std::string& pattern,
                 bool ignore_case = false) {
  return {.name = name, .rule = StringMatcher{kind, pattern, ignore_case}};
}

HeaderMatcher Inverted(HeaderMatcher matcher) {
  matcher.invert = true;
  return matcher;
}

struct StringRow {
  Kind kind;
  std::string pattern;
  std::string value;
  bool matches;
  bool matches_ignoring_case;
};

TEST(HeaderMatch, ComparesStringsWithAndWithoutCase) {  // R13.12, R13.16
  for (const StringRow& row : {
           StringRow{Kind::kExact, "paris", "paris", true, true},
           StringRow{Kind::kExact, "Paris", "pARIS", false, true},
           StringRow{Kind::kExact, "paris", "pari", false, false},
           StringRow{Kind::kExact, "paris", "paris ", false, false},
           StringRow{Kind::kExact, "", "", true, true},
           StringRow{Kind::kExact, "", "x", false, false},
           StringRow{Kind::kPrefix, "pa", "paris", true, true},
           StringRow{Kind::kPrefix, "PA", "paris", false, true},
           StringRow{Kind::kPrefix, "ar", "paris", false, false},
           StringRow{Kind::kPrefix, "paris", "pa", false, false},
           StringRow{Kind::kPrefix, "", "", true, true},
           StringRow{Kind::kSuffix, "ris", "paris", true, true},
           StringRow{Kind::kSuffix, "ris", "PARIS", false, true},
           StringRow{Kind::kSuffix, "ri", "paris", false, false},
           StringRow{Kind::kSuffix, "paris", "is", false, false},
           StringRow{Kind::kContains, "ari", "paris", true, true},
           StringRow{Kind::kContains, "aRi", "pArIs", false, true},
           StringRow{Kind::kContains, "arx", "paris", false, false},
           StringRow{Kind::kContains, "paris", "ari", false, false},
           StringRow{Kind::kContains, "", "", true, true},
           // Case is a matter of ASCII.
           StringRow{Kind::kExact, "\xc3\xa9", "\xc3\x89", false, false},
       }) {
    const std::string text = row.pattern + " for " + row.value;
    const Metadata call = {{"city", row.value}};
    EXPECT_EQ(Matches(Of("city", row.kind, row.pattern), call), row.matches) << text;
    EXPECT_EQ(Matches(Inverted(Of("city", row.kind, row.pattern)), call), !row.matches) << text;
    EXPECT_EQ(Matches(Of("city", row.kind, row.pattern, true), call), row.matches_ignoring_case)
        << text;
  }
}

TEST(HeaderMatch, WantsARegexToMatchTheWholeValue) {  // R13.12, R13.16
  struct Row {
    std::string regex, value;
    bool matches;
  };
  for (const Row& row : {Row{"par.*", "paris", true}, Row{"ar", "paris", false},
                         Row{"par", "paris", false}, Row{"paris|rome", "rome", true},
                         Row{"PARIS", "paris", false}, Row{"(?i)PARIS", "paris", true},
                         Row{".*", "", true}, Row{".+", "", false}, Row{".*", "\xff\xfe", false}}) {
    EXPECT_EQ(Matches(Of("city", Kind::kSafeRegex, row.regex), {{"city", row.value}}), row.matches)
        << row.regex << " for " << row.value;
  }
}

TEST(HeaderMatch, TakesANumberFromStartToBeforeEnd) {  // R13.14
  struct Row {
    int64_t start, end;
    std::string value;
    bool matches;
  };
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (const Row& row : {
           Row{10, 20, "9", false},
           Row{10, 20, "10", true},
           Row{10, 20, "19", true},
           Row{10, 20, "20", false},
           Row{-3, 3, "-3", true},
           Row{-3, 3, "-4", false},
           Row{-3, 3, "0", true},
           Row{5, 5, "5", false},
           Row{10, 20, "", false},
           Row{10, 20, "15x", false},
           Row{10, 20, "1 5", false},
           Row{10, 20, "15.0", false},
           Row{10, 20, "0xf", false},
           Row{10, 20, "15,15", false},
           Row{kLeast, kMost, "-9223372036854775808", true},
           Row{kLeast, kMost, "9223372036854775806", true},
           Row{kLeast, kMost, "9223372036854775807", false},
           Row{kLeast, kMost, "9223372036854775808", false},
       }) {
    const HeaderMatcher matcher{.name = "n", .rule = Range{row.start, row.end}};
    EXPECT_EQ(Matches(matcher, {{"n", row.value}}), row.matches) << row.value;
    // What is no number is not in the range either.
    EXPECT_EQ(Matches(Inverted(matcher), {{"n", row.value}}), !row.matches) << row.value;
  }
}

TEST(HeaderMatch, KnowsPresentFromMissing) {  // R13.13
  struct Row {
    bool present, invert, matches_present, matches_missing;
  };
  for (const Row& row : {Row{true, false, true, false}, Row{true, true, false, true},
                         Row{false, false, false, true}, Row{false, true, true, false}}) {
    const HeaderMatcher matcher{.name = "x", .rule = Presence{row.present}, .invert = row.invert};
    EXPECT_EQ(Matches(matcher, {{"x", "1"}}), row.matches_present) << row.present << row.invert;
    EXPECT_EQ(Matches(matcher, {{"x", ""}}), row.matches_present) << row.present << row.invert;
    EXPECT_EQ(Matches(matcher, {{"y", "1"}}), row.matches_missing) << row.present << row.invert;
  }
}

TEST(HeaderMatch, LetsNothingElseMatchAMissingHeader) {  // R13.13
  for (const HeaderMatcher& matcher :
       {Of("x", Kind::kExact, ""), Of("x", Kind::kPrefix, ""), Of("x", Kind::kSuffix, ""),
        Of("x", Kind::kContains, ""), Of("x", Kind::kSafeRegex, ".*"),
        HeaderMatcher{.name = "x", .rule = Range{0, 10}}}) {
    EXPECT_FALSE(Matches(matcher, {}));
    EXPECT_FALSE(Matches(Inverted(matcher), {}));
    EXPECT_FALSE(Matches(Inverted(matcher), {{"y", "1"}}));
  }
}

TEST(HeaderMatch, JoinsRepeatedValuesInOrder) {  // R13.12
  const Metadata call = {{"x", "b"}, {"w", "0"}, {"x", "a"}, {"x", ""}};
  EXPECT_TRUE(Matches(Of("x", Kind::kExact, "b,a,"), call));
  EXPECT_FALSE(Matches(Of("x", Kind::kExact, "b"), call));
  EXPECT_FALSE(Matches(Of("x", Kind::kExact, "a,b,"), call));
}

TEST(HeaderMatch, SeesOnlyCustomMetadata) {  // R13.12
  for (const std::string name :
       {"x-bin", "X-BIN", "-bin", "grpc-timeout", "grpc-trace-bin", ":path", ":authority"}) {
    const Metadata call = {{"x-bin", "1"},          {"-bin", "1"},  {"grpc-timeout", "1"},
                           {"grpc-trace-bin", "1"}, {":path", "1"}, {":authority", "1"}};
    EXPECT_FALSE(Matches({.name = name, .rule = Presence{true}}, call)) << name;
    EXPECT_TRUE(Matches({.name = name, .rule = Presence{false}}, call)) << name;
    EXPECT_FALSE(Matches(Of(name, Kind::kExact, "1"), call)) << name;
    EXPECT_FALSE(Matches(Inverted(Of(name, Kind::kExact, "2")), call)) << name;
  }
  for (const std::string name : {"x-binary", "x-bin-x", "bin", "grpc", "x-grpc-y"}) {
    EXPECT_TRUE(Matches({.name = name, .rule = Presence{true}}, {{name, "1"}})) << name;
  }
}

TEST(HeaderMatch, AssumesTheContentTypeOfGrpc) {  // R13.12
  const HeaderMatcher is_grpc = Of("content-type", Kind::kExact, "application/grpc");
  EXPECT_TRUE(Matches(is_grpc, {}));
  EXPECT_TRUE(Matches({.name = "content-type", .rule = Presence{true}}, {}));
  EXPECT_FALSE(Matches(is_grpc, {{"content-type", "application/grpc+json"}}));
  EXPECT_TRUE(Matches(Of("content-type", Kind::kSuffix, "+json"),
                      {{"content-type", "application/grpc+json"}}));
}

TEST(HeaderMatch, ComparesNamesInLowerCase) {  // R13.12
  EXPECT_TRUE(Matches(Of("X-City", Kind::kExact, "Paris"), {{"x-city", "Paris"}}));
  EXPECT_TRUE(Matches(Of("Content-Type", Kind::kExact, "application/grpc"), {}));
}

TEST(HeaderMatch, AsksAboutManyNamesInAnyOrder) {  // R13.12
  Metadata metadata;
  HeaderNames names;
  std::vector<HeaderRule> rules;
  for (int i = 0; i < 40; ++i) {
    const std::string name = "h" + std::to_string(i);
    for (int n = 0; n < i % 3; ++n) metadata.emplace(name, name);
    const std::string value = i % 3 == 2 ? name + "," + name : name;
    rules.emplace_back(Of(name, Kind::kExact, value), names);
  }
  CallHeaders headers(metadata);
  for (size_t step = 0; step < 400; ++step) {
    const size_t i = step * 7 % 40;
    EXPECT_EQ(rules[i].Matches(headers), i % 3 != 0) << i;
  }
}

}  // namespace
}  // namespace holdfast

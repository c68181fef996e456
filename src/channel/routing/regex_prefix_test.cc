#include "channel/routing/regex_prefix.h"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include <random>
#include <string>

#include "absl/strings/match.h"

namespace holdfast {
namespace {

TEST(RegexPrefix, IsTheTextThatAllMatchesBeginWith) {  // R13.11
  struct Row {
    std::string regex, prefix;
  };
  for (const Row& row : {
           Row{"", ""},
           Row{"/acme.Pay/Charge", "/acme"},
           Row{R"(/acme\.Pay/Charge)", "/acme.Pay/Charge"},
           Row{R"(/acme\.Pay/.*)", "/acme.Pay/"},
           Row{R"(^/acme\.Pay/.*$)", "/acme.Pay/"},
           Row{"/a(b|c)", "/a"},
           Row{"/a|/b", ""},
           Row{"(a)|b", ""},
           Row{"/a(b)|/a", ""},
           Row{"/a/[bc]", "/a/"},
           Row{"/a/[(]|x", ""},
           Row{R"(/a\(|x)", ""},
           Row{"/ab*", "/a"},
           Row{"/ab?", "/a"},
           Row{"/ab+", "/a"},
           Row{"/ab{0,2}", "/a"},
           Row{R"(/a\.*)", "/a"},
           Row{"(?i)/a", ""},
           Row{"/a(?i)b", "/a"},
           Row{R"(/a\d)", "/a"},
           Row{R"(/a\Qb*\E)", "/a"},
           Row{R"(/a\pL)", "/a"},
           Row{"^^a", ""},
           Row{"/\xc3\xa9*", "/"},
           Row{"a$", "a"},
       }) {
    EXPECT_TRUE(RE2(row.regex, RE2::Quiet).ok()) << row.regex;
    EXPECT_EQ(LiteralPrefix(row.regex), row.prefix) << row.regex;
  }
}

TEST(RegexPrefix, IsNeverWrong) {  // R13.11
  std::mt19937 random(13);
  const auto draw = [&](const std::string& letters, size_t most) {
    std::string text(random() % (most + 1), ' ');
    for (char& c : text) c = letters[random() % letters.size()];
    return text;
  };
  int valid = 0;
  int matched = 0;
  for (int round = 0; round < 30'000; ++round) {
    const std::string regex = draw("aaabb/.*+?()|[]{}^$\\1,i:", 8);
    const RE2 compiled(regex, RE2::Quiet);
    if (!compiled.ok()) continue;
    ++valid;
    const std::string prefix = LiteralPrefix(regex);
    for (int i = 0; i < 10; ++i) {
      const std::string text = draw("aaab/.*(|", 4);
      if (!RE2::FullMatch(text, compiled)) continue;
      ++matched;
      ASSERT_TRUE(absl::StartsWith(text, prefix))
          << '"' << text << "\" matches \"" << regex << "\", not \"" << prefix << '"';
    }
  }
  EXPECT_GT(valid, 1'000);
  EXPECT_GT(matched, 1'000);
}

}  // namespace
}  // namespace holdfast

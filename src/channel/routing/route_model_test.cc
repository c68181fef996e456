// The index answers as if it asked each route in turn.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "channel/routing/route_table.h"
#include "channel/routing/route_text.h"
#include "channel/routing/routes_test.h"

namespace holdfast {
namespace {

class Dice {
 public:
  explicit Dice(uint32_t seed) : random_(seed) {}

  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>(random_() % bound); }
  bool Once(uint32_t in) { return Below(in) == 0; }

  std::string Text(absl::string_view letters, uint32_t most) {
    std::string text(Below(most + 1), ' ');
    for (char& c : text) c = letters[Below(static_cast<uint32_t>(letters.size()))];
    return text;
  }
  std::string Bytes(uint32_t most) {
    std::string text(Below(most + 1), ' ');
    for (char& c : text) c = static_cast<char>(Below(256));
    return text;
  }

 private:
  std::mt19937 random_;
};

RouteMatch RandomMatch(Dice& dice) {
  static const std::vector<std::string> regexes = {".*",    "/a.*", "/(a|b)*", "a|/b.*",
                                                   "/ab?/", "^/a$", "/[ab]/.", "(?i)/A.*"};
  RouteMatch match;
  switch (dice.Below(5)) {
    case 0:
    case 1:
      match = Path("/" + dice.Text("aAb/", 3));
      break;
    case 2:
    case 3:
      match = Prefix(dice.Once(8) ? "" : "/" + dice.Text("aAb/", 4));
      break;
    default:
      match = Regex(regexes[dice.Below(static_cast<uint32_t>(regexes.size()))]);
  }
  if (match.kind != RouteMatch::PathKind::kSafeRegex && dice.Once(3)) match.case_sensitive = false;
  while (dice.Once(2)) {
    match = WithHeader(match, dice.Text("xyz", 1), dice.Text("12,", 2));
    match.headers.back().invert = dice.Once(4);
  }
  constexpr uint32_t kFractions[] = {0, 1, 500'000, 999'999, 1'000'000};
  if (dice.Once(5)) match.per_million = kFractions[dice.Below(5)];
  return match;
}

bool NaivelyMatchesPath(const RouteMatch& match, const std::string& path) {
  if (match.kind == RouteMatch::PathKind::kSafeRegex) {
    static auto& compiled = *new std::map<std::string, RE2>;
    return RE2::FullMatch(path, compiled.try_emplace(match.path, match.path).first->second);
  }
  std::string wanted = match.path;
  std::string got = path;
  if (!match.case_sensitive) {
    absl::AsciiStrToLower(&wanted);
    absl::AsciiStrToLower(&got);
  }
  return match.kind == RouteMatch::PathKind::kPath ? got == wanted : absl::StartsWith(got, wanted);
}

bool NaivelyMatchesHeaders(const RouteMatch& match, const CallMetadata& metadata) {
  for (const HeaderMatcher& matcher : match.headers) {
    std::vector<std::string> values;
    for (const auto& [name, value] : metadata) {
      if (name == matcher.name) values.push_back(value);
    }
    const std::string& wanted = std::get<StringMatcher>(matcher.rule).pattern;
    if (values.empty() || (absl::StrJoin(values, ",") == wanted) == matcher.invert) return false;
  }
  return true;
}

// The cluster of the first route that matches, or "none".
std::string NaivelyChosen(const VirtualHost& host, const std::string& path,
                          const CallMetadata& metadata, Chance chance) {
  for (size_t i = 0; i < host.routes.size(); ++i) {
    const RouteMatch& match = host.routes[i].match;
    if (!NaivelyMatchesPath(match, path) || !NaivelyMatchesHeaders(match, metadata)) continue;
    const uint32_t per_million = match.per_million.value_or(1'000'000);
    if (per_million == 0) continue;
    if (per_million < 1'000'000 && chance(1'000'000) >= per_million) continue;
    return absl::StrCat(i);
  }
  return "none";
}

std::string HostText(const VirtualHost& host) {
  return absl::StrJoin(host.routes, "\n", [](std::string* out, const Route& route) {
    absl::StrAppend(out, RouteText(route), route.match.case_sensitive ? "" : " in any case");
  });
}

void ExpectSameAnswer(const VirtualHost& host, const RouteTable& table, const std::string& path,
                      const CallMetadata& metadata, uint32_t seed) {
  Dice naive_dice(seed);
  const std::string expected =
      NaivelyChosen(host, path, metadata, [&](uint32_t bound) { return naive_dice.Below(bound); });
  Dice dice(seed);
  const RouteChoice choice =
      table.Choose({path, metadata}, [&](uint32_t bound) { return dice.Below(bound); });
  ASSERT_EQ(!choice.failure.has_value() ? table.clusters()[choice.cluster] : "none", expected)
      << path << " among\n"
      << HostText(host);
  // Chance was asked as often.
  ASSERT_EQ(dice.Below(1u << 31), naive_dice.Below(1u << 31)) << path << "\n" << HostText(host);
}

TEST(RouteModel, TheIndexAnswersLikeAScanInOrder) {  // R13.08, R13.11, R13.12, R13.15
  Dice dice(2024);
  for (int round = 0; round < 2'000; ++round) {
    std::vector<RouteMatch> matches(dice.Below(dice.Once(10) ? 60 : 12));
    for (RouteMatch& match : matches) match = RandomMatch(dice);
    const VirtualHost host = Numbered(matches);
    const RouteTable table(host, std::nullopt);
    for (int call = 0; call < 20; ++call) {
      const std::string path = "/" + dice.Text("aAb/", 5);
      CallMetadata metadata;
      while (!dice.Once(3)) metadata.emplace(dice.Text("xyz", 1), dice.Text("12", 1));
      ASSERT_NO_FATAL_FAILURE(
          ExpectSameAnswer(host, table, path, metadata, static_cast<uint32_t>(call)));
    }
  }
}

TEST(RouteModel, AnyBytesOfAPathAndOfHeadersAreFine) {  // R13.07, R13.08
  Dice dice(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<RouteMatch> matches(20);
    for (RouteMatch& match : matches) {
      match = dice.Once(2) ? RandomMatch(dice) : Prefix(dice.Bytes(2));
      if (dice.Once(4)) match = WithHeader(match, "x", dice.Bytes(1));
    }
    const VirtualHost host = Numbered(matches);
    const RouteTable table(host, std::nullopt);
    for (int call = 0; call < 50; ++call) {
      std::string path = dice.Bytes(6);
      if (dice.Once(2)) path = matches[dice.Below(20)].path + path;
      CallMetadata metadata;
      while (!dice.Once(3)) metadata.emplace(dice.Once(2) ? "x" : dice.Bytes(3), dice.Bytes(2));
      ASSERT_NO_FATAL_FAILURE(
          ExpectSameAnswer(host, table, path, metadata, static_cast<uint32_t>(call)));
    }
  }
}

// Each a prefix of the next, in both orders, with and without conditions.
TEST(RouteModel, ManyNestedPrefixesAreWalkedInOrder) {  // R13.08
  for (const bool shortest_first : {true, false}) {
    for (const bool conditional : {true, false}) {
      std::vector<RouteMatch> matches;
      for (size_t i = 0; i < 200; ++i) {
        RouteMatch match = Prefix("/" + std::string(shortest_first ? i : 199 - i, 'a'));
        if (conditional && i % 7 != 6) match = WithHeader(match, "x", absl::StrCat(i));
        matches.push_back(match);
      }
      const VirtualHost host = Numbered(matches);
      const RouteTable table(host, std::nullopt);
      for (size_t length = 0; length < 220; ++length) {
        const CallMetadata metadata = {{"x", absl::StrCat(length * 3 % 200)}};
        ASSERT_NO_FATAL_FAILURE(
            ExpectSameAnswer(host, table, "/" + std::string(length, 'a'), metadata, 1));
        ASSERT_NO_FATAL_FAILURE(
            ExpectSameAnswer(host, table, "/" + std::string(length, 'a') + "b", metadata, 1));
      }
    }
  }
}

}  // namespace
}  // namespace holdfast

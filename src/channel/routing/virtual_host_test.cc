#include "channel/routing/virtual_host.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_join.h"

namespace holdfast {
namespace {

// A virtual host for each list of domains, named by its place: "0", "1".
RouteConfig Hosts(const std::vector<std::vector<std::string>>& domains) {
  RouteConfig config{.name = "routes"};
  for (const std::vector<std::string>& of_one : domains) {
    config.virtual_hosts.push_back(
        {.name = std::to_string(config.virtual_hosts.size()), .domains = of_one});
  }
  return config;
}

std::string Found(const RouteConfig& config, absl::string_view authority) {
  const VirtualHost* found = FindVirtualHost(config, authority);
  return found == nullptr ? "none" : found->name;
}

struct Row {
  std::vector<std::vector<std::string>> domains;
  std::string authority;
  std::string found;
};

void ExpectRows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    std::vector<std::string> hosts;
    for (const auto& of_one : row.domains) hosts.push_back(absl::StrJoin(of_one, " "));
    EXPECT_EQ(Found(Hosts(row.domains), row.authority), row.found)
        << '"' << row.authority << "\" among " << absl::StrJoin(hosts, " | ");
  }
}

// R13.10
TEST(VirtualHostSearch, MatchesADomainWithTheAuthority) {
  ExpectRows({
      {{{"pay.acme.com"}}, "pay.acme.com", "0"},
      {{{"pay.acme.com"}}, "PAY.Acme.COM", "0"},
      {{{"PAY.acme.com"}}, "pay.acme.com", "0"},
      {{{"pay.acme.com"}}, "pay.acme.com:80", "none"},
      {{{"pay.acme.com"}}, "pay.acme.co", "none"},
      {{{"pay.acme.com"}}, "", "none"},
      {{{"*.acme.com"}}, "pay.acme.com", "0"},
      {{{"*.ACME.com"}}, "pay.acme.COM", "0"},
      {{{"*.acme.com"}}, "a.b.acme.com", "0"},
      {{{"*.acme.com"}}, "acme.com", "none"},
      {{{"*-eu.acme.com"}}, "pay-eu.acme.com", "0"},
      {{{"*.acme.com"}}, "pay.acme.com.", "none"},
      {{{"pay.*"}}, "pay.acme.com", "0"},
      {{{"Pay.*"}}, "pAY.acme.com", "0"},
      {{{"pay.*"}}, "shop.pay.x", "none"},
      {{{"*"}}, "anything", "0"},
      {{{"a", "b", "*.c"}}, "x.c", "0"},
      {{{"a"}, {"b"}}, "c", "none"},
      {{{}}, "a", "none"},
      {{}, "a", "none"},
  });
}

// R13.10
TEST(VirtualHostSearch, AStarStandsForAtLeastOneCharacter) {
  ExpectRows({
      {{{"*.acme.com"}}, ".acme.com", "none"},
      {{{"*.acme.com"}}, "x.acme.com", "0"},
      {{{"pay.*"}}, "pay.", "none"},
      {{{"pay.*"}}, "pay.x", "0"},
      {{{"*"}}, "", "none"},
      {{{"*"}}, "x", "0"},
  });
}

// R13.10
TEST(VirtualHostSearch, TakesTheBestKindOfPatternWhereverItStands) {
  const std::string authority = "pay.acme.com";
  const std::vector<std::string> best_first = {authority, "*.com", "pay.acme.*", "*"};
  for (size_t best = 0; best < best_first.size(); ++best) {
    for (size_t worse = best + 1; worse < best_first.size(); ++worse) {
      ExpectRows({{{{best_first[best]}, {best_first[worse]}}, authority, "0"},
                  {{{best_first[worse]}, {best_first[best]}}, authority, "1"},
                  {{{"other", best_first[worse]}, {"x", best_first[best]}}, authority, "1"}});
    }
  }
}

// R13.10
TEST(VirtualHostSearch, TakesTheLongestPatternOfAKind) {
  ExpectRows({
      {{{"*.com"}, {"*.acme.com"}, {"*e.com"}}, "pay.acme.com", "1"},
      {{{"pay.*"}, {"pay.acme.*"}, {"p*"}}, "pay.acme.com", "1"},
      {{{"*"}, {"*.org"}, {"q*"}}, "pay.acme.com", "0"},
      {{{"*.com", "pay.acme.*"}, {"*.acme.com"}}, "pay.acme.com", "1"},
  });
}

// A decoder lets no domain in twice; if one is, the answer does not depend on luck.
TEST(VirtualHostSearch, TakesTheFirstOfEquals) {
  ExpectRows({
      {{{"a"}, {"a"}}, "a", "0"},
      {{{"*.a"}, {"*.A"}}, "x.a", "0"},
      {{{"*"}, {"*"}}, "x", "0"},
  });
}

TEST(VirtualHostSearch, PointsIntoTheConfig) {
  const RouteConfig config = Hosts({{"a"}, {"b"}});
  EXPECT_EQ(FindVirtualHost(config, "b"), &config.virtual_hosts[1]);
}

}  // namespace
}  // namespace holdfast

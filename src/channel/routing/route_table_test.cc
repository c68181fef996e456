#include "channel/routing/route_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "channel/routing/routes_test.h"

namespace holdfast {
namespace {

using testing::ElementsAre;

uint32_t NeverAsked(uint32_t bound) {
  ADD_FAILURE() << "chance was asked for a number below " << bound;
  return 0;
}

// What a call without metadata gets from routes that leave nothing to chance.
std::string Chosen(const std::vector<RouteMatch>& matches, absl::string_view path,
                   const CallMetadata& metadata = {}) {
  const RouteTable table(Numbered(matches), std::nullopt);
  const RouteChoice choice = table.Choose({path, metadata}, NeverAsked);
  return !choice.failure.has_value() ? table.clusters()[choice.cluster] : "none";
}

TEST(RouteTable, MatchesTheWholePath) {  // R13.11
  struct Row {
    RouteMatch match;
    std::string path;
    bool matches;
  };
  for (const Row& row : {
           Row{Prefix(""), "/acme.Pay/Charge", true},
           Row{Prefix(""), "", true},
           Row{Prefix("/"), "/acme.Pay/Charge", true},
           Row{Prefix("/"), "", false},
           Row{Prefix("/acme.Pay/"), "/acme.Pay/Charge", true},
           Row{Prefix("/acme.Pay/"), "/acme.Pay", false},
           Row{Prefix("/acme.Pay/"), "/acme.pay/Charge", false},
           Row{IgnoringCase(Prefix("/acme.Pay/")), "/ACME.pay/Charge", true},
           Row{IgnoringCase(Prefix("/acme.Pay/")), "/acme.Paz/Charge", false},
           Row{Path("/acme.Pay/Charge"), "/acme.Pay/Charge", true},
           Row{Path("/acme.Pay/Charge"), "/acme.Pay/ChargeAll", false},
           Row{Path("/acme.Pay/Charge"), "/acme.Pay/Charg", false},
           Row{Path("/acme.Pay/Charge"), "/acme.Pay/charge", false},
           Row{IgnoringCase(Path("/acme.Pay/Charge")), "/Acme.PAY/charge", true},
           Row{IgnoringCase(Path("/acme.Pay/Charge")), "/Acme.PAY/charge2", false},
           Row{Regex("/acme.Pay/.*"), "/acme.Pay/Charge", true},
           Row{Regex("/acme.Pay/"), "/acme.Pay/Charge", false},
           Row{Regex("acme"), "/acme.Pay/Charge", false},
           Row{Regex(".*Charge"), "/acme.Pay/Charge", true},
           Row{Regex("/acme.Pay/(Charge|Refund)"), "/acme.Pay/Refund", true},
           Row{Regex("/acme.Pay/(Charge|Refund)"), "/acme.Pay/RefundAll", false},
           Row{Regex("/a|/acme.Pay/Charge"), "/acme.Pay/Charge", true},
           Row{Regex("/ACME.*"), "/acme.Pay/Charge", false},
           Row{Regex("(?i)/ACME.*"), "/acme.Pay/Charge", true},
       }) {
    EXPECT_EQ(Chosen({row.match}, row.path), row.matches ? "0" : "none")
        << row.match.path << " for " << row.path;
  }
}

TEST(RouteTable, TakesTheFirstRouteThatMatches) {  // R13.08
  struct Row {
    std::vector<RouteMatch> matches;
    std::string chosen;
  };
  for (const Row& row : {
           Row{{Prefix("/"), Path("/a/b")}, "0"},
           Row{{Path("/a/b"), Prefix("/")}, "0"},
           Row{{Prefix("/x"), Prefix("/a"), Path("/a/b")}, "1"},
           Row{{Prefix("/a/"), Prefix("/")}, "0"},
           Row{{Prefix("/"), Prefix("/a/")}, "0"},
           Row{{Prefix("/b"), Prefix("/a/b"), Prefix("/a"), Prefix("")}, "1"},
           Row{{Regex(".*"), Path("/a/b"), Prefix("")}, "0"},
           Row{{Regex("/a"), Regex("/a/."), Path("/a/b")}, "1"},
           Row{{IgnoringCase(Path("/A/B")), Path("/a/b")}, "0"},
           Row{{Path("/A/B"), IgnoringCase(Path("/A/B")), Path("/a/b")}, "1"},
           Row{{IgnoringCase(Prefix("/A")), Prefix("/a")}, "0"},
           Row{{Path("/x"), Prefix("/a"), IgnoringCase(Prefix("/A"))}, "1"},
           // The same twice is allowed; the second is of no use.
           Row{{Path("/a/b"), Path("/a/b")}, "0"},
           Row{{Prefix("/a"), Prefix("/a")}, "0"},
           Row{{Regex("/a/b"), Regex("/a/b")}, "0"},
       }) {
    EXPECT_EQ(Chosen(row.matches, "/a/b"), row.chosen) << row.matches[0].path;
  }
}

TEST(RouteTable, GoesOnWhereHeadersDoNotMatch) {  // R13.08, R13.12
  const std::vector<RouteMatch> matches = {
      WithHeader(Path("/a/b"), "city", "paris"),
      WithHeader(Prefix("/"), "city", "rome"),
      WithHeader(WithHeader(Prefix("/a/"), "city", "lyon"), "tier", "gold"),
      WithHeader(Regex("/a/.*"), "tier", "gold"),
      WithHeader(IgnoringCase(Prefix("/A/")), "tier", "tin"),
      Prefix("/a"),
      WithHeader(Prefix("/a/"), "tier", "wood"),
  };
  EXPECT_EQ(Chosen(matches, "/a/b", {{"city", "paris"}}), "0");
  EXPECT_EQ(Chosen(matches, "/a/c", {{"city", "paris"}}), "5");
  EXPECT_EQ(Chosen(matches, "/a/b", {{"city", "rome"}}), "1");
  EXPECT_EQ(Chosen(matches, "/a/b", {{"city", "lyon"}, {"tier", "gold"}}), "2");
  EXPECT_EQ(Chosen(matches, "/a/b", {{"city", "lyon"}, {"tier", "tin"}}), "4");
  EXPECT_EQ(Chosen(matches, "/a/b", {{"tier", "gold"}}), "3");
  EXPECT_EQ(Chosen(matches, "/a/b", {{"tier", "wood"}}), "5");
  EXPECT_EQ(Chosen(matches, "/a/b", {{"city", "paris"}, {"city", "paris"}}), "5");
  EXPECT_EQ(Chosen(matches, "/b/b", {{"city", "paris"}}), "none");
}

TEST(RouteTable, SaysWhyNoRouteMatches) {  // R13.07
  const auto chosen = [](const std::vector<RouteMatch>& matches) {
    return Chosen(RouteTable(Numbered(matches), std::nullopt), "/acme.Pay/Charge", {}, NeverAsked);
  };
  EXPECT_EQ(chosen({}),
            "UNAVAILABLE: no route for \"/acme.Pay/Charge\": virtual host \"pay\": it has no route "
            "for gRPC calls");
  EXPECT_EQ(chosen({Path("/x")}),
            "UNAVAILABLE: no route for \"/acme.Pay/Charge\": virtual host \"pay\": its only route "
            "does not match");
  EXPECT_EQ(chosen({Path("/x"), Prefix("/y/"), WithHeader(Prefix(""), "a", "b")}),
            "UNAVAILABLE: no route for \"/acme.Pay/Charge\": virtual host \"pay\": none of its 3 "
            "routes matches");
}

TEST(RouteTable, FailsACallWhoseRouteIsNotForGrpcClients) {  // R13.07
  struct Row {
    Route route;
    std::string why;
  };
  const std::vector<Row> rows = {
      {{.name = "r", .match = Prefix("/"), .action = NonForwardingAction{}},
       "route \"r\" (prefix \"/\") has a non_forwarding_action, which is for servers; a client "
       "needs one with a cluster"},
      {{.match = Path("/a"), .action = UnsupportedAction{"redirect"}},
       "route (path \"/a\") has the action redirect, which gRPC does not support; it needs one "
       "with a cluster"},
      {{.match = Regex("/a.*"), .action = UnsupportedAction{}},
       "route (regex \"/a.*\") has no action; it needs one with a cluster"},
  };
  for (const Row& row : rows) {
    // A route behind it that would do is not asked: the first match decides.
    const RouteTable table(Host({row.route, To("b", Prefix(""))}), std::nullopt);
    EXPECT_EQ(Chosen(table, "/a", {}, NeverAsked),
              "UNAVAILABLE: no route for \"/a\": virtual host \"pay\": " + row.why);
    EXPECT_THAT(table.clusters(), ElementsAre("b"));
  }
}

TEST(RouteTable, TakesAFractionOfTheCalls) {  // R13.15
  struct Row {
    uint32_t per_million, drawn;
    std::string chosen;
  };
  for (const Row& row :
       {Row{1, 0, "0"}, Row{1, 1, "1"}, Row{250'000, 249'999, "0"}, Row{250'000, 250'000, "1"},
        Row{999'999, 999'998, "0"}, Row{999'999, 999'999, "1"}}) {
    const RouteTable table(Numbered({OfAMillion(Prefix("/"), row.per_million), Prefix("")}),
                           std::nullopt);
    std::vector<uint32_t> bounds;
    const auto chance = [&](uint32_t bound) {
      bounds.push_back(bound);
      return row.drawn;
    };
    EXPECT_EQ(Chosen(table, "/a", {}, chance), row.chosen) << row.per_million;
    EXPECT_THAT(bounds, ElementsAre(1'000'000));
  }
}

TEST(RouteTable, LeavesAllAndNothingNotToChance) {  // R13.15
  EXPECT_EQ(Chosen({OfAMillion(Prefix("/"), 0), Prefix("")}, "/a"), "1");
  EXPECT_EQ(Chosen({OfAMillion(Path("/a"), 0)}, "/a"), "none");
  EXPECT_EQ(Chosen({OfAMillion(Prefix("/"), 1'000'000), Prefix("")}, "/a"), "0");
  EXPECT_EQ(Chosen({OfAMillion(Regex(".*"), 1'000'000), Prefix("")}, "/a"), "0");
}

TEST(RouteTable, AsksChanceOnlyIfAllElseMatches) {  // R13.15
  const std::vector<RouteMatch> matches = {OfAMillion(Path("/b"), 5), OfAMillion(Regex("/a."), 5),
                                           OfAMillion(WithHeader(Prefix(""), "x", "1"), 5),
                                           Prefix("/"), OfAMillion(Prefix("/"), 5)};
  EXPECT_EQ(Chosen(matches, "/a"), "3");
}

TEST(RouteTable, SharesCallsByWeight) {  // R13.03
  const ForwardAction action{
      .clusters = std::vector<WeightedCluster>{{.name = "b", .weight = 1},
                                               {.name = "a", .weight = 4'294'967'292},
                                               {.name = "c", .weight = 2}}};
  const RouteTable table(Host({{.match = Prefix(""), .action = action}}), std::nullopt);
  EXPECT_THAT(table.clusters(), ElementsAre("a", "b", "c"));
  struct Row {
    uint32_t drawn;
    std::string chosen;
  };
  for (const Row& row : {Row{0, "b"}, Row{1, "a"}, Row{2'000'000'000, "a"}, Row{4'294'967'292, "a"},
                         Row{4'294'967'293, "c"}, Row{4'294'967'294, "c"}}) {
    const auto chance = [&](uint32_t bound) {
      EXPECT_EQ(bound, 4'294'967'295);
      return row.drawn;
    };
    EXPECT_EQ(Chosen(table, "/a", {}, chance), row.chosen) << row.drawn;
  }
}

TEST(RouteTable, LeavesASingleWeightNotToChance) {
  const ForwardAction action{.clusters = std::vector<WeightedCluster>{{.name = "b", .weight = 7}}};
  const RouteTable table(Host({{.match = Prefix(""), .action = action}}), std::nullopt);
  EXPECT_EQ(Chosen(table, "/a", {}, NeverAsked), "b");
}

TEST(RouteTable, ListsEachClusterOnceAndSorted) {
  const ForwardAction weighted{.clusters = std::vector<WeightedCluster>{
                                   {.name = "z", .weight = 1}, {.name = "m", .weight = 1}}};
  const RouteTable table(Host({To("m", Path("/m")),
                               To("b", Path("/b")),
                               {.match = Prefix("/z"), .action = weighted},
                               To("b", Prefix(""))}),
                         std::nullopt);
  EXPECT_THAT(table.clusters(), ElementsAre("b", "m", "z"));
  EXPECT_EQ(Chosen(table, "/m", {}, NeverAsked), "m");
  EXPECT_EQ(Chosen(table, "/x", {}, NeverAsked), "b");
}

TEST(RouteTable, CapsACallAsItsRouteSays) {  // R13.20
  Route capped = To("a", Path("/a"));
  std::get<ForwardAction>(capped.action).grpc_timeout_header_max = absl::Seconds(3);
  Route uncapped = To("b", Path("/b"));
  std::get<ForwardAction>(uncapped.action).max_stream_duration = absl::ZeroDuration();
  const RouteTable table(Host({capped, uncapped, To("c", Prefix(""))}), absl::Seconds(7));
  const CallMetadata none;
  EXPECT_EQ(table.Choose({"/a", none}, NeverAsked).longest, absl::Seconds(3));
  EXPECT_EQ(table.Choose({"/b", none}, NeverAsked).longest, std::nullopt);
  EXPECT_EQ(table.Choose({"/c", none}, NeverAsked).longest, absl::Seconds(7));
}

TEST(RouteTable, NeedsNothingOfTheVirtualHostAfterwards) {
  auto host = std::make_unique<VirtualHost>(
      Numbered({WithHeader(Regex("/a.*"), "x-long-header-name-on-the-heap", "1"), Prefix("/")}));
  const RouteTable table(*host, std::nullopt);
  host.reset();
  EXPECT_EQ(Chosen(table, "/ab", {{"x-long-header-name-on-the-heap", "1"}}, NeverAsked), "0");
  EXPECT_EQ(Chosen(table, "", {}, NeverAsked),
            "UNAVAILABLE: no route for \"\": virtual host \"pay\": none of its 2 routes matches");
}

}  // namespace
}  // namespace holdfast

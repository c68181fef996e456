// Two thousand clusters: news costs what depends on it.
#include <gtest/gtest.h>

#include "channel/config/config_conversation_test.h"

namespace holdfast {
namespace {

constexpr int kClusters = 2000;

std::string ClusterName(int i) { return absl::StrCat("c", i); }
std::string EndpointsName(int i) { return absl::StrCat("e", i); }

const ConfigChange* ChangeIn(const DependencyEffects& effects) {
  return effects.size() == 1 ? &std::get<ApplyConfig>(effects[0]).change : nullptr;
}

class ManyClusters : public testing::Test {
 protected:
  ManyClusters() {
    std::vector<std::string> names;
    for (int i = 0; i < kClusters; ++i) names.push_back(ClusterName(i));
    manager_.Start();
    manager_.Handle(ResourceArrived{Lds(), ListenerWith(RoutesTo("r", names))});
    for (int i = 0; i < kClusters; ++i) {
      const auto value =
          std::make_shared<const Cluster>(EdsCluster(ClusterName(i), EndpointsName(i)));
      EXPECT_EQ(manager_.Handle(ResourceArrived{Cds(ClusterName(i)), value}).size(), 1u);
    }
    for (int i = 0; i + 1 < kClusters; ++i) EXPECT_TRUE(Endpoint(i, "10.0.0.1").empty());
    const DependencyEffects last = Endpoint(kClusters - 1, "10.0.0.1");
    EXPECT_EQ(ChangeIn(last)->clusters.size(), size_t{kClusters});
  }

  DependencyEffects Endpoint(int i, const std::string& ip) {
    const auto value = std::make_shared<const Endpoints>(EndpointsAt(EndpointsName(i), ip));
    return manager_.Handle(ResourceArrived{Eds(EndpointsName(i)), value});
  }

  DependencyManager manager_{Conversation::Options()};
};

TEST_F(ManyClusters, EndpointsOfOneChangeOnlyThatOne) {
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < kClusters; ++i) {
      const DependencyEffects effects = Endpoint(i, absl::StrCat("10.0.1.", round));
      const ConfigChange* change = ChangeIn(effects);
      ASSERT_NE(change, nullptr);
      ASSERT_EQ(change->clusters.size(), 1u);
      ASSERT_EQ(change->clusters.begin()->first, ClusterName(i));
      ASSERT_EQ(change->routing, nullptr);
      ASSERT_TRUE(change->removed.empty());
    }
  }
}

TEST_F(ManyClusters, OneHeldClusterIsNobodyElsesBusiness) {
  for (int i = 0; i < kClusters; ++i) {
    ASSERT_TRUE(manager_.Handle(ClusterHeld{ClusterName(i)}).empty());
    ASSERT_TRUE(manager_.Handle(ClusterLetGo{ClusterName(i)}).empty());
  }
}

TEST_F(ManyClusters, AnErrorOfTheListenerIsEverybodys) {
  const DependencyEffects effects =
      manager_.Handle(AmbientErrorChanged{Lds(), absl::UnavailableError("down")});
  ASSERT_NE(ChangeIn(effects), nullptr);
  EXPECT_EQ(ChangeIn(effects)->clusters.size(), size_t{kClusters});
}

TEST_F(ManyClusters, ANewRouteBringsOnlyItsCluster) {
  std::vector<std::string> names;
  for (int i = 1; i <= kClusters; ++i) names.push_back(ClusterName(i));
  const DependencyEffects asked =
      manager_.Handle(ResourceArrived{Lds(), ListenerWith(RoutesTo("r", names))});
  EXPECT_EQ(Conversation::LinesOf(asked), Lines({"watch cluster \"c2000\""}));
  const DependencyEffects effects = manager_.Handle(
      ResourceArrived{Cds("c2000"), std::make_shared<const Cluster>(DnsCluster("c2000"))});
  EXPECT_EQ(Conversation::LinesOf(effects),
            Lines({"apply", "  routes r, virtual host v", "  c2000 = c2000 without endpoints",
                   "  no c0", "unwatch cluster \"c0\"", "unwatch endpoints \"e0\""}));
}

// Three hundred aggregates, each of all of them, each routed to: every one of them that comes is
// news for every other. They are too deep, whatever the order. There is no clock here: if the work
// grew with the fourth power it would not be done before ctest gives up.
TEST(ManyAggregates, OfEachOtherCostLittle) {
  constexpr int kAggregates = 300;
  std::vector<std::string> names;
  for (int i = 0; i < kAggregates; ++i) names.push_back(ClusterName(i));
  for (const bool is_backwards : {false, true}) {
    SCOPED_TRACE(is_backwards ? "backwards" : "forwards");
    DependencyManager manager(Conversation::Options());
    manager.Start();
    manager.Handle(ResourceArrived{Lds(), ListenerWith(RoutesTo("r", names))});
    DependencyEffects last;
    for (int i = 0; i < kAggregates; ++i) {
      const std::string name = ClusterName(is_backwards ? kAggregates - 1 - i : i);
      last = manager.Handle(
          ResourceArrived{Cds(name), std::make_shared<const Cluster>(AggregateOf(name, names))});
    }
    ASSERT_EQ(last.size(), 1u);
    const ConfigChange& change = std::get<ApplyConfig>(last[0]).change;
    ASSERT_EQ(change.clusters.size(), size_t{kAggregates});
    EXPECT_EQ(TextOf(change.clusters.at("c0")),
              "UNAVAILABLE: cluster \"c0\": more than 16 clusters are inside one another (the next "
              "would be \"c16\"); calls to it fail until there are fewer (node \"web-1\")");
  }
}

}  // namespace
}  // namespace holdfast

// What is known of clusters and endpoints, and what that makes of the clusters that calls go to.
#include <gtest/gtest.h>

#include "channel/config/config_conversation_test.h"

namespace holdfast {
namespace {

std::string Failing(const std::string& cluster, const std::string& why,
                    const std::string& then = "calls to it fail until it can be had") {
  return absl::StrCat("  ", cluster, " = UNAVAILABLE: cluster \"", cluster, "\": ", why, "; ", then,
                      " (node \"web-1\")");
}

// A conversation whose routes lead to `clusters`, of which nothing is known yet.
struct RoutedTo : Conversation {
  explicit RoutedTo(const std::vector<std::string>& clusters) {
    Arrives(ListenerWith(RoutesTo("r", clusters)));
  }
};

// R11.06, R11.40, R11.41
TEST(ClusterDependency, AClusterThatCannotBeHadFailsAlone) {
  RoutedTo talk({"c1", "c2"});
  talk.Arrives(EdsCluster("c1", "e1"));
  talk.Arrives(EndpointsAt("e1", "10.0.0.1"));
  EXPECT_EQ(talk.Fails(Cds("c2"), absl::InvalidArgumentError(
                                      "cluster \"c2\": lb_policy: unknown (node \"web-1\")")),
            Lines({"apply", "  routes r, virtual host v", "  c1 = c1 at 10.0.0.1",
                   Failing("c2", "lb_policy: unknown")}));
  EXPECT_EQ(talk.Fails(Cds("c1"), absl::NotFoundError("gone")),
            Lines({"apply", Failing("c1", "gone"), "unwatch endpoints \"e1\""}));
  EXPECT_EQ(talk.Arrives(EdsCluster("c1", "e1")), Lines({"watch endpoints \"e1\""}));
  EXPECT_EQ(talk.Arrives(EndpointsAt("e1", "10.0.0.2")), Lines({"apply", "  c1 = c1 at 10.0.0.2"}));
}

// R11.07, R11.40
TEST(ClusterDependency, MissingEndpointsLeaveTheClusterWithANote) {
  RoutedTo talk({"c"});
  talk.Arrives(EdsCluster("c", "e"));
  EXPECT_EQ(talk.Fails(Eds("e"), absl::NotFoundError("endpoints \"e\": gone (node \"web-1\")")),
            Lines({"apply", "  routes r, virtual host v",
                   "  c = c without endpoints (endpoints \"e\": gone; xDS node ID: web-1)"}));
  EXPECT_EQ(talk.Arrives(EndpointsAt("e", "10.0.0.1")), Lines({"apply", "  c = c at 10.0.0.1"}));
  EXPECT_EQ(talk.Fails(Eds("e"), absl::PermissionDeniedError("not yours")),
            Lines({"apply",
                   "  c = c without endpoints (endpoints \"e\": not yours; xDS node ID: web-1)"}));
}

TEST(ClusterDependency, EndpointsWithNothingInThemSaySo) {  // R11.35
  RoutedTo talk({"c"});
  talk.Arrives(EdsCluster("c", "e"));
  EXPECT_EQ(talk.Arrives(Endpoints{.cluster_name = "e"}),
            Lines({"apply", "  routes r, virtual host v",
                   "  c = c at nothing (endpoints \"e\": has no locality that can be used; xDS "
                   "node ID: web-1)"}));
  Endpoints empty = EndpointsAt("e", "10.0.0.1");
  empty.priorities[0][0].endpoints.clear();
  EXPECT_EQ(talk.Arrives(empty),
            Lines({"apply",
                   "  c = c at nothing (endpoints \"e\": its localities have no endpoint that can "
                   "be used; xDS node ID: web-1)"}));
}

// R11.30: a cluster's own errors are its own, those above are everybody's. R11.33: set and cleared.
TEST(ClusterDependency, AmbientErrorsGoWhereTheyBelong) {
  RoutedTo talk({"c1", "c2", "d"});
  talk.Arrives(EdsCluster("c1", "e1"));
  talk.Arrives(EdsCluster("c2", "e2"));
  talk.Arrives(EndpointsAt("e1", "10.0.0.1"));
  talk.Arrives(EndpointsAt("e2", "10.0.0.2"));
  EXPECT_EQ(talk.Arrives(DnsCluster("d")),
            Lines({"apply", "  routes r, virtual host v", "  c1 = c1 at 10.0.0.1",
                   "  c2 = c2 at 10.0.0.2", "  d = d without endpoints"}));
  EXPECT_EQ(talk.AmbientError(Eds("e1"), absl::NotFoundError("old")),
            Lines({"apply", "  c1 = c1 at 10.0.0.1 (endpoints \"e1\": old)"}));
  EXPECT_EQ(
      talk.AmbientError(Cds("c1"), absl::UnavailableError("older")),
      Lines({"apply", "  c1 = c1 at 10.0.0.1 (cluster \"c1\": older; endpoints \"e1\": old)"}));
  EXPECT_EQ(talk.AmbientError(Cds("d"), absl::UnavailableError("dusty")),
            Lines({"apply", "  d = d without endpoints (cluster \"d\": dusty)"}));
  EXPECT_EQ(talk.AmbientError(Lds(), absl::UnavailableError("down")),
            Lines({"apply", "  routing (listener \"pay\": down)",
                   "  c1 = c1 at 10.0.0.1 (listener \"pay\": down; cluster \"c1\": older; "
                   "endpoints \"e1\": old)",
                   "  c2 = c2 at 10.0.0.2 (listener \"pay\": down)",
                   "  d = d without endpoints (listener \"pay\": down; cluster \"d\": dusty)"}));
  EXPECT_EQ(talk.AmbientError(Lds(), absl::OkStatus()),
            Lines({"apply", "  routing (xDS node ID: web-1)",
                   "  c1 = c1 at 10.0.0.1 (cluster \"c1\": older; endpoints \"e1\": old)",
                   "  c2 = c2 at 10.0.0.2", "  d = d without endpoints (cluster \"d\": dusty)"}));
  EXPECT_EQ(talk.AmbientError(Cds("c1"), absl::OkStatus()),
            Lines({"apply", "  c1 = c1 at 10.0.0.1 (endpoints \"e1\": old)"}));
  // The same value again ends the error.
  EXPECT_EQ(talk.Arrives(EndpointsAt("e1", "10.0.0.1")), Lines({"apply", "  c1 = c1 at 10.0.0.1"}));
}

// R11.31
TEST(ClusterDependency, WithoutAmbientErrorsTheNoteIsTheNodeId) {
  DependencyManager manager(Conversation::Options());
  manager.Start();
  manager.Handle(ResourceArrived{Lds(), ListenerWith(RoutesTo("r", {"d"}))});
  const DependencyEffects effects =
      manager.Handle(ResourceArrived{Cds("d"), std::make_shared<const Cluster>(DnsCluster("d"))});
  ASSERT_EQ(effects.size(), 1u);
  const ConfigChange& change = std::get<ApplyConfig>(effects[0]).change;
  ASSERT_TRUE(change.clusters.at("d").ok());
  EXPECT_EQ((*change.clusters.at("d"))->leaves.at(0).resolution_note, "xDS node ID: web-1");
}

TEST(ClusterDependency, ClustersMayShareEndpoints) {
  RoutedTo talk({"c1", "c2"});
  EXPECT_EQ(talk.Arrives(EdsCluster("c1", "e")), Lines({"watch endpoints \"e\""}));
  EXPECT_EQ(talk.Arrives(EdsCluster("c2", "e")), kNothing);
  EXPECT_EQ(talk.Arrives(EndpointsAt("e", "10.0.0.1")),
            Lines({"apply", "  routes r, virtual host v", "  c1 = c1 at 10.0.0.1",
                   "  c2 = c2 at 10.0.0.1"}));
  EXPECT_EQ(talk.Arrives(DnsCluster("c1")), Lines({"apply", "  c1 = c1 without endpoints"}));
  EXPECT_EQ(talk.Arrives(EndpointsAt("e", "10.0.0.2")), Lines({"apply", "  c2 = c2 at 10.0.0.2"}));
  EXPECT_EQ(talk.Arrives(EdsCluster("c1", "e")), Lines({"apply", "  c1 = c1 at 10.0.0.2"}));
}

TEST(ClusterDependency, AClusterKeepsItsOldEndpointsUntilItHasTheNewOnes) {
  RoutedTo talk({"c"});
  talk.Arrives(EdsCluster("c", "e1"));
  talk.Arrives(EndpointsAt("e1", "10.0.0.1"));
  EXPECT_EQ(talk.Arrives(EdsCluster("c", "e2")),
            Lines({"watch endpoints \"e2\"", "unwatch endpoints \"e1\""}));
  EXPECT_EQ(talk.AmbientError(Cds("c"), absl::UnavailableError("stale")), kNothing);
  EXPECT_EQ(talk.Arrives(EndpointsAt("e2", "10.0.0.2")),
            Lines({"apply", "  c = c at 10.0.0.2 (cluster \"c\": stale)"}));
}

TEST(ClusterDependency, AnAggregateIsFlattenedDepthFirstAndTheFirstOccurrenceWins) {  // R11.11
  RoutedTo talk({"a"});
  EXPECT_EQ(talk.Arrives(AggregateOf("a", {"b", "d1", "d3"})),
            Lines({"watch cluster \"b\"", "watch cluster \"d1\"", "watch cluster \"d3\""}));
  EXPECT_EQ(talk.Arrives(DnsCluster("d1")), kNothing);
  EXPECT_EQ(talk.Arrives(DnsCluster("d3")), kNothing);
  EXPECT_EQ(talk.Arrives(AggregateOf("b", {"d2", "d1"})), Lines({"watch cluster \"d2\""}));
  EXPECT_EQ(talk.Arrives(DnsCluster("d2")),
            Lines({"apply", "  routes r, virtual host v",
                   "  a = d2 without endpoints, d1 without endpoints, d3 without endpoints"}));
  EXPECT_EQ(talk.Arrives(AggregateOf("b", {"d1"})),
            Lines({"apply", "  a = d1 without endpoints, d3 without endpoints",
                   "unwatch cluster \"d2\""}));
  // R11.30: a leaf's note has its own errors, not those of the aggregates around it.
  EXPECT_EQ(talk.AmbientError(Cds("b"), absl::UnavailableError("stale")), kNothing);
  EXPECT_EQ(
      talk.AmbientError(Cds("d1"), absl::UnavailableError("stale")),
      Lines({"apply", "  a = d1 without endpoints (cluster \"d1\": stale), d3 without endpoints"}));
}

TEST(ClusterDependency, AMemberMayBeRoutedToAsWell) {
  RoutedTo talk({"a", "c"});
  talk.Arrives(AggregateOf("a", {"c"}));
  talk.Arrives(EdsCluster("c", "e"));
  EXPECT_EQ(
      talk.Arrives(EndpointsAt("e", "10.0.0.1")),
      Lines({"apply", "  routes r, virtual host v", "  a = c at 10.0.0.1", "  c = c at 10.0.0.1"}));
  EXPECT_EQ(talk.Arrives(EndpointsAt("e", "10.0.0.2")),
            Lines({"apply", "  a = c at 10.0.0.2", "  c = c at 10.0.0.2"}));
  EXPECT_EQ(talk.Arrives(ListenerWith(RoutesTo("r", {"a"}))),
            Lines({"apply", "  routes r, virtual host v", "  no c"}));
}

TEST(ClusterDependency, AMemberThatCannotBeHadIsPassedOver) {  // R11.11, R11.40
  RoutedTo talk({"a"});
  talk.Arrives(AggregateOf("a", {"m1", "m2"}));
  EXPECT_EQ(talk.Fails(Cds("m1"), absl::NotFoundError("cluster \"m1\": gone (node \"web-1\")")),
            kNothing);
  EXPECT_EQ(talk.Arrives(DnsCluster("m2")),
            Lines({"apply", "  routes r, virtual host v",
                   "  a = m2 without endpoints (cluster \"m1\": gone; xDS node ID: web-1)"}));
  EXPECT_EQ(talk.Fails(Cds("m2"), absl::PermissionDeniedError("not yours")),
            Lines({"apply", Failing("a",
                                    "no member can be used: cluster \"m1\": gone; cluster "
                                    "\"m2\": not yours",
                                    "calls to it fail until one can")}));
  EXPECT_EQ(talk.Arrives(DnsCluster("m1")),
            Lines({"apply",
                   "  a = m1 without endpoints (cluster \"m2\": not yours; xDS node ID: web-1)"}));
}

TEST(ClusterDependency, NotEveryReasonOfManyIsTold) {
  std::vector<std::string> members;
  for (int i = 1; i <= 7; ++i) members.push_back(absl::StrCat("m", i));
  RoutedTo talk({"a"});
  talk.Arrives(AggregateOf("a", members));
  for (int i = 1; i <= 6; ++i) {
    EXPECT_EQ(talk.Fails(Cds(absl::StrCat("m", i)), absl::NotFoundError("gone")), kNothing);
  }
  EXPECT_EQ(talk.Fails(Cds("m7"), absl::NotFoundError("gone")),
            Lines({"apply", "  routes r, virtual host v",
                   Failing("a",
                           "no member can be used: cluster \"m1\": gone; cluster \"m2\": gone; "
                           "cluster \"m3\": gone; cluster \"m4\": gone; cluster \"m5\": gone and "
                           "2 more",
                           "calls to it fail until one can")}));
  EXPECT_EQ(talk.Arrives(DnsCluster("m1")),
            Lines({"apply",
                   "  a = m1 without endpoints (cluster \"m2\", cluster \"m3\", cluster \"m4\", "
                   "cluster \"m5\", cluster \"m6\": gone; xDS node ID: web-1)"}));
}

TEST(ClusterDependency, ACycleEndsWhereItBegan) {  // R11.11
  RoutedTo talk({"a"});
  EXPECT_EQ(talk.Arrives(AggregateOf("a", {"b", "d"})),
            Lines({"watch cluster \"b\"", "watch cluster \"d\""}));
  EXPECT_EQ(talk.Arrives(AggregateOf("b", {"a", "b"})), kNothing);
  EXPECT_EQ(talk.Arrives(DnsCluster("d")),
            Lines({"apply", "  routes r, virtual host v", "  a = d without endpoints"}));
  EXPECT_EQ(talk.Arrives(AggregateOf("a", {"b"})),
            Lines({"apply",
                   Failing("a", "an aggregate in which there are only aggregates",
                           "calls to it fail until one can"),
                   "unwatch cluster \"d\""}));
  // No cycle keeps itself watched.
  EXPECT_EQ(talk.Arrives(ListenerWith(RoutesTo("r", {}))),
            Lines({"apply", "  routes r, virtual host v", "  no a", "unwatch cluster \"a\"",
                   "unwatch cluster \"b\""}));
}

TEST(ClusterDependency, SixteenLevelsAreDeepEnough) {  // R11.11
  RoutedTo talk({"c1"});
  for (int level = 1; level < 16; ++level) {
    const std::string next = absl::StrCat("c", level + 1);
    EXPECT_EQ(talk.Arrives(AggregateOf(absl::StrCat("c", level), {next})),
              Lines({absl::StrCat("watch cluster \"", next, "\"")}));
  }
  EXPECT_EQ(talk.Arrives(DnsCluster("c16")),
            Lines({"apply", "  routes r, virtual host v", "  c1 = c16 without endpoints"}));
  EXPECT_EQ(talk.Arrives(AggregateOf("c16", {"c17"})),
            Lines({"apply", Failing("c1",
                                    "more than 16 clusters are inside one another (the next would "
                                    "be \"c17\")",
                                    "calls to it fail until there are fewer")}));
  EXPECT_EQ(talk.Arrives(DnsCluster("c16")), Lines({"apply", "  c1 = c16 without endpoints"}));
}

}  // namespace
}  // namespace holdfast

#include "control/catalog/references.h"

#include <gtest/gtest.h>

#include "wire/wire_writer.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

using Keys = std::vector<ResourceKey>;
const std::string kCluster(kClusterTypeName);
const std::string kListener(kListenerTypeName);
const std::string kRoutes(kRouteConfigTypeName);
const std::string kEndpoints(kEndpointsTypeName);

std::string Field(uint32_t number, absl::string_view bytes) {
  std::string field;
  AppendField(field, number, bytes);
  return field;
}
std::string Number(uint32_t number, uint64_t value) {
  std::string field;
  AppendNumber(field, number, value);
  return field;
}
const std::string kAds = Field(3, "");
const std::string kSelf = Field(5, "");
const std::string kPath = Field(1, "/a/file");

std::string Cluster(const std::string& name, uint64_t type, const std::string& eds_config) {
  return Field(1, name) + Number(2, type) + Field(3, eds_config);
}

TEST(References, OfAClusterAreItsEndpoints) {
  EXPECT_EQ(ReferencesOf(kCluster, Cluster("paris", 3, Field(1, kAds))),
            Keys({{kEndpoints, "paris"}}));
  EXPECT_EQ(ReferencesOf(kCluster, Cluster("paris", 3, Field(1, kSelf) + Field(2, "all"))),
            Keys({{kEndpoints, "all"}}));
  EXPECT_EQ(ChildrenOf(kCluster, Cluster("paris", 3, Field(1, kAds))),
            Keys({{kEndpoints, "paris"}}));
}

TEST(References, OfAClusterThatDoesNotFetchHereAreNone) {
  EXPECT_EQ(ReferencesOf(kCluster, Cluster("paris", 3, Field(1, kPath))), Keys());
  EXPECT_EQ(ReferencesOf(kCluster, Cluster("paris", 1, Field(1, kAds))), Keys());
  EXPECT_EQ(ReferencesOf(kCluster, Field(1, "paris")), Keys());
}

TEST(References, OfAnAggregateClusterAreItsMembers) {
  const auto aggregate = [](const std::string& type) {
    const std::string members = Field(1, "rome") + Field(1, "paris") + Field(1, "");
    const std::string any = Field(1, "type.googleapis.com/" + type) + Field(2, members);
    return Field(1, "all") + Field(38, Field(1, "a name") + Field(2, any));
  };
  const std::string type = "envoy.extensions.clusters.aggregate.v3.ClusterConfig";
  EXPECT_EQ(ReferencesOf(kCluster, aggregate(type)),
            Keys({{kCluster, "paris"}, {kCluster, "rome"}}));
  EXPECT_EQ(ReferencesOf(kCluster, aggregate("acme.ClusterConfig")), Keys());
  // They are not sent anew because of it.
  EXPECT_EQ(ChildrenOf(kCluster, aggregate(type)), Keys());
}

TEST(References, AreInTheirCanonicalForm) {  // R1.91
  const std::string name = "xdstp://x/" + kEndpoints + "/pay";
  EXPECT_EQ(ChildrenOf(kCluster, Cluster("pay", 3, Field(1, kAds) + Field(2, name + "?b=2&a=1"))),
            Keys({{kEndpoints, name + "?a=1&b=2"}}));
}

std::string Manager(const std::string& contents) {
  return Field(1,
               "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3."
               "HttpConnectionManager") +
         Field(2, contents);
}
std::string Rds(const std::string& source, const std::string& name) {
  return Field(3, Field(1, source) + Field(2, name));
}
std::string RoutesTo(const std::string& cluster, const std::string& weighted) {
  const std::string action =
      Field(1, cluster) + (weighted.empty() ? "" : Field(3, Field(1, Field(1, weighted))));
  return Field(1, "routes") + Field(2, Field(1, "host") + Field(3, Field(2, action)));
}

TEST(References, OfAListenerAreItsRoutesWhereverTheyAre) {
  const std::string listener =
      Field(19, Field(1, Manager(Rds(kAds, "api")))) +
      Field(3, Field(3, Field(1, "hcm") + Field(4, Manager(Rds(kSelf, "chain"))))) +
      Field(25, Field(3, Field(4, Manager(Rds(kAds, "default"))))) +
      Field(3, Field(3, Field(4, Manager(Rds(kAds, "api")))));  // again
  const Keys routes({{kRoutes, "api"}, {kRoutes, "chain"}, {kRoutes, "default"}});
  EXPECT_EQ(ReferencesOf(kListener, listener), routes);
  EXPECT_EQ(ChildrenOf(kListener, listener), routes);
  EXPECT_EQ(ReferencesOf(kListener, Field(19, Field(1, Manager(Rds(kPath, "api"))))), Keys());
}

TEST(References, OfAListenerWithInlineRoutesAreTheirClusters) {
  const std::string listener = Field(19, Field(1, Manager(Field(4, RoutesTo("paris", "rome")))));
  EXPECT_EQ(ReferencesOf(kListener, listener), Keys({{kCluster, "paris"}, {kCluster, "rome"}}));
  // They are not sent anew because of the listener.
  EXPECT_EQ(ChildrenOf(kListener, listener), Keys());
}

TEST(References, OfOtherFiltersAreNone) {
  const std::string other = Field(1, "type.googleapis.com/acme.Filter") + Field(2, Rds(kAds, "x"));
  EXPECT_EQ(ReferencesOf(kListener, Field(19, Field(1, other))), Keys());
}

TEST(References, OfRoutesAreTheirClusters) {
  EXPECT_EQ(ReferencesOf(kRoutes, RoutesTo("rome", "paris") + RoutesTo("rome", "")),
            Keys({{kCluster, "paris"}, {kCluster, "rome"}}));
  EXPECT_EQ(ChildrenOf(kRoutes, RoutesTo("rome", "paris")), Keys());
}

TEST(References, OfWhatCannotBeReadAreNone) {
  EXPECT_EQ(ReferencesOf("acme.Type", Cluster("paris", 3, Field(1, kAds))), Keys());
  EXPECT_EQ(ReferencesOf(kCluster, "\xff\xff\xff"), Keys());
  const std::string cluster = Cluster("paris", 3, Field(1, kAds));
  for (size_t length = 0; length < cluster.size(); ++length) {
    ReferencesOf(kCluster, cluster.substr(0, length));  // must not crash
  }
}

}  // namespace
}  // namespace holdfast

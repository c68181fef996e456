#include "resources/decode/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "resources/cluster.h"
#include "resources/endpoints.h"
#include "tests/support/text_resource.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::ValuesIn;

struct Row {
  const char* name;
  const AnyResourceType& (*type)();
  const char* type_name;
  const char* noun;
  const char* short_name;
  bool is_full_state;
};

constexpr Row kRows[] = {
    {"Listener", ListenerType, "envoy.config.listener.v3.Listener", "listener", "lds", true},
    {"RouteConfig", RouteConfigType, "envoy.config.route.v3.RouteConfiguration",
     "route configuration", "rds", false},
    {"Cluster", ClusterType, "envoy.config.cluster.v3.Cluster", "cluster", "cds", true},
    {"Endpoints", EndpointsType, "envoy.config.endpoint.v3.ClusterLoadAssignment", "endpoints",
     "eds", false},
};

class KnownType : public ::testing::TestWithParam<Row> {};

TEST_P(KnownType, IsFoundByItsNames) {  // R1.03, R1.41
  const Row& row = GetParam();
  const AnyResourceType& type = row.type();
  EXPECT_EQ(type.type_name(), row.type_name);
  EXPECT_EQ(type.noun(), row.noun);
  EXPECT_EQ(type.is_full_state(), row.is_full_state);
  EXPECT_EQ(type.name_field(), 1u);
  EXPECT_EQ(FindResourceType(row.type_name), &type);
  EXPECT_EQ(FindResourceType(absl::StrCat("type.googleapis.com/", row.type_name)), &type);
  EXPECT_EQ(FindResourceTypeByShortName(row.short_name), &type);
}

INSTANTIATE_TEST_SUITE_P(Types, KnownType, ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

TEST(Registry, DoesNotKnowOtherTypes) {
  for (const char* type :
       {"", "type.googleapis.com/", "Cluster", "envoy.api.v2.Cluster",
        "type.googleapis.com/type.googleapis.com/envoy.config.cluster.v3.Cluster",
        "example.com/envoy.config.cluster.v3.Cluster", "cds"}) {
    EXPECT_EQ(FindResourceType(type), nullptr) << type;
  }
  for (const char* name : {"", "c", "cds ", "envoy.config.cluster.v3.Cluster"}) {
    EXPECT_EQ(FindResourceTypeByShortName(name), nullptr) << name;
  }
  EXPECT_EQ(FindResourceTypeByShortName("CDS"), &ClusterType());
}

TEST(Registry, HandsOutAValueExactlyIfThereAreNoErrors) {
  const std::string good =
      FromText("envoy.config.cluster.v3.Cluster",
               R"(name: "payments" type: EDS eds_cluster_config { eds_config { ads {} } }
                  lrs_server { self {} })");
  const DecodedResource decoded = ClusterType().Decode(good, {});
  ASSERT_NE(decoded.value, nullptr);
  EXPECT_TRUE(decoded.errors.ok());
  EXPECT_THAT(decoded.not_enforced, ElementsAre("lrs_server"));
  const auto& cluster = dynamic_cast<const ResourceOf<Cluster>&>(*decoded.value);
  EXPECT_EQ(cluster.value.name, "payments");

  const DecodedResource again = ClusterType().Decode(good, {});
  EXPECT_TRUE(decoded.value->Equals(*again.value));
  EXPECT_FALSE(decoded.value->Equals(*EndpointsType().Decode("", {}).value));

  const DecodedResource bad = ClusterType().Decode("", {});
  EXPECT_EQ(bad.value, nullptr);
  EXPECT_EQ(bad.errors.count(), 1u);
}

}  // namespace
}  // namespace holdfast

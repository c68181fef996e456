#include "app/resource_ref.h"

#include <gtest/gtest.h>

#include "resources/decode/registry.h"

namespace holdfast {
namespace {

std::string ErrorOf(absl::string_view text) {
  const absl::Status status = ParseResourceRef(text).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(ResourceRef, KnowsTheFourTypes) {
  EXPECT_EQ(ParseResourceRef("lds/front").value(), (ResourceRef{&ListenerType(), "lds", "front"}));
  EXPECT_EQ(ParseResourceRef("rds/routes").value(),
            (ResourceRef{&RouteConfigType(), "rds", "routes"}));
  EXPECT_EQ(ParseResourceRef("cds/pay").value(), (ResourceRef{&ClusterType(), "cds", "pay"}));
  EXPECT_EQ(ParseResourceRef("eds/pay").value(), (ResourceRef{&EndpointsType(), "eds", "pay"}));
}

TEST(ResourceRef, TheCaseOfTheTypeIsFree) {
  EXPECT_EQ(ParseResourceRef("CDS/Pay").value().Text(), "cds/Pay");
}

TEST(ResourceRef, TheNameIsAllBehindTheFirstSlash) {
  EXPECT_EQ(
      ParseResourceRef("cds/xdstp://prod/envoy.config.cluster.v3.Cluster/pay?a=b").value().name,
      "xdstp://prod/envoy.config.cluster.v3.Cluster/pay?a=b");
}

TEST(ResourceRef, SuggestsATypeForATypo) {
  EXPECT_EQ(ErrorOf("cdss/pay"),
            "unknown type \"cdss\": it is lds, rds, cds or eds; did you mean cds/pay?");
  EXPECT_EQ(ErrorOf("Clusters/pay"),
            "unknown type \"Clusters\": it is lds, rds, cds or eds; did you mean cds/pay?");
  EXPECT_EQ(ErrorOf("quota/pay"), "unknown type \"quota\": it is lds, rds, cds or eds");
}

TEST(ResourceRef, SaysWhatIsMissing) {
  EXPECT_EQ(ErrorOf("pay"), "\"pay\" is no resource: write TYPE/NAME, as in cds/pay");
  EXPECT_EQ(ErrorOf("eds"), "\"eds\" is no resource: write TYPE/NAME, as in eds/pay");
  EXPECT_EQ(ErrorOf(""), "\"\" is no resource: write TYPE/NAME, as in cds/pay");
  EXPECT_EQ(ErrorOf("cds/"), "\"cds/\" names no resource: write TYPE/NAME, as in cds/pay");
}

}  // namespace
}  // namespace holdfast

#include "xds/server_features.h"

#include "gtest/gtest.h"

namespace holdfast {
namespace {

TEST(ServerFeatures, KnownStringsBecomeFacts) {
  ServerFeatures features;
  EXPECT_EQ(AddFeature("fail_on_data_errors", features), FeatureMeaning::kKnown);
  EXPECT_EQ(features, (ServerFeatures{.fail_on_data_errors = true}));
  EXPECT_EQ(AddFeature("resource_timer_is_transient_error", features), FeatureMeaning::kKnown);
  EXPECT_EQ(AddFeature("ignore_resource_deletion", features), FeatureMeaning::kKnown);
  EXPECT_EQ(AddFeature("trusted_xds_server", features), FeatureMeaning::kKnown);
  EXPECT_EQ(AddFeature("holdfast_incremental", features), FeatureMeaning::kKnown);
  EXPECT_EQ(features, (ServerFeatures{.fail_on_data_errors = true,
                                      .resource_timer_is_transient_error = true,
                                      .ignore_resource_deletion = true,
                                      .trusted_xds_server = true,
                                      .holdfast_incremental = true}));
}

TEST(ServerFeatures, XdsV3HasNoEffect) {  // R1.04
  ServerFeatures features;
  EXPECT_EQ(AddFeature("xds_v3", features), FeatureMeaning::kKnown);
  EXPECT_EQ(features, ServerFeatures());
}

TEST(ServerFeatures, TheSlipInA88IsAnAlias) {  // DEC-01
  ServerFeatures features;
  EXPECT_EQ(AddFeature("resource_timer_is_transient_failure", features), FeatureMeaning::kAlias);
  EXPECT_EQ(features, (ServerFeatures{.resource_timer_is_transient_error = true}));
}

TEST(ServerFeatures, OtherStringsAreIgnored) {  // R7.30
  ServerFeatures features;
  EXPECT_EQ(AddFeature("Fail_On_Data_Errors", features), FeatureMeaning::kUnknown);
  EXPECT_EQ(features, ServerFeatures());
}

}  // namespace
}  // namespace holdfast

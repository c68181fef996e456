// What requests make of a subscription, without a session around it.
#include "control/session/subscription.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

using Names = std::vector<std::string>;

void ExpectChange(const SubscriptionChange& change, const Names& asked, const Names& followed,
                  const Names& unfollowed) {
  EXPECT_EQ(change.asked, asked);
  EXPECT_EQ(change.followed, followed);
  EXPECT_EQ(change.unfollowed, unfollowed);
}

TEST(SotwSubscription, TheWholeListIsCompared) {
  TypeState type{std::string(kEndpointsTypeName)};
  ExpectChange(ApplySotwNames({"rome", "paris", "rome"}, type), {"paris", "rome"},
               {"paris", "rome"}, {});
  ExpectChange(ApplySotwNames({"paris", "rome"}, type), {}, {}, {});
  ExpectChange(ApplySotwNames({"rome", "oslo"}, type), {"oslo"}, {"oslo"}, {"paris"});
  ExpectChange(ApplySotwNames({}, type), {}, {}, {"oslo", "rome"});
}

TEST(SotwSubscription, EverythingIsAskedForOnce) {  // R1.51, R1.52, R1.53
  TypeState type{std::string(kClusterTypeName)};
  ExpectChange(ApplySotwNames({}, type), {"*"}, {"*"}, {});
  ExpectChange(ApplySotwNames({}, type), {}, {}, {});
  ExpectChange(ApplySotwNames({"*"}, type), {}, {}, {});
  ExpectChange(ApplySotwNames({"paris", "*"}, type), {"paris"}, {"paris"}, {});
  ExpectChange(ApplySotwNames({"paris"}, type), {}, {}, {"*"});
  ExpectChange(ApplySotwNames({}, type), {}, {}, {"paris"});
  ExpectChange(ApplySotwNames({}, type), {}, {}, {});
  ExpectChange(ApplySotwNames({"*"}, type), {"*"}, {"*"}, {});
}

TEST(SotwSubscription, AStaleListOnlyTakesAway) {  // R1.37
  TypeState type{std::string(kClusterTypeName)};
  ApplySotwNames({"paris", "rome"}, type);
  ExpectChange(ApplyStaleSotwNames({"paris", "oslo", "*"}, type), {}, {}, {"rome"});
}

TEST(DeltaSubscription, ListsAreDifferences) {  // R1.54, R1.69
  TypeState type{std::string(kClusterTypeName)};
  ExpectChange(ApplyDeltaNames({}, true, type), {"*"}, {"*"}, {});
  ExpectChange(ApplyDeltaNames({.subscribe = {"paris"}}, false, type), {"paris"}, {"paris"}, {});
  ExpectChange(ApplyDeltaNames({.unsubscribe = {"*", "never"}}, false, type), {}, {}, {"*"});
  ExpectChange(ApplyDeltaNames({}, false, type), {}, {}, {});
  ExpectChange(ApplyDeltaNames({.unsubscribe = {"paris"}}, false, type), {}, {}, {"paris"});
}

TEST(DeltaSubscription, WhatIsInBothListsIsAskedForAnew) {
  TypeState type{std::string(kEndpointsTypeName)};
  ApplyDeltaNames({.subscribe = {"paris"}}, true, type);
  ExpectChange(ApplyDeltaNames({.subscribe = {"paris"}, .unsubscribe = {"paris"}}, false, type),
               {"paris"}, {"paris"}, {"paris"});
}

TEST(DeltaSubscription, OnlyAGlobOfItsTypeIsAGlob) {  // R1.97
  TypeState type{std::string(kClusterTypeName)};
  const std::string glob = absl::StrCat("xdstp://x/", kClusterTypeName, "/eu/*");
  const std::string other = "xdstp://x/another.Type/eu/*";
  ApplyDeltaNames({.subscribe = {glob, other, "eu/*", ""}}, true, type);
  ASSERT_EQ(type.globs.size(), 1u);
  EXPECT_EQ(type.globs.begin()->first, glob);
  EXPECT_EQ(type.names.size(), 2u);
  EXPECT_TRUE(type.names.contains(other));
  EXPECT_TRUE(type.names.contains("eu/*"));
}

}  // namespace
}  // namespace holdfast

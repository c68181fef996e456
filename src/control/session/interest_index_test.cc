#include "control/session/interest_index.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

const std::string kType(kClusterTypeName);
constexpr SessionId kAlice{1};
constexpr SessionId kBob{2};
constexpr SessionId kCarol{3};
using Who = std::vector<SessionId>;

std::string Xdstp(absl::string_view id) { return absl::StrCat("xdstp://x/", kType, "/", id); }

TEST(InterestIndex, FindsThoseWhoFollowAName) {
  InterestIndex index;
  index.Follow(kBob, kType, "paris");
  index.Follow(kAlice, kType, "paris");
  index.Follow(kCarol, kType, "rome");
  EXPECT_EQ(index.FollowersOf({{kType, {"paris"}}}), Who({kAlice, kBob}));
  EXPECT_EQ(index.FollowersOf({{kType, {"oslo", "rome"}}}), Who({kCarol}));
  EXPECT_EQ(index.FollowersOf({{kType, {"oslo"}}}), Who());
  EXPECT_EQ(index.FollowersOf({{"another.Type", {"paris"}}}), Who());
  EXPECT_EQ(index.FollowersOf({{kType, {"paris", "rome"}}}), Who({kAlice, kBob, kCarol}));
}

TEST(InterestIndex, EverythingIsEveryName) {
  InterestIndex index;
  index.Follow(kAlice, kType, "*");
  index.Follow(kAlice, kType, "paris");
  EXPECT_EQ(index.FollowersOf({{kType, {"rome"}}}), Who({kAlice}));
  index.Unfollow(kAlice, kType, "*");
  EXPECT_EQ(index.FollowersOf({{kType, {"rome"}}}), Who());
  EXPECT_EQ(index.FollowersOf({{kType, {"paris"}}}), Who({kAlice}));
}

TEST(InterestIndex, AGlobIsItsMembersAndItself) {  // R1.97, R1.99
  InterestIndex index;
  index.Follow(kAlice, kType, Xdstp("eu/*"));
  EXPECT_EQ(index.FollowersOf({{kType, {Xdstp("eu/paris")}}}), Who({kAlice}));
  EXPECT_EQ(index.FollowersOf({{kType, {Xdstp("eu/*")}}}), Who({kAlice}));
  EXPECT_EQ(index.FollowersOf({{kType, {Xdstp("eu/paris?a=b")}}}), Who());
  EXPECT_EQ(index.FollowersOf({{kType, {Xdstp("eu/west/paris"), Xdstp("paris"), "paris"}}}), Who());
}

TEST(InterestIndex, WhoUnfollowsWhatItNeverFollowedChangesNothing) {
  InterestIndex index;
  index.Follow(kAlice, kType, "paris");
  index.Follow(kBob, kType, Xdstp("eu/*"));
  for (const std::string& name : {std::string("paris"), std::string("*"), Xdstp("eu/*")}) {
    index.Unfollow(kCarol, kType, name);
    index.Unfollow(kCarol, "another.Type", name);
  }
  EXPECT_EQ(index.FollowersOf({{kType, {"paris", Xdstp("eu/x")}}}), Who({kAlice, kBob}));
}

}  // namespace
}  // namespace holdfast

// Glob collections: delta alone has them.
#include <gtest/gtest.h>

#include "control/session/session_conversation_test.h"

namespace holdfast {
namespace {

std::string Xdstp(absl::string_view id) {
  return absl::StrCat("xdstp://x/", kClusterTypeName, "/", id);
}
const std::string kGlob = Xdstp("eu/*");
const std::string kParis = Xdstp("eu/paris");
const std::string kRome = Xdstp("eu/rome");
const std::string kOslo = Xdstp("north/oslo");

TEST(GlobSession, MembersAreSentAndFollowed) {  // R1.97
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/" + kParis + "=v1", "CDS/" + kOslo + "=v1", "CDS/rome=v1"});
  EXPECT_EQ(talk.Delta("CDS", {.sub = {kGlob}}), Said({"CDS #1 [" + kParis + "=v1]"}));
  EXPECT_EQ(talk.Count("follow CDS " + kGlob), 1);
  EXPECT_EQ(talk.Commit({"CDS/" + kRome + "=v1", "CDS/" + kOslo + "=v2"}),
            Said({"CDS #2 [" + kRome + "=v1]"}));
  talk.After(absl::Seconds(1));
  EXPECT_EQ(talk.Commit({"-CDS/" + kParis}), Said({"CDS #3 [] -" + kParis}));
  EXPECT_EQ(talk.Delta("CDS", {.unsub = {kGlob}}), Said({}));
  EXPECT_EQ(talk.Commit({"CDS/" + kRome + "=v2"}), Said({}));
}

TEST(GlobSession, ParametersBelongToTheName) {  // R1.99
  Talk talk(Variant::kDelta);
  const std::string with = Xdstp("eu/paris?some=thing");
  talk.Commit({"CDS/" + kParis + "=v1", "CDS/" + with + "=v1"});
  EXPECT_EQ(talk.Delta("CDS", {.sub = {Xdstp("eu/*?some=thing")}}),
            Said({"CDS #1 [" + with + "=v1]"}));
}

TEST(GlobSession, AnEmptyOneIsReportedAsRemoved) {  // R1.98
  Talk talk(Variant::kDelta);
  talk.Commit({});
  EXPECT_EQ(talk.Delta("CDS", {.sub = {kGlob}}), Said({"CDS #1 [] -" + kGlob}));
  EXPECT_EQ(talk.Commit({"CDS/" + kParis + "=v1"}), Said({"CDS #2 [" + kParis + "=v1]"}));
  talk.After(absl::Seconds(1));
  EXPECT_EQ(talk.Commit({"-CDS/" + kParis}), Said({"CDS #3 [] -" + kParis + " -" + kGlob}));
  EXPECT_EQ(talk.Delta("CDS", {.sub = {kGlob}}), Said({"CDS #4 [] -" + kGlob}));
}

TEST(GlobSession, AskedForAgainAllOfItIsSentAgain) {  // R1.38, R1.65
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/" + kParis + "=v1", "CDS/" + kRome + "=v1"});
  talk.Delta("CDS", {.sub = {kGlob}});
  talk.Commit({"CDS/" + kParis + "=v2"});
  EXPECT_EQ(talk.Commit({"-CDS/" + kRome}), Said({"wake 100ms"}));
  EXPECT_EQ(talk.Delta("CDS", {.sub = {kGlob}}), Said({"CDS #3 [" + kParis + "=v2] -" + kRome}));
}

TEST(GlobSession, UnderAWildcardItIsAnsweredToo) {  // R1.65
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/" + kParis + "=v1", "CDS/" + kOslo + "=v1"});
  talk.Delta("CDS", {});
  EXPECT_EQ(talk.Delta("CDS", {.sub = {kGlob}}), Said({"CDS #2 [" + kParis + "=v1]"}));
  EXPECT_EQ(talk.Delta("CDS", {.unsub = {"*"}}), Said({}));
  EXPECT_EQ(talk.Commit({"-CDS/" + kParis, "-CDS/" + kOslo}),
            Said({"CDS #3 [] -" + kParis + " -" + kGlob}));
}

TEST(GlobSession, AskedForTogetherWithEverythingItsMembersAreSentOnce) {  // R1.15
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/" + kParis + "=v1", "CDS/" + kOslo + "=v1"});
  EXPECT_EQ(talk.Delta("CDS", {.sub = {"*", kGlob, kParis, Xdstp("*")}}),
            Said({"CDS #1 [" + kParis + "=v1 " + kOslo + "=v1] -" + Xdstp("*")}));
}

TEST(GlobSession, AnErrorMayBeOfTheCollection) {  // R2.38
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/" + kGlob + "!13"});
  // It failed: whether it is empty is not said.
  EXPECT_EQ(talk.Delta("CDS", {.sub = {kGlob}}), Said({"CDS #1 [] !" + kGlob + ":13"}));
  EXPECT_EQ(talk.Count("errors CDS 1"), 1);
  EXPECT_EQ(talk.Commit({"CDS/" + kGlob + "!"}), Said({"CDS #2 [] -" + kGlob}));
  EXPECT_EQ(talk.Count("errors CDS -1"), 1);
  talk.After(absl::Seconds(1));
  EXPECT_EQ(talk.Commit({"CDS/" + kParis + "=v1", "CDS/" + kGlob + "!14"}),
            Said({"CDS #3 [" + kParis + "=v1] !" + kGlob + ":14"}));
}

TEST(GlobSession, AnErrorMayBeOfAMember) {  // R2.38, R2.33
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/" + kParis + "=v1", "CDS/" + kRome + "!13", "CDS/" + kOslo + "!13"});
  EXPECT_EQ(talk.Delta("CDS", {.sub = {kGlob}}),
            Said({"CDS #1 [" + kParis + "=v1] !" + kRome + ":13"}));
  EXPECT_EQ(talk.Commit({"CDS/" + kParis + "!7"}),
            Said({"CDS #2 [] -" + kParis + " -" + kGlob + " !" + kParis + ":7"}));
  talk.After(absl::Seconds(1));
  EXPECT_EQ(talk.Commit({"CDS/" + kParis + "!", "CDS/" + kRome + "=v1"}),
            Said({"CDS #3 [" + kParis + "=v1 " + kRome + "=v1]"}));
  EXPECT_EQ(talk.Count("errors CDS -2"), 1);
}

TEST(GlobSession, MembersHaveErrorsAlsoBesideAWildcard) {  // R2.38, R2.39
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/" + kRome + "!13", "CDS/" + kOslo + "!13"});
  EXPECT_EQ(talk.Delta("CDS", {.sub = {"*", kGlob}}),
            Said({"CDS #1 [] -" + kGlob + " !" + kRome + ":13"}));
}

TEST(GlobSession, ErrorsAreTakenBackWithTheGlob) {
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/" + kRome + "!13"});
  talk.Delta("CDS", {.sub = {kGlob}});
  talk.Delta("CDS", {.unsub = {kGlob}});
  EXPECT_EQ(talk.all(), Said({"count request CDS", "unfollow CDS " + kGlob, "errors CDS -1"}));
}

TEST(GlobSession, OfAnUnsyncedSourceItIsUnavailable) {  // R2.38
  Talk talk(Variant::kDelta, {}, /*is_synced=*/false);
  EXPECT_EQ(talk.Delta("CDS", {.sub = {kGlob}}), Said({"wake 2s"}));
  EXPECT_EQ(talk.After(absl::Seconds(2)), Said({"CDS #1 [] !" + kGlob + ":14"}));
  EXPECT_EQ(talk.Commit({"CDS/" + kParis + "=v1"}), Said({"CDS #2 [" + kParis + "=v1]"}));
  EXPECT_EQ(talk.Count("errors CDS -1"), 1);
}

TEST(GlobSession, AMemberThatIsUnsubscribedByNameStays) {  // R1.70
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/" + kParis + "=v1"});
  talk.Delta("CDS", {.sub = {kGlob, kParis}});
  EXPECT_EQ(talk.Delta("CDS", {.unsub = {kParis}}), Said({"CDS #2 [" + kParis + "=v1]"}));
}

TEST(GlobSession, WhatLeftACollectionWhileAClientWasAwayIsSaid) {  // R1.63, R1.67
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/" + kParis + "=v1"});
  EXPECT_EQ(
      talk.Delta(
          "CDS",
          {.sub = {kGlob},
           .initial = {{kParis, talk.VersionOf("CDS/" + kParis)}, {kRome, "x"}, {kOslo, "x"}}}),
      Said({"CDS #1 [] -" + kRome}));
}

// What was sent before may reach the client after it asked for the glob.
TEST(GlobSession, WhatWasOnItsWayAndIsGoneIsSaid) {  // R1.67
  for (const std::string& asked : {kParis, kGlob, std::string("*")}) {
    Talk talk(Variant::kDelta);
    talk.Commit({"CDS/" + kParis + "=v1", "CDS/" + kRome + "=v1"});
    talk.Delta("CDS", {.sub = {asked}});
    talk.Delta("CDS", {.unsub = {asked}});
    talk.Commit({"-CDS/" + kParis});
    EXPECT_EQ(talk.Delta("CDS", {.sub = {kGlob}}), Said({"CDS #2 [" + kRome + "=v1] -" + kParis}))
        << asked;
  }
}

// With everything it was known too; then the glob alone is left.
TEST(GlobSession, WhatIsGoneIsSaidAlsoToWhoLeavesEverything) {  // R1.67
  for (const bool is_returning : {false, true}) {
    Talk talk(Variant::kDelta);
    talk.Commit({"CDS/" + kParis + "=v1", "CDS/" + kRome + "=v1"});
    if (is_returning) {
      talk.Commit({"-CDS/" + kParis});
      talk.Stall();
      talk.Delta("EDS", {.sub = {"rome"}});
      talk.Delta("CDS", {.sub = {"*", kGlob}, .initial = {{kParis, "x"}}});
    } else {
      talk.Delta("CDS", {});
      talk.Stall();
      talk.Delta("EDS", {.sub = {"rome"}});
      talk.Commit({"-CDS/" + kParis});
      talk.Delta("CDS", {.sub = {kGlob}});
    }
    talk.Delta("CDS", {.unsub = {"*"}});
    talk.Resume();
    EXPECT_EQ(talk.responses().back().removed, std::vector<std::string>{kParis}) << is_returning;
  }
}

TEST(GlobSession, WhatIsGoneIsSaidAlsoToWhoLeavesTheGlob) {  // R1.67, R1.70
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/" + kParis + "=v1", "CDS/" + kRome + "=v1"});
  talk.Delta("CDS", {.sub = {kGlob}});
  talk.Stall();
  talk.Delta("EDS", {.sub = {"rome"}});
  talk.Commit({"-CDS/" + kParis});
  talk.Delta("CDS", {.sub = {"*"}});
  talk.Delta("CDS", {.unsub = {kGlob}});
  talk.Resume();
  EXPECT_EQ(talk.responses().back().removed, std::vector<std::string>{kParis});
}

// A member that its parent's new version makes the client wait for is one that it has.
TEST(GlobSession, WhatIsAwaitedAndGoneIsSaid) {  // R1.63, R1.67
  const std::string prefix = absl::StrCat("xdstp://x/", kEndpointsTypeName, "/eu/");
  Talk talk(Variant::kDelta);
  talk.Commit({});
  talk.Put(std::make_shared<const Resource>(
      std::string(kClusterTypeName), "paris", "v2", std::nullopt,
      std::vector<ResourceKey>{{std::string(kEndpointsTypeName), prefix + "paris"}}));
  talk.Publish();
  talk.Delta("CDS", {.sub = {"paris"}, .initial = {{"paris", "old"}}});
  EXPECT_EQ(talk.Delta("EDS", {.sub = {prefix + "*"}, .initial = {{prefix + "paris", "x"}}}),
            Said({"EDS #2 [] -" + prefix + "paris -" + prefix + "*"}));
}

TEST(GlobSession, MembersThatGoAreTakenAwayLast) {  // R1.45
  Talk talk(Variant::kDelta, {.gate = absl::ZeroDuration()});
  talk.Commit({"CDS/" + kParis + "=v1", "CDS/" + kRome + "=v1", "RDS/front=v1"});
  talk.Delta("CDS", {.sub = {kGlob}});
  talk.Delta("RDS", {.sub = {"front"}});
  EXPECT_EQ(talk.Commit({"-CDS/" + kRome, "RDS/front=v2"}),
            Said({"RDS #3 [front=v2]", "CDS #4 [] -" + kRome}));
}

// A look for each name, and not at each glob; a look around in a directory once, and not for each.
// Each with each would take minutes, which the time limit of a test does not allow.
TEST(GlobSession, VeryManyCostLittle) {
  constexpr int kMany = 10'000;
  Contents contents{.is_synced = true};
  DeltaAsk ask;
  for (int i = 0; i < kMany; ++i) {
    contents.resources.push_back(MakeResource("CDS/" + Xdstp(absl::StrCat("eu/", i)), "v1"));
    ask.sub.push_back(Xdstp(absl::StrCat("eu/*?zone=", i)));
    ask.sub.push_back(Xdstp(absl::StrCat("eu/", i, "/*")));
    ask.initial[Xdstp(absl::StrCat("eu/gone-", i, "?zone=", i))] = "x";
  }
  Talk talk(Variant::kDelta, {}, NextView(View(), std::move(contents)));
  talk.Delta("CDS", ask);
  size_t removed = 0;
  for (const SendResponse& response : talk.responses()) removed += response.removed.size();
  EXPECT_EQ(removed, 3u * kMany);
}

TEST(GlobSession, InSotwItIsANameLikeAnyOther) {  // R1.97
  Talk talk(Variant::kSotw);
  talk.Commit({"CDS/" + kParis + "=v1"});
  EXPECT_EQ(talk.Ask("CDS", {kGlob}), Said({"CDS #1 [] !" + kGlob + ":5"}));
}

}  // namespace
}  // namespace holdfast

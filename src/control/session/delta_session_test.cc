// Delta: each name has a version of its own, and what is gone is said.
#include <gtest/gtest.h>

#include "control/session/session_conversation_test.h"

namespace holdfast {
namespace {

TEST(DeltaSession, NamesAreAnsweredOneByOne) {  // R1.66, R1.67, R1.68
  Talk talk(Variant::kDelta);
  talk.Commit({"EDS/paris=v1", "EDS/rome=v1"});
  talk.Delta("EDS", {.sub = {"rome", "paris", "oslo"}});
  EXPECT_EQ(talk.all(), Said({"count request EDS", "follow EDS rome", "follow EDS paris",
                              "follow EDS oslo", "count push EDS", "count error EDS 5 x1",
                              "EDS #1 [paris=v1 rome=v1] -oslo !oslo:5", "errors EDS 1"}));
  EXPECT_EQ(talk.Delta("EDS", {.nonce = "1"}), Said({}));
  EXPECT_EQ(talk.Count("count ack EDS"), 1);
  EXPECT_EQ(talk.Commit({"EDS/rome=v2"}), Said({"EDS #2 [rome=v2]"}));
  talk.After(absl::Seconds(1));
  EXPECT_EQ(talk.Commit({"-EDS/paris", "EDS/oslo=v1"}), Said({"EDS #3 [oslo=v1] -paris !paris:5"}));
}

TEST(DeltaSession, TheWildcardSequenceOfTheSpecification) {  // R1.50, R1.51, R1.54
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/paris=v1", "CDS/rome=v1"});
  EXPECT_EQ(talk.Delta("CDS", {}), Said({"CDS #1 [paris=v1 rome=v1]"}));
  EXPECT_EQ(talk.Delta("CDS", {.sub = {"paris"}}), Said({"CDS #2 [paris=v1]"}));
  EXPECT_EQ(talk.Delta("CDS", {.unsub = {"*"}}), Said({}));
  EXPECT_EQ(talk.all(), Said({"count request CDS", "unfollow CDS *"}));
  EXPECT_EQ(talk.Commit({"CDS/rome=v2"}), Said({}));
  EXPECT_EQ(talk.Delta("CDS", {.unsub = {"paris"}}), Said({}));
  EXPECT_EQ(talk.all(), Said({"count request CDS", "unfollow CDS paris"}));
  EXPECT_EQ(talk.Commit({"CDS/paris=v3", "CDS/rome=v3"}), Said({}));
  EXPECT_EQ(talk.Delta("CDS", {}), Said({}));  // and stays nothing
}

TEST(DeltaSession, AFirstRequestThatNamesWhatIsOverIsNoWildcard) {  // R1.51
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/paris=v1"});
  EXPECT_EQ(talk.Delta("CDS", {.unsub = {"paris"}}), Said({}));
  EXPECT_EQ(talk.all(), Said({"count request CDS"}));
}

TEST(DeltaSession, OnlyListenersAndClustersHaveAWildcard) {  // R1.50
  Talk talk(Variant::kDelta);
  talk.Commit({"EDS/paris=v1"});
  EXPECT_EQ(talk.Delta("EDS", {}), Said({}));
  EXPECT_EQ(talk.Delta("EDS", {.sub = {"*"}}), Said({}));
  EXPECT_EQ(talk.Commit({"EDS/paris=v2"}), Said({}));
}

TEST(DeltaSession, UnderAWildcardAMemberCannotBeUnsubscribed) {  // R1.56, R1.69
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/paris=v1"});
  talk.Delta("CDS", {.sub = {"*"}});
  EXPECT_EQ(talk.Delta("CDS", {.unsub = {"paris", "rome", ""}}), Said({}));
  EXPECT_EQ(talk.all(), Said({"count request CDS"}));
  EXPECT_EQ(talk.Commit({"CDS/paris=v2"}), Said({"CDS #2 [paris=v2]"}));
}

TEST(DeltaSession, ANameThatTheWildcardStillHasIsSentWhenItIsUnsubscribed) {  // R1.70
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/paris=v1"});
  EXPECT_EQ(talk.Delta("CDS", {.sub = {"*", "paris", "rome"}}),
            Said({"CDS #1 [paris=v1] -rome !rome:5"}));
  EXPECT_EQ(talk.Delta("CDS", {.unsub = {"paris"}}), Said({"CDS #2 [paris=v1]"}));
  EXPECT_EQ(talk.Delta("CDS", {.unsub = {"rome"}}), Said({"CDS #3 [] -rome"}));
  EXPECT_EQ(talk.Count("errors CDS -1"), 1);
}

TEST(DeltaSession, UnsubscribingIsNotAnswered) {  // R1.69
  Talk talk(Variant::kDelta);
  talk.Commit({"EDS/paris=v1"});
  talk.Delta("EDS", {.sub = {"paris"}});
  EXPECT_EQ(talk.Delta("EDS", {.unsub = {"paris"}}), Said({}));
  EXPECT_EQ(talk.Commit({"EDS/paris=v2"}), Said({}));
}

TEST(DeltaSession, NamesCountWhateverTheNonceIs) {  // R1.62
  Talk talk(Variant::kDelta);
  talk.Commit({"EDS/paris=v1", "EDS/rome=v1", "EDS/oslo=v1"});
  talk.Delta("EDS", {.sub = {"paris"}});
  EXPECT_EQ(talk.Commit({"EDS/paris=v2"}), Said({"EDS #2 [paris=v2]"}));
  EXPECT_EQ(talk.Delta("EDS", {.sub = {"rome"}, .nonce = "1"}), Said({"EDS #3 [rome=v1]"}));
  EXPECT_EQ(talk.Count("count ack EDS"), 1);
  EXPECT_EQ(talk.Delta("EDS", {.sub = {"oslo"}, .nonce = "nobody's"}), Said({"EDS #4 [oslo=v1]"}));
  EXPECT_EQ(talk.Count("count ack EDS"), 0);
  // Every nonce is answered, in any order.
  talk.Delta("EDS", {.nonce = "4"});
  EXPECT_EQ(talk.Count("count ack EDS"), 1);
  talk.Delta("EDS", {.nonce = "2"});
  EXPECT_EQ(talk.Count("count ack EDS"), 1);
  talk.Delta("EDS", {.nonce = "2"});
  EXPECT_EQ(talk.Count("count ack EDS"), 0);
}

TEST(DeltaSession, WhatIsSubscribedToAgainIsSentAgain) {  // R1.38, R1.65
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/paris=v1"});
  talk.Delta("CDS", {.sub = {"paris", "rome"}});
  EXPECT_EQ(talk.Delta("CDS", {.sub = {"paris"}}), Said({"CDS #2 [paris=v1]"}));
  EXPECT_EQ(talk.Delta("CDS", {.sub = {"rome"}}), Said({"CDS #3 [] -rome !rome:5"}));
  EXPECT_EQ(talk.Delta("CDS", {.sub = {"paris"}, .unsub = {"paris"}}), Said({"CDS #4 [paris=v1]"}));
  EXPECT_EQ(talk.Delta("CDS", {.sub = {"*"}}), Said({"CDS #5 [paris=v1]"}));
  EXPECT_EQ(talk.Delta("CDS", {.sub = {"*"}}), Said({"CDS #6 [paris=v1]"}));
}

// It is gone, the client has it, and asks for everything before it was told.
TEST(DeltaSession, WhatIsGoneIsSaidAlsoToWhomAsksAgainForEverything) {  // R1.67
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/paris=v1", "CDS/rome=v1"});
  talk.Delta("CDS", {});
  talk.Commit({"CDS/paris=v2"});
  EXPECT_EQ(talk.Commit({"-CDS/rome"}), Said({"wake 100ms"}));
  EXPECT_EQ(talk.Delta("CDS", {.sub = {"*"}}), Said({"CDS #3 [paris=v2] -rome"}));
}

TEST(DeltaSession, AReturningClientIsSentOnlyWhatDiffers) {  // R1.63, R1.65
  Talk talk(Variant::kDelta);
  talk.Commit({"EDS/paris=v1", "EDS/rome=v1", "EDS/oslo=v1"});
  EXPECT_EQ(talk.Delta("EDS", {.sub = {"paris", "rome", "oslo"},
                               .initial = {{"paris", talk.VersionOf("EDS/paris")},
                                           {"rome", "of another time"}}}),
            Said({"EDS #1 [oslo=v1 rome=v1]"}));
  EXPECT_EQ(talk.Commit({"EDS/paris=v2"}), Said({"EDS #2 [paris=v2]"}));
}

TEST(DeltaSession, AReturningClientThatHasEverythingIsSentNothing) {  // R1.65
  Talk talk(Variant::kDelta);
  talk.Commit({"EDS/paris=v1"});
  EXPECT_EQ(
      talk.Delta("EDS", {.sub = {"paris"}, .initial = {{"paris", talk.VersionOf("EDS/paris")}}}),
      Said({}));
  // Only in the first request of a type.
  EXPECT_EQ(
      talk.Delta("EDS", {.sub = {"paris"}, .initial = {{"paris", talk.VersionOf("EDS/paris")}}}),
      Said({"EDS #1 [paris=v1]"}));
}

TEST(DeltaSession, WhatWasRemovedWhileAClientWasAwayIsSaid) {  // R1.63, R1.67
  Talk by_name(Variant::kDelta);
  by_name.Commit({});
  EXPECT_EQ(by_name.Delta("EDS", {.sub = {"paris"}, .initial = {{"paris", "x"}}}),
            Said({"EDS #1 [] -paris !paris:5"}));

  Talk everything(Variant::kDelta);
  everything.Commit({"CDS/paris=v1", "CDS/rome=v1"});
  EXPECT_EQ(everything.Delta(
                "CDS", {.initial = {{"paris", everything.VersionOf("CDS/paris")}, {"oslo", "x"}}}),
            Said({"CDS #1 [rome=v1] -oslo"}));
  // Nobody asked for it any more.
  EXPECT_EQ(everything.Delta("EDS", {.sub = {"paris"}, .initial = {{"bern", "x"}}}),
            Said({"EDS #2 [] -paris !paris:5"}));
}

TEST(DeltaSession, AReturningWildcardClientIsAnsweredEvenIfItHasEverything) {  // R1.65
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/paris=v1"});
  EXPECT_EQ(talk.Delta("CDS", {.initial = {{"paris", talk.VersionOf("CDS/paris")}}}),
            Said({"CDS #1 []"}));
}

// Envoy takes the new cluster for warming, and waits for its endpoints.
TEST(DeltaSession, AReturningClientIsSentTheChildrenOfWhatItIsSent) {  // R1.65
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/paris=v2", "CDS/rome=v1", "EDS/paris=v1", "EDS/rome=v1"});
  EXPECT_EQ(
      talk.Delta("CDS", {.initial = {{"paris", "old"}, {"rome", talk.VersionOf("CDS/rome")}}}),
      Said({"CDS #1 [paris=v2]"}));
  EXPECT_EQ(talk.Delta("EDS", {.sub = {"paris", "rome"},
                               .initial = {{"paris", talk.VersionOf("EDS/paris")},
                                           {"rome", talk.VersionOf("EDS/rome")}}}),
            Said({"EDS #2 [paris=v1]"}));
  // What it kept is a child as good as what it was sent.
  EXPECT_EQ(talk.Commit({"CDS/rome=v2"}), Said({"CDS #3 [rome=v2]", "EDS #4 [rome=v1]"}));
}

TEST(DeltaSession, ARejectionIsLoggedAndSentNothing) {  // R1.36, R1.44
  Talk talk(Variant::kDelta);
  talk.Commit({"EDS/paris=v1"});
  talk.Delta("EDS", {.sub = {"paris"}});
  const Said said = talk.Delta("EDS", {.nonce = "1", .why = "bad port"});
  ASSERT_EQ(said.size(), 1u);
  EXPECT_TRUE(absl::StrContains(said[0], "(\"paris\"): bad port; it keeps what it had")) << said[0];
  EXPECT_EQ(talk.Count("count nack EDS"), 1);
  EXPECT_EQ(talk.Commit({"EDS/paris=v2"}), Said({"EDS #2 [paris=v2]"}));
  talk.Delta("EDS", {.nonce = "2", .why = "bad port"});
  talk.After(absl::Seconds(1));
  EXPECT_EQ(talk.Commit({"EDS/paris=v1"}), Said({"EDS #3 [paris=v1]"}));
  EXPECT_EQ(talk.Delta("EDS", {.sub = {"rome"}, .nonce = "3", .why = "bad port"}).back(),
            "EDS #4 [] -rome !rome:5");
}

TEST(DeltaSession, ARejectedVersionThatIsBackBeforeAnybodySawAnotherIsNotSentAgain) {  // R1.44
  for (const DeltaAsk& ask : {DeltaAsk{.sub = {"paris"}}, DeltaAsk{.sub = {"*"}}}) {
    Talk talk(Variant::kDelta);
    talk.Commit({"CDS/paris=v1"});
    talk.Delta("CDS", ask);
    talk.Commit({"CDS/paris=v2"});
    talk.Delta("CDS", {.nonce = "2", .why = "no good"});
    EXPECT_EQ(talk.Commit({"CDS/paris=v1"}), Said({"wake 100ms"}));
    EXPECT_EQ(talk.Commit({"CDS/paris=v2"}), Said({}));
    EXPECT_EQ(talk.After(absl::Seconds(1)), Said({}));
  }
}

// R1.67: Envoy warms for 15 s for a name that is not said to be missing.
TEST(DeltaSession, ANameThatNeverWasIsSaidToBeRemovedAlsoWithoutErrors) {  // R1.67, R2.37
  Talk talk(Variant::kDelta, {.tp3 = Tp3Mode::kOff});
  talk.Commit({});
  EXPECT_EQ(talk.Delta("EDS", {.sub = {"paris"}}), Said({"EDS #1 [] -paris"}));
}

TEST(DeltaSession, SecretsAreNeverRemoved) {
  Talk talk(Variant::kDelta);
  talk.Commit({});
  EXPECT_EQ(talk.Delta("SDS", {.sub = {"key"}}), Said({"SDS #1 [] !key:5"}));
}

TEST(DeltaSession, ResponsesAreSplit) {
  Talk talk(Variant::kDelta, {.split_bytes = 2000});
  std::vector<std::string> changes;
  for (const char* const name : {"a", "b", "c", "d", "e"}) {
    changes.push_back(absl::StrCat("CDS/", name, "=", std::string(500, *name)));
  }
  talk.Commit(changes);
  EXPECT_EQ(talk.Delta("CDS", {}).size(), 3u);
  std::vector<std::string> names;
  for (const SendResponse& response : talk.responses()) {
    EXPECT_EQ(response.all, nullptr);
    EXPECT_LE(response.resources.size(), 2u);
    for (const ResourcePtr& resource : response.resources) names.push_back(resource->name());
  }
  EXPECT_EQ(names, std::vector<std::string>({"a", "b", "c", "d", "e"}));
  // One that is too big by itself goes alone.
  EXPECT_EQ(talk.Commit({"CDS/b=" + std::string(5000, 'b'), "CDS/c=w"}).size(), 2u);
}

TEST(DeltaSession, ANewestVersionIsSentInTheRestOfASplitResponse) {
  Talk talk(Variant::kDelta, {.split_bytes = 1000});
  talk.Commit({"CDS/a=" + std::string(500, 'a'), "CDS/b=" + std::string(500, 'b')});
  talk.Stall();
  EXPECT_EQ(talk.Delta("CDS", {}).size(), 1u);
  EXPECT_EQ(talk.Commit({"CDS/b=new", "CDS/a=new"}), Said({}));
  EXPECT_EQ(talk.Resume(), Said({"CDS #2 [a=new b=new]"}));
  EXPECT_EQ(talk.After(absl::Seconds(1)), Said({}));
}

// F10: the version of a resource is what it says, so a server that restarts has those it had.
TEST(DeltaReturning, ToAServerThatRestartedCostsNoResource) {  // R1.65
  const auto restored = [](const View& before, bool is_synced) {
    Contents contents;
    contents.is_synced = is_synced;
    for (int i = 0; i < 10'000; ++i) {
      contents.resources.push_back(MakeResource(absl::StrCat("CDS/city-", i), "v"));
    }
    return NextView(before, std::move(contents));
  };
  const ViewPtr earlier = restored(View(), true);
  DeltaAsk everything{.sub = {"*"}, .unsub = {}};
  DeltaAsk by_name;
  for (const ResourcePtr& one : earlier->Of(LongType("CDS"))->resources()) {
    everything.initial[one->name()] = one->version();
    by_name.sub.push_back(one->name());
  }
  by_name.initial = everything.initial;
  for (const DeltaAsk& ask : {everything, by_name}) {
    for (const bool is_synced_before : {false, true}) {
      const ViewPtr first = restored(View(), is_synced_before);
      Talk talk(Variant::kDelta, {}, first);
      talk.Delta("CDS", ask);
      const ViewPtr second = restored(*first, true);
      const auto changes = std::make_shared<const Changes>(ChangesBetween(*first, *second));
      EXPECT_TRUE(changes->empty());
      talk.Tell(ViewChanged{second, changes});
      talk.After(absl::Minutes(1));
      for (const SendResponse& response : talk.responses()) {
        EXPECT_TRUE(ResourcesIn(response).empty());
        EXPECT_TRUE(response.removed.empty());
        EXPECT_TRUE(response.errors.empty());
      }
      // Who asked for everything is told that this was all.
      EXPECT_LE(talk.responses().size(), ask.sub.size() == 1 ? 2u : 0u);
    }
  }
}

}  // namespace
}  // namespace holdfast

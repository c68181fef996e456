// Make before break: the parts of a commit wait for the client's answers (R1.45).
#include <gtest/gtest.h>

#include "control/session/session_conversation_test.h"

namespace holdfast {
namespace {

// An Envoy: it asks for all clusters, for the endpoints of each, and for one route, and has
// answered everything so far.
Talk EnvoyWithParis() {
  Talk talk(Variant::kSotw);
  talk.Commit({"CDS/paris=v1", "EDS/paris=v1", "RDS/front=to-paris"});
  talk.Ask("CDS", {});
  talk.Ack("CDS");
  talk.Ask("EDS", {"paris"});
  talk.Ack("EDS");
  talk.Ask("RDS", {"front"});
  talk.Ack("RDS");
  talk.After(absl::Seconds(5));
  return talk;
}

TEST(SessionGate, ARouteMovesWhenTheNewClusterIsReadyAndTheOldOneGoesLast) {  // R1.45
  Talk talk = EnvoyWithParis();
  EXPECT_EQ(
      talk.Commit({"-CDS/paris", "-EDS/paris", "CDS/rome=v1", "EDS/rome=v1", "RDS/front=to-rome"}),
      Said({"CDS #4 [paris=v1 rome=v1]", "wake 6s"}));
  EXPECT_EQ(talk.Ack("CDS"), Said({}));  // it has the cluster, and no endpoints yet
  EXPECT_EQ(talk.Ask("EDS", {"paris", "rome"}), Said({"EDS #5 [rome=v1]"}));
  EXPECT_EQ(talk.Ack("EDS"), Said({"RDS #6 [front=to-rome]"}));
  EXPECT_EQ(talk.Ack("RDS"), Said({"CDS #7 [rome=v1]", "EDS #8 [] !paris:5"}));
  EXPECT_EQ(talk.Ack("CDS"), Said({}));
  EXPECT_EQ(talk.After(absl::Minutes(1)), Said({}));
}

TEST(SessionGate, SoIsItInDelta) {  // R1.45
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/paris=v1", "EDS/paris=v1", "RDS/front=to-paris"});
  talk.Delta("CDS", {});
  talk.Delta("CDS", {.nonce = talk.nonce("CDS")});
  talk.Delta("EDS", {.sub = {"paris"}});
  talk.Delta("EDS", {.nonce = talk.nonce("EDS")});
  talk.Delta("RDS", {.sub = {"front"}});
  talk.Delta("RDS", {.nonce = talk.nonce("RDS")});
  talk.After(absl::Seconds(5));
  EXPECT_EQ(
      talk.Commit({"-CDS/paris", "-EDS/paris", "CDS/rome=v1", "EDS/rome=v1", "RDS/front=to-rome"}),
      Said({"CDS #4 [rome=v1]", "wake 6s"}));
  EXPECT_EQ(talk.Delta("EDS", {.sub = {"rome"}}), Said({"EDS #5 [rome=v1]"}));
  EXPECT_EQ(talk.Delta("CDS", {.nonce = "4"}), Said({}));
  EXPECT_EQ(talk.Delta("EDS", {.nonce = "5"}), Said({"RDS #6 [front=to-rome]"}));
  EXPECT_EQ(talk.Delta("RDS", {.nonce = "6"}),
            Said({"CDS #7 [] -paris", "EDS #8 [] -paris !paris:5"}));
}

TEST(SessionGate, WhoDoesNotAnswerIsNotWaitedForLong) {  // R1.45
  Talk talk = EnvoyWithParis();
  EXPECT_EQ(talk.Commit({"-CDS/paris", "CDS/rome=v1", "RDS/front=to-rome"}),
            Said({"CDS #4 [paris=v1 rome=v1]", "wake 6s"}));
  EXPECT_EQ(talk.After(absl::Milliseconds(999)), Said({}));
  EXPECT_EQ(talk.After(absl::Milliseconds(1)),
            Said({"RDS #5 [front=to-rome]", "CDS #6 [rome=v1]"}));
  EXPECT_EQ(talk.After(absl::Minutes(1)), Said({}));
}

TEST(SessionGate, ARejectionIsAnAnswer) {
  Talk talk = EnvoyWithParis();
  EXPECT_EQ(talk.Commit({"CDS/paris=bad", "RDS/front=v2"}),
            Said({"CDS #4 [paris=bad]", "EDS #5 [paris=v1]", "wake 6s"}));
  EXPECT_EQ(talk.Ack("EDS"), Said({}));
  EXPECT_EQ(talk.Nack("CDS").back(), "RDS #6 [front=v2]");
}

TEST(SessionGate, WhatWasRejectedIsNotKeptForTheSakeOfARoute) {
  Talk talk = EnvoyWithParis();
  talk.Commit({"CDS/oslo=bad"});
  talk.Nack("CDS");
  talk.After(absl::Seconds(5));
  EXPECT_EQ(talk.Commit({"-CDS/oslo", "CDS/rome=v1", "RDS/front=v2"}).front(),
            "CDS #5 [paris=v1 rome=v1]");
}

TEST(SessionGate, ARequestIsAnsweredAtOnce) {
  Talk talk = EnvoyWithParis();
  talk.Commit({"CDS/paris=v2", "RDS/front=v2", "RDS/side=v2"});
  EXPECT_EQ(talk.Ask("RDS", {"front", "side"}).front(), "RDS #6 [front=v2 side=v2]");
}

TEST(SessionGate, WhatRefersToNothingNewWaitsForNothing) {
  Talk talk = EnvoyWithParis();
  EXPECT_EQ(talk.Commit({"RDS/front=v2"}), Said({"RDS #4 [front=v2]"}));
  talk.After(absl::Seconds(5));
  EXPECT_EQ(talk.Commit({"EDS/paris=v2"}), Said({"EDS #5 [paris=v2]"}));
}

// It has clusters and listeners, answers everything, and gets its endpoints from elsewhere.
TEST(SessionGate, WhoNeverAskedForEndpointsIsNotWaitedFor) {
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    const bool is_sotw = variant == Variant::kSotw;
    Talk talk(variant);
    talk.Commit({"CDS/paris=v1", "LDS/front=v1"});
    const auto ack = [&](const std::string& type) {
      return is_sotw ? talk.Ack(type) : talk.Delta(type, {.nonce = talk.nonce(type)});
    };
    is_sotw ? talk.Ask("CDS", {}) : talk.Delta("CDS", {});
    ack("CDS");
    is_sotw ? talk.Ask("LDS", {}) : talk.Delta("LDS", {});
    ack("LDS");
    // It may be about to ask.
    talk.After(absl::Milliseconds(500));
    EXPECT_EQ(talk.Commit({"CDS/paris=v2", "LDS/front=v2"}),
              Said({"CDS #3 [paris=v2]", "wake 1.5s"}));
    EXPECT_EQ(ack("CDS"), Said({}));
    EXPECT_EQ(talk.After(absl::Seconds(1)), Said({"LDS #4 [front=v2]"}));
    ack("LDS");
    talk.After(absl::Seconds(5));
    EXPECT_EQ(talk.Commit({"CDS/paris=v3", "LDS/front=v3"}),
              Said({"CDS #5 [paris=v3]", "wake 7.5s"}));
    EXPECT_EQ(ack("CDS"), Said({"LDS #6 [front=v3]"}));
  }
}

// All the endpoints it needed so far were in its clusters.
TEST(SessionGate, TheFirstClusterWithEndpointsIsWaitedFor) {  // R1.45
  Talk talk(Variant::kSotw);
  talk.Put(std::make_shared<const Resource>(LongType("CDS"), "static", "v1"));
  talk.Commit({"RDS/front=to-static"});
  talk.Ask("CDS", {});
  talk.Ack("CDS");
  talk.Ask("RDS", {"front"});
  talk.Ack("RDS");
  talk.After(absl::Seconds(5));
  EXPECT_EQ(talk.Commit({"CDS/rome=v1", "EDS/rome=v1", "RDS/front=to-rome"}).front(),
            "CDS #3 [rome=v1 static=v1]");
  EXPECT_EQ(talk.Ack("CDS"), Said({}));
  EXPECT_EQ(talk.Ask("EDS", {"rome"}), Said({"EDS #4 [rome=v1]"}));
  EXPECT_EQ(talk.Ack("EDS"), Said({"RDS #5 [front=to-rome]"}));
}

TEST(SessionGate, WhatIsWithdrawnWaitsForNothing) {
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    const bool is_sotw = variant == Variant::kSotw;
    // Of everything: the last one, or one of many.
    for (const auto& [asked, rest] :
         {std::pair("front", 0), std::pair("*", 0), std::pair("*", 8)}) {
      Talk talk(variant);
      std::vector<std::string> first = {"CDS/paris=v1", "LDS/front=v1"};
      for (int i = 0; i < rest; ++i) first.push_back(absl::StrCat("LDS/other-", i, "=v1"));
      talk.Commit(first);
      is_sotw ? talk.Ask("CDS", {}) : talk.Delta("CDS", {});
      is_sotw ? talk.Ack("CDS") : talk.Delta("CDS", {.nonce = "1"});
      is_sotw ? talk.Ask("LDS", {asked}) : talk.Delta("LDS", {.sub = {asked}});
      is_sotw ? talk.Ack("LDS") : talk.Delta("LDS", {.nonce = "2"});
      talk.After(absl::Seconds(5));
      const Said said = talk.Commit({"CDS/paris=v2", "-LDS/front"});
      ASSERT_GE(said.size(), 2u);
      EXPECT_EQ(said[0], "CDS #3 [paris=v2]");
      EXPECT_TRUE(absl::StartsWith(said[1], "LDS #4 [")) << said[1];
      const SendResponse& told = talk.responses().back();
      EXPECT_EQ(ResourcesIn(told).size(), is_sotw ? static_cast<size_t>(rest) : 0u);
      EXPECT_EQ(told.removed.size(), is_sotw ? 0u : 1u);
      EXPECT_EQ(told.errors.size(), asked == std::string("*") ? 0u : 1u);
    }
  }
}

// A commit that comes while another is on its way joins it: its routes need its clusters too.
TEST(SessionGate, CommitsDoNotOvertakeOneAnother) {
  Talk talk = EnvoyWithParis();
  talk.Commit({"CDS/rome=v1", "EDS/rome=v1", "RDS/front=to-rome"});
  talk.After(absl::Milliseconds(200));
  EXPECT_EQ(talk.Commit({"CDS/oslo=v1", "EDS/oslo=v1", "RDS/front=to-oslo"}),
            Said({"CDS #5 [oslo=v1 paris=v1 rome=v1]"}));
  EXPECT_EQ(talk.Ack("CDS"), Said({}));
  EXPECT_EQ(talk.Ask("EDS", {"oslo", "paris", "rome"}), Said({"EDS #6 [oslo=v1 rome=v1]"}));
  EXPECT_EQ(talk.Ack("EDS"), Said({"RDS #7 [front=to-oslo]"}));
  EXPECT_EQ(talk.After(absl::Minutes(1)), Said({}));
}

// A route has news and waits for the merge window; meanwhile the client asks for clusters.
TEST(SessionGate, AClusterIsNotTakenAwayWhileARouteWaitsForTheWindow) {  // R1.45
  Talk talk(Variant::kSotw);
  talk.Commit({"CDS/paris=v1", "CDS/rome=v1", "RDS/front=to-paris"});
  talk.Ask("CDS", {"paris"});
  talk.Ack("CDS");
  talk.Ask("RDS", {"front"});
  talk.Ack("RDS");
  talk.After(absl::Seconds(5));
  talk.Commit({"RDS/front=still-to-paris"});
  talk.Ack("RDS");
  talk.After(absl::Milliseconds(50));
  EXPECT_EQ(talk.Commit({"-CDS/paris", "RDS/front=to-rome"}), Said({"wake 5.1s"}));
  EXPECT_EQ(talk.Ask("CDS", {"paris", "rome"}), Said({"CDS #4 [paris=v1 rome=v1]"}));
  talk.Ack("CDS");
  EXPECT_EQ(talk.After(absl::Milliseconds(50)), Said({"RDS #5 [front=to-rome]", "wake 6.1s"}));
  EXPECT_EQ(talk.Ack("RDS"), Said({"CDS #6 [rome=v1] !paris:5"}));
}

// What is kept is what the client was sent last, not what it had before.
TEST(SessionGate, AKeptClusterStaysAtItsNewestVersion) {
  Talk talk = EnvoyWithParis();
  talk.Commit({"CDS/oslo=v1"});
  talk.Ack("CDS");
  talk.After(absl::Seconds(5));
  EXPECT_EQ(talk.Commit({"CDS/paris=v2", "-CDS/oslo", "RDS/front=v2"}).front(),
            "CDS #5 [oslo=v1 paris=v2]");
  talk.After(absl::Milliseconds(200));
  EXPECT_EQ(talk.Commit({"-CDS/paris", "CDS/rome=v1", "RDS/front=v3"}).front(),
            "CDS #7 [oslo=v1 paris=v2 rome=v1]");
}

}  // namespace
}  // namespace holdfast

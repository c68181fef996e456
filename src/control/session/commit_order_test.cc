// In which order, and how often, a session speaks.
#include <gtest/gtest.h>

#include "absl/algorithm/container.h"
#include "control/session/session_conversation_test.h"

namespace holdfast {
namespace {

// Answers are not waited for.
const SessionOptions kNoGate = {.gate = absl::ZeroDuration()};

// Asks for one name of all four types, by either variant.
Said AskForAll(Talk& talk, Variant variant) {
  Said said;
  for (const char* const type : {"LDS", "RDS", "CDS", "EDS"}) {
    said = variant == Variant::kSotw ? talk.Ask(type, {"paris"})
                                     : talk.Delta(type, {.sub = {"paris"}});
  }
  return said;
}

TEST(CommitOrder, WhatIsReferredToComesFirst) {  // R1.45
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    Talk talk(variant, kNoGate);
    talk.Commit({"CDS/paris=v1", "EDS/paris=v1", "LDS/paris=v1", "RDS/paris=v1"});
    AskForAll(talk, variant);
    talk.After(absl::Seconds(1));
    const Said said = talk.Commit({"LDS/paris=v2", "RDS/paris=v2", "EDS/paris=v2", "CDS/paris=v2"});
    ASSERT_EQ(said.size(), 4u);
    EXPECT_TRUE(absl::StartsWith(said[0], "CDS ")) << said[0];
    EXPECT_TRUE(absl::StartsWith(said[1], "EDS ")) << said[1];
    EXPECT_TRUE(absl::StartsWith(said[2], "LDS ")) << said[2];
    EXPECT_TRUE(absl::StartsWith(said[3], "RDS ")) << said[3];
  }
}

TEST(CommitOrder, ClustersThatGoAreTakenAwayAfterTheRoutesToThem) {  // R1.45
  Talk talk(Variant::kSotw, kNoGate);
  talk.Commit({"CDS/paris=v1", "CDS/rome=v1", "RDS/front=v1"});
  talk.Ask("CDS", {"paris", "rome"});
  talk.Ask("RDS", {"front"});
  talk.After(absl::Seconds(1));
  EXPECT_EQ(talk.Commit({"-CDS/rome", "RDS/front=v2"}),
            Said({"RDS #3 [front=v2]", "CDS #4 [paris=v1] !rome:5"}));
  talk.After(absl::Seconds(1));
  // With news of its own the first response has both, and none is an error.
  EXPECT_EQ(talk.Commit({"CDS/rome=v3", "RDS/front=v3"}),
            Said({"CDS #5 [paris=v1 rome=v3]", "RDS #6 [front=v3]"}));
  talk.After(absl::Seconds(1));
  EXPECT_EQ(talk.Commit({"-CDS/rome", "CDS/paris=v4", "RDS/front=v4"}),
            Said({"CDS #7 [paris=v4 rome=v3]", "RDS #8 [front=v4]", "CDS #9 [paris=v4] !rome:5"}));
}

TEST(CommitOrder, SoIsItUnderAWildcard) {  // R1.45
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    Talk talk(variant, kNoGate);
    talk.Commit({"CDS/paris=v1", "CDS/rome=v1", "LDS/front=v1"});
    const bool is_sotw = variant == Variant::kSotw;
    for (const char* const type : {"CDS", "LDS"}) {
      is_sotw ? talk.Ask(type, {}) : talk.Delta(type, {});
    }
    EXPECT_EQ(talk.Commit({"-CDS/rome", "LDS/front=v2"}),
              Said({"LDS #3 [front=v2]", is_sotw ? "CDS #4 [paris=v1]" : "CDS #4 [] -rome"}));
    talk.After(absl::Seconds(1));
    EXPECT_EQ(talk.Commit({"-CDS/paris"}), Said({is_sotw ? "CDS #5 []" : "CDS #5 [] -paris"}));
  }
}

TEST(CommitOrder, DeltaTakesClustersAndEndpointsAwayLast) {  // R1.45
  Talk talk(Variant::kDelta, kNoGate);
  talk.Commit({"CDS/paris=v1", "EDS/paris=v1", "RDS/front=v1", "CDS/oslo=v1"});
  talk.Delta("CDS", {.sub = {"paris", "oslo"}});
  talk.Delta("EDS", {.sub = {"paris"}});
  talk.Delta("RDS", {.sub = {"front"}});
  EXPECT_EQ(talk.Commit({"-CDS/paris", "-EDS/paris", "CDS/oslo=v2", "RDS/front=v2"}),
            Said({"CDS #4 [oslo=v2]", "RDS #5 [front=v2]", "CDS #6 [] -paris !paris:5",
                  "EDS #7 [] -paris !paris:5"}));
}

TEST(CommitOrder, AChildIsSentAgainAfterItsParent) {  // R1.38
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    Talk talk(variant, kNoGate);
    talk.Commit({"CDS/paris=v1", "EDS/paris=v1", "LDS/paris=v1", "RDS/paris=v1"});
    AskForAll(talk, variant);
    EXPECT_EQ(
        talk.Commit({"CDS/paris=v2", "LDS/paris=v2"}),
        Said({"CDS #5 [paris=v2]", "EDS #6 [paris=v1]", "LDS #7 [paris=v2]", "RDS #8 [paris=v1]"}));
    talk.After(absl::Seconds(1));
    EXPECT_EQ(talk.Commit({"EDS/paris=v3"}), Said({"EDS #9 [paris=v3]"}));
  }
}

TEST(CommitOrder, AChildOfAnUnchangedParentIsNotSentAgain) {  // R1.44
  Talk talk(Variant::kSotw, kNoGate);
  talk.Commit({"CDS/paris=v1", "CDS/rome=v1", "EDS/paris=v1", "EDS/rome=v1"});
  talk.Ask("CDS", {"paris", "rome"});
  talk.Ask("EDS", {"paris", "rome"});
  EXPECT_EQ(talk.Commit({"CDS/paris=v2"}),
            Said({"CDS #3 [paris=v2 rome=v1]", "EDS #4 [paris=v1]"}));
  talk.Ask("CDS", {});
  talk.After(absl::Seconds(1));
}

// A client that takes a new version of the parent waits for the child, whatever it made of it
// before. Nothing else brings back what was rejected.
TEST(CommitOrder, ARejectedChildIsSentAgainOnceForEachChangeOfItsParent) {  // R1.38
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    Talk talk(variant, kNoGate);
    const auto answer = [&](const std::string& type, const std::string& why) {
      if (variant == Variant::kDelta) {
        talk.Delta(type, {.sub = {}, .unsub = {}, .nonce = talk.nonce(type), .why = why});
      } else {
        why.empty() ? talk.Ack(type) : talk.Nack(type, why);
      }
    };
    const auto times_sent = [&talk] {
      return absl::c_count_if(talk.responses(), [](const SendResponse& response) {
        return ShortType(response.type) == "EDS" &&
               absl::c_any_of(response.resources,
                              [](const ResourcePtr& one) { return one->name() == "paris"; });
      });
    };
    talk.Commit({"CDS/paris=v0", "CDS/rome=v0", "EDS/paris=bad", "EDS/rome=v0"});
    for (const std::string type : {"CDS", "EDS"}) {
      const std::vector<std::string> names = {"paris", "rome"};
      variant == Variant::kSotw ? talk.Ask(type, names) : talk.Delta(type, {.sub = names});
      answer(type, type == "EDS" ? "no such port" : "");
    }
    EXPECT_EQ(times_sent(), 1);
    for (int round = 1; round <= 3; ++round) {
      talk.Commit({absl::StrCat("CDS/paris=v", round)});
      EXPECT_EQ(times_sent(), 1 + round);
      answer("CDS", "");
      answer("EDS", "no such port");
      EXPECT_EQ(talk.Count("count nack EDS"), 1);
      talk.After(absl::Hours(1));
      talk.Commit({absl::StrCat("CDS/rome=v", round), absl::StrCat("EDS/rome=v", round),
                   absl::StrCat("LDS/paris=v", round)});
      talk.After(absl::Hours(1));
      EXPECT_EQ(times_sent(), 1 + round);
    }
    talk.Commit({"EDS/paris=good"});
    EXPECT_EQ(times_sent(), 5);
  }
}

TEST(MergeWindow, TheFirstChangeGoesOutAtOnceAndTheNextTogether) {
  Talk talk(Variant::kSotw);
  talk.Commit({"EDS/paris=v1", "EDS/rome=v1"});
  talk.Ask("EDS", {"paris", "rome"});
  EXPECT_EQ(talk.Commit({"EDS/paris=v2"}), Said({"EDS #2 [paris=v2]"}));
  talk.After(absl::Milliseconds(10));
  EXPECT_EQ(talk.Commit({"EDS/paris=v3"}), Said({"wake 100ms"}));
  EXPECT_EQ(talk.Commit({"EDS/rome=v3"}), Said({}));
  EXPECT_EQ(talk.Commit({"EDS/paris=v4"}), Said({}));
  EXPECT_EQ(talk.After(absl::Milliseconds(89)), Said({}));
  EXPECT_EQ(talk.After(absl::Milliseconds(1)), Said({"EDS #3 [paris=v4 rome=v3]"}));
  talk.After(absl::Milliseconds(100));
  EXPECT_EQ(talk.Commit({"EDS/paris=v5"}), Said({"EDS #4 [paris=v5]"}));
}

TEST(MergeWindow, ARequestWaitsForNoWindow) {
  Talk talk(Variant::kSotw);
  talk.Commit({"EDS/paris=v1", "EDS/rome=v1"});
  talk.Ask("EDS", {"paris"});
  talk.Commit({"EDS/paris=v2"});
  EXPECT_EQ(talk.Commit({"EDS/paris=v3"}), Said({"wake 100ms"}));
  EXPECT_EQ(talk.Ask("EDS", {"paris", "rome"}), Said({"EDS #3 [paris=v3 rome=v1]"}));
  EXPECT_EQ(talk.After(absl::Seconds(1)), Said({}));
}

TEST(MergeWindow, AThousandCommitsASecondAreTenResponses) {
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    for (const std::string type : {"CDS", "EDS"}) {
      Talk talk(variant);
      std::vector<std::string> names;
      for (int i = 0; i < 10; ++i) names.push_back(absl::StrCat("city-", i));
      variant == Variant::kSotw ? talk.Ask(type, names) : talk.Delta(type, {.sub = names});
      talk.After(absl::Seconds(1));
      const size_t before = talk.responses().size();
      for (int i = 0; i < 1000; ++i) {
        if (i > 0) talk.After(absl::Milliseconds(1));
        talk.Commit({absl::StrCat(type, "/city-", i % 10, "=v", i)});
      }
      EXPECT_LE(talk.responses().size() - before, 10u);
      talk.After(absl::Milliseconds(100));
      // The newest of each was delivered.
      std::map<std::string, std::string> newest;
      for (const SendResponse& response : talk.responses()) {
        for (const ResourcePtr& one : response.resources) {
          newest[one->name()] = std::string(one->body());
        }
      }
      for (int i = 0; i < 10; ++i) EXPECT_EQ(newest[names[i]], absl::StrCat("v", 990 + i));
    }
  }
}

TEST(SlowClient, IsSentTheNewestWhenItResumes) {
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    Talk talk(variant);
    talk.Commit({"CDS/paris=v0", "EDS/paris=v0"});
    variant == Variant::kSotw ? talk.Ask("CDS", {}) : talk.Delta("CDS", {});
    variant == Variant::kSotw ? talk.Ask("EDS", {"paris"}) : talk.Delta("EDS", {.sub = {"paris"}});
    talk.Stall();
    EXPECT_EQ(talk.Commit({"EDS/paris=v1"}), Said({"EDS #3 [paris=v1]"}));
    for (int i = 0; i < 5000; ++i) {
      // One name that stays, and others that come and go.
      EXPECT_EQ(talk.Commit({absl::StrCat("CDS/paris=v", i), absl::StrCat("EDS/paris=v", i),
                             absl::StrCat("CDS/passing-", i, "=v"),
                             absl::StrCat("-CDS/passing-", i - 1)}),
                Said({}));
      if (i % 100 == 0) {
        EXPECT_EQ(talk.After(absl::Milliseconds(200)), Said({}));
      }
    }
    EXPECT_EQ(talk.Resume(), Said({"CDS #4 [paris=v4999 passing-4999=v]", "EDS #5 [paris=v4999]"}));
    EXPECT_EQ(talk.After(absl::Seconds(1)), Said({}));
  }
}

// However much a type has to say, and however slow the client reads.
TEST(SlowClient, NoTypeStarvesAnother) {
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    Talk talk(variant, kNoGate);
    talk.Commit({"CDS/paris=v", "CDS/rome=v", "RDS/front=v"});
    variant == Variant::kSotw ? talk.Ask("CDS", {}) : talk.Delta("CDS", {});
    variant == Variant::kSotw ? talk.Ask("RDS", {"front"}) : talk.Delta("RDS", {.sub = {"front"}});
    talk.After(absl::Seconds(1));
    talk.Stall();
    talk.Commit({"CDS/paris=v0", "RDS/front=v0", "-CDS/rome"});
    std::map<std::string, int> spoken;
    bool is_rome_gone = false;
    for (int i = 1; i <= 12; ++i) {
      talk.Commit({absl::StrCat("CDS/paris=v", i), absl::StrCat("RDS/front=v", i)});
      talk.After(absl::Milliseconds(150));
      talk.Resume();
      talk.Stall();
    }
    for (const SendResponse& response : talk.responses()) {
      ++spoken[ShortType(response.type)];
      if (ShortType(response.type) != "CDS" || spoken["CDS"] < 3) continue;
      is_rome_gone |= variant == Variant::kDelta
                          ? response.removed == std::vector<std::string>{"rome"}
                          : (response.all != nullptr && response.all->Find("rome") == nullptr);
    }
    EXPECT_GE(spoken["RDS"], 4);
    EXPECT_GE(spoken["CDS"], 4);
    EXPECT_TRUE(is_rome_gone);
  }
}

}  // namespace
}  // namespace holdfast

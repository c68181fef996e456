// Whoever asked for everything and has what was served before the newest commit is sent what that
// commit changed; whoever is further behind, all that it missed.
#include <gtest/gtest.h>

#include "control/session/session_conversation_test.h"

namespace holdfast {
namespace {

TEST(WildcardStep, SaysWhatACommitChangedAddedAndTookAway) {  // R1.66, R1.67
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/oslo=v1", "CDS/paris=v1", "CDS/rome=v1"});
  EXPECT_EQ(talk.Delta("CDS", {}), Said({"CDS #1 [oslo=v1 paris=v1 rome=v1]"}));
  EXPECT_EQ(talk.Commit({"CDS/paris=v2", "CDS/bern=v1", "-CDS/rome"}),
            Said({"CDS #2 [bern=v1 paris=v2] -rome"}));
  talk.After(absl::Seconds(1));
  EXPECT_EQ(talk.Commit({"-CDS/oslo"}), Said({"CDS #3 [] -oslo"}));
}

TEST(WildcardStep, WhereEverythingChangedTheBodyOfAllIsShared) {
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/paris=v1", "CDS/rome=v1"});
  talk.Delta("CDS", {});
  EXPECT_EQ(talk.Commit({"CDS/paris=v2", "CDS/rome=v2"}), Said({"CDS #2 [paris=v2 rome=v2]"}));
  EXPECT_EQ(talk.responses().back().all, talk.view().Of(kClusterTypeName));
}

TEST(WildcardStep, SeveralCommitsAreOneDifference) {
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    const bool is_sotw = variant == Variant::kSotw;
    Talk talk(variant);
    talk.Commit({"CDS/oslo=v1", "CDS/paris=v1", "CDS/rome=v1"});
    talk.Stall();
    is_sotw ? talk.Ask("CDS", {}) : talk.Delta("CDS", {});
    talk.After(absl::Seconds(1));
    EXPECT_EQ(talk.Commit({"CDS/paris=v2"}), Said({}));
    EXPECT_EQ(talk.Commit({"CDS/rome=v2", "-CDS/oslo"}), Said({}));
    EXPECT_EQ(talk.Resume(),
              Said({is_sotw ? "CDS #2 [paris=v2 rome=v2]" : "CDS #2 [paris=v2 rome=v2] -oslo"}));
    talk.After(absl::Seconds(1));
    EXPECT_EQ(talk.Commit({"CDS/rome=v3"}),
              Said({is_sotw ? "CDS #3 [paris=v2 rome=v3]" : "CDS #3 [rome=v3]"}));
  }
}

TEST(WildcardStep, ACommitThatIsTakenBackBeforeItWasSentIsNotSent) {  // R1.44
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    Talk talk(variant);
    talk.Commit({"CDS/paris=v1"});
    talk.Stall();
    variant == Variant::kSotw ? talk.Ask("CDS", {}) : talk.Delta("CDS", {});
    talk.After(absl::Seconds(1));
    talk.Commit({"CDS/paris=v2"});
    talk.Commit({"CDS/paris=v1"});
    EXPECT_EQ(talk.Resume(), Said({}));
  }
}

TEST(WildcardStep, ANameThatIsAskedForMeanwhileIsAnsweredWithTheRest) {
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/paris=v1", "CDS/rome=v1"});
  talk.Stall();
  talk.Delta("CDS", {});
  talk.After(absl::Seconds(1));
  talk.Commit({"CDS/rome=v2"});
  EXPECT_EQ(talk.Delta("CDS", {.sub = {"paris"}}), Said({}));
  EXPECT_EQ(talk.Resume(), Said({"CDS #2 [paris=v1 rome=v2]"}));
}

TEST(WildcardStep, ThatIsTooBigForOneResponseIsSplit) {
  SessionOptions options;
  options.split_bytes = 600;
  Talk talk(Variant::kDelta, options);
  talk.Commit({"CDS/paris=v1", "CDS/rome=v1"});
  EXPECT_EQ(talk.Delta("CDS", {}).size(), 1u);
  talk.After(absl::Seconds(1));
  const std::string big(400, 'b');
  EXPECT_EQ(talk.Commit({"CDS/paris=" + big, "CDS/rome=" + big}).size(), 2u);
}

}  // namespace
}  // namespace holdfast

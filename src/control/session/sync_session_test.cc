// Before the source was read to its end nobody can say what is missing.
#include <gtest/gtest.h>

#include "control/session/session_conversation_test.h"

namespace holdfast {
namespace {

Talk Unsynced(Variant variant, SessionOptions options = {}) {
  return Talk(variant, options, /*is_synced=*/false);
}

TEST(UnsyncedSource, AMissingNameWaitsAndIsThenUnavailable) {  // R2.30, R2.41
  for (const std::string type : {"CDS", "EDS", "LDS", "RDS"}) {
    for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
      Talk talk = Unsynced(variant);
      const Said said = variant == Variant::kSotw ? talk.Ask(type, {"paris"})
                                                  : talk.Delta(type, {.sub = {"paris"}});
      EXPECT_EQ(said, Said({"wake 2s"}));
      EXPECT_EQ(talk.After(absl::Milliseconds(1999)), Said({}));
      EXPECT_EQ(talk.After(absl::Milliseconds(1)), Said({type + " #1 [] !paris:14"}));
      EXPECT_TRUE(absl::StrContains(talk.responses()[0].errors[0].second.message,
                                    "the control plane has not read its configuration yet"));
      EXPECT_EQ(talk.After(absl::Hours(1)), Said({}));
      // And when it is synced, what was said is corrected.
      EXPECT_EQ(talk.Commit({}),
                Said({variant == Variant::kSotw ? type + " #2 [] !paris:5"
                                                : type + " #2 [] -paris !paris:5"}));
    }
  }
}

// CP-6: what is not elsewhere may be in a file that nobody could read.
TEST(NeverReadPart, AMissingNameIsUnavailableUntilItIsRead) {  // R2.41
  for (const std::string type : {"CDS", "EDS", "LDS", "RDS"}) {
    for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
      const bool is_sotw = variant == Variant::kSotw;
      Talk talk(variant);
      talk.Commit({type + "/rome=v1"});
      talk.NeverRead("\"b.yaml\"");
      const Said said = is_sotw ? talk.Ask(type, {"paris", "rome"})
                                : talk.Delta(type, {.sub = {"paris", "rome"}});
      EXPECT_EQ(said, Said({type + " #1 [rome=v1] !paris:14"}));
      EXPECT_TRUE(absl::EndsWith(
          talk.responses()[0].errors[0].second.message,
          "\"paris\": the control plane does not know it, but could never read \"b.yaml\" of its "
          "configuration"))
          << talk.responses()[0].errors[0].second.message;
      talk.After(absl::Seconds(1));
      // What was served was in a file that could be read, and is not there any more.
      const Said gone = talk.Commit({"-" + type + "/rome"});
      ASSERT_EQ(gone.size(), 1u);
      EXPECT_TRUE(absl::StrContains(gone[0], "!rome:5")) << gone[0];
      talk.After(absl::Seconds(1));
      const Said read = talk.NeverRead("");
      ASSERT_EQ(read.size(), 1u);
      EXPECT_TRUE(absl::StrContains(read[0], "!paris:5")) << read[0];
    }
  }
}

TEST(NeverReadPart, AGlobIsNotSaidToBeEmpty) {  // R2.38
  const std::string glob = absl::StrCat("xdstp://x/", kClusterTypeName, "/*");
  Talk talk(Variant::kDelta);
  talk.Commit({});
  talk.NeverRead("\"b.yaml\"");
  EXPECT_EQ(talk.Delta("CDS", {.sub = {glob}}), Said({"CDS #1 [] !" + glob + ":14"}));
  EXPECT_EQ(talk.NeverRead(""), Said({"CDS #2 [] -" + glob}));
}

constexpr char kBroken[] = "\"b.yaml\"";

// What was served and deleted is not in the part that nobody could read.
TEST(NeverReadPart, WhatWasDeletedStaysDeleted) {  // R2.30, R2.32, R2.41
  for (const std::string type : {"CDS", "EDS", "LDS", "RDS"}) {
    for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
      const bool is_sotw = variant == Variant::kSotw;
      const bool is_full_state = is_sotw && (type == "CDS" || type == "LDS");
      const auto ask = [&](Talk& talk) {
        return is_sotw ? talk.Ask(type, {"pay", "web"}) : talk.Delta(type, {.sub = {"pay", "web"}});
      };
      Talk talk(variant);
      talk.Commit({type + "/pay=v1", type + "/web=v1"});
      talk.NeverRead(kBroken);
      EXPECT_EQ(ask(talk), Said({type + " #1 [pay=v1 web=v1]"}));
      is_sotw ? talk.Ack(type) : talk.Delta(type, {.nonce = "1"});
      talk.After(absl::Seconds(1));
      EXPECT_EQ(talk.Commit({"-" + type + "/pay"}),
                Said({is_full_state ? type + " #2 [web=v1] !pay:5"
                      : is_sotw     ? type + " #2 [] !pay:5"
                                    : type + " #2 [] -pay !pay:5"}));
      talk.After(absl::Seconds(1));
      EXPECT_EQ(talk.Commit({type + "/web=v2"}),
                Said({is_full_state ? type + " #3 [web=v2] !pay:5" : type + " #3 [web=v2]"}));
      talk.After(absl::Seconds(1));
      EXPECT_EQ(talk.NeverRead("\"b.yaml\" and 1 more files"), Said({}));
      talk.After(absl::Seconds(1));
      EXPECT_EQ(talk.NeverRead(""), Said({}));
      for (const SendResponse& response : talk.responses()) {
        for (const auto& [name, error] : response.errors) {
          EXPECT_TRUE(
              absl::EndsWith(error.message, " \"pay\" in the configuration of the control plane"))
              << error.message;
        }
      }
      // A client that comes now hears the same.
      talk.NeverRead(kBroken);
      talk.Commit({type + "/pay=v2"});
      talk.Commit({"-" + type + "/pay"});
      Talk late(variant, {}, talk.shared_view());
      EXPECT_EQ(ask(late),
                Said({is_sotw ? type + " #1 [web=v2] !pay:5" : type + " #1 [web=v2] -pay !pay:5"}));
    }
  }
}

// What a client brings from an earlier stream may be in the part that nobody could read.
TEST(NeverReadPart, NothingIsTakenFromAReturningDeltaClient) {  // R1.67, R2.41
  const std::string glob = absl::StrCat("xdstp://x/", kClusterTypeName, "/eu/*");
  const std::string member = absl::StrCat("xdstp://x/", kClusterTypeName, "/eu/pay");
  for (const Tp3Mode tp3 : {Tp3Mode::kOn, Tp3Mode::kOff}) {
    for (const std::string& asked : {std::string("*"), glob}) {
      Talk talk(Variant::kDelta, {.tp3 = tp3});
      talk.Commit({"CDS/web=v1"});
      talk.NeverRead(kBroken);
      EXPECT_EQ(talk.Delta("CDS", {.sub = {asked}, .initial = {{member, "x"}}}),
                asked == "*" ? Said({"CDS #1 [web=v1]"}) : Said({}));
      talk.Delta("CDS", {.nonce = talk.nonce("CDS")});
      // What else changes is said, and this is not.
      talk.After(absl::Seconds(1));
      EXPECT_EQ(talk.Commit({"CDS/web=v2", "CDS/shop=v1"}),
                asked == "*" ? Said({"CDS #2 [shop=v1 web=v2]"}) : Said({}));
      talk.After(absl::Seconds(1));
      EXPECT_EQ(talk.Commit({"-CDS/shop"}), asked == "*" ? Said({"CDS #3 [] -shop"}) : Said({}));
      talk.After(absl::Seconds(1));
      EXPECT_EQ(talk.NeverRead("\"b.yaml\" and 1 more files"), Said({}));
      talk.After(absl::Seconds(1));
      const std::string nonce = asked == "*" ? "4" : "1";
      EXPECT_EQ(talk.NeverRead(""),
                Said({"CDS #" + nonce + " [] -" + member + (asked == "*" ? "" : " -" + glob)}));
    }
  }
}

TEST(NeverReadPart, WhatAReturningDeltaClientHasComesBack) {  // R1.65, R2.41
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/web=v1"});
  talk.NeverRead(kBroken);
  EXPECT_EQ(talk.Delta("CDS", {.initial = {{"pay", "x"}, {"cart", "x"}}}),
            Said({"CDS #1 [web=v1]"}));
  talk.After(absl::Seconds(1));
  EXPECT_EQ(talk.Commit({"CDS/pay=v1"}), Said({"CDS #2 [pay=v1]"}));
  talk.After(absl::Seconds(1));
  // It is an ordinary resource from then on.
  EXPECT_EQ(talk.Commit({"-CDS/pay"}), Said({"CDS #3 [] -pay"}));
  talk.After(absl::Seconds(1));
  EXPECT_EQ(talk.NeverRead(""), Said({"CDS #4 [] -cart"}));
  talk.After(absl::Seconds(1));
  EXPECT_EQ(talk.Commit({"CDS/web=v2"}), Said({"CDS #5 [web=v2]"}));
}

TEST(NeverReadPart, AReturningDeltaClientIsToldWhatWasDeleted) {  // R1.67, R2.41
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/pay=v1", "CDS/web=v1"});
  talk.NeverRead(kBroken);
  talk.Commit({"-CDS/pay"});
  Talk late(Variant::kDelta, {}, talk.shared_view());
  EXPECT_EQ(late.Delta("CDS", {.initial = {{"pay", "x"}, {"cart", "x"}}}),
            Said({"CDS #1 [web=v1] -pay"}));
}

// By name it hears why, and keeps what it has.
TEST(NeverReadPart, AReturningDeltaClientOfNamesKeepsThem) {  // R2.36, R2.41
  for (const Tp3Mode tp3 : {Tp3Mode::kOn, Tp3Mode::kOff}) {
    const bool is_on = tp3 == Tp3Mode::kOn;
    Talk talk(Variant::kDelta, {.tp3 = tp3});
    talk.Commit({});
    talk.NeverRead(kBroken);
    EXPECT_EQ(talk.Delta("CDS", {.sub = {"pay"}, .initial = {{"pay", "x"}}}),
              is_on ? Said({"CDS #1 [] !pay:14"}) : Said({}));
    EXPECT_EQ(talk.NeverRead(""),
              is_on ? Said({"CDS #2 [] -pay !pay:5"}) : Said({"CDS #1 [] -pay"}));
  }
}

// Clients of before TP3 take a full state without a name for its deletion, whatever error is beside
// it.
TEST(NeverReadPart, AReturningClientWaitsIfNothingItAsksForIsKnown) {  // R1.41, R2.41
  for (const std::string type : {"CDS", "LDS"}) {
    for (const Tp3Mode tp3 : {Tp3Mode::kOn, Tp3Mode::kOff}) {
      const bool is_on = tp3 == Tp3Mode::kOn;
      Talk talk(Variant::kSotw, {.tp3 = tp3});
      talk.Commit({type + "/web=v1"});
      talk.NeverRead(kBroken);
      EXPECT_EQ(talk.Ask(type, {"cart", "pay"}, "", "", "41"), Said({}));
      EXPECT_EQ(talk.After(absl::Hours(1)), Said({}));
      EXPECT_EQ(talk.NeverRead("\"b.yaml\" and 1 more files"), Said({}));
      EXPECT_EQ(talk.Commit({type + "/web=v2"}), Said({}));
      // As soon as some of it is there, that is told: nothing is held up for long.
      Talk other(Variant::kSotw, {.tp3 = tp3}, talk.shared_view());
      EXPECT_EQ(other.Ask(type, {"pay", "web"}, "", "", "41"),
                Said({is_on ? type + " #1 [web=v2] !pay:14" : type + " #1 [web=v2]"}));
      // And so is what is known when all was read.
      talk.After(absl::Seconds(1));
      EXPECT_EQ(talk.NeverRead(""),
                Said({is_on ? type + " #1 [] !cart:5 !pay:5" : type + " #1 []"}));
    }
  }
}

TEST(NeverReadPart, AReturningClientHearsThatWhatItAsksForWasDeleted) {  // R1.41, R2.41
  for (const Tp3Mode tp3 : {Tp3Mode::kOn, Tp3Mode::kOff}) {
    Talk talk(Variant::kSotw);
    talk.Commit({"CDS/pay=v1"});
    talk.NeverRead(kBroken);
    talk.Commit({"-CDS/pay"});
    Talk late(Variant::kSotw, {.tp3 = tp3}, talk.shared_view());
    EXPECT_EQ(late.Ask("CDS", {"pay"}, "", "", "41"),
              Said({tp3 == Tp3Mode::kOn ? "CDS #1 [] !pay:5" : "CDS #1 []"}));
  }
}

// It has nothing to lose.
TEST(NeverReadPart, ANewClientHearsAtOnce) {  // R2.41
  Talk talk(Variant::kSotw);
  talk.Commit({});
  talk.NeverRead(kBroken);
  EXPECT_EQ(talk.Ask("CDS", {"pay"}), Said({"CDS #1 [] !pay:14"}));
  EXPECT_EQ(talk.Ask("LDS", {}), Said({"LDS #2 []"}));
}

TEST(NeverReadPart, AReturningClientOfEverythingIsNotToldThatThereIsNothing) {  // R1.41
  Talk talk(Variant::kSotw);
  talk.Commit({});
  talk.NeverRead(kBroken);
  EXPECT_EQ(talk.Ask("CDS", {}, "", "", "41"), Said({}));
  EXPECT_EQ(talk.After(absl::Hours(1)), Said({}));
  // What is there is sent, and what is missing in it is lost.
  EXPECT_EQ(talk.Commit({"CDS/web=v1"}), Said({"CDS #1 [web=v1]"}));
  Talk other(Variant::kSotw);
  other.Commit({});
  other.NeverRead(kBroken);
  EXPECT_EQ(other.Ask("CDS", {}, "", "", "41"), Said({}));
  EXPECT_EQ(other.NeverRead(""), Said({"CDS #1 []"}));
}

TEST(UnsyncedSource, WhatWaitsIsAnsweredWhenTheSourceIsSynced) {  // R2.41
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    Talk talk = Unsynced(variant);
    const std::vector<std::string> names = {"paris", "rome"};
    variant == Variant::kSotw ? talk.Ask("CDS", names) : talk.Delta("CDS", {.sub = names});
    talk.After(absl::Seconds(1));
    EXPECT_EQ(talk.Commit({"CDS/paris=v1"}),
              Said({variant == Variant::kSotw ? "CDS #1 [paris=v1] !rome:5"
                                              : "CDS #1 [paris=v1] -rome !rome:5"}));
    EXPECT_EQ(talk.After(absl::Hours(1)), Said({}));
  }
}

// Not as a push, whose parts wait for one another.
TEST(UnsyncedSource, WhatWaitsIsAnsweredAtOnceWhenItIs) {  // R2.41
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    const bool is_sotw = variant == Variant::kSotw;
    Talk talk = Unsynced(variant);
    is_sotw ? talk.Ask("CDS", {"paris"}) : talk.Delta("CDS", {.sub = {"paris"}});
    is_sotw ? talk.Ask("LDS", {"back", "front"}) : talk.Delta("LDS", {.sub = {"back", "front"}});
    EXPECT_EQ(talk.Commit({"CDS/paris=v1", "LDS/front=v1"}),
              Said({"CDS #1 [paris=v1]",
                    is_sotw ? "LDS #2 [front=v1] !back:5" : "LDS #2 [front=v1] -back !back:5"}));
  }
}

// What it had of the time before waits.
TEST(UnsyncedSource, WhatTheClientHasChangesInOrder) {  // R1.45
  Talk talk = Unsynced(Variant::kSotw);
  talk.Publish({"CDS/paris=v1", "RDS/front=v1"});
  talk.Ask("CDS", {"paris"});
  talk.Ack("CDS");
  talk.Ask("RDS", {"front"});
  talk.Ack("RDS");
  EXPECT_EQ(talk.Commit({"CDS/paris=v2", "RDS/front=v2"}), Said({"CDS #3 [paris=v2]", "wake 1s"}));
}

TEST(UnsyncedSource, WhatIsThereIsSentAtOnce) {
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    Talk talk = Unsynced(variant);
    talk.Publish({"CDS/paris=v1"});
    const std::vector<std::string> names = {"paris", "rome"};
    const Said said =
        variant == Variant::kSotw ? talk.Ask("CDS", names) : talk.Delta("CDS", {.sub = names});
    EXPECT_EQ(said, Said({"CDS #1 [paris=v1]", "wake 2s"}));
  }
}

TEST(UnsyncedSource, EverythingIsNeverNothing) {  // R1.41
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    Talk talk = Unsynced(variant);
    EXPECT_EQ(variant == Variant::kSotw ? talk.Ask("CDS", {}) : talk.Delta("CDS", {}), Said({}));
    EXPECT_EQ(talk.After(absl::Hours(1)), Said({}));
    EXPECT_EQ(talk.Commit({}), Said({"CDS #1 []"}));
  }
}

// It cannot have an error either: the list beside it would be empty.
TEST(UnsyncedSource, EverythingAndANameIsNothingYet) {  // R1.41, R2.35
  Talk talk = Unsynced(Variant::kSotw);
  EXPECT_EQ(talk.Ask("CDS", {"*", "paris"}), Said({"wake 2s"}));
  EXPECT_EQ(talk.After(absl::Hours(1)), Said({}));
  EXPECT_EQ(talk.Commit({"CDS/rome=v1"}), Said({"CDS #1 [rome=v1] !paris:5"}));
}

TEST(UnsyncedSource, EverythingOfThatTimeIsCompletedWhenItIsSynced) {
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    Talk talk = Unsynced(variant);
    talk.Publish({"CDS/paris=v1"});
    EXPECT_EQ(variant == Variant::kSotw ? talk.Ask("CDS", {}) : talk.Delta("CDS", {}),
              Said({"CDS #1 [paris=v1]"}));
    EXPECT_EQ(talk.Commit({"CDS/rome=v1"}),
              Said({variant == Variant::kSotw ? "CDS #2 [paris=v1 rome=v1]" : "CDS #2 [rome=v1]"}));
    talk.After(absl::Seconds(1));
    EXPECT_EQ(talk.Commit({}), Said({}));
  }
}

TEST(UnsyncedSource, EverythingIsAnsweredAlsoIfOnlyANameWas) {
  Talk talk = Unsynced(Variant::kDelta);
  EXPECT_EQ(talk.Delta("CDS", {.sub = {"paris"}}), Said({"wake 2s"}));
  EXPECT_EQ(talk.After(absl::Seconds(2)), Said({"CDS #1 [] !paris:14"}));
  EXPECT_EQ(talk.Delta("CDS", {.sub = {"*"}}), Said({}));
  EXPECT_EQ(talk.Delta("CDS", {.unsub = {"paris"}}), Said({}));
  EXPECT_EQ(talk.Commit({}), Said({"CDS #2 [] -paris"}));
}

// A client of an earlier stream takes what a full state leaves out for deleted, error or not.
TEST(UnsyncedSource, NothingIsTakenFromAReturningClient) {  // R1.41, R2.34, R2.36
  Talk talk = Unsynced(Variant::kSotw);
  talk.Publish({"LDS/back=v1"});
  EXPECT_EQ(talk.Ask("LDS", {"back", "front"}, "", "", "41"), Said({"wake 2s"}));
  EXPECT_EQ(talk.After(absl::Hours(1)), Said({}));
  EXPECT_EQ(talk.Commit({"LDS/front=v1"}), Said({"LDS #1 [back=v1 front=v1]"}));
}

// What was saved, or read so far, may be less than what the client has from before.
TEST(UnsyncedSource, NothingIsTakenFromAReturningClientOfEverything) {  // R1.41
  for (const std::vector<std::string>& names :
       {std::vector<std::string>(), std::vector<std::string>({"*"})}) {
    Talk talk = Unsynced(Variant::kSotw);
    talk.Publish({"CDS/paris=v1"});
    EXPECT_EQ(talk.Ask("CDS", names, "", "", "41"), Said({}));
    EXPECT_EQ(talk.After(absl::Hours(1)), Said({}));
    EXPECT_EQ(talk.Commit({"CDS/rome=v1"}), Said({"CDS #1 [paris=v1 rome=v1]"}));
    talk.After(absl::Seconds(1));
    EXPECT_EQ(talk.Commit({"-CDS/paris"}), Said({"CDS #2 [rome=v1]"}));
  }
}

TEST(UnsyncedSource, AReturningDeltaClientIsNotToldThatItsResourcesAreGone) {  // R1.67
  const std::string glob = absl::StrCat("xdstp://x/", kClusterTypeName, "/eu/*");
  const std::string member = absl::StrCat("xdstp://x/", kClusterTypeName, "/eu/paris");
  for (const std::string& asked : {std::string("*"), glob}) {
    Talk talk = Unsynced(Variant::kDelta);
    talk.Publish({"CDS/other=v1"});
    talk.Delta("CDS", {.sub = {asked}, .initial = {{member, "x"}}});
    talk.After(absl::Hours(1));
    for (const SendResponse& response : talk.responses()) {
      EXPECT_EQ(response.removed, std::vector<std::string>()) << asked;
    }
    const Said said = talk.Commit({});
    ASSERT_EQ(said.size(), 1u) << asked;
    EXPECT_TRUE(absl::StrContains(said[0], absl::StrCat(" -", member))) << said[0];
  }
}

TEST(UnsyncedSource, AReturningDeltaClientThatHasEverythingIsSentNothing) {  // R1.65
  Talk talk = Unsynced(Variant::kDelta);
  talk.Publish({"CDS/paris=v1"});
  EXPECT_EQ(talk.Delta("CDS", {.initial = {{"paris", talk.VersionOf("CDS/paris")}}}), Said({}));
  EXPECT_EQ(talk.Commit({}), Said({"CDS #1 []"}));
}

TEST(UnsyncedSource, WhatTheConfigurationSaysIsSaid) {
  Talk talk = Unsynced(Variant::kSotw);
  talk.Publish({"EDS/paris!7"});
  EXPECT_EQ(talk.Ask("EDS", {"paris"}), Said({"EDS #1 [] !paris:7"}));
}

TEST(UnsyncedSource, TheHoldIsAnOption) {
  Talk talk = Unsynced(Variant::kSotw, {.hold = absl::ZeroDuration()});
  EXPECT_EQ(talk.Ask("EDS", {"paris"}).front(), "EDS #1 [] !paris:14");
  EXPECT_EQ(talk.After(absl::Hours(1)), Said({}));
}

}  // namespace
}  // namespace holdfast

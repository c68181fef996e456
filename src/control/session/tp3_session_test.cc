// Errors about names (xRFC TP3).
#include <gtest/gtest.h>

#include "control/session/session_conversation_test.h"

namespace holdfast {
namespace {

TEST(Tp3Session, OneMissingNameDoesNotStopTheOthers) {  // R2.30, R2.34, R2.41
  Talk talk(Variant::kSotw);
  talk.Commit({"LDS/front=v1", "LDS/back=v1"});
  EXPECT_EQ(talk.Ask("LDS", {"front", "gone", "back"}),
            Said({"LDS #1 [back=v1 front=v1] !gone:5"}));
  EXPECT_EQ(talk.all()[talk.all().size() - 1], "errors LDS 1");
  EXPECT_EQ(talk.Count("count error LDS 5 x1"), 1);
  const auto& [name, error] = talk.responses()[0].errors[0];
  EXPECT_EQ(error.message, "no listener \"gone\" in the configuration of the control plane");
}

TEST(Tp3Session, AnAllMissingSubscriptionIsAnsweredByErrorsAlone) {  // R2.35, R2.41
  Talk talk(Variant::kSotw);
  talk.Commit({"CDS/rome=v1"});
  EXPECT_EQ(talk.Ask("CDS", {"paris"}), Said({"CDS #1 [] !paris:5"}));
  EXPECT_EQ(talk.responses()[0].version, talk.view().Of(kClusterTypeName)->version());
}

// gRPC takes an errored name that the next full state leaves out for deleted.
TEST(Tp3Session, FullStateRepeatsItsErrorsInEveryResponse) {  // R2.43
  Talk talk(Variant::kSotw);
  talk.Commit({"CDS/paris=v1"});
  EXPECT_EQ(talk.Ask("CDS", {"paris", "rome"}), Said({"CDS #1 [paris=v1] !rome:5"}));
  EXPECT_EQ(talk.Commit({"CDS/paris=v2"}), Said({"CDS #2 [paris=v2] !rome:5"}));
  EXPECT_EQ(talk.Count("errors CDS 1"), 0);  // it is the same one
}

TEST(Tp3Session, WithOnceFullStateSaysAnErrorOnce) {  // R2.31, R2.43
  Talk talk(Variant::kSotw, {.tp3 = Tp3Mode::kOnce});
  talk.Commit({"CDS/paris=v1"});
  EXPECT_EQ(talk.Ask("CDS", {"paris", "rome"}), Said({"CDS #1 [paris=v1] !rome:5"}));
  EXPECT_EQ(talk.Commit({"CDS/paris=v2"}), Said({"CDS #2 [paris=v2]"}));
  EXPECT_EQ(talk.Ask("CDS", {"paris", "rome", "oslo"}), Said({"CDS #3 [paris=v2] !oslo:5"}));
}

TEST(Tp3Session, OffIsOff) {
  Talk sotw(Variant::kSotw, {.tp3 = Tp3Mode::kOff});
  sotw.Commit({"CDS/paris=v1", "CDS/bern!13"});
  EXPECT_EQ(sotw.Ask("CDS", {"rome", "bern"}), Said({"CDS #1 []"}));
  EXPECT_EQ(sotw.Ask("EDS", {"rome"}), Said({}));
  EXPECT_EQ(sotw.Ask("CDS", {"paris", "rome"}), Said({"CDS #2 [paris=v1]"}));
  EXPECT_EQ(sotw.Commit({"-CDS/paris"}), Said({"CDS #3 []"}));
  Talk delta(Variant::kDelta, {.tp3 = Tp3Mode::kOff});
  delta.Commit({"CDS/bern!13"});
  EXPECT_EQ(delta.Delta("CDS", {.sub = {"rome", "bern"}}), Said({"CDS #1 [] -rome"}));
  EXPECT_EQ(delta.Count("errors CDS 1"), 0);
}

// With errors a client hears that it failed, and keeps what it has. Without, that it is gone.
TEST(Tp3Session, OffADeletionIsToldWhateverTheErrorBesideItIs) {  // R1.67
  for (const Tp3Mode tp3 : {Tp3Mode::kOn, Tp3Mode::kOff}) {
    const std::string told = tp3 == Tp3Mode::kOn ? " !paris:13" : " -paris";
    Talk talk(Variant::kDelta, {.tp3 = tp3});
    talk.Commit({"CDS/paris=v1"});
    const std::string version = talk.VersionOf("CDS/paris");
    talk.Delta("CDS", {.sub = {"paris"}});
    talk.Delta("CDS", {.nonce = "1"});
    EXPECT_EQ(talk.Commit({"CDS/paris!13"}), Said({}));  // it is in service
    talk.After(absl::Seconds(1));
    EXPECT_EQ(talk.Commit({"-CDS/paris"}), Said({"CDS #2 []" + told}));
    EXPECT_EQ(talk.Delta("CDS", {.nonce = "2"}), Said({}));
    EXPECT_EQ(talk.session().held_back().resources, tp3 == Tp3Mode::kOn ? 1u : 0u);
    EXPECT_EQ(talk.Delta("CDS", {.sub = {"paris"}}), Said({"CDS #3 []" + told}));

    Talk returning(Variant::kDelta, {.tp3 = tp3});
    returning.Commit({"CDS/paris!13"});
    EXPECT_EQ(returning.Delta("CDS", {.sub = {"paris"}, .initial = {{"paris", version}}}),
              Said({"CDS #1 []" + told}));
  }
}

// Its last listener was deleted while it was away: there is no other way to learn it.
TEST(Tp3Session, OffWhoReturnsLearnsThatAllItHadIsDeleted) {  // R1.41
  Talk talk(Variant::kSotw, {.tp3 = Tp3Mode::kOff}, /*is_synced=*/false);
  EXPECT_EQ(talk.Ask("LDS", {"front"}, "", "", "41"), Said({}));
  EXPECT_EQ(talk.NeverRead("\"b.yaml\""), Said({}));
  EXPECT_EQ(talk.Commit({}), Said({}));  // it may be in there
  talk.After(absl::Seconds(1));
  EXPECT_EQ(talk.NeverRead(""), Said({"LDS #1 []"}));
  EXPECT_EQ(talk.Ack("LDS"), Said({}));
  EXPECT_EQ(talk.Commit({"LDS/back=v1"}), Said({}));
}

// It may be that nobody has read it yet.
TEST(Tp3Session, OffNothingIsGoneBeforeTheSourceIsSynced) {  // R1.67
  Talk talk(Variant::kDelta, {.tp3 = Tp3Mode::kOff}, /*is_synced=*/false);
  talk.Publish({"CDS/paris!13"});
  EXPECT_EQ(talk.Delta("CDS", {.sub = {"paris"}, .initial = {{"paris", "old"}}}), Said({}));
  EXPECT_EQ(talk.Commit({}), Said({"CDS #1 [] -paris"}));
}

TEST(Tp3Session, OtherTypesSayAnErrorOncePerSubscription) {  // R2.31, R2.32
  Talk talk(Variant::kSotw);
  talk.Commit({"EDS/paris=v1"});
  EXPECT_EQ(talk.Ask("EDS", {"paris", "rome"}), Said({"EDS #1 [paris=v1] !rome:5"}));
  EXPECT_EQ(talk.Commit({"EDS/paris=v2"}), Said({"EDS #2 [paris=v2]"}));
  EXPECT_EQ(talk.Ack("EDS"), Said({}));
  EXPECT_EQ(talk.Ask("EDS", {"paris"}), Said({}));
  EXPECT_EQ(talk.Count("errors EDS -1"), 1);
  EXPECT_EQ(talk.Ask("EDS", {"paris", "rome"}), Said({"EDS #3 [] !rome:5"}));
}

TEST(Tp3Session, DeltaSaysAnErrorOncePerSubscription) {  // R2.03, R2.31, R2.32, R2.37
  Talk talk(Variant::kDelta);
  talk.Commit({"EDS/paris=v1"});
  EXPECT_EQ(talk.Delta("EDS", {.sub = {"paris", "rome"}}),
            Said({"EDS #1 [paris=v1] -rome !rome:5"}));
  EXPECT_EQ(talk.Commit({"EDS/paris=v2"}), Said({"EDS #2 [paris=v2]"}));
  EXPECT_EQ(talk.Delta("EDS", {.unsub = {"rome"}}), Said({}));
  EXPECT_EQ(talk.Delta("EDS", {.sub = {"rome"}}), Said({"EDS #3 [] -rome !rome:5"}));
}

TEST(Tp3Session, ANewStreamHearsItAgain) {  // R2.32
  for (int stream = 0; stream < 2; ++stream) {
    Talk talk(Variant::kSotw);
    talk.Commit({});
    EXPECT_EQ(talk.Ask("EDS", {"rome"}, "1", "", "v"), Said({"EDS #1 [] !rome:5"}));
  }
}

TEST(Tp3Session, AnotherErrorIsSaid) {  // R2.32
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    Talk talk(variant);
    talk.Commit({"EDS/rome!13"});
    const Said said = variant == Variant::kSotw ? talk.Ask("EDS", {"rome"})
                                                : talk.Delta("EDS", {.sub = {"rome"}});
    EXPECT_EQ(said, Said({"EDS #1 [] !rome:13"}));
    EXPECT_EQ(talk.Commit({"EDS/rome!7"}),
              Said({variant == Variant::kSotw ? "EDS #2 [] !rome:7" : "EDS #2 [] -rome !rome:7"}));
    EXPECT_EQ(talk.Count("errors EDS 1"), 0);
    talk.After(absl::Seconds(1));
    // No error of its own any more: what is missing is not found. The absence was said.
    EXPECT_EQ(talk.Commit({"EDS/rome!"}), Said({"EDS #3 [] !rome:5"}));
  }
}

TEST(Tp3Session, AnErrorOfTheConfigurationIsSaidInItsOwnWords) {  // R2.30
  Talk talk(Variant::kSotw);
  talk.Commit({"CDS/rome!13"});
  EXPECT_EQ(talk.Ask("CDS", {"rome"}), Said({"CDS #1 [] !rome:13"}));
  EXPECT_EQ(talk.responses()[0].errors[0].second.message, "as configured");
}

TEST(Tp3Session, ResourcesAndErrorsAreDisjoint) {  // R2.33, R2.36
  for (const std::string type : {"CDS", "EDS"}) {
    for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
      Talk talk(variant);
      // Last good is served; only an absence withdraws it.
      talk.Commit({type + "/paris=v1", type + "/paris!13"});
      const Said said = variant == Variant::kSotw ? talk.Ask(type, {"paris"})
                                                  : talk.Delta(type, {.sub = {"paris"}});
      EXPECT_EQ(said, Said({type + " #1 [paris=v1]"}));
      EXPECT_EQ(talk.Commit({type + "/paris!7"}),
                Said({variant == Variant::kSotw ? type + " #2 [] !paris:7"
                                                : type + " #2 [] -paris !paris:7"}));
      talk.After(absl::Seconds(1));
      EXPECT_EQ(talk.Commit({type + "/paris!"}), Said({type + " #3 [paris=v1]"}));
      EXPECT_EQ(talk.Count("errors " + type + " -1"), 1);
    }
  }
}

TEST(Tp3Session, TheWildcardHasNoErrors) {  // R2.39
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    Talk talk(variant);
    talk.Commit({"CDS/paris=v1", "CDS/rome!13", "CDS/oslo!5", "CDS/*!14"});
    const Said said =
        variant == Variant::kSotw ? talk.Ask("CDS", {"*"}) : talk.Delta("CDS", {.sub = {"*"}});
    EXPECT_EQ(said, Said({"CDS #1 [paris=v1]"}));
    EXPECT_EQ(talk.Commit({"CDS/paris!5"}),
              Said({variant == Variant::kSotw ? "CDS #2 []" : "CDS #2 [] -paris"}));
  }
}

TEST(Tp3Session, BesideAWildcardOnlyExplicitNamesHaveErrors) {  // R2.39
  Talk sotw(Variant::kSotw);
  sotw.Commit({"CDS/paris=v1", "CDS/rome!13"});
  EXPECT_EQ(sotw.Ask("CDS", {"*", "oslo"}), Said({"CDS #1 [paris=v1] !oslo:5"}));
  Talk delta(Variant::kDelta);
  delta.Commit({"CDS/paris=v1", "CDS/rome!13"});
  EXPECT_EQ(delta.Delta("CDS", {.sub = {"*", "oslo"}}), Said({"CDS #1 [paris=v1] -oslo !oslo:5"}));
}

TEST(Tp3Session, NoErrorHasANameThatClientsCannotRead) {  // R2.30
  const std::string bad = "xdstp://x/another.Type/paris";
  Talk sotw(Variant::kSotw);
  sotw.Commit({"CDS/paris=v1"});
  EXPECT_EQ(sotw.Ask("CDS", {bad, "paris"}), Said({"CDS #1 [paris=v1]"}));
  EXPECT_EQ(sotw.Ask("EDS", {bad}), Said({}));
  Talk delta(Variant::kDelta);
  delta.Commit({});
  EXPECT_EQ(delta.Delta("EDS", {.sub = {bad}}), Said({"EDS #1 [] -" + bad}));
}

TEST(Tp3Session, ANameThatComesBackIsSimplySent) {  // R2.40
  for (const std::string type : {"CDS", "EDS", "LDS", "RDS"}) {
    for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
      Talk talk(variant);
      talk.Commit({type + "/paris=v1"});
      variant == Variant::kSotw ? talk.Ask(type, {"paris"}) : talk.Delta(type, {.sub = {"paris"}});
      talk.Commit({"-" + type + "/paris"});
      talk.After(absl::Seconds(1));
      // The same content as before.
      EXPECT_EQ(talk.Commit({type + "/paris=v1"}), Said({type + " #3 [paris=v1]"}));
    }
  }
}

TEST(Tp3Session, AFailureOfWhatAClientHasIsNoAbsenceToDelta) {  // R2.37
  Talk talk(Variant::kDelta);
  talk.Commit({"EDS/paris=v1"});
  talk.Delta("EDS", {.sub = {"paris"}});
  EXPECT_EQ(talk.Commit({"-EDS/paris", "EDS/paris!14"}), Said({"EDS #2 [] !paris:14"}));
}

TEST(Tp3Session, TextsAreBounded) {
  Talk talk(Variant::kSotw);
  talk.Commit({});
  talk.Ask("EDS", {std::string(100'000, 'x')});
  EXPECT_LE(talk.responses()[0].errors[0].second.message.size(), kMostErrorText);
}

// R2.42: what TP3 rejected, a Status in the place of a resource, has no type here to be asked for.
TEST(Tp3Session, ErrorsAreNeverResources) {  // R2.42
  Talk talk(Variant::kSotw);
  talk.SetFeatures({"xds.config.supports-resource-in-sotw", "supports-resource-error-unwrapping"});
  talk.Commit({"CDS/paris!13"});
  EXPECT_EQ(talk.Ask("CDS", {"paris"}), Said({"CDS #1 [] !paris:13"}));
  EXPECT_TRUE(talk.responses()[0].resources.empty());
}

// Nor if the stream asks for other names too, and is told about those.
TEST(Tp3Session, WhoAsksForEverythingHearsErrorsOnlyOfTheNamesItAskedFor) {  // R2.39
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/paris=v1", "CDS/rome=v1"});
  talk.Delta("CDS", {});
  EXPECT_EQ(talk.Delta("CDS", {.sub = {"oslo"}}), Said({"CDS #2 [] -oslo !oslo:5"}));
  talk.After(absl::Seconds(5));
  EXPECT_EQ(talk.Commit({"-CDS/rome", "CDS/rome!13"}), Said({"CDS #3 [] -rome"}));
  talk.After(absl::Seconds(5));
  EXPECT_EQ(talk.Commit({"CDS/oslo!7", "CDS/rome!7"}), Said({"CDS #4 [] !oslo:7"}));
}

// gRPC's core parses the names of errors as URIs, and rejects the whole response for one that is
// none.
TEST(Tp3Names, WhatIsNoUriIsNotNamedInAnError) {
  const std::string paris = absl::StrCat("xdstp://x/", LongType("EDS"), "/paris");
  for (const char* const end : {"?", "?a=b c", "?a=\"b\"", "#a b", "?#a=b"}) {
    SCOPED_TRACE(end);
    Talk sotw(Variant::kSotw);
    sotw.Commit({});
    EXPECT_EQ(sotw.Ask("EDS", {paris + end}), Said());
    Talk delta(Variant::kDelta);
    delta.Commit({});
    EXPECT_EQ(delta.Delta("EDS", {.sub = {paris + end}}),
              Said({absl::StrCat("EDS #1 [] -", paris, end)}));
  }
  for (const char* const end : {"", "?a=b", "?a=b%20c"}) {
    SCOPED_TRACE(end);
    Talk sotw(Variant::kSotw);
    sotw.Commit({});
    EXPECT_EQ(sotw.Ask("EDS", {paris + end}),
              Said({absl::StrCat("EDS #1 [] !", paris, end, ":5")}));
  }
}

}  // namespace
}  // namespace holdfast

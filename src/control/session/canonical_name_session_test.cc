// xdstp names that are written in another way and are the same.
#include <gtest/gtest.h>

#include "control/session/session_conversation_test.h"

namespace holdfast {
namespace {

std::string Name(absl::string_view id, absl::string_view type = kClusterTypeName) {
  return absl::StrCat("xdstp://x/", type, "/", id);
}
const std::string kParis = Name("paris?env=prod&zone=b");
const std::string kOtherParis = Name("paris?zone=b&env=prod");
const std::string kRome = Name("rome?env=prod&zone=b");
const std::string kOtherRome = Name("rome?zone=b&env=prod");

TEST(CanonicalNames, TheOrderOfParametersDoesNotMatterInSotw) {  // R1.91
  Talk talk(Variant::kSotw);
  talk.Commit({"CDS/" + kParis + "=v1"});
  // The error is about the name as the client wrote it.
  EXPECT_EQ(talk.Ask("CDS", {kOtherParis, kOtherRome}),
            Said({"CDS #1 [" + kParis + "=v1] !" + kOtherRome + ":5"}));
  EXPECT_EQ(talk.Count("follow CDS " + kParis), 1);
  EXPECT_EQ(talk.Ack("CDS"), Said({}));
  EXPECT_EQ(talk.Commit({"CDS/" + kRome + "=v1"}),
            Said({"CDS #2 [" + kParis + "=v1 " + kRome + "=v1]"}));
  // Written otherwise, it is the same list.
  EXPECT_EQ(talk.Ask("CDS", {kParis, kOtherRome}), Said({}));
  EXPECT_EQ(talk.Ask("CDS", {kOtherRome}), Said({}));
  EXPECT_EQ(talk.Count("unfollow CDS " + kParis), 1);
}

TEST(CanonicalNames, OfOtherTypesInSotw) {  // R1.91
  const std::string asked = Name("paris?b=2&a=1", kEndpointsTypeName);
  const std::string served = Name("paris?a=1&b=2", kEndpointsTypeName);
  Talk talk(Variant::kSotw);
  talk.Commit({});
  EXPECT_EQ(talk.Ask("EDS", {asked}), Said({"EDS #1 [] !" + asked + ":5"}));
  EXPECT_EQ(talk.Commit({"EDS/" + served + "=v1"}), Said({"EDS #2 [" + served + "=v1]"}));
}

TEST(CanonicalNames, TheOrderOfParametersDoesNotMatterInDelta) {  // R1.91
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/" + kParis + "=v1"});
  EXPECT_EQ(talk.Delta("CDS", {.sub = {kOtherParis, kOtherRome}}),
            Said({"CDS #1 [" + kParis + "=v1] -" + kOtherRome + " !" + kOtherRome + ":5"}));
  EXPECT_EQ(talk.Commit({"CDS/" + kParis + "=v2", "CDS/" + kRome + "=v1"}),
            Said({"CDS #2 [" + kParis + "=v2 " + kRome + "=v1]"}));
  talk.After(absl::Seconds(1));
  EXPECT_EQ(talk.Commit({"-CDS/" + kParis}),
            Said({"CDS #3 [] -" + kOtherParis + " !" + kOtherParis + ":5"}));
  // How it was written last counts.
  EXPECT_EQ(talk.Delta("CDS", {.sub = {kParis}}),
            Said({"CDS #4 [] -" + kParis + " !" + kParis + ":5"}));
  EXPECT_EQ(talk.Delta("CDS", {.unsub = {kOtherParis}}), Said({}));
  EXPECT_EQ(talk.Count("unfollow CDS " + kParis), 1);
  talk.After(absl::Seconds(1));
  EXPECT_EQ(talk.Commit({"CDS/" + kParis + "=v3"}), Said({}));
}

TEST(CanonicalNames, NamesTheSameOnce) {  // R1.91
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/" + kParis + "=v1"});
  EXPECT_EQ(talk.Delta("CDS", {.sub = {kParis, kOtherParis}}),
            Said({"CDS #1 [" + kParis + "=v1]"}));
  // What is taken back and asked for in one request is asked for, as it is written there.
  EXPECT_EQ(talk.Delta("CDS", {.sub = {kOtherParis}, .unsub = {kParis}}),
            Said({"CDS #2 [" + kParis + "=v1]"}));
  talk.After(absl::Seconds(1));
  EXPECT_EQ(talk.Commit({"-CDS/" + kParis}),
            Said({"CDS #3 [] -" + kOtherParis + " !" + kOtherParis + ":5"}));
}

TEST(CanonicalNames, OfGlobsAndOfWhatAReturningClientHas) {  // R1.91
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/" + kParis + "=v1"});
  const std::string version = (*talk.view().Of(kClusterTypeName)->Find(kParis))->version();
  EXPECT_EQ(talk.Delta("CDS", {.sub = {kOtherParis, Name("eu/*?zone=b&env=prod")},
                               .initial = {{kOtherParis, version}}}),
            Said({"CDS #1 [] -" + Name("eu/*?zone=b&env=prod")}));
  const std::string member = Name("eu/bern?env=prod&zone=b");
  EXPECT_EQ(talk.Commit({"CDS/" + member + "=v1"}), Said({"CDS #2 [" + member + "=v1]"}));
}

TEST(CanonicalNames, WhatIsMalformedIsOnlyItself) {  // R1.91
  Talk talk(Variant::kDelta);
  talk.Commit({"CDS/paris?b=2&a=1=v1"});
  // No xdstp name: any text, in which nothing is reordered.
  EXPECT_EQ(talk.Delta("CDS", {.sub = {"paris?a=1&b=2"}}),
            Said({"CDS #1 [] -paris?a=1&b=2 !paris?a=1&b=2:5"}));
}

}  // namespace
}  // namespace holdfast

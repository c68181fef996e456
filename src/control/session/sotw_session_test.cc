// State of the world: what a request means, and what is sent for it.
#include <gtest/gtest.h>

#include "control/session/session_conversation_test.h"

namespace holdfast {
namespace {

TEST(SotwSession, TheFirstRequestIsAnsweredAtOnceAndCounted) {
  Talk talk(Variant::kSotw);
  talk.Commit({"CDS/paris=v1", "CDS/rome=v1"});
  talk.Ask("CDS", {"rome", "paris"});
  EXPECT_EQ(talk.all(), Said({"count request CDS", "follow CDS paris", "follow CDS rome",
                              "count push CDS", "CDS #1 [paris=v1 rome=v1]"}));
  EXPECT_EQ(talk.responses()[0].version, talk.view().Of(kClusterTypeName)->version());
  EXPECT_EQ(talk.Ack("CDS"), Said({}));
  EXPECT_EQ(talk.all(), Said({"count request CDS", "count ack CDS"}));
}

TEST(SotwSession, TheWildcardSequenceOfTheSpecification) {  // R1.50, R1.51, R1.52, R1.53
  Talk talk(Variant::kSotw);
  talk.Commit({"CDS/paris=v1", "CDS/rome=v1"});
  EXPECT_EQ(talk.Ask("CDS", {}), Said({"CDS #1 [paris=v1 rome=v1]"}));
  EXPECT_EQ(talk.Count("follow CDS *"), 1);
  EXPECT_EQ(talk.Ask("CDS", {"*", "paris"}), Said({"CDS #2 [paris=v1 rome=v1]"}));
  EXPECT_EQ(talk.Ask("CDS", {"paris"}), Said({}));
  EXPECT_EQ(talk.Count("unfollow CDS *"), 1);
  EXPECT_EQ(talk.Commit({"CDS/rome=v2"}), Said({}));
  EXPECT_EQ(talk.Ask("CDS", {}), Said({}));
  EXPECT_EQ(talk.Count("unfollow CDS paris"), 1);
  EXPECT_EQ(talk.Commit({"CDS/paris=v2", "CDS/rome=v3"}), Said({}));
  EXPECT_EQ(talk.After(absl::Hours(1)), Said({}));
}

// What grpc-java and gRPC C++ 1.51 do when they drop their last cluster.
TEST(SotwSession, AnEmptiedListIsNothingAndNeverEverything) {  // R1.52
  Talk talk(Variant::kSotw);
  talk.Commit({"CDS/paris=v1", "CDS/rome=v1"});
  EXPECT_EQ(talk.Ask("CDS", {"paris"}), Said({"CDS #1 [paris=v1]"}));
  EXPECT_EQ(talk.Ask("CDS", {}, "1"), Said({}));
  EXPECT_EQ(talk.Count("unfollow CDS paris"), 1);
  EXPECT_EQ(talk.Count("follow CDS *"), 0);
  EXPECT_EQ(talk.Commit({"CDS/paris=v2"}), Said({}));
}

TEST(SotwSession, AnEmptiedListAfterTheStarIsNothing) {  // R1.52
  Talk talk(Variant::kSotw);
  talk.Commit({"LDS/front=v1"});
  EXPECT_EQ(talk.Ask("LDS", {"*"}), Said({"LDS #1 [front=v1]"}));
  EXPECT_EQ(talk.Ask("LDS", {}), Said({}));
  EXPECT_EQ(talk.Commit({"LDS/front=v2"}), Said({}));
}

TEST(SotwSession, OnlyListenersAndClustersHaveAWildcard) {  // R1.50
  Talk talk(Variant::kSotw);
  talk.Commit({"EDS/paris=v1", "RDS/front=v1"});
  EXPECT_EQ(talk.Ask("EDS", {}), Said({}));
  EXPECT_EQ(talk.Ask("RDS", {"*"}), Said({}));
  EXPECT_EQ(talk.Commit({"EDS/paris=v2", "RDS/front=v2"}), Said({}));
}

TEST(SotwSession, AnEmptyNameIsNoName) {
  Talk talk(Variant::kSotw);
  talk.Commit({"CDS/paris=v1"});
  EXPECT_EQ(talk.Ask("CDS", {"", "paris"}), Said({"CDS #1 [paris=v1]"}));
  EXPECT_EQ(talk.Ask("CDS", {"", "paris", "paris", "rome", "rome"}),
            Said({"CDS #2 [paris=v1] !rome:5"}));
}

TEST(SotwSession, ARequestThatAnswersAnOlderResponseIsNotAnswered) {  // R1.37
  Talk talk(Variant::kSotw);
  talk.Commit({"EDS/paris=v1", "EDS/rome=v1", "EDS/oslo=v1"});
  EXPECT_EQ(talk.Ask("EDS", {"paris"}), Said({"EDS #1 [paris=v1]"}));
  EXPECT_EQ(talk.Ask("EDS", {"paris", "rome"}, "1"), Said({"EDS #2 [rome=v1]"}));
  EXPECT_EQ(talk.Ask("EDS", {"paris", "rome", "oslo"}, "1"), Said({}));
  EXPECT_EQ(talk.all(), Said({"count request EDS"}));
  // The newer request has the whole list too.
  EXPECT_EQ(talk.Ask("EDS", {"paris", "rome", "oslo"}, "2"), Said({"EDS #3 [oslo=v1]"}));
}

// It is overtaken, and yet it happened.
TEST(SotwSession, AStaleRejectionIsCountedAndLoggedOnce) {  // R1.36
  Talk talk(Variant::kSotw);
  talk.Commit({"CDS/paris=v1"});
  talk.Ask("CDS", {"paris"});
  talk.Commit({"CDS/paris=v2"});
  EXPECT_EQ(talk.Ask("CDS", {"paris"}, "1", "no good").size(), 1u);
  EXPECT_EQ(talk.Count("count nack CDS"), 1);
  EXPECT_EQ(talk.Ask("CDS", {"paris"}, "1", "no good"), Said({}));
  EXPECT_EQ(talk.Nack("CDS").size(), 1u);
  EXPECT_EQ(talk.Count("count nack CDS"), 1);
}

TEST(SotwSession, ANonceOfNobodySaysNothingAndItsNamesCount) {  // R1.37
  for (const char* const nonce :
       {"", "abc", "999", "01", " 1", "+1", "-1", "18446744073709551617"}) {
    Talk talk(Variant::kSotw);
    talk.Commit({"EDS/paris=v1", "EDS/rome=v1"});
    talk.Ask("EDS", {"paris"});
    talk.Commit({"EDS/paris=v2"});
    EXPECT_EQ(talk.Ask("EDS", {"paris", "rome"}, nonce), Said({"EDS #3 [rome=v1]"})) << nonce;
    EXPECT_EQ(talk.Count("count ack EDS"), 0) << nonce;
  }
}

TEST(SotwSession, ANonceOfAnEarlierStreamInTheFirstRequestIsIgnored) {  // R1.37
  Talk talk(Variant::kSotw);
  talk.Commit({"EDS/paris=v1"});
  EXPECT_EQ(talk.Ask("EDS", {"paris"}, "17", "", "old"), Said({"EDS #1 [paris=v1]"}));
}

TEST(SotwSession, NoncesOfOneTypeDoNotAnswerAnother) {
  Talk talk(Variant::kSotw);
  talk.Commit({"CDS/paris=v1", "EDS/paris=v1"});
  talk.Ask("CDS", {"paris"});
  talk.Ask("EDS", {"paris"});
  EXPECT_EQ(talk.Ask("CDS", {"paris"}, "2"), Said({}));
  EXPECT_EQ(talk.Count("count ack CDS"), 0);
  EXPECT_EQ(talk.Ack("EDS"), Said({}));
  EXPECT_EQ(talk.Count("count ack EDS"), 1);
}

TEST(SotwSession, AnAnswerCountsOnce) {
  Talk talk(Variant::kSotw);
  talk.Commit({"CDS/paris=v1"});
  talk.Ask("CDS", {"paris"});
  talk.Ack("CDS");
  EXPECT_EQ(talk.Count("count ack CDS"), 1);
  talk.Ack("CDS");
  EXPECT_EQ(talk.all(), Said({"count request CDS"}));
}

TEST(SotwSession, ARejectionIsToldByErrorDetailAndIsSentNothing) {  // R1.36, R1.44
  Talk talk(Variant::kSotw);
  talk.Commit({"CDS/paris=v1", "CDS/rome=v1"});
  talk.Ask("CDS", {"paris", "rome"});
  talk.Ack("CDS");
  EXPECT_EQ(talk.Commit({"CDS/paris=v2"}), Said({"CDS #2 [paris=v2 rome=v1]"}));
  const std::string version = talk.view().Of(kClusterTypeName)->version();
  // With the version of the response, as an ACK has it: only error_detail counts.
  EXPECT_EQ(talk.Ask("CDS", {"paris", "rome"}, "2", "paris: bad\nport", version),
            Said({absl::StrCat("client \"web-1\" at 10.0.0.7:4242 rejected ", kClusterTypeName,
                               " version ", version,
                               " (\"paris\"): paris: bad port; it keeps what it had, and is sent "
                               "nothing again until that changes")}));
  EXPECT_EQ(talk.Count("count nack CDS"), 1);
  EXPECT_EQ(talk.After(absl::Hours(1)), Said({}));
  EXPECT_EQ(talk.Nack("CDS"), Said({}));  // again, of the same response
}

TEST(SotwSession, AfterARejectionTheRevertedContentIsSent) {  // R1.44
  for (const std::string type : {"CDS", "EDS", "LDS", "RDS"}) {
    Talk talk(Variant::kSotw);
    talk.Commit({type + "/paris=v1"});
    talk.Ask(type, {"paris"});
    talk.Ack(type);
    EXPECT_EQ(talk.Commit({type + "/paris=v2"}), Said({type + " #2 [paris=v2]"}));
    EXPECT_EQ(talk.Nack(type).size(), 1u);
    talk.After(absl::Seconds(1));
    EXPECT_EQ(talk.Commit({type + "/paris=v1"}), Said({type + " #3 [paris=v1]"}));
    EXPECT_EQ(talk.Ack(type), Said({}));
  }
}

// What came and went within a window is what the client has, rejected or not.
TEST(SotwSession, ARejectedVersionThatIsBackBeforeAnybodySawAnotherIsNotSentAgain) {  // R1.44
  for (const std::string type : {"CDS", "EDS"}) {
    Talk talk(Variant::kSotw);
    talk.Commit({type + "/paris=v1"});
    talk.Ask(type, {"paris"});
    talk.Commit({type + "/paris=v2"});
    talk.Nack(type);
    EXPECT_EQ(talk.Commit({type + "/paris=v1"}), Said({"wake 100ms"}));
    EXPECT_EQ(talk.Commit({type + "/paris=v2"}), Said({}));
    EXPECT_EQ(talk.After(absl::Seconds(1)), Said({})) << type;
  }
}

TEST(SotwSession, ARejectionThatAsksForMoreIsSentWhatIsNew) {  // R1.36, R1.38
  Talk talk(Variant::kSotw);
  talk.Commit({"EDS/paris=v1", "EDS/rome=v1", "LDS/paris=v1", "LDS/rome=v1"});
  talk.Ask("EDS", {"paris"});
  EXPECT_EQ(talk.Ask("EDS", {"paris", "rome"}, "1", "no good").back(), "EDS #2 [rome=v1]");
  talk.Ask("LDS", {"paris"});
  // Full state: what can be supplied is always there.
  EXPECT_EQ(talk.Ask("LDS", {"paris", "rome"}, "3", "no good").back(), "LDS #4 [paris=v1 rome=v1]");
}

// grpc-go asks again with the newest nonce and version, grpc-java with the nonce alone.
TEST(SotwSession, WhatIsAskedForAgainIsSentAgain) {  // R1.38
  for (const std::string type : {"CDS", "EDS", "LDS", "RDS"}) {
    for (const std::string version : {"", "the current one"}) {
      Talk talk(Variant::kSotw);
      talk.Commit({type + "/paris=v1", type + "/rome=v1"});
      talk.Ask(type, {"paris", "rome"});
      EXPECT_EQ(talk.Ask(type, {"rome"}), Said({}));
      const std::string with_it =
          type == "CDS" || type == "LDS" ? " [paris=v1 rome=v1]" : " [paris=v1]";
      EXPECT_EQ(talk.Ask(type, {"paris", "rome"}, "1", "", version),
                Said({type + " #2" + with_it}));
    }
  }
}

// The request that dropped it crossed a response; the one that asks again does not.
TEST(SotwSession, WhatWasDroppedInAStaleRequestIsSentAgain) {  // R1.37, R1.38
  Talk talk(Variant::kSotw);
  talk.Commit({"EDS/paris=v1", "EDS/rome=v1"});
  talk.Ask("EDS", {"paris", "rome"});
  talk.Commit({"EDS/rome=v2"});
  EXPECT_EQ(talk.Ask("EDS", {"rome"}, "1"), Said({}));
  EXPECT_EQ(talk.Ask("EDS", {"paris", "rome"}, "2"), Said({"EDS #3 [paris=v1]"}));
}

TEST(SotwSession, WhatIsNotThereYetIsSentWhenItIs) {  // R1.40, R2.40
  for (const std::string type : {"CDS", "EDS", "LDS", "RDS"}) {
    Talk talk(Variant::kSotw);
    talk.Commit({});
    EXPECT_EQ(talk.Ask(type, {"paris"}), Said({type + " #1 [] !paris:5"}));
    talk.Ack(type);
    EXPECT_EQ(talk.Commit({type + "/paris=v1"}), Said({type + " #2 [paris=v1]"}));
    EXPECT_EQ(talk.Count("errors " + type + " -1"), 1);
  }
}

TEST(SotwSession, FullStateListsEverythingThatWasAskedFor) {  // R1.41
  Talk talk(Variant::kSotw);
  talk.Commit({"LDS/back=v1", "LDS/front=v1", "LDS/side=v1"});
  EXPECT_EQ(talk.Ask("LDS", {"back", "front"}), Said({"LDS #1 [back=v1 front=v1]"}));
  EXPECT_EQ(talk.Commit({"LDS/front=v2"}), Said({"LDS #2 [back=v1 front=v2]"}));
  talk.After(absl::Seconds(1));
  EXPECT_EQ(talk.Commit({"-LDS/back"}), Said({"LDS #3 [front=v2] !back:5"}));
  talk.After(absl::Seconds(1));
  EXPECT_EQ(talk.Commit({"LDS/side=v2"}), Said({}));
}

TEST(SotwSession, OtherTypesListOnlyWhatChanged) {  // R1.44
  Talk talk(Variant::kSotw);
  talk.Commit({"RDS/back=v1", "RDS/front=v1"});
  EXPECT_EQ(talk.Ask("RDS", {"back", "front"}), Said({"RDS #1 [back=v1 front=v1]"}));
  EXPECT_EQ(talk.Commit({"RDS/front=v2"}), Said({"RDS #2 [front=v2]"}));
}

TEST(SotwSession, AnEmptyWildcardIsAnsweredWithNothing) {  // R1.41
  Talk talk(Variant::kSotw);
  talk.Commit({});
  EXPECT_EQ(talk.Ask("CDS", {}), Said({"CDS #1 []"}));
  EXPECT_EQ(talk.Commit({"CDS/paris=v1"}), Said({"CDS #2 [paris=v1]"}));
  talk.After(absl::Seconds(1));
  EXPECT_EQ(talk.Commit({"-CDS/paris"}), Said({"CDS #3 []"}));
}

TEST(SotwSession, ACommitThatChangesNothingIsNotSent) {  // R1.44
  Talk talk(Variant::kSotw);
  talk.Commit({"CDS/paris=v1", "EDS/paris=v1"});
  talk.Ask("CDS", {});
  talk.Ask("EDS", {"paris"});
  EXPECT_EQ(talk.Commit({"CDS/paris=v1", "EDS/paris=v1"}), Said({}));
}

TEST(SotwSession, WhatTheClientFollowsIsTakenBackWhenItLeaves) {
  Talk talk(Variant::kSotw);
  talk.Commit({"CDS/paris=v1"});
  talk.Ask("CDS", {"*", "rome"});
  talk.Ask("EDS", {"paris"});
  talk.Leave();
  EXPECT_EQ(talk.all(), Said({"unfollow CDS *", "unfollow CDS rome", "errors CDS -1",
                              "unfollow EDS paris", "errors EDS -1"}));
  talk.Leave();
  EXPECT_EQ(talk.all(), Said({}));
  EXPECT_EQ(talk.Commit({"CDS/paris=v2"}), Said({}));
}

TEST(SotwSession, ARequestWithoutATypeEndsTheStream) {
  Talk talk(Variant::kSotw);
  EXPECT_EQ(
      talk.Ask("", {"paris"}),
      Said({"end INVALID_ARGUMENT: a request without type_url (got \"type.googleapis.com/\"); "
            "on an aggregated stream every request names its type"}));
  EXPECT_EQ(talk.Ask("CDS", {"paris"}), Said({}));
}

}  // namespace
}  // namespace holdfast

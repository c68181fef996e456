// A resource that the server no longer has (gRFC A88, and A53 with the guard off).
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "client/protocol/conversation_test.h"

namespace holdfast {
namespace {

using absl::StatusCode;

constexpr bool kGuardOff = false;

std::string Deleted(absl::string_view noun, absl::string_view consequence) {
  return absl::StrCat(noun,
                      " \"paris\": deleted: version 2 of xds server \"cp:18000\" no longer has "
                      "it; ",
                      consequence);
}

TEST(Deletion, IsToleratedByDefault) {  // R3-T09, R6.01, R1.41, R3.03
  for (const WordType* type : {&kListener, &kCluster}) {
    for (const bool ignore : {false, true}) {  // R6.02, DEC-24: the old feature changes nothing
      Conversation talk({.ignore_resource_deletion = ignore});
      talk.Begin(*type, {{"alice", "paris"}});
      const std::string text = Deleted(type->noun(), "keeping version 1");
      EXPECT_EQ(talk.Receive(Answer(*type, "2")),
                Lines({Warns(absl::StrCat(text, " (node \"web-1\")")),
                       Ambient("alice", StatusCode::kNotFound, text), Ack(*type, {"paris"}, "2")}));
      // R6.09, R6.03, DEC-23
      EXPECT_EQ(talk.Cached(*type, "paris"),
                "does_not_exist_but_cached v1 of 1; deleted: version 2 of xds server "
                "\"cp:18000\" no longer has it");
    }
  }
}

TEST(Deletion, DropsTheResourceWhereTheServerIsStrict) {  // R3-T10, R6.01, R3.02
  for (const bool ignore : {false, true}) {               // R6.02
    Conversation talk({.fail_on_data_errors = true, .ignore_resource_deletion = ignore});
    talk.Begin(kListener, {{"alice", "paris"}});
    const std::string text = Deleted(
        "listener", "version 1 is no longer used, because the server has fail_on_data_errors");
    EXPECT_EQ(talk.Receive(Answer(kListener, "2")),
              Lines({Warns(absl::StrCat(text, " (node \"web-1\")")),
                     Fails("alice", StatusCode::kNotFound, text), Ack(kListener, {"paris"}, "2")}));
    EXPECT_EQ(talk.Cached(kListener, "paris"),
              "does_not_exist; deleted: version 2 of xds server \"cp:18000\" no longer has it");
  }
}

TEST(Deletion, IsOfOneResourceOrOfAll) {  // R1.41
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "lyon"}, {"bob", "paris"}});
  const Lines lines = talk.Receive(Answer(kCluster, "2").Has("lyon", "v1"));
  EXPECT_EQ(lines.For("alice"), Lines());
  EXPECT_EQ(
      lines.For("bob"),
      Lines({Ambient("bob", StatusCode::kNotFound, Deleted("cluster", "keeping version 1"))}));
}

TEST(Deletion, IsToldOnce) {  // R3-T20, DEC-09
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Receive(Answer(kCluster, "2"));
  talk.Settle();
  EXPECT_EQ(talk.Receive(Answer(kCluster, "3")),
            Lines({Ack(kCluster, {"paris"}, "3"), "read stream 1"}));
  EXPECT_EQ(talk.Shown(kCluster, "paris").cache_state, "does_not_exist_but_cached");
}

TEST(Deletion, IsToldOnceWhereTheResourceWasDropped) {  // R1.43
  Conversation talk({.fail_on_data_errors = true});
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Receive(Answer(kCluster, "2"));
  talk.Settle();
  EXPECT_EQ(talk.Receive(Answer(kCluster, "3")),
            Lines({Ack(kCluster, {"paris"}, "3"), "read stream 1"}));
}

TEST(Deletion, EndsWithTheResource) {  // R3-T17, R3-T29, R1.40, R3.04, R3.22
  for (const bool strict : {true, false}) {
    for (const char* body : {"v1", "v1 "}) {
      Conversation talk({.fail_on_data_errors = strict});
      talk.Begin(kCluster, {{"alice", "paris"}});
      talk.Receive(Answer(kCluster, "2"));
      talk.Settle();
      EXPECT_EQ(talk.Receive(Answer(kCluster, "3").Has("paris", body)),
                Lines({strict ? Gets("alice", "v1", "3") : AllClear("alice"), Valid(kCluster, 1),
                       Ack(kCluster, {"paris"}, "3")}));
      EXPECT_EQ(talk.Cached(kCluster, "paris"), absl::StrCat("acked ", body, " of 3"));
    }
  }
}

TEST(Deletion, CannotBeOfWhatNeverCame) {  // R3-T18, R1.43
  for (const bool data_error_handling : {true, false}) {
    Conversation talk({.fail_on_data_errors = true}, data_error_handling);
    talk.Begin(kCluster, {{"alice", "lyon"}});
    talk.Watch("bob", kCluster, "paris");
    talk.Settle();
    // Written before the server knew of Bob.
    EXPECT_EQ(talk.Receive(Answer(kCluster, "2").Has("lyon", "v1")),
              Lines({Valid(kCluster, 1), Ack(kCluster, {"lyon", "paris"}, "2"), "read stream 1"}));
    EXPECT_EQ(talk.Cached(kCluster, "paris"), "requested");
    EXPECT_EQ(talk.timers().size(), size_t{1});  // which alone may declare it absent
  }
}

TEST(Deletion, IsNotOfRoutesAndEndpoints) {  // R1.42, R6.06
  for (const WordType* type : {&kRoutes, &kEndpoints}) {
    for (const bool data_error_handling : {true, false}) {
      Conversation talk({.fail_on_data_errors = true}, data_error_handling);
      talk.Begin(*type, {{"alice", "paris"}});
      EXPECT_EQ(talk.Receive(Answer(*type, "2")),
                Lines({Ack(*type, {"paris"}, "2"), "read stream 1"}));
      EXPECT_EQ(talk.Cached(*type, "paris"), "acked v1 of 1");
    }
  }
}

TEST(Deletion, OfARejectedResourceOverwritesTheRejection) {  // R3-T21, R3.22
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Receive(Answer(kCluster, "1b").Has("paris", "bad"));
  talk.Settle();
  EXPECT_EQ(
      talk.Receive(Answer(kCluster, "2")).For("alice"),
      Lines({Ambient("alice", StatusCode::kNotFound, Deleted("cluster", "keeping version 1"))}));
  EXPECT_EQ(talk.Shown(kCluster, "paris").cache_state, "does_not_exist_but_cached");
}

// T21 with a strict server cannot be: the rejection has dropped the resource already.
TEST(Deletion, OfARejectedResourceThatWasDroppedSaysNothing) {  // R3-T21
  Conversation talk({.fail_on_data_errors = true});
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Receive(Answer(kCluster, "1b").Has("paris", "bad"));
  talk.Settle();
  EXPECT_EQ(talk.Receive(Answer(kCluster, "2")),
            Lines({Ack(kCluster, {"paris"}, "2"), "read stream 1"}));
  EXPECT_EQ(talk.Shown(kCluster, "paris").cache_state, "nacked");
}

// --- A53: the guard off. ---

TEST(DeletionBeforeA88, DropsTheResource) {  // R3-T09, R3-T10, R6.04, R3.33, DEC-35
  for (const bool strict : {true, false}) {
    Conversation talk({.fail_on_data_errors = strict}, kGuardOff);
    talk.Begin(kCluster, {{"alice", "paris"}});
    EXPECT_EQ(talk.Receive(Answer(kCluster, "2")).For("alice"),
              Lines({Fails("alice", StatusCode::kNotFound,
                           Deleted("cluster",
                                   "version 1 is no longer used, because the server has no "
                                   "ignore_resource_deletion"))}));
    EXPECT_EQ(talk.Cached(kCluster, "paris"),
              "does_not_exist; deleted: version 2 of xds server \"cp:18000\" no longer has it");
    talk.Settle();
    // R3-T29
    EXPECT_EQ(talk.Receive(Answer(kCluster, "3").Has("paris", "v1")).For("alice"),
              Lines({Gets("alice", "v1", "3")}));
  }
}

std::string IgnoredLog() {
  return Warns(
      "cluster \"paris\": deleted by xds server \"cp:18000\"; ignored, because the server has "
      "ignore_resource_deletion; keeping version 1");
}
std::string BackLog() {
  return Informs(
      "cluster \"paris\": xds server \"cp:18000\" has it again; its ignored deletion is over");
}

TEST(DeletionBeforeA88, IsIgnoredWithOneWarning) {  // R6.04, R6.05, R3-T09, R3-T20, DEC-28, DEC-35
  Conversation talk({.ignore_resource_deletion = true}, kGuardOff);
  talk.Begin(kCluster, {{"alice", "paris"}});
  EXPECT_EQ(talk.Receive(Answer(kCluster, "2")),
            Lines({IgnoredLog(), Ack(kCluster, {"paris"}, "2"), "read stream 1"}));
  EXPECT_EQ(talk.Cached(kCluster, "paris"), "acked v1 of 1");
  talk.Settle();
  EXPECT_EQ(talk.Receive(Answer(kCluster, "3")),
            Lines({Ack(kCluster, {"paris"}, "3"), "read stream 1"}));
}

TEST(DeletionBeforeA88, IsOverWhenTheServerNamesTheResourceAgain) {  // R6.05
  for (const char* body : {"v1", "v2", "bad"}) {
    Conversation talk({.ignore_resource_deletion = true}, kGuardOff);
    talk.Begin(kCluster, {{"alice", "paris"}});
    talk.Receive(Answer(kCluster, "2"));
    talk.Settle();
    EXPECT_EQ(talk.Receive(Answer(kCluster, "3").Has("paris", body)).StartingWith("log INFO"),
              Lines({BackLog()}));
    talk.Settle();
    EXPECT_EQ(talk.Receive(Answer(kCluster, "4").Has("paris", body)).StartingWith("log INFO"),
              Lines());
    talk.Settle();
    // And may be ignored again.
    EXPECT_EQ(talk.Receive(Answer(kCluster, "5")).StartingWith("log WARNING").lines.size(),
              size_t{1});
  }
}

TEST(DeletionBeforeA88, IsOverWhenNobodyWatchesAnyMore) {  // R6.05
  const std::string over = Informs(
      "cluster \"paris\": no longer watched; its ignored deletion by xds server \"cp:18000\" is "
      "over");
  Conversation others({.ignore_resource_deletion = true}, kGuardOff);
  others.Begin(kCluster, {{"alice", "paris"}, {"bob", "rome"}});
  others.Receive(Answer(kCluster, "2").Has("rome", "v1"));
  others.Settle();
  others.Pass(absl::Seconds(1));
  EXPECT_EQ(others.Cancel("alice"), Lines({over, Ack(kCluster, {"rome"}, "2")}));

  Conversation alone({.ignore_resource_deletion = true}, kGuardOff);
  alone.Begin(kCluster, {{"alice", "paris"}});
  alone.Receive(Answer(kCluster, "2"));
  alone.Settle();
  EXPECT_EQ(alone.Cancel("alice"), Lines({"close stream 1", over}));
}

TEST(DeletionBeforeA88, OfARejectedResourceIsIgnoredToo) {  // R3-T21, R6.04
  Conversation talk({.ignore_resource_deletion = true}, kGuardOff);
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Receive(Answer(kCluster, "1b").Has("paris", "bad"));
  talk.Settle();
  EXPECT_EQ(talk.Receive(Answer(kCluster, "2")),
            Lines({IgnoredLog(), Ack(kCluster, {"paris"}, "2"), "read stream 1"}));
  EXPECT_EQ(talk.Shown(kCluster, "paris").cache_state, "nacked_but_cached");
}

}  // namespace
}  // namespace holdfast

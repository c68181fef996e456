// resource_errors that no server should send (xRFC TP3), and what becomes of the rest.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "client/protocol/conversation_test.h"

namespace holdfast {
namespace {

using absl::StatusCode;

constexpr int kNotFound = 5;
constexpr int kUnavailable = 14;

TEST(Tp3Malformed, RejectsAnEntryThatSaysNothing) {  // R2.20, DEC-07
  Conversation talk;
  talk.Begin(kEndpoints, {{"alice", "lyon"}, {"bob", "paris"}, {"carol", "rome"}});
  const Lines lines = talk.Receive(Answer(kEndpoints, "2")
                                       .Has("lyon", "v2")
                                       .BrokenError("", "has no name")
                                       .BrokenError("paris", "has no error_detail")
                                       .Error("rome", kNotFound, "no such place"));
  // All the rest applies.
  EXPECT_EQ(lines.For("alice"), Lines({Gets("alice", "v2", "2")}));
  EXPECT_EQ(lines.For("bob"), Lines());
  EXPECT_EQ(lines.For("carol"), Lines({Ambient("carol", StatusCode::kNotFound,
                                               "endpoints \"rome\": no such place; keeping "
                                               "version 1")}));
  EXPECT_EQ(lines.StartingWith("send"),
            Lines({Nack(kEndpoints, {"lyon", "paris", "rome"}, "1", "n2",
                        "resource_errors[0]: has no name; "
                        "resource_errors[1] endpoints \"paris\": has no error_detail")}));
  EXPECT_EQ(talk.Cached(kEndpoints, "paris"), "acked v1 of 1");
}

// The server spoke of the name, whatever it meant to say: it did not delete it.
TEST(Tp3Malformed, TakesANameThatIsBadlyReportedForNoDeletion) {  // R2.20, R2.22
  Conversation talk({.fail_on_data_errors = true});
  talk.Begin(kCluster, {{"alice", "lyon"}, {"bob", "paris"}});
  const Lines lines = talk.Receive(
      Answer(kCluster, "2").Has("lyon", "v1").BrokenError("paris", "has no error_detail"));
  EXPECT_EQ(lines.For("bob"), Lines());
  EXPECT_EQ(talk.Cached(kCluster, "paris"), "acked v1 of 1");
}

// It may be of any name that is missing.
TEST(Tp3Malformed, TakesNothingForDeletedBesideAnErrorWithoutAName) {  // R2.20, R5.10, DEC-13
  Conversation talk({.fail_on_data_errors = true});
  talk.Begin(kCluster, {{"alice", "lyon"}, {"bob", "paris"}});
  const Lines lines =
      talk.Receive(Answer(kCluster, "2").Has("lyon", "v1").BrokenError("", "has no name"));
  EXPECT_EQ(lines.For("bob"), Lines());
  EXPECT_EQ(talk.Cached(kCluster, "paris"), "acked v1 of 1");
}

// It said nothing that would end the wait.
TEST(Tp3Malformed, LetsTheTimerOfABadlyReportedNameRun) {  // R2.20
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  talk.Sent();
  talk.Receive(Answer(kCluster, "1").BrokenError("paris", "has no error_detail"));
  EXPECT_EQ(talk.timers().size(), size_t{1});
}

TEST(Tp3Malformed, RejectsAnErrorOfAnUnparsableName) {  // R2.20
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  const Lines lines =
      talk.Receive(Answer(kCluster, "2").Has("paris", "v2").Error("xdstp:oops", kNotFound, "?"));
  EXPECT_EQ(lines.For("alice"), Lines({Gets("alice", "v2", "2")}));
  const Lines sent = lines.StartingWith("send");
  ASSERT_EQ(sent.lines.size(), size_t{1});
  EXPECT_TRUE(absl::StrContains(sent.lines[0],
                                "version \"1\" nonce \"n2\" NACK 3: resource_errors[0] cluster "
                                "\"xdstp:oops\": "))
      << sent;
}

TEST(Tp3Malformed, IgnoresWhatIsNotSubscribed) {  // R2.21
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  EXPECT_EQ(talk.Receive(Answer(kCluster, "2").Has("paris", "v1").Error("rome", kNotFound, "gone")),
            Lines({Valid(kCluster, 1), Ack(kCluster, {"paris"}, "2"), "read stream 1"}));
  EXPECT_EQ(talk.Cached(kCluster, "rome"), "unknown");
}

TEST(Tp3Malformed, IgnoresAnErrorOfTheWildcard) {  // R2.39
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  EXPECT_EQ(talk.Receive(Answer(kCluster, "2").Has("paris", "v1").Error("*", kNotFound, "gone")),
            Lines({Valid(kCluster, 1), Ack(kCluster, {"paris"}, "2"), "read stream 1"}));
}

// One event of a name: the error.
TEST(Tp3Malformed, RejectsANameInBothLists) {  // R2.23, DEC-08, R3.34
  for (const bool strict : {true, false}) {
    Conversation talk({.fail_on_data_errors = strict});
    talk.Begin(kCluster, {{"alice", "paris"}});
    const Lines lines =
        talk.Receive(Answer(kCluster, "2").Has("paris", "v2").Error("paris", kNotFound, "gone"));
    EXPECT_EQ(lines.For("alice"),
              Lines({strict ? Fails("alice", StatusCode::kNotFound,
                                    "cluster \"paris\": gone; version 1 is no longer used, because "
                                    "the server has fail_on_data_errors")
                            : Ambient("alice", StatusCode::kNotFound,
                                      "cluster \"paris\": gone; keeping version 1")}));
    EXPECT_EQ(lines.StartingWith("send"),
              Lines({Nack(kCluster, {"paris"}, "1", "n2",
                          "resource_errors[0] cluster \"paris\": is in resources and in "
                          "resource_errors; the error counts")}));
    EXPECT_EQ(lines.StartingWith("count"), Lines({Invalid(kCluster, 1)}));
  }
}

TEST(Tp3Malformed, TakesTheLastOfTwoErrorsOfAName) {  // R3.34, R2.16
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  const Lines lines = talk.Receive(Answer(kCluster, "2")
                                       .Error("paris", kNotFound, "gone")
                                       .Error("paris", kUnavailable, "later"));
  EXPECT_EQ(lines.For("alice"), Lines({Ambient("alice", StatusCode::kUnavailable,
                                               "cluster \"paris\": later; keeping version 1")}));
  EXPECT_EQ(lines.StartingWith("send"),
            Lines({Nack(kCluster, {"paris"}, "1", "n2",
                        "resource_errors[1] cluster \"paris\": is listed more than once; the last "
                        "error counts")}));
}

}  // namespace
}  // namespace holdfast

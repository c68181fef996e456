// What a session reports of its client, told as stories: what was sent, what the client answered,
// and in which state each resource is then.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "control/session/ledger_books_test.h"

namespace holdfast {
namespace {

TEST(SessionLedger, AResourceIsGoodWhenTheClientAcknowledgedIt) {
  Books books(Variant::kSotw);
  books.talk.Commit({"CDS/paris=v1"});
  books.talk.Ask("CDS", {"paris"});
  EXPECT_EQ(books.Of("CDS"), Lines({"waiting paris=v1"}));
  EXPECT_EQ(books.Counts("CDS"), "0 good, 1 waiting, 0 held back, 0 failed");
  books.talk.Ack("CDS");
  EXPECT_EQ(books.Of("CDS"), Lines({"good paris=v1"}));
  EXPECT_EQ(books.Counts("CDS"), "1 good, 0 waiting, 0 held back, 0 failed");
  EXPECT_EQ(books.Of("CDS", /*with_good=*/false), Lines());
  EXPECT_EQ(books.Events(), Lines());
}

TEST(SessionLedger, ATypeSaysWhatWasSentAndAcknowledged) {
  Books books(Variant::kSotw);
  books.talk.Commit({"CDS/paris=v1"});
  books.talk.Ask("CDS", {});
  const std::string version = books.talk.view().Of(LongType("CDS"))->version();
  EXPECT_EQ(books.Report(false).types[0].version, version);
  EXPECT_EQ(books.Report(false).types[0].acked_version, "");
  EXPECT_EQ(books.Report(false).types[0].acked_at, absl::InfinitePast());
  books.talk.Ack("CDS");
  EXPECT_EQ(books.Report(false).types[0].acked_version, version);
  EXPECT_NE(books.Report(false).types[0].acked_at, absl::InfinitePast());
  EXPECT_TRUE(books.Report(false).types[0].everything);
}

TEST(SessionLedger, AFirstVersionThatIsRejectedLeavesNothing) {
  Books books(Variant::kSotw);
  books.talk.Commit({"CDS/paris=v1"});
  books.talk.Ask("CDS", {"paris"});
  books.talk.Nack("CDS", "bad lb_policy");
  EXPECT_EQ(books.Of("CDS"), Lines({"failed paris=v1: 3 bad lb_policy"}));
  EXPECT_EQ(books.Events(), Lines({"nack CDS/paris: bad lb_policy"}));
  EXPECT_EQ(books.talk.session().held_back(), HeldBack());
}

TEST(SessionLedger, ALaterVersionThatIsRejectedHoldsTheClientBack) {
  Books books(Variant::kSotw);
  books.talk.Commit({"CDS/paris=v1"});
  books.talk.Ask("CDS", {"paris"});
  books.talk.Ack("CDS");
  books.talk.After(absl::Seconds(5));
  books.talk.Commit({"CDS/paris=v2"});
  EXPECT_EQ(books.Of("CDS"), Lines({"waiting paris=v2 runs v1"}));
  books.talk.Nack("CDS");
  EXPECT_EQ(books.Of("CDS"), Lines({"held_back paris=v2 runs v1: 3 no good"}));
  EXPECT_EQ(books.talk.session().held_back().resources, 1u);
  EXPECT_EQ(books.talk.session().held_back().since, books.talk.now());

  books.talk.After(absl::Seconds(5));
  books.talk.Commit({"CDS/paris=v3"});
  // Until it takes a newer one, it is held back.
  EXPECT_EQ(books.Of("CDS"), Lines({"held_back paris=v3 runs v1: 3 no good"}));
  books.talk.Nack("CDS", "still no good");
  EXPECT_EQ(books.Of("CDS"), Lines({"held_back paris=v3 runs v1: 3 still no good"}));
  // As long as before.
  EXPECT_EQ(books.talk.session().held_back().since, books.talk.now() - absl::Seconds(5));

  books.talk.After(absl::Seconds(5));
  books.talk.Commit({"CDS/paris=v4"});
  books.talk.Ack("CDS");
  EXPECT_EQ(books.Of("CDS"), Lines({"good paris=v4"}));
  EXPECT_EQ(books.talk.session().held_back(), HeldBack());
  EXPECT_EQ(books.Events(), Lines({"nack CDS/paris: no good", "nack CDS/paris: still no good",
                                   "ack_after_nack CDS/paris"}));
}

TEST(SessionLedger, ARevertToWhatTheClientRunsIsGood) {
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    SCOPED_TRACE(variant == Variant::kSotw ? "sotw" : "delta");
    Books books(variant);
    const bool is_sotw = variant == Variant::kSotw;
    const auto answer = [&](std::string why) {
      if (is_sotw) {
        books.talk.Ask("EDS", {"paris"}, "-", why);
      } else {
        books.talk.Delta("EDS", {.nonce = books.talk.nonce("EDS"), .why = why});
      }
    };
    books.talk.Commit({"EDS/paris=v1"});
    if (is_sotw) {
      books.talk.Ask("EDS", {"paris"});
    } else {
      books.talk.Delta("EDS", {.sub = {"paris"}});
    }
    answer("");
    books.talk.After(absl::Seconds(5));
    books.talk.Commit({"EDS/paris=v2"});
    answer("no");
    EXPECT_EQ(books.Counts("EDS"), "0 good, 0 waiting, 1 held back, 0 failed");
    books.talk.After(absl::Seconds(5));
    books.talk.Commit({"EDS/paris=v1"});
    EXPECT_EQ(books.Of("EDS"), Lines({"good paris=v1"}));
    EXPECT_EQ(books.talk.session().held_back(), HeldBack());
    // Whatever it says of what it runs, it runs it.
    answer("something else is wrong");
    EXPECT_EQ(books.Of("EDS"), Lines({"good paris=v1"}));
  }
}

TEST(SessionLedger, OnlyThoseThatTheReasonNamesAreToBlame) {
  Books books(Variant::kSotw);
  books.talk.Commit({"CDS/paris=v1", "CDS/rome=v1", "CDS/romeo=v1"});
  books.talk.Ask("CDS", {});
  books.talk.Ack("CDS");
  books.talk.After(absl::Seconds(5));
  books.talk.Commit({"CDS/paris=v2", "CDS/rome=v2", "CDS/romeo=v2"});
  books.talk.Nack("CDS", "1 error: cluster 'rome': lb_policy: unknown");
  EXPECT_EQ(books.Of("CDS"),
            Lines({"held_back rome=v2 runs v1: 3 1 error: cluster 'rome': lb_policy: unknown",
                   "good paris=v2", "good romeo=v2"}));

  // What was rejected before and is named again; what is new is not named.
  books.talk.After(absl::Seconds(5));
  books.talk.Commit({"CDS/paris=v3"});
  books.talk.Nack("CDS", "rome: lb_policy: unknown");
  EXPECT_EQ(books.Counts("CDS"), "2 good, 0 waiting, 1 held back, 0 failed");

  // Nothing is named: all that is new is to blame, and it ran v3 of paris.
  books.talk.After(absl::Seconds(5));
  books.talk.Commit({"CDS/paris=v4"});
  books.talk.Nack("CDS", "parse error");
  EXPECT_EQ(books.Of("CDS", /*with_good=*/false)[0], "held_back paris=v4 runs v3: 3 parse error");
}

TEST(SessionLedger, AnotherResponseDoesNotSettleWhatWasRejected) {
  Books books(Variant::kSotw);
  books.talk.Commit({"EDS/paris=v1", "EDS/rome=v1"});
  books.talk.Ask("EDS", {"paris", "rome"});
  books.talk.Nack("EDS", "rome is bad");
  EXPECT_EQ(books.Of("EDS"), Lines({"failed rome=v1: 3 rome is bad", "good paris=v1"}));
  books.talk.After(absl::Seconds(5));
  books.talk.Commit({"EDS/paris=v2"});
  books.talk.Ack("EDS");
  EXPECT_EQ(books.Of("EDS"), Lines({"failed rome=v1: 3 rome is bad", "good paris=v2"}));
}

TEST(SessionLedger, OfEverythingOnlyWhatChangedIsWaitedFor) {
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    SCOPED_TRACE(variant == Variant::kSotw ? "sotw" : "delta");
    Books books(variant);
    const bool is_sotw = variant == Variant::kSotw;
    const auto answer = [&](std::string why) {
      if (is_sotw) {
        books.talk.Ask("CDS", {}, "-", why);
      } else {
        books.talk.Delta("CDS", {.nonce = books.talk.nonce("CDS"), .why = why});
      }
    };
    books.talk.Commit({"CDS/paris=v1", "CDS/rome=v1", "CDS/oslo=v1"});
    if (is_sotw) {
      books.talk.Ask("CDS", {});
    } else {
      books.talk.Delta("CDS", {});
    }
    EXPECT_EQ(books.Counts("CDS"), "0 good, 3 waiting, 0 held back, 0 failed");
    EXPECT_EQ(books.Of("CDS", false),
              Lines({"waiting oslo=v1", "waiting paris=v1", "waiting rome=v1"}));
    answer("");
    EXPECT_EQ(books.Counts("CDS"), "3 good, 0 waiting, 0 held back, 0 failed");
    books.talk.After(absl::Seconds(5));
    books.talk.Commit({"CDS/rome=v2"});
    EXPECT_EQ(books.Of("CDS", false), Lines({"waiting rome=v2 runs v1"}));
    answer("no");
    EXPECT_EQ(books.Of("CDS", false),
              Lines({"held_back rome=v2 runs v1: " + std::string(is_sotw ? "3 no" : "13 no")}));
    EXPECT_EQ(books.Counts("CDS"), "2 good, 0 waiting, 1 held back, 0 failed");
    // Gone, and so is what was said of it. A new one begins anew.
    books.talk.After(absl::Seconds(5));
    books.talk.Commit({"-CDS/rome"});
    answer("");
    EXPECT_EQ(books.Of("CDS"), Lines({"good oslo=v1", "good paris=v1"}));
    books.talk.After(absl::Seconds(5));
    books.talk.Commit({"CDS/rome=v3"});
    answer("no");
    EXPECT_EQ(books.Counts("CDS"), "2 good, 0 waiting, 0 held back, 1 failed");
    EXPECT_EQ(books.Events(),
              Lines({"nack CDS/rome: no", "deleted CDS/rome", "nack CDS/rome: no"}));
  }
}

TEST(SessionLedger, WhatIsNotSentYetIsWaitedForSinceTheCommit) {
  Books books(Variant::kSotw);
  books.talk.Commit({"CDS/paris=v1"});
  books.talk.Ask("CDS", {});
  books.talk.Ack("CDS");
  books.talk.After(absl::Seconds(5));
  books.talk.Stall();
  books.talk.Commit({"CDS/paris=v2"});
  books.talk.After(absl::Seconds(1));
  const absl::Time committed = books.talk.now();
  books.talk.Commit({"CDS/rome=v1"});
  books.talk.After(absl::Seconds(1));
  EXPECT_EQ(books.Of("CDS"), Lines({"waiting paris=v2 runs v1", "waiting rome=v1"}));
  const std::vector<NameReport> names = books.Report(false).types[0].names;
  EXPECT_EQ(names[0].since, committed - absl::Seconds(1));
  EXPECT_EQ(names[1].since, committed);
}

TEST(SessionLedger, AClientThatAnswersLateRunsWhatItAnsweredLast) {
  Books books(Variant::kSotw);
  books.talk.Commit({"EDS/paris=v1"});
  books.talk.Ask("EDS", {"paris"});
  const std::string first = books.talk.nonce("EDS");
  books.talk.After(absl::Seconds(1));
  books.talk.Commit({"EDS/paris=v2"});
  EXPECT_EQ(books.Of("EDS"), Lines({"waiting paris=v2"}));
  books.talk.Ask("EDS", {"paris"}, first);
  EXPECT_EQ(books.Of("EDS"), Lines({"waiting paris=v2 runs v1"}));
  books.talk.Nack("EDS");
  EXPECT_EQ(books.Of("EDS"), Lines({"held_back paris=v2 runs v1: 3 no good"}));
}

TEST(SessionLedger, RemembersAFewEventsInBoundedWords) {
  Books books(Variant::kSotw);
  books.talk.Commit({"EDS/paris=v0", "EDS/rome=v0"});
  books.talk.Ask("EDS", {"paris", "rome"});
  for (int i = 1; i <= 20; ++i) {
    books.talk.Nack("EDS", absl::StrCat(i, std::string(5000, 'x')));
    books.talk.After(absl::Seconds(5));
    books.talk.Commit({absl::StrCat("EDS/paris=v", i), absl::StrCat("EDS/rome=v", i)});
  }
  const Lines events = books.Events();
  ASSERT_EQ(events.size(), 16u);
  EXPECT_TRUE(absl::StartsWith(events.front(), "nack EDS/paris: 5xxx")) << events.front();
  EXPECT_TRUE(absl::EndsWith(events.back(), "(and 1 more)")) << events.back();
  EXPECT_LT(events.back().size(), 400u);
}

TEST(SessionLedger, AnAckSaysHowLongItTookSinceTheCommit) {
  Books books(Variant::kSotw);
  books.talk.Commit({"CDS/paris=v1"});
  books.talk.Ask("CDS", {});
  books.talk.Ack("CDS");
  EXPECT_EQ(books.talk.since_commit(), std::vector<std::optional<absl::Duration>>({std::nullopt}));
  books.talk.After(absl::Seconds(5));
  books.talk.Commit({"CDS/paris=v2"});
  books.talk.After(absl::Milliseconds(30));
  books.talk.Ack("CDS");
  EXPECT_EQ(books.talk.since_commit().back(), absl::Milliseconds(30));
}

TEST(SessionLedger, ASyncedStreamHoldsNothingForEachName) {
  Books books(Variant::kSotw);
  std::vector<std::string> changes;
  for (int i = 0; i < 1000; ++i) changes.push_back(absl::StrCat("CDS/place-", i, "=v1"));
  books.talk.Commit(changes);
  books.talk.Ask("CDS", {});
  books.talk.Ack("CDS");
  EXPECT_EQ(books.Counts("CDS"), "1000 good, 0 waiting, 0 held back, 0 failed");
  const SessionReport few = books.talk.session().Report({.with_good = true, .most_names = 10});
  EXPECT_EQ(few.types[0].names.size(), 10u);
  EXPECT_EQ(few.types[0].more_names, 990u);
}

TEST(NamesIn, FindsWordsAndQuotedText) {
  const std::set<std::string> known = {"pay", "web", "two words", "outbound|80||pay.default",
                                       "a.b"};
  const auto names = [&](absl::string_view text) {
    const std::set<std::string> found =
        NamesIn(text, [&](absl::string_view word) { return known.contains(std::string(word)); });
    return absl::StrJoin(found, ", ");
  };
  struct Row {
    const char* text;
    const char* names;
  };
  for (const Row& row : {
           Row{"", ""},
           Row{"pay", "pay"},
           Row{"repay paying pay-1", ""},
           Row{"resource index 0: pay: bad", "pay"},
           Row{"errors: [\"web\", 'pay'].", "pay, web"},
           Row{"cluster(s) pay: x, web: y", "pay, web"},
           Row{"\"two words\" are bad", "two words"},
           Row{"two words are bad", ""},
           Row{"outbound|80||pay.default: no", "outbound|80||pay.default"},
           Row{"ends with a.b.", "a.b"},
           Row{"it's 'pay", "pay"},
       }) {
    EXPECT_EQ(names(row.text), row.names) << row.text;
  }
  EXPECT_EQ(names(std::string(20'000, ' ') + "pay"), "");
}

}  // namespace
}  // namespace holdfast

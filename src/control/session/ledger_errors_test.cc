// The same of names that have no resource, and of clients that come back.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "control/session/ledger_books_test.h"

namespace holdfast {
namespace {

TEST(SessionLedgerErrors, ANameThatDoesNotExistHasFailed) {
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    SCOPED_TRACE(variant == Variant::kSotw ? "sotw" : "delta");
    Books books(variant);
    if (variant == Variant::kSotw) {
      books.talk.Ask("CDS", {"rome"});
    } else {
      books.talk.Delta("CDS", {.sub = {"rome"}});
    }
    EXPECT_EQ(books.Of("CDS"), Lines({absl::StrCat("failed rome", kNoRome)}));
    // R2.30
    EXPECT_EQ(books.Events(),
              Lines({"error CDS/rome: no cluster \"rome\" in the configuration of the control "
                     "plane"}));
    books.talk.After(absl::Seconds(5));
    books.talk.Commit({"CDS/rome=v1"});
    EXPECT_EQ(books.Of("CDS"), Lines({"waiting rome=v1"}));
  }
}

TEST(SessionLedgerErrors, ADeletedResourceHasFailed) {
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    SCOPED_TRACE(variant == Variant::kSotw ? "sotw" : "delta");
    Books books(variant);
    books.talk.Commit({"CDS/rome=v1"});
    if (variant == Variant::kSotw) {
      books.talk.Ask("CDS", {"rome"});
      books.talk.Ack("CDS");
    } else {
      books.talk.Delta("CDS", {.sub = {"rome"}});
      books.talk.Delta("CDS", {.nonce = books.talk.nonce("CDS")});
    }
    books.talk.After(absl::Seconds(5));
    books.talk.Commit({"-CDS/rome"});
    EXPECT_EQ(books.Of("CDS"), Lines({absl::StrCat("failed rome", kNoRome)}));
    EXPECT_EQ(books.Events(), Lines({"deleted CDS/rome"}));
  }
}

TEST(SessionLedgerErrors, AnErrorThatPassesLeavesWhatTheClientRuns) {
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    SCOPED_TRACE(variant == Variant::kSotw ? "sotw" : "delta");
    Books books(variant);
    const bool is_sotw = variant == Variant::kSotw;
    const auto answer = [&] {
      if (is_sotw) {
        books.talk.Ack("EDS");
      } else {
        books.talk.Delta("EDS", {.nonce = books.talk.nonce("EDS")});
      }
    };
    books.talk.Commit({"EDS/rome=v1"});
    if (is_sotw) {
      books.talk.Ask("EDS", {"rome"});
    } else {
      books.talk.Delta("EDS", {.sub = {"rome"}});
    }
    answer();
    books.talk.After(absl::Seconds(5));
    books.talk.Commit({"-EDS/rome", "EDS/rome!14"});
    EXPECT_EQ(books.Of("EDS"), Lines({"held_back rome runs v1: 14 as configured"}));
    EXPECT_EQ(books.talk.session().held_back().resources, 1u);
    answer();
    books.talk.After(absl::Seconds(5));
    books.talk.Commit({"EDS/rome=v2", "EDS/rome!"});
    EXPECT_EQ(books.Of("EDS"), Lines({"waiting rome=v2 runs v1"}));
    answer();
    EXPECT_EQ(books.Of("EDS"), Lines({"good rome=v2"}));
    EXPECT_EQ(books.talk.session().held_back(), HeldBack());
  }
}

TEST(SessionLedgerErrors, WhoeverGetsNoAnswerWaits) {
  Books books(Variant::kSotw, {.tp3 = Tp3Mode::kOff});
  books.talk.Commit({"CDS/paris=v1"});
  const absl::Time asked = books.talk.now();
  books.talk.Ask("EDS", {"rome"});
  books.talk.Ask("CDS", {"rome"});
  books.talk.After(absl::Seconds(30));
  EXPECT_EQ(books.Of("EDS"), Lines({"waiting rome"}));
  // The list of clusters that it got has no such one.
  EXPECT_EQ(books.Of("CDS"),
            Lines({"failed rome: 5 no cluster \"rome\" in the configuration of the "
                   "control plane"}));
  for (const TypeReport& type : books.Report(false).types) {
    EXPECT_EQ(type.names[0].since, asked);
  }
}

TEST(SessionLedgerErrors, BeforeTheSourceIsReadClientsWait) {
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    SCOPED_TRACE(variant == Variant::kSotw ? "sotw" : "delta");
    Books books(variant, {}, /*is_synced=*/false);
    if (variant == Variant::kSotw) {
      books.talk.Ask("CDS", {"rome"});
    } else {
      books.talk.Delta("CDS", {.sub = {"rome"}});
    }
    EXPECT_EQ(books.Of("CDS"), Lines({"waiting rome"}));
    books.talk.After(absl::Seconds(3));
    EXPECT_EQ(books.Of("CDS"), Lines({"failed rome: 14 cluster \"rome\": the control plane has not "
                                      "read its configuration yet"}));
  }
}

TEST(SessionLedgerErrors, WhatAReturningDeltaClientHasIsGood) {
  Books books(Variant::kDelta);
  books.talk.Commit({"CDS/paris=v1", "CDS/rome=v1", "EDS/paris=v1", "EDS/rome=v1"});
  // R1.65
  books.talk.Delta(
      "CDS",
      {.sub = {"*"}, .initial = {{"paris", books.talk.VersionOf("CDS/paris")}, {"rome", "41"}}});
  EXPECT_EQ(books.Of("CDS"), Lines({"waiting rome=v1 runs 41", "good paris=v1"}));
  books.talk.Delta("CDS", {.nonce = books.talk.nonce("CDS"), .why = "no"});
  EXPECT_EQ(books.Of("CDS"), Lines({"held_back rome=v1 runs 41: 13 no", "good paris=v1"}));

  books.talk.Delta("EDS", {.sub = {"paris"}, .initial = {{"paris", "40"}}});
  EXPECT_EQ(books.Of("EDS"), Lines({"waiting paris=v1 runs 40"}));
  books.talk.Delta("EDS", {.nonce = books.talk.nonce("EDS")});
  EXPECT_EQ(books.Of("EDS"), Lines({"good paris=v1"}));
}

TEST(SessionLedgerErrors, AReturningSotwClientRunsWhatItCameWith) {
  Books books(Variant::kSotw);
  books.talk.Commit({"CDS/paris=v1"});
  books.talk.Ask("CDS", {"paris"}, "", "", "41");
  books.talk.Nack("CDS");
  EXPECT_EQ(books.Of("CDS"), Lines({"held_back paris=v1 runs 41: 3 no good"}));
}

TEST(SessionLedgerErrors, WhatIsNoLongerAskedForIsForgotten) {
  Books books(Variant::kSotw);
  books.talk.Commit({"CDS/paris=v1"});
  books.talk.Ask("CDS", {"paris", "rome"});
  books.talk.Nack("CDS");
  EXPECT_EQ(books.Counts("CDS"), "0 good, 0 waiting, 0 held back, 2 failed");
  books.talk.Ask("CDS", {"rome"});
  EXPECT_EQ(books.Of("CDS"), Lines({absl::StrCat("failed rome", kNoRome)}));
}

}  // namespace
}  // namespace holdfast

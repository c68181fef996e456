// What a client says late, or says a lot of: the ledger keeps what was said afterwards, and bounds.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "control/session/ledger_books_test.h"

namespace holdfast {
namespace {

TEST(SessionLedgerLateAnswers, ANackOfWhatWasDeletedSinceLeavesTheError) {
  Books books(Variant::kSotw);
  books.talk.Commit({"CDS/rome=v1"});
  books.talk.Ask("CDS", {"rome"});
  const std::string first = books.talk.nonce("CDS");
  books.talk.After(absl::Seconds(5));
  books.talk.Commit({"-CDS/rome"});
  EXPECT_EQ(books.Of("CDS"), Lines({absl::StrCat("failed rome", kNoRome)}));
  books.talk.Ask("CDS", {"rome"}, first, "no good");
  EXPECT_EQ(books.Of("CDS"), Lines({absl::StrCat("failed rome", kNoRome)}));
  books.talk.Ack("CDS");
  EXPECT_EQ(books.Of("CDS"), Lines({absl::StrCat("failed rome", kNoRome)}));
  EXPECT_EQ(books.talk.session().held_back(), HeldBack());
}

TEST(SessionLedgerLateAnswers, ANackOfWhatEverythingLostSinceHoldsNothingBack) {
  Books books(Variant::kDelta);
  books.talk.Commit({"CDS/oslo=v1", "CDS/rome=v1"});
  books.talk.Delta("CDS", {});
  books.talk.Delta("CDS", {.nonce = books.talk.nonce("CDS")});
  books.talk.After(absl::Seconds(5));
  books.talk.Commit({"CDS/rome=v2"});
  const std::string second = books.talk.nonce("CDS");
  books.talk.After(absl::Seconds(5));
  books.talk.Commit({"-CDS/rome"});
  books.talk.Delta("CDS", {.nonce = second, .why = "no good"});
  EXPECT_EQ(books.Of("CDS"), Lines({"good oslo=v1"}));
  EXPECT_EQ(books.talk.session().held_back(), HeldBack());
}

TEST(SessionLedgerLateAnswers, ANackOfWhatIsNoLongerAskedForLeavesNothing) {
  Books books(Variant::kDelta);
  books.talk.Commit({"EDS/oslo=v1", "EDS/rome=v1"});
  books.talk.Delta("EDS", {.sub = {"oslo", "rome"}});
  books.talk.Delta("EDS", {.nonce = books.talk.nonce("EDS")});
  books.talk.After(absl::Seconds(5));
  books.talk.Commit({"EDS/rome=v2"});
  const std::string second = books.talk.nonce("EDS");
  books.talk.Delta("EDS", {.unsub = {"rome"}});
  books.talk.Delta("EDS", {.nonce = second, .why = "no good"});
  EXPECT_EQ(books.Of("EDS"), Lines({"good oslo=v1"}));
  EXPECT_EQ(books.talk.session().held_back(), HeldBack());
}

TEST(SessionLedgerLateAnswers, WhatIsServedAgainAndNotSentYetIsWaitedFor) {
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    SCOPED_TRACE(variant == Variant::kSotw ? "sotw" : "delta");
    Books books(variant);
    if (variant == Variant::kSotw) {
      books.talk.Ask("CDS", {"rome"});
    } else {
      books.talk.Delta("CDS", {.sub = {"rome"}});
    }
    EXPECT_EQ(books.Of("CDS"), Lines({absl::StrCat("failed rome", kNoRome)}));
    books.talk.After(absl::Seconds(5));
    // It is busy with another response, and does not read.
    books.talk.Stall();
    books.talk.Commit({"EDS/oslo=v1"});
    if (variant == Variant::kSotw) {
      books.talk.Ask("EDS", {"oslo"});
    } else {
      books.talk.Delta("EDS", {.sub = {"oslo"}});
    }
    const absl::Time committed = books.talk.now();
    books.talk.Commit({"CDS/rome=v1"});
    books.talk.After(absl::Seconds(5));
    EXPECT_EQ(books.Of("CDS"), Lines({"waiting rome=v1"}));
    for (const TypeReport& type : books.Report(false).types) {
      if (type.type == LongType("CDS")) {
        EXPECT_EQ(type.names[0].since, committed);
      }
    }
    books.talk.Resume();
    EXPECT_EQ(books.Of("CDS"), Lines({"waiting rome=v1"}));
  }
}

TEST(SessionLedgerLateAnswers, WhatWasRejectedAndDeletedWithoutAWordIsWaitedFor) {
  Books books(Variant::kSotw, {.tp3 = Tp3Mode::kOff});
  books.talk.Commit({"EDS/rome=v1"});
  books.talk.Ask("EDS", {"rome"});
  books.talk.Ack("EDS");
  books.talk.After(absl::Seconds(5));
  books.talk.Commit({"EDS/rome=v2"});
  books.talk.Nack("EDS");
  EXPECT_EQ(books.Of("EDS"), Lines({"held_back rome=v2 runs v1: 3 no good"}));
  books.talk.After(absl::Seconds(5));
  books.talk.Commit({"-EDS/rome"});
  EXPECT_EQ(books.Of("EDS"), Lines({"waiting rome runs v1"}));
  EXPECT_EQ(books.talk.session().held_back(), HeldBack());
  // It is not sent again what it said no to.
  books.talk.After(absl::Seconds(5));
  EXPECT_EQ(books.talk.Commit({"EDS/rome=v2"}), Said({}));
  books.talk.After(absl::Seconds(5));
  EXPECT_EQ(books.Of("EDS"), Lines({"held_back rome=v2 runs v1: 3 no good"}));
  books.talk.Commit({"EDS/rome=v3"});
  books.talk.Ack("EDS");
  EXPECT_EQ(books.Of("EDS"), Lines({"good rome=v3"}));
}

TEST(SessionLedgerLateAnswers, WhatWasDeletedWithoutAWordAndComesBackIsGood) {
  Books books(Variant::kSotw, {.tp3 = Tp3Mode::kOff});
  books.talk.Commit({"EDS/rome=v1"});
  books.talk.Ask("EDS", {"rome"});
  books.talk.Ack("EDS");
  books.talk.After(absl::Seconds(5));
  books.talk.Commit({"-EDS/rome"});
  EXPECT_EQ(books.Of("EDS"), Lines({"waiting rome runs v1"}));
  books.talk.After(absl::Seconds(5));
  EXPECT_EQ(books.talk.Commit({"EDS/rome=v1"}), Said({}));
  EXPECT_EQ(books.Of("EDS"), Lines({"good rome=v1"}));
}

TEST(SessionLedgerBounds, AVersionThatAClientCameWithIsBoundedAndThereOnce) {
  Books books(Variant::kSotw);
  books.talk.Commit({"EDS/oslo=v1", "EDS/rome=v1"});
  books.talk.Ask("EDS", {"oslo", "rome"}, "", "", std::string(100'000, 'x'));
  books.talk.Nack("EDS");
  const std::vector<NameReport> names = books.Report(false).types[0].names;
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names[0].runs->version, absl::StrCat(std::string(256, 'x'), "… (100000 bytes in all)"));
  EXPECT_EQ(names[0].runs, names[1].runs);
}

TEST(SessionLedgerBounds, VersionsOfNamesThatAClientCameWithAreBounded) {
  Books books(Variant::kDelta);
  books.talk.Commit({"EDS/rome=v1"});
  books.talk.Delta("EDS", {.sub = {"rome"}, .initial = {{"rome", std::string(100'000, 'x')}}});
  EXPECT_EQ(books.Of("EDS"), Lines({absl::StrCat("waiting rome=v1 runs ", std::string(256, 'x'),
                                                 "… (100000 bytes in all)")}));
}

// All of it, where few are rejected; where many are, their words do not add up.
TEST(SessionLedgerBounds, WhatAClientSaysIsBounded) {
  const std::string long_text(10'000, 'x');
  for (const size_t rejected : {8u, 9u}) {
    Books books(Variant::kSotw);
    std::vector<std::string> changes;
    std::vector<std::string> names;
    for (size_t i = 0; i < rejected; ++i) {
      names.push_back(absl::StrCat("place-", i));
      changes.push_back(absl::StrCat("EDS/", names.back(), "=v1"));
    }
    books.talk.Commit(changes);
    books.talk.Ask("EDS", names);
    books.talk.Nack("EDS", long_text);
    const std::string kept(rejected == 8 ? 8192 : 1000, 'x');
    const std::vector<NameReport> reported = books.Report(false).types[0].names;
    ASSERT_EQ(reported.size(), rejected);
    for (const NameReport& name : reported) {
      EXPECT_EQ(name.error->message, kept + "… (10000 bytes in all)");
    }
  }
}

TEST(SessionLedgerBounds, WhatAClientSaysOneByOneIsBounded) {
  Books books(Variant::kDelta);
  size_t bytes = 0;
  for (int i = 0; i < 40; ++i) {
    const std::string name = absl::StrCat("place-", i);
    books.talk.After(absl::Seconds(5));
    books.talk.Commit({absl::StrCat("EDS/", name, "=v1")});
    books.talk.Delta("EDS", {.sub = {name}});
    books.talk.Delta("EDS", {.nonce = absl::StrCat(i + 1), .why = std::string(8192, 'x')});
  }
  const std::vector<NameReport> names = books.Report(false).types[0].names;
  ASSERT_EQ(names.size(), 40u);
  for (const NameReport& name : names) bytes += name.error->message.size();
  EXPECT_GE(bytes, 16u * 8192u);
  EXPECT_LE(bytes, 17u * 8192u + 23u * 1100u);
}

// Each step that walked all the names would make this take minutes.
TEST(SessionLedgerBounds, ManyNamesComeAndGo) {
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    SCOPED_TRACE(variant == Variant::kSotw ? "sotw" : "delta");
    Books books(variant);
    std::vector<std::string> names;
    for (int i = 0; i < 50'000; ++i) names.push_back(absl::StrCat("place-", i));
    if (variant == Variant::kSotw) {
      books.talk.Ask("EDS", names);
    } else {
      books.talk.Delta("EDS", {.sub = names});
    }
    EXPECT_EQ(books.Counts("EDS"), "0 good, 0 waiting, 0 held back, 50000 failed");
    const std::string last = names.back();
    names.pop_back();
    if (variant == Variant::kSotw) {
      books.talk.Ask("EDS", {last});
    } else {
      books.talk.Delta("EDS", {.unsub = names});
    }
    EXPECT_EQ(books.Counts("EDS"), "0 good, 0 waiting, 0 held back, 1 failed");
  }
}

TEST(SessionLedgerBounds, TheOldestThatIsHeldBackIsKnownWhateverGoes) {
  Books books(Variant::kDelta);
  const auto commit = [&](const std::string& change) {
    books.talk.After(absl::Seconds(5));
    books.talk.Commit({change});
  };
  const auto answer = [&](std::string why) {
    books.talk.Delta("EDS", {.nonce = books.talk.nonce("EDS"), .why = std::move(why)});
    return books.talk.now();
  };
  books.talk.Commit({"EDS/oslo=v1", "EDS/paris=v1", "EDS/rome=v1"});
  books.talk.Delta("EDS", {.sub = {"oslo", "paris", "rome"}});
  answer("");
  commit("EDS/oslo=v2");
  const absl::Time oslo = answer("no");
  commit("EDS/paris=v2");
  const absl::Time paris = answer("no");
  commit("EDS/rome=v2");
  const absl::Time rome = answer("no");
  EXPECT_EQ(books.talk.session().held_back(), (HeldBack{3, oslo}));
  commit("EDS/paris=v3");
  answer("");
  EXPECT_EQ(books.talk.session().held_back(), (HeldBack{2, oslo}));
  books.talk.Delta("EDS", {.unsub = {"oslo"}});
  EXPECT_EQ(books.talk.session().held_back(), (HeldBack{1, rome}));
  EXPECT_LT(paris, rome);
  commit("EDS/rome=v1");
  EXPECT_EQ(books.talk.session().held_back(), HeldBack());
}

}  // namespace
}  // namespace holdfast

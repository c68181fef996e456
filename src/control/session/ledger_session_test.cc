// What a session reports of its client, told as stories: what was sent, what the client answered,
// and in which state each resource is then.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "control/session/session_conversation_test.h"

namespace holdfast {
namespace {

// "good pay=v2" runs what is served; "held_back pay=v2 runs v1: why"; "failed pay: why". Versions
// are shown by what is in the resource.
class Books {
 public:
  explicit Books(Variant variant, SessionOptions options = {}, bool is_synced = true)
      : talk(variant, options, is_synced) {}

  using Lines = std::vector<std::string>;
  Lines Of(absl::string_view type, bool with_good = true) {
    Lines lines;
    for (const TypeReport& one : Report(with_good).types) {
      if (one.type != LongType(type)) continue;
      for (const NameReport& name : one.names) lines.push_back(LineOf(one.type, name));
      EXPECT_EQ(one.more_names, 0u);
      CheckCounts(one);
    }
    return lines;
  }
  std::string Counts(absl::string_view type) {
    for (const TypeReport& one : Report(false).types) {
      if (one.type != LongType(type)) continue;
      return absl::StrCat(one.counts.good, " good, ", one.counts.waiting, " waiting, ",
                          one.counts.held_back, " held back, ", one.counts.failed, " failed");
    }
    return "not asked for";
  }
  Lines Events() {
    Lines lines;
    for (const LedgerEvent& event : Report(false).events) {
      lines.push_back(absl::StrCat(NameOfKind(event.kind), " ", ShortType(event.type), "/",
                                   event.name, event.message.empty() ? "" : ": ", event.message));
    }
    return lines;
  }
  SessionReport Report(bool with_good) { return talk.session().Report({.with_good = with_good}); }

  Talk talk;

 private:
  static std::string NameOfKind(ClientEvent::Kind kind) {
    constexpr const char* kNames[] = {"connected", "nack", "ack_after_nack", "error", "deleted"};
    return kNames[static_cast<int>(kind)];
  }
  std::string LineOf(const std::string& type, const NameReport& name) const {
    constexpr const char* kNames[] = {"good", "waiting", "held_back", "failed"};
    std::string line = absl::StrCat(kNames[static_cast<int>(name.state)], " ", name.name);
    const ResourcePtr* const served = talk.view().Of(type)->Find(name.name);
    EXPECT_EQ(name.version, served == nullptr ? "" : (*served)->version());
    if (served != nullptr) absl::StrAppend(&line, "=", (*served)->body());
    if (name.state != DeliveryState::kGood && name.runs != nullptr) {
      absl::StrAppend(&line, " runs ",
                      name.runs->resource == nullptr ? name.runs->version
                                                     : std::string(name.runs->resource->body()));
    }
    if (name.state == DeliveryState::kGood) {
      EXPECT_EQ(name.runs == nullptr ? "nothing" : name.runs->version, name.version);
    }
    if (name.error.has_value()) {
      absl::StrAppend(&line, ": ", name.error->code, " ", name.error->message);
    }
    return line;
  }
  static void CheckCounts(const TypeReport& type) {
    DeliveryCounts counts;
    for (const NameReport& name : type.names) {
      counts.waiting += name.state == DeliveryState::kWaiting ? 1 : 0;
      counts.held_back += name.state == DeliveryState::kHeldBack ? 1 : 0;
      counts.failed += name.state == DeliveryState::kFailed ? 1 : 0;
    }
    EXPECT_EQ(type.counts.waiting, counts.waiting);
    EXPECT_EQ(type.counts.held_back, counts.held_back);
    EXPECT_EQ(type.counts.failed, counts.failed);
  }
};

using Lines = Books::Lines;

constexpr char kNoRome[] = ": 5 no cluster \"rome\" in the configuration of the control plane";

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

TEST(SessionLedger, ANameThatDoesNotExistHasFailed) {
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

TEST(SessionLedger, ADeletedResourceHasFailed) {
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

TEST(SessionLedger, AnErrorThatPassesLeavesWhatTheClientRuns) {
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

TEST(SessionLedger, WhoeverGetsNoAnswerWaits) {
  Books books(Variant::kSotw, {.tp3 = Tp3Mode::kOff});
  books.talk.Commit({"CDS/paris=v1"});
  const absl::Time asked = books.talk.now();
  books.talk.Ask("EDS", {"rome"});
  books.talk.Ask("CDS", {"rome"});
  books.talk.After(absl::Seconds(30));
  EXPECT_EQ(books.Of("EDS"), Lines({"waiting rome"}));
  EXPECT_EQ(books.Of("CDS"), Lines({"waiting rome"}));
  for (const TypeReport& type : books.Report(false).types) {
    EXPECT_EQ(type.names[0].since, asked);
  }
}

TEST(SessionLedger, BeforeTheSourceIsReadClientsWait) {
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

TEST(SessionLedger, WhatAReturningDeltaClientHasIsGood) {
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

TEST(SessionLedger, AReturningSotwClientRunsWhatItCameWith) {
  Books books(Variant::kSotw);
  books.talk.Commit({"CDS/paris=v1"});
  books.talk.Ask("CDS", {"paris"}, "", "", "41");
  books.talk.Nack("CDS");
  EXPECT_EQ(books.Of("CDS"), Lines({"held_back paris=v1 runs 41: 3 no good"}));
}

TEST(SessionLedger, WhatIsNoLongerAskedForIsForgotten) {
  Books books(Variant::kSotw);
  books.talk.Commit({"CDS/paris=v1"});
  books.talk.Ask("CDS", {"paris", "rome"});
  books.talk.Nack("CDS");
  EXPECT_EQ(books.Counts("CDS"), "0 good, 0 waiting, 0 held back, 2 failed");
  books.talk.Ask("CDS", {"rome"});
  EXPECT_EQ(books.Of("CDS"), Lines({absl::StrCat("failed rome", kNoRome)}));
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

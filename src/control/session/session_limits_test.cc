// What a client cannot do to us, and TTLs.
#include <gtest/gtest.h>

#include "control/session/response_planner.h"
#include "control/session/session_conversation_test.h"

namespace holdfast {
namespace {

std::vector<std::string> Cities(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(absl::StrCat("city-", i));
  return names;
}

TEST(SessionLimits, AsManyNamesAsAllowedAreAnswered) {
  Talk talk(Variant::kSotw);
  std::vector<std::string> names = Cities(50'000);
  talk.Commit({"EDS/city-7=v1"});
  EXPECT_EQ(talk.Ask("EDS", names).size(), 1u);
  EXPECT_EQ(talk.responses()[0].resources.size(), 1u);
  EXPECT_EQ(talk.responses()[0].errors.size(), 49'999u);
  EXPECT_EQ(talk.Ack("EDS"), Said({}));
  EXPECT_EQ(talk.Commit({"EDS/city-49999=v1"}), Said({"EDS #2 [city-49999=v1]"}));
}

TEST(SessionLimits, OneMoreEndsTheStreamAndLeavesNothingBehind) {
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    Talk talk(variant, {.most_names = 3});
    const bool is_sotw = variant == Variant::kSotw;
    is_sotw ? talk.Ask("EDS", {"paris"}) : talk.Delta("EDS", {.sub = {"paris"}});
    const std::vector<std::string> four = Cities(4);
    EXPECT_EQ(
        is_sotw ? talk.Ask("EDS", four) : talk.Delta("EDS", {.sub = four, .unsub = {"paris"}}),
        Said({absl::StrCat("end RESOURCE_EXHAUSTED: this stream asks for more than 3 names of "
                           "type ",
                           kEndpointsTypeName, " (--max-names)")}));
    EXPECT_EQ(talk.Count("unfollow EDS paris"), 1);
    EXPECT_EQ(talk.Count("follow EDS city-0"), 0);
    EXPECT_EQ(talk.Commit({"EDS/city-1=v1"}), Said({}));
    talk.Leave();
    EXPECT_EQ(talk.Count("errors EDS -1"), 1);
  }
}

TEST(SessionLimits, NamesThatAreAskedForTwiceCountOnce) {
  Talk talk(Variant::kDelta, {.most_names = 2});
  talk.Commit({"EDS/paris=v1"});
  talk.Delta("EDS", {.sub = {"paris", "paris"}});
  EXPECT_EQ(talk.Delta("EDS", {.sub = {"paris"}}), Said({"EDS #2 [paris=v1]"}));
}

// What was sent of a name may be on its way while the client leaves it: that is remembered.
TEST(SessionLimits, NamesThatWereLeftCountUntilTheClientAnswers) {
  const std::string end = absl::StrCat(
      "end RESOURCE_EXHAUSTED: this stream asks for more than 3 names of type ", kClusterTypeName,
      " (--max-names); those it has left count until it answers what it was sent");
  for (const bool has_everything : {false, true}) {
    for (const bool answers : {false, true}) {
      Talk talk(Variant::kDelta, {.most_names = 3});
      talk.Delta("CDS", {.sub = {"city-0"}});
      if (has_everything) {
        talk.Delta("CDS", {.sub = {"*"}});
        if (!answers) talk.Stall();
        talk.Commit({"CDS/rome=v1"});
      }
      Said said;
      for (int i = 1; i <= 10 && said != Said({end}); ++i) {
        said = talk.Delta("CDS", {.sub = {absl::StrCat("city-", i)},
                                  .unsub = {absl::StrCat("city-", i - 1)},
                                  .nonce = answers ? talk.responses().back().nonce : ""});
      }
      EXPECT_EQ(said == Said({end}), !answers) << has_everything;
    }
  }
}

TEST(SessionLimits, NamesOfAllTypesTogetherHaveSoManyBytes) {
  const std::string end =
      "end RESOURCE_EXHAUSTED: the names that this stream asks for have 13 bytes, more than 12 (a "
      "limit without an option); ask for fewer on each stream";
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    Talk talk(variant, {.most_name_bytes = 12});
    const bool is_sotw = variant == Variant::kSotw;
    const auto ask = [&](const std::string& type, const std::string& name) {
      return is_sotw ? talk.Ask(type, {name}) : talk.Delta(type, {.sub = {name}});
    };
    ask("CDS", "paris");
    EXPECT_EQ(ask("CDS", "paris").size(),
              is_sotw ? 0u : 1u);  // once, however often it is asked for
    EXPECT_EQ(ask("EDS", "verona!").size(), 1u);
    EXPECT_EQ(ask("RDS", "x"), Said({end}));
    EXPECT_EQ(talk.Count("follow RDS x"), 0);
    talk.Leave();
    EXPECT_EQ(talk.Count("unfollow EDS verona!"), 1);
  }
}

TEST(SessionLimits, BytesOfNamesThatAreLeftAreFree) {
  Talk talk(Variant::kSotw, {.most_name_bytes = 12});
  for (int i = 0; i < 20; ++i) {
    talk.Ask("EDS", {absl::StrCat("place-", i)});
    EXPECT_EQ(talk.Ack("EDS"), Said({})) << i;
  }
}

TEST(SessionLimits, BytesOfNamesThatWereLeftCountUntilTheClientAnswers) {
  for (const bool answers : {false, true}) {
    Talk talk(Variant::kDelta, {.most_name_bytes = 20});
    Said said = talk.Delta("CDS", {.sub = {"city-0"}});
    for (int i = 1; i < 10 && talk.Count("end") == 0; ++i) {
      said = talk.Delta("CDS", {.sub = {absl::StrCat("city-", i)},
                                .unsub = {absl::StrCat("city-", i - 1)},
                                .nonce = answers ? talk.responses().back().nonce : ""});
      if (said == Said({"end RESOURCE_EXHAUSTED: the names that this stream asks for have 24 "
                        "bytes, more than 20 (a limit without an option); ask for fewer on each "
                        "stream"})) {
        break;
      }
    }
    EXPECT_EQ(said.front().substr(0, 4) == "end ", !answers) << said.front();
  }
}

TEST(SessionLimits, TypesAreFew) {
  Talk talk(Variant::kSotw);
  for (int i = 0; i < 100; ++i) talk.Ask(absl::StrCat("acme.Type", i), {"x"});
  EXPECT_EQ(talk.Ask("acme.Type7", {"x"}), Said({}));
  EXPECT_EQ(
      talk.Ask("CDS", {}),
      Said({"end RESOURCE_EXHAUSTED: this stream asks for more than 100 types of resources"}));
}

TEST(SessionLimits, AClientThatAnswersNothingIsRememberedABit) {
  Talk talk(Variant::kDelta);
  talk.Delta("EDS", {.sub = {"paris"}});
  for (int i = 0; i < 100; ++i) {
    talk.After(absl::Seconds(1));
    talk.Commit({absl::StrCat("EDS/paris=v", i)});
  }
  talk.Delta("EDS", {.nonce = "1"});
  EXPECT_EQ(talk.Count("count ack EDS"), 0);
  talk.Delta("EDS", {.nonce = "100"});
  EXPECT_EQ(talk.Count("count ack EDS"), 1);
}

TEST(SessionLimits, ALogLineOfARejectionIsBounded) {
  Talk talk(Variant::kSotw);
  std::vector<std::string> changes;
  for (const std::string& city : Cities(1000)) changes.push_back("CDS/" + city + "=v1");
  talk.Commit(changes);
  talk.Ask("CDS", {});
  const Said said = talk.Nack("CDS", std::string(1'000'000, 'x'));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_LT(said[0].size(), 2000u);
  EXPECT_TRUE(absl::StrContains(said[0],
                                "\"city-0\", \"city-1\", \"city-10\", \"city-100\", "
                                "\"city-101\" and 995 more"))
      << said[0];
}

constexpr char kTtl[] = "xds.config.supports-resource-ttl";
constexpr char kWrapper[] = "xds.config.resource-in-sotw";

TEST(SessionTtl, OnlyClientsThatKnowItAreSentOne) {  // R1.82
  for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
    for (const bool knows : {false, true}) {
      Talk talk(variant);
      if (knows) talk.SetFeatures({"something", kTtl, kWrapper});
      talk.Put(MakeResource("CDS/paris", "v1", absl::Seconds(10)));
      talk.Publish();
      const Said said = variant == Variant::kSotw ? talk.Ask("CDS", {}) : talk.Delta("CDS", {});
      EXPECT_EQ(said, knows ? Said({"CDS #1 [paris=v1]", "wake 5s"}) : Said({"CDS #1 [paris=v1]"}));
      EXPECT_EQ(talk.responses()[0].with_ttl, knows);
    }
  }
}

TEST(SessionTtl, OfFullStateOnlyClientsThatUnwrapItAreSentOne) {  // R1.08, R1.82
  const auto is_sent_one = [](Variant variant, std::vector<std::string> features) {
    Talk talk(variant);
    talk.SetFeatures(std::move(features));
    talk.Put(MakeResource("CDS/paris", "v1", absl::Seconds(10)));
    talk.Publish();
    variant == Variant::kSotw ? talk.Ask("CDS", {}) : talk.Delta("CDS", {});
    return talk.responses()[0].with_ttl;
  };
  EXPECT_FALSE(is_sent_one(Variant::kSotw, {kTtl}));
  EXPECT_TRUE(is_sent_one(Variant::kDelta, {kTtl}));  // there all are in wrappers
  for (const char* const spelling :
       {"xds.config.resource-in-sotw", "xds.config.supports-resource-in-sotw",
        "envoy.config.resource-in-sotw"}) {
    EXPECT_TRUE(is_sent_one(Variant::kSotw, {kTtl, spelling})) << spelling;
    EXPECT_FALSE(is_sent_one(Variant::kSotw, {spelling})) << spelling;
  }
}

TEST(SessionTtl, ItIsRefreshedInTime) {  // R1.82
  const std::string glob = absl::StrCat("xdstp://x/", kClusterTypeName, "/*");
  const std::string member = absl::StrCat("xdstp://x/", kClusterTypeName, "/paris");
  for (const std::string& asked : {member, std::string("*"), glob}) {
    Talk talk(Variant::kDelta);
    talk.SetFeatures({kTtl, kWrapper});
    talk.Put(MakeResource("CDS/" + member, "v1", absl::Seconds(10)));
    talk.Put(MakeResource("CDS/other", "v1"));
    talk.Publish();
    talk.Delta("CDS", {.sub = {asked}});
    for (int i = 1; i <= 3; ++i) {
      EXPECT_EQ(talk.After(absl::Seconds(5)),
                Said({absl::StrCat("CDS #", i + 1, " [", member, "=v1]"),
                      absl::StrCat("wake ", 5 + 5 * i, "s")}))
          << asked;
    }
    // Without one nothing is to be refreshed.
    talk.Publish({"CDS/" + member + "=v2"});
    talk.After(absl::Seconds(5));
    EXPECT_EQ(talk.After(absl::Hours(1)), Said({})) << asked;
  }
}

TEST(SessionTtl, WhatNobodyAsksForIsNotRefreshed) {  // R1.82
  const std::string glob = absl::StrCat("xdstp://x/", kClusterTypeName, "/*");
  const std::string member = absl::StrCat("xdstp://x/", kClusterTypeName, "/paris");
  for (const std::string& asked : {member, std::string("*"), glob}) {
    Talk talk(Variant::kDelta);
    talk.SetFeatures({kTtl, kWrapper});
    talk.Put(MakeResource("CDS/" + member, "v1", absl::Seconds(10)));
    talk.Publish();
    talk.Delta("CDS", {.sub = {asked}});
    talk.Delta("CDS", {.unsub = {asked}});
    EXPECT_EQ(talk.After(absl::Seconds(20)), Said({})) << asked;
  }
}

TEST(SessionTtl, WhatIsGoneIsForgotten) {
  const View nothing{.id = 1, .is_synced = true};
  const SessionOptions options;
  TypeState type{std::string(kClusterTypeName)};
  type.names.try_emplace("paris");
  type.is_wildcard = true;
  type.to_refresh = type.to_check = {"paris", "rome"};
  PlanDelta({.options = options, .view = nothing, .now = absl::UnixEpoch()}, type);
  EXPECT_TRUE(type.to_refresh.empty());
}

TEST(SessionTtl, FullStateIsRefreshedWhole) {  // R1.82
  Talk talk(Variant::kSotw);
  talk.SetFeatures({kTtl, kWrapper});
  talk.Put(MakeResource("LDS/front", "v1", absl::Seconds(10)));
  talk.Put(MakeResource("LDS/back", "v1"));
  talk.Publish();
  talk.Ask("LDS", {"front", "back"});
  EXPECT_EQ(talk.After(absl::Seconds(5)), Said({"LDS #2 [back=v1 front=v1]", "wake 10s"}));
}

// The client runs what it took before, and that must not run out.
TEST(SessionTtl, InPlaceOfWhatWasRejectedWhatTheClientRunsIsRefreshed) {  // R1.82
  for (const std::string type : {"EDS", "LDS"}) {
    for (const std::string asked : {"front", "*"}) {
      if (type == "EDS" && asked == "*") continue;
      for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
        const bool is_sotw = variant == Variant::kSotw;
        Talk talk(variant);
        talk.SetFeatures({kTtl, kWrapper});
        const auto answer = [&](const std::string& why) {
          if (is_sotw) {
            why.empty() ? talk.Ack(type) : talk.Nack(type, why);
          } else {
            talk.Delta(type, {.nonce = talk.nonce(type), .why = why});
          }
        };
        // Whether the bad one has a TTL is all the same.
        for (const auto& ttl :
             {std::optional(absl::Seconds(10)), std::optional<absl::Duration>()}) {
          talk.Put(MakeResource(type + "/front", "v1", absl::Seconds(10)));
          talk.Publish();
          if (talk.responses().empty()) {
            is_sotw ? talk.Ask(type, {asked}) : talk.Delta(type, {.sub = {asked}});
          }
          talk.After(absl::Seconds(1));
          answer("");
          talk.Put(MakeResource(type + "/front", "bad", ttl));
          talk.Publish();
          talk.After(absl::Seconds(1));
          EXPECT_EQ(talk.responses().back().resources.size() +
                        (talk.responses().back().all == nullptr ? 0 : 1),
                    1u);
          answer("no good");
          for (int i = 0; i < 3; ++i) {
            const size_t before = talk.responses().size();
            talk.After(absl::Seconds(5));
            ASSERT_EQ(talk.responses().size(), before + 1) << type << asked << is_sotw << i;
            const std::vector<ResourcePtr> sent = ResourcesIn(talk.responses().back());
            ASSERT_EQ(sent.size(), 1u);
            EXPECT_EQ(sent[0]->body(), "v1") << type << asked << is_sotw;
            answer("");
            const SessionReport report = talk.session().Report({.with_good = true});
            ASSERT_EQ(report.types[0].names.size(), 1u);
            EXPECT_EQ(report.types[0].names[0].state, DeliveryState::kHeldBack);
          }
        }
      }
    }
  }
}

TEST(SessionTtl, WhatWasRejectedAndHasNothingBeforeItIsNotRefreshed) {
  for (const std::string type : {"EDS", "LDS"}) {
    for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
      const bool is_sotw = variant == Variant::kSotw;
      Talk talk(variant);
      talk.SetFeatures({kTtl, kWrapper});
      talk.Put(MakeResource(type + "/front", "bad", absl::Seconds(10)));
      talk.Publish();
      is_sotw ? talk.Ask(type, {"front"}) : talk.Delta(type, {.sub = {"front"}});
      is_sotw ? talk.Nack(type) : talk.Delta(type, {.nonce = "1", .why = "no good"});
      EXPECT_EQ(talk.After(absl::Hours(1)), Said({})) << type;
      // Another version is sent, and refreshed.
      talk.Put(MakeResource(type + "/front", "v2", absl::Seconds(10)));
      EXPECT_EQ(talk.Publish().front(), type + " #2 [front=v2]");
      EXPECT_EQ(talk.After(absl::Seconds(5)).front(), type + " #3 [front=v2]");
    }
  }
}

// A full state has more in it, and what is left out of it is deleted.
TEST(SessionTtl, WhatIsGoodBesideWhatWasRejectedIsRefreshed) {  // R1.41, R1.82
  Talk talk(Variant::kSotw);
  talk.SetFeatures({kTtl, kWrapper});
  talk.Put(MakeResource("LDS/back", "v1", absl::Seconds(10)));
  talk.Put(MakeResource("LDS/front", "v1"));
  talk.Publish();
  talk.Ask("LDS", {"back", "front"});
  talk.Ack("LDS");
  talk.Put(MakeResource("LDS/front", "bad"));
  talk.Put(MakeResource("LDS/side", "v1"));
  talk.Publish();
  talk.Nack("LDS");
  EXPECT_EQ(talk.After(absl::Seconds(5)).front(), "LDS #3 [back=v1 front=v1]");
  EXPECT_NE(talk.responses()[2].version, talk.responses()[1].version);
  talk.Ack("LDS");
  // Whoever asks anew is answered with what is served.
  EXPECT_EQ(talk.Ask("LDS", {"back", "front", "side"}).front(),
            "LDS #4 [back=v1 front=bad side=v1]");
}

TEST(SessionTtl, AZeroOneIsNoBusyLoop) {
  Talk talk(Variant::kSotw);
  talk.SetFeatures({kTtl, kWrapper});
  talk.Put(MakeResource("EDS/paris", "v1", absl::ZeroDuration()));
  talk.Publish();
  talk.Ask("EDS", {"paris"});
  talk.After(absl::Seconds(1));
  EXPECT_LE(talk.responses().size(), 11u);
}

}  // namespace
}  // namespace holdfast

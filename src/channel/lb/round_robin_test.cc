// Clusters whose endpoints take turns.
#include "channel/lb/lb_conversation_test.h"

namespace holdfast {
namespace {

TEST(RoundRobin, ConnectsToAllEndpointsAtOnceAndUsesThoseThatAreReady) {
  LbConversation talk;
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.1", "::1"})),
            Lines({"CreateSubchannel #1 ipv4:10.0.0.1:443", "ConnectSubchannel #1",
                   "CreateSubchannel #2 ipv6:[::1]:443", "ConnectSubchannel #2",
                   "StartLbTimer #1 10s", "PublishPicker CONNECTING queue"}));
  EXPECT_EQ(talk.Pick(), "queue");
  EXPECT_EQ(talk.Connecting(1), Lines());
  EXPECT_EQ(talk.Connecting(2), Lines());
  EXPECT_EQ(talk.Ready(2), Lines({"CancelLbTimer #1", "PublishPicker READY round_robin(#2)"}));
  EXPECT_EQ(talk.Pick(), "#2");
  EXPECT_EQ(talk.Ready(1), Lines({"PublishPicker READY round_robin(#1, #2)"}));
  const std::string first = talk.Pick();
  const std::string second = talk.Pick();
  EXPECT_NE(first, second);
  EXPECT_EQ(talk.Pick(), first);
  EXPECT_EQ(talk.Pick(), second);
}

TEST(RoundRobin, ReconnectsWhatBreaks) {
  LbConversation talk;
  talk.Config(PayAt({"10.0.0.1", "10.0.0.2"}));
  talk.Ready(1);
  talk.Ready(2);
  EXPECT_EQ(talk.Idle(1), Lines({"ConnectSubchannel #1", "PublishPicker READY round_robin(#2)"}));
  EXPECT_EQ(talk.Connecting(1), Lines());
  EXPECT_EQ(talk.Fail(1), Lines());
  EXPECT_EQ(talk.Ready(1), Lines({"PublishPicker READY round_robin(#1, #2)"}));
}

TEST(RoundRobin, FailsOnlyWhenEveryEndpointFailsWithTheLastErrorAndTheNote) {
  // R11.34, R14.16
  LbConversation talk;
  talk.Config(PayAt({"10.0.0.1", "10.0.0.2"}));
  EXPECT_EQ(talk.Fail(2, "No route to host"), Lines());
  EXPECT_EQ(talk.Fail(1),
            Lines({"CancelLbTimer #1", Failing("no endpoint can be reached; last error: "
                                               "ipv4:10.0.0.1:443: Connection refused")}));
  EXPECT_EQ(talk.Pick(),
            "fail UNAVAILABLE: cluster \"pay\": no endpoint can be reached; last error: "
            "ipv4:10.0.0.1:443: Connection refused (node \"web-1\")");
  // Trying again and failing in the same way is no news; in another way it is.
  EXPECT_EQ(talk.Connecting(1), Lines());
  EXPECT_EQ(talk.Fail(1), Lines());
  EXPECT_EQ(
      talk.Fail(2, "to ipv4:10.0.0.2:443: reset"),
      Lines({Failing("no endpoint can be reached; last error: to ipv4:10.0.0.2:443: reset")}));
  EXPECT_EQ(talk.Ready(1), Lines({"PublishPicker READY round_robin(#1)"}));
}

TEST(RoundRobin, QuotesANewNoteAtOnceButOnlyInFailures) {
  // R11.34
  LbConversation talk;
  LbLeaf leaf = PayAt({"10.0.0.1"});
  talk.Config(leaf);
  leaf.note = "xds server \"cp:18000\" cannot be reached";
  EXPECT_EQ(talk.Config(leaf), Lines());
  EXPECT_EQ(talk.Fail(1),
            Lines({"CancelLbTimer #1",
                   "PublishPicker TRANSIENT_FAILURE fail(UNAVAILABLE: cluster \"pay\": no endpoint "
                   "can be reached; last error: ipv4:10.0.0.1:443: Connection refused (xds server "
                   "\"cp:18000\" cannot be reached))"}));
  leaf.note = "";
  EXPECT_EQ(talk.Config(leaf),
            Lines({"PublishPicker TRANSIENT_FAILURE fail(UNAVAILABLE: cluster \"pay\": no endpoint "
                   "can be reached; last error: ipv4:10.0.0.1:443: Connection refused)"}));
}

TEST(RoundRobin, WithoutEndpointsFailsWithTheNote) {
  // R14.16, R11.34
  struct {
    const char* name;
    LbLeaf leaf;
  } cases[] = {
      {"no priorities", Pay({})},
      {"an empty locality", Pay({{In("eu", 1, {})}})},
      {"an empty locality, by locality", Pay({{In("eu", 1, {})}}, ByLocality(kRoundRobin))},
      {"pick_first", Pay({}, kPickFirst)},
      {"no assignment", {.cluster = "pay", .policy = kRoundRobin, .note = "node \"web-1\""}},
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(each.name);
    LbConversation talk;
    EXPECT_EQ(talk.Config(each.leaf), Lines({Failing("it has no endpoints")}));
    EXPECT_EQ(talk.Config(each.leaf), Lines());
  }
}

TEST(RoundRobin, AnUpdateTouchesOnlyWhatCameOrWent) {
  LbConversation talk;
  talk.Config(PayAt({"10.0.0.1", "10.0.0.2", "10.0.0.3"}));
  for (uint64_t id : {1, 2, 3}) talk.Ready(id);
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.1", "10.0.0.2", "10.0.0.3"})), Lines());
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"})),
            Lines({"CreateSubchannel #4 ipv4:10.0.0.4:443", "ConnectSubchannel #4"}));
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.4", "10.0.0.3", "10.0.0.1"})),
            Lines({"ReleaseSubchannel #2", "PublishPicker READY round_robin(#3, #1)"}));
  // News of what was released changes nothing.
  EXPECT_EQ(talk.Idle(2), Lines());
  EXPECT_EQ(talk.Ready(4), Lines({"PublishPicker READY round_robin(#4, #3, #1)"}));
}

TEST(RoundRobin, EndpointsMayMoveBetweenLocalitiesOfAPriority) {
  LbConversation talk;
  talk.Config(Pay({{In("eu", 1, {At("10.0.0.1")}), In("us", 1, {At("10.0.0.2")})}}));
  talk.Ready(1);
  talk.Ready(2);
  EXPECT_EQ(talk.Config(Pay({{In("eu", 1, {At("10.0.0.1"), At("10.0.0.2")})}})), Lines());
}

TEST(RoundRobin, AnEndpointListedTwiceIsOne) {
  LbConversation talk;
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.1", "10.0.0.1"})).StartingWith("CreateSubchannel"),
            Lines({"CreateSubchannel #1 ipv4:10.0.0.1:443"}));
  EXPECT_EQ(talk.Ready(1).StartingWith("Publish"), Lines({"PublishPicker READY round_robin(#1)"}));
}

TEST(RoundRobin, DrainingEndpointsGetNoCalls) {
  LbConversation talk;
  Endpoint draining = At("10.0.0.2");
  talk.Config(PayAt({"10.0.0.1", "10.0.0.2"}));
  talk.Ready(1);
  talk.Ready(2);
  draining.health = HealthStatus::kDraining;
  EXPECT_EQ(talk.Config(Pay({{In("eu", 1, {At("10.0.0.1"), draining})}})),
            Lines({"ReleaseSubchannel #2", "PublishPicker READY round_robin(#1)"}));
  EXPECT_EQ(talk.Config(Pay({{In("eu", 1, {draining})}})),
            Lines({"ReleaseSubchannel #1", Failing("it has no endpoints")}));
}

TEST(RoundRobin, AFailureOfAnEndpointThatIsGoneIsNotQuoted) {
  LbConversation talk;
  talk.Config(PayAt({"10.0.0.1", "10.0.0.2"}));
  talk.Fail(1, "No route to host");
  talk.Fail(2);
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.1"})),
            Lines({"ReleaseSubchannel #2", Failing("no endpoint can be reached; last error: "
                                                   "ipv4:10.0.0.1:443: No route to host")}));
}

TEST(RoundRobin, ADnsClusterIsOneEndpoint) {
  LbConversation talk;
  const LbLeaf leaf{.cluster = "pay",
                    .policy = ByLocality(kRoundRobin),
                    .dns_target = "dns:///pay.internal:443",
                    .note = "node \"web-1\""};
  EXPECT_EQ(talk.Config(leaf),
            Lines({"CreateSubchannel #1 dns:///pay.internal:443", "ConnectSubchannel #1",
                   "StartLbTimer #1 10s", "PublishPicker CONNECTING queue"}));
  EXPECT_EQ(talk.Fail(1, "ipv4:10.0.0.1:443: Connection refused"),
            Lines({"CancelLbTimer #1",
                   Failing("no endpoint can be reached; last error: dns:///pay.internal:443: "
                           "ipv4:10.0.0.1:443: Connection refused")}));
}

TEST(RoundRobin, PoliciesThisBuildLacksFailAndSaySo) {
  // R11.34
  struct {
    LbPolicy policy;
    const char* name;
  } cases[] = {
      {{RingHashLb{}}, "ring_hash"},
      {ByLocality({RingHashLb{}}), "ring_hash"},
      {{LeastRequestLb{}}, "least_request"},
  };
  for (const auto& each : cases) {
    LbConversation talk;
    EXPECT_EQ(talk.Config(PayAt({"10.0.0.1"}, each.policy)),
              Lines({Failing(absl::StrCat("load balancing policy ", each.name,
                                          " is not yet supported by this build"))}));
  }
}

TEST(RoundRobin, APolicyThatBecomesSupportedConnects) {
  LbConversation talk;
  talk.Config(PayAt({"10.0.0.1"}, {RingHashLb{}}));
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.1"})),
            Lines({"CreateSubchannel #1 ipv4:10.0.0.1:443", "ConnectSubchannel #1",
                   "PublishPicker CONNECTING queue"}));
  talk.Ready(1);
  EXPECT_EQ(talk.Config(PayAt({"10.0.0.1"}, {RingHashLb{}})),
            Lines({"ReleaseSubchannel #1",
                   Failing("load balancing policy ring_hash is not yet supported by this build")}));
}

// gRFC A48's rules for policies that treat endpoints alike. R: ready, C: connecting, F: failed.
TEST(RoundRobin, TheStateOfAClusterIsThatOfItsBestEndpoint) {
  struct {
    const char* endpoints;
    const char* state;
  } table[] = {
      {"C", "CONNECTING"},         {"R", "READY"},   {"F", "TRANSIENT_FAILURE"},
      {"CC", "CONNECTING"},        {"RC", "READY"},  {"CF", "CONNECTING"},
      {"FF", "TRANSIENT_FAILURE"}, {"RF", "READY"},  {"RFC", "READY"},
      {"FCF", "CONNECTING"},       {"RRR", "READY"}, {"FFF", "TRANSIENT_FAILURE"},
  };
  for (const auto& row : table) {
    SCOPED_TRACE(row.endpoints);
    LbConversation talk;
    const std::string endpoints = row.endpoints;
    std::vector<std::string> ips;
    for (size_t i = 1; i <= endpoints.size(); ++i) ips.push_back(absl::StrCat("10.0.0.", i));
    Lines all = talk.Config(PayAt(ips));
    for (size_t i = 0; i < endpoints.size(); ++i) {
      Lines more;
      if (endpoints[i] == 'R') more = talk.Ready(i + 1);
      if (endpoints[i] == 'F') more = talk.Fail(i + 1);
      all.lines.insert(all.lines.end(), more.lines.begin(), more.lines.end());
    }
    const std::string last = all.StartingWith("PublishPicker").lines.back();
    EXPECT_TRUE(absl::StartsWith(last, absl::StrCat("PublishPicker ", row.state, " "))) << last;
  }
}

TEST(RoundRobin, OneEndpointMoreThanAThousandIsOneConnectionMore) {
  LbConversation talk;
  std::vector<std::string> ips;
  for (int i = 0; i < 1000; ++i) ips.push_back(absl::StrCat("10.0.", i / 250, ".", i % 250 + 1));
  EXPECT_EQ(talk.Config(PayAt(ips)).lines.size(), 2u * 1000u + 2u);
  for (uint64_t id = 1; id <= 1000; ++id) {
    EXPECT_EQ(talk.Ready(id).StartingWith("PublishPicker").lines.size(), 1u);
  }
  ips.push_back("10.1.0.1");
  EXPECT_EQ(talk.Config(PayAt(ips)),
            Lines({"CreateSubchannel #1001 ipv4:10.1.0.1:443", "ConnectSubchannel #1001"}));
}

}  // namespace
}  // namespace holdfast

// Servers that cannot be reached, die, and come back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/end_to_end/client_under_test.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

std::vector<Heard::Kind> KindsOf(const Watching& watching) {
  std::vector<Heard::Kind> kinds;
  for (const Heard& heard : watching.watcher->All()) kinds.push_back(heard.kind);
  return kinds;
}

TEST(EndToEndReconnect, AnUnreachableServerIsHeardWithTheTransportsReason) {  // R3-T01 R4.33
  ScriptedAdsServer server;
  server.Kill();
  auto client = ClientOf(BootstrapFor(server.address()));
  Watching alice = WatchCluster(*client, "pay");
  const Heard heard = alice.Next();
  EXPECT_EQ(heard.kind, Heard::kError);
  EXPECT_EQ(heard.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(heard.cause(), Cause::kConnectivity);
  EXPECT_THAT(heard.text(), HasSubstr(server.address()));
  EXPECT_THAT(heard.text(), HasSubstr("Connection refused"));
  EXPECT_THAT(heard.text(), HasSubstr("node \"web-1\""));
  EXPECT_EQ(SnapshotOf(*client, "pay").state, CacheState::kRequested);
  EXPECT_FALSE(client->Snapshot().servers.at(0).is_connected);

  // A second one is told at once (R3.07), and both get the resource when the server comes.
  Watching bob = WatchCluster(*client, "pay");
  EXPECT_EQ(bob.Next().cause(), Cause::kConnectivity);
  server.Restart();
  const auto stream = server.NextStream();
  stream->NextRequest();
  stream->Send(TestResponse(ClusterType(), "1").Resource(ClusterBytes("pay")).Bytes());
  EXPECT_THAT(alice.Next(), OfKind(Heard::kValue));
  EXPECT_THAT(bob.Next(), OfKind(Heard::kValue));
  EXPECT_TRUE(client->Snapshot().servers.at(0).is_connected);
}

// The server dies, stays away for a while, and comes back with what it had: the watcher keeps its
// value, learns why it may be stale, and hears one all-clear.
TEST(EndToEndReconnect, KeepsUsingWhatItHasWhileTheServerIsDead) {  // R3-T02 R3-T26 R1.13 R1.35
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  Watching alice = WatchCluster(*client, "pay");
  Watching bob = WatchCluster(*client, "ship");
  const auto before = server.NextStream();
  before->NextRequest([](const auto& request) { return request.resource_names.size() == 2; });
  const std::string response = TestResponse(ClusterType(), "41")
                                   .Resource(ClusterBytes("pay"))
                                   .Resource(ClusterBytes("ship"))
                                   .Bytes();
  before->Send(response);
  EXPECT_THAT(alice.Next(), OfKind(Heard::kValue));
  before->NextRequest([](const auto& request) { return request.version_info == "41"; });

  server.Kill();
  const Heard outage = alice.Next();
  EXPECT_EQ(outage.kind, Heard::kAmbientError);
  EXPECT_EQ(outage.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(outage.cause(), Cause::kConnectivity);
  EXPECT_THAT(outage.text(), HasSubstr("Connection refused"));
  EXPECT_THAT(outage.text(), HasSubstr("using the cached resource"));
  EXPECT_EQ(SnapshotOf(*client, "pay").cache_state, "acked");  // R3.09

  server.Restart();
  const auto after = server.NextStream();
  const DiscoveryRequest first = after->NextRequest();
  EXPECT_EQ(first.version_info, "41");
  EXPECT_EQ(first.response_nonce, "");
  EXPECT_THAT(first.resource_names, UnorderedElementsAre("pay", "ship"));
  EXPECT_TRUE(first.node.has_value());
  after->Send(response);
  EXPECT_THAT(alice.Next(), OfKind(Heard::kAllClear));
  EXPECT_EQ(bob.Next(Heard::kAllClear).kind, Heard::kAllClear);
  // A later version tells us that nothing was left behind it.
  after->Send(TestResponse(ClusterType(), "42")
                  .Resource(ClusterBytes("pay", "lb_policy: RING_HASH"))
                  .Resource(ClusterBytes("ship"))
                  .Bytes());
  EXPECT_THAT(alice.Next(), OfKind(Heard::kValue));
  EXPECT_THAT(KindsOf(alice),
              ElementsAre(Heard::kValue, Heard::kAmbientError, Heard::kAllClear, Heard::kValue));
  EXPECT_THAT(KindsOf(bob), ElementsAre(Heard::kValue, Heard::kAmbientError, Heard::kAllClear));
}

TEST(EndToEndReconnect, AStreamThatEndsWithoutAnAnswerIsAFailure) {  // R3-T03 R3-T04
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  Watching alice = WatchCluster(*client, "pay");
  server.NextStream()->Finish(absl::PermissionDeniedError("who are you?"));
  const Heard refused = alice.Next();
  EXPECT_EQ(refused.kind, Heard::kError);
  EXPECT_EQ(refused.cause(), Cause::kConnectivity);
  EXPECT_THAT(refused.text(), HasSubstr("PERMISSION_DENIED: who are you?"));

  const auto stream = server.NextStream();
  stream->NextRequest();
  stream->Send(TestResponse(ClusterType(), "1").Resource(ClusterBytes("pay")).Bytes());
  EXPECT_EQ(alice.Next(Heard::kValue).kind, Heard::kValue);
  stream->Finish(absl::UnavailableError("restarting"));  // After an answer: no news (R3-T24).

  server.NextStream()->Finish(absl::UnavailableError("still restarting"));
  const Heard ambient = alice.Next();
  EXPECT_EQ(ambient.kind, Heard::kAmbientError);
  EXPECT_EQ(ambient.cause(), Cause::kConnectivity);
  EXPECT_THAT(ambient.text(), HasSubstr("still restarting"));
}

TEST(EndToEndReconnect, AStreamThatEndsAfterAnAnswerIsNoNews) {  // R3-T24 R4.31 R1.39
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  Watching alice = WatchCluster(*client, "pay");
  const auto first = server.NextStream();
  first->NextRequest();
  first->Send(TestResponse(ClusterType(), "1").Resource(ClusterBytes("pay")).Bytes());
  EXPECT_THAT(alice.Next(), OfKind(Heard::kValue));
  first->Finish(absl::OkStatus());

  const auto second = server.NextStream();
  EXPECT_EQ(second->NextRequest().version_info, "1");
  second->Send(TestResponse(ClusterType(), "2")
                   .Resource(ClusterBytes("pay", "lb_policy: RING_HASH"))
                   .Bytes());
  EXPECT_THAT(alice.Next(), OfKind(Heard::kValue));
  EXPECT_THAT(KindsOf(alice), ElementsAre(Heard::kValue, Heard::kValue));
}

// Whoever asks for more while the server is dead hears both: there is nothing to use, and why.
TEST(EndToEndReconnect, AWatchOnADeadServerHasItsValueThenTheOutage) {  // R3.07
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  Watching alice = WatchCluster(*client, "pay");
  const auto stream = server.NextStream();
  stream->NextRequest();
  stream->Send(TestResponse(ClusterType(), "1").Resource(ClusterBytes("pay")).Bytes());
  EXPECT_THAT(alice.Next(), OfKind(Heard::kValue));
  server.Kill();
  EXPECT_THAT(alice.Next(), OfKind(Heard::kAmbientError));

  Watching bob = WatchCluster(*client, "pay");
  EXPECT_THAT(bob.Next(), OfKind(Heard::kValue));
  const Heard outage = bob.Next();
  EXPECT_EQ(outage.kind, Heard::kAmbientError);
  EXPECT_EQ(outage.cause(), Cause::kConnectivity);
  Watching carol = WatchCluster(*client, "ship");
  const Heard nothing = carol.Next();
  EXPECT_EQ(nothing.kind, Heard::kError);
  EXPECT_EQ(nothing.cause(), Cause::kConnectivity);
}

}  // namespace
}  // namespace holdfast

// What goes over the wire: subscriptions, ACKs, NACKs, and what a server should not send.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/end_to_end/client_under_test.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr absl::string_view kClusterUrl = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
constexpr absl::string_view kEndpointsUrl =
    "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment";

TEST(EndToEndWire, SubscribesOnAdsAndAcknowledges) {  // R1.01 R1.03 R1.05 R1.06 R1.07 R1.08 R1.31
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  Watching alice = WatchCluster(*client, "pay");

  const auto stream = server.NextStream();
  EXPECT_EQ(stream->method(),
            "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources");
  const DiscoveryRequest first = stream->NextRequest();
  EXPECT_EQ(first.type_url, kClusterUrl);
  EXPECT_THAT(first.resource_names, ElementsAre("pay"));
  EXPECT_EQ(first.version_info, "");
  EXPECT_EQ(first.response_nonce, "");
  ASSERT_TRUE(first.node.has_value());
  EXPECT_EQ(first.node->id, "web-1");
  EXPECT_EQ(first.node->user_agent_name, "holdfast");
  EXPECT_THAT(first.node->client_features,
              UnorderedElementsAre("envoy.lb.does_not_support_overprovisioning",
                                   "xds.config.resource-in-sotw"));

  stream->Send(TestResponse(ClusterType(), "7", "n1").Resource(ClusterBytes("pay")).Bytes());
  EXPECT_THAT(alice.Next(), OfKind(Heard::kValue));
  EXPECT_EQ(alice.watcher->value()->bytes, ClusterBytes("pay"));
  const DiscoveryRequest ack = stream->NextRequest();
  EXPECT_EQ(ack, (DiscoveryRequest{.version_info = "7",
                                   .resource_names = {"pay"},
                                   .type_url = std::string(kClusterUrl),
                                   .response_nonce = "n1"}));
}

TEST(EndToEndWire,
     RejectsWithTheReasonAndTheVersionBefore) {  // R1.32 R1.33 R5.01 R5.02 R5.05 R5.06
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  Watching alice = WatchCluster(*client, "pay");
  Watching bob = WatchCluster(*client, "ship");
  const auto stream = server.NextStream();
  stream->NextRequest([](const auto& request) { return request.resource_names.size() == 2; });
  stream->Send(TestResponse(ClusterType(), "1")
                   .Resource(ClusterBytes("pay"))
                   .Resource(ClusterBytes("ship"))
                   .Bytes());
  EXPECT_THAT(alice.Next(), OfKind(Heard::kValue));
  EXPECT_THAT(bob.Next(), OfKind(Heard::kValue));

  // One bad cluster disturbs nobody else: ship has a new version all the same.
  stream->Send(TestResponse(ClusterType(), "2", "n2")
                   .Resource(BadClusterBytes("pay"))
                   .Resource(ClusterBytes("ship", "lb_policy: RING_HASH"))
                   .Resource("\xFF")
                   .Bytes());
  const Heard rejected = alice.Next();
  EXPECT_THAT(bob.Next(), OfKind(Heard::kValue));
  EXPECT_EQ(rejected.kind, Heard::kAmbientError);
  EXPECT_EQ(rejected.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(rejected.cause(), Cause::kNack);
  EXPECT_THAT(rejected.text(), HasSubstr("cluster \"pay\": eds_cluster_config"));
  EXPECT_THAT(rejected.text(), HasSubstr("keeping version 1"));

  const DiscoveryRequest nack =
      stream->NextRequest([](const auto& request) { return request.error_detail.has_value(); });
  EXPECT_EQ(nack.version_info, "1");
  EXPECT_EQ(nack.response_nonce, "n2");
  EXPECT_EQ(nack.error_detail->code, 3);
  EXPECT_THAT(nack.error_detail->message,
              HasSubstr("resources[0] cluster \"pay\": eds_cluster_config"));
  EXPECT_THAT(nack.error_detail->message, HasSubstr("resources[2]"));
  EXPECT_EQ(SnapshotOf(*client, "ship").state, CacheState::kAcked);
  EXPECT_EQ(SnapshotOf(*client, "ship").version, "2");
  EXPECT_EQ(SnapshotOf(*client, "pay").cache_state, "nacked_but_cached");
  EXPECT_EQ(SnapshotOf(*client, "pay").version, "1");
}

TEST(EndToEndWire, ManyWatchersAreOneSubscriptionAndTheLastEndsIt) {  // R1.18 R1.30 R1.34 R1.57
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  Watching alice = WatchCluster(*client, "pay");
  const auto stream = server.NextStream();
  EXPECT_THAT(stream->NextRequest().resource_names, ElementsAre("pay"));
  stream->Send(TestResponse(ClusterType(), "1").Resource(ClusterBytes("pay")).Bytes());
  EXPECT_THAT(alice.Next(), OfKind(Heard::kValue));
  EXPECT_EQ(stream->NextRequest().version_info, "1");

  Watching bob = WatchCluster(*client, "pay");
  EXPECT_THAT(bob.Next(), OfKind(Heard::kValue));  // From the cache.
  Watching carol = WatchCluster(*client, "ship");
  const DiscoveryRequest both = stream->NextRequest();
  EXPECT_THAT(both.resource_names, UnorderedElementsAre("pay", "ship"));
  EXPECT_EQ(both.version_info, "1");
  EXPECT_EQ(both.response_nonce, "nonce-1");

  alice.watch.Cancel();  // Bob still wants it.
  carol.watch.Cancel();
  EXPECT_THAT(
      stream->NextRequest([](const auto& request) { return request.resource_names.size() == 1; })
          .resource_names,
      ElementsAre("pay"));
  bob.watch.Cancel();
  stream->WaitUntilClosed();
}

TEST(EndToEndWire, TypesShareAStreamAndNothingElse) {  // R1.10 R1.42
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  Watching cluster = WatchCluster(*client, "pay");
  Watching endpoints = WatchEndpoints(*client, "pay");
  const auto stream = server.NextStream();
  EXPECT_TRUE(stream->NextRequest().node.has_value());
  const DiscoveryRequest second = stream->NextRequest();
  EXPECT_EQ(second.type_url, kEndpointsUrl);
  EXPECT_FALSE(second.node.has_value());

  stream->Send(TestResponse(ClusterType(), "c1").Resource(ClusterBytes("pay")).Bytes());
  EXPECT_THAT(cluster.Next(), OfKind(Heard::kValue));
  EXPECT_EQ(stream->NextRequest().version_info, "c1");
  stream->Send(TestResponse(EndpointsType(), "e1").Resource(EndpointsBytes("pay")).Bytes());
  EXPECT_THAT(endpoints.Next(), OfKind(Heard::kValue));
  const DiscoveryRequest ack = stream->NextRequest();
  EXPECT_EQ(ack.type_url, kEndpointsUrl);
  EXPECT_EQ(ack.version_info, "e1");
  EXPECT_EQ(ack.response_nonce, "nonce-e1");
  // An endpoint response without it says nothing.
  stream->Send(TestResponse(EndpointsType(), "e2").Bytes());
  EXPECT_EQ(stream->NextRequest().version_info, "e2");
  EXPECT_THAT(endpoints.watcher->All().size(), 1);
  EXPECT_EQ(SnapshotOf(*client, "pay").state, CacheState::kAcked);
}

TEST(EndToEndWire, GarbageAndUnknownTypesDoNotStallTheStream) {  // R1.16 R5.07
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  Watching alice = WatchCluster(*client, "pay");
  const auto stream = server.NextStream();
  stream->NextRequest();
  stream->Send("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF");
  stream->Send("");
  stream->Send(std::string(100'000, '\x07'));
  stream->Send(TestResponse("acme.config.v1.Quota", "9").Resource("\x0A\x01x").Bytes());
  stream->Send(TestResponse(ListenerType(), "9").Bytes());  // Known, but not asked for.
  stream->Send(TestResponse(ClusterType(), "1").Resource(ClusterBytes("pay")).Bytes());
  EXPECT_THAT(alice.Next(), OfKind(Heard::kValue));
  EXPECT_EQ(stream->NextRequest().version_info, "1");
  EXPECT_THAT(stream->Requests().size(), 2);  // None of the others was answered.
}

TEST(EndToEndWire, ResourcesInWrappersAreUnwrapped) {  // R1.80
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  Watching alice = WatchCluster(*client, "pay");
  const auto stream = server.NextStream();
  stream->NextRequest();
  stream->Send(
      TestResponse(ClusterType(), "1").WrappedResource("pay", ClusterBytes("pay")).Bytes());
  EXPECT_THAT(alice.Next(), OfKind(Heard::kValue));
  EXPECT_EQ(alice.watcher->value()->bytes, ClusterBytes("pay"));
}

TEST(EndToEndWire, WhatNobodyAskedForIsDropped) {  // R1.14 R1.55
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  Watching alice = WatchCluster(*client, "pay");
  const auto stream = server.NextStream();
  stream->NextRequest();
  stream->Send(TestResponse(ClusterType(), "1")
                   .Resource(ClusterBytes("other"))
                   .Resource(ClusterBytes("pay"))
                   .Bytes());
  EXPECT_THAT(alice.Next(), OfKind(Heard::kValue));
  EXPECT_EQ(stream->NextRequest().error_detail, std::nullopt);
  ASSERT_EQ(client->Snapshot().resources.size(), 1);
  EXPECT_EQ(client->Snapshot().resources[0].name, "pay");
}

TEST(EndToEndWire, ABadNameIsHeardWithoutAnyTraffic) {  // R1.103 R3.12
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  Watching alice = WatchCluster(*client, "xdstp://nobody/envoy.config.cluster.v3.Cluster/pay");
  const Heard heard = alice.Next();
  EXPECT_EQ(heard.kind, Heard::kError);
  EXPECT_EQ(heard.cause(), Cause::kBadName);
  EXPECT_THAT(heard.text(), HasSubstr("nobody"));
  EXPECT_THAT(client->Snapshot().servers, IsEmpty());
}

}  // namespace
}  // namespace holdfast

// Calls go where the control plane says, and follow it when it changes its mind.
#include <gmock/gmock.h>

#include <set>
#include <thread>
#include <vector>

#include "tests/end_to_end/channel/channel_under_test.h"

namespace holdfast {
namespace {

TEST(ChannelCalls, GoToTheEndpointsOfTheCluster) {
  Backend one;
  Backend two;
  ObligingXdsServer xds;
  PutPay(xds, {one.address(), two.address()});
  ChannelUnderTest channel(xds.address());
  std::set<std::string> peers;
  ASSERT_TRUE(Eventually([&] {
    const CallResult result = channel.Call();
    EXPECT_EQ(Words(result.status), "OK");
    peers.insert(result.peer);
    return peers.size() == 2;
  }));
  EXPECT_EQ(peers, (std::set<std::string>{one.peer(), two.peer()}));
}

TEST(ChannelCalls, FollowNewEndpoints) {
  Backend old_backend;
  Backend new_backend;
  ObligingXdsServer xds;
  PutPay(xds, {old_backend.address()});
  ChannelUnderTest channel(xds.address());
  EXPECT_EQ(channel.Call().peer, old_backend.peer());
  xds.Put("eds", "pay", EndpointsBytes("pay", {new_backend.address()}));
  EXPECT_TRUE(Eventually([&] {
    const CallResult result = channel.Call();
    EXPECT_EQ(Words(result.status), "OK");
    return result.peer == new_backend.peer();
  }));
}

TEST(ChannelCalls, FollowNewRoutes) {
  Backend pay;
  Backend other;
  ObligingXdsServer xds;
  PutPay(xds, {pay.address()});
  xds.Put("cds", "other", ClusterBytes("other"));
  xds.Put("eds", "other", EndpointsBytes("other", {other.address()}));
  ChannelUnderTest channel(xds.address());
  EXPECT_EQ(channel.Call().peer, pay.peer());
  xds.Put("rds", "pay-routes", RoutesBytes("pay-routes", "other"));
  EXPECT_TRUE(Eventually([&] {
    const CallResult result = channel.Call();
    EXPECT_EQ(Words(result.status), "OK");
    return result.peer == other.peer();
  }));
}

// R11.03: one push leads the routes elsewhere and empties the cluster that they led to. Elsewhere
// is not known yet, so calls go on where they went.
TEST(ChannelCalls, GoOnToAClusterThatWasEmptiedUntilTheNewRoutesCanBeUsed) {
  Backend pay;
  Backend other;
  ObligingXdsServer xds;
  PutPay(xds, {pay.address()});
  ChannelUnderTest channel(xds.address());
  EXPECT_EQ(channel.Call().peer, pay.peer());
  xds.Hold();
  xds.Put("rds", "pay-routes", RoutesBytes("pay-routes", "other"));
  xds.Put("cds", "other", ClusterBytes("other"));
  xds.LetGo();
  xds.WaitForSubscription("eds", "other");
  xds.Put("eds", "pay", EndpointsBytes("pay", {}));
  xds.WaitForAck("eds");
  for (int i = 0; i < 20; ++i) {
    const CallResult result = channel.Call();
    EXPECT_EQ(Words(result.status), "OK");
    EXPECT_EQ(result.peer, pay.peer());
  }
  xds.Put("eds", "other", EndpointsBytes("other", {other.address()}));
  EXPECT_TRUE(Eventually([&] {
    const CallResult result = channel.Call();
    EXPECT_EQ(Words(result.status), "OK");
    return result.peer == other.peer();
  }));
}

TEST(ChannelCalls, SurviveABackendThatComesBack) {
  Backend backend;
  ObligingXdsServer xds;
  PutPay(xds, {backend.address()});
  ChannelUnderTest channel(xds.address());
  EXPECT_EQ(Words(channel.CallUntilOk().status), "OK");
  backend.Kill();
  ASSERT_TRUE(Eventually([&] { return !channel.Call().status.ok(); }));
  backend.Restart();
  EXPECT_EQ(Words(channel.CallUntilOk().status), "OK");
}

TEST(ChannelState, GoesFromIdleToReadyAndFailsWithItsEndpoints) {
  Backend backend;
  ObligingXdsServer xds;
  PutPay(xds, {backend.address()});
  ChannelUnderTest channel(xds.address());
  EXPECT_EQ(channel.channel()->GetState(false), GRPC_CHANNEL_IDLE);
  EXPECT_TRUE(channel.channel()->WaitForConnected(std::chrono::system_clock::now() +
                                                  ChannelUnderTest::kDeadline));
  EXPECT_EQ(channel.channel()->GetState(false), GRPC_CHANNEL_READY);
  backend.Kill();
  EXPECT_TRUE(Eventually(
      [&] { return channel.channel()->GetState(false) == GRPC_CHANNEL_TRANSIENT_FAILURE; }));
}

// A connection may break in the very moment that a call is sent on it. A call that waits for ready
// must not wait for that one endpoint then, which may never come back.
TEST(ChannelCalls, DoNotWaitForADeadEndpointWhileAnotherIsReady) {
  ObligingXdsServer xds;
  Backend stays;
  for (int round = 0; round < 5; ++round) {
    Backend dies;
    PutPay(xds, {dies.address(), stays.address()});
    ChannelUnderTest channel(xds.address());
    std::set<std::string> peers;
    ASSERT_TRUE(Eventually([&] {
      peers.insert(channel.Call().peer);
      return peers.size() == 2;
    }));
    dies.Kill();
    std::vector<std::thread> callers;
    for (int i = 0; i < 4; ++i) {
      callers.emplace_back([&channel] {
        const CallResult result =
            channel.Call([](grpc::ClientContext& context) { context.set_wait_for_ready(true); });
        EXPECT_NE(result.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED)
            << Words(result.status);
      });
    }
    for (std::thread& caller : callers) caller.join();
  }
}

// A call that was prepared while an endpoint was ready, and starts when that one is gone.
TEST(ChannelCalls, ThatWaitForReadyChooseAnEndpointWhenTheyStart) {
  ObligingXdsServer xds;
  Backend stays;
  Backend dies;
  PutPay(xds, {dies.address(), stays.address()});
  ChannelUnderTest channel(xds.address());
  std::set<std::string> peers;
  ASSERT_TRUE(Eventually([&] {
    peers.insert(channel.Call().peer);
    return peers.size() == 2;
  }));
  // Both would be chosen, one after the other.
  grpc::CompletionQueue queue;
  grpc::ClientContext contexts[2];
  grpc::health::v1::HealthCheckResponse responses[2];
  grpc::Status statuses[2];
  std::vector<
      std::unique_ptr<grpc::ClientAsyncResponseReader<grpc::health::v1::HealthCheckResponse>>>
      calls;
  for (grpc::ClientContext& context : contexts) {
    context.set_wait_for_ready(true);
    context.set_deadline(std::chrono::system_clock::now() + ChannelUnderTest::kDeadline);
    calls.push_back(channel.stub().PrepareAsyncCheck(&context, {}, &queue));
  }
  dies.Kill();
  ASSERT_TRUE(Eventually([&] {
    for (int i = 0; i < 4; ++i) {
      if (channel.Call().peer != stays.peer()) return false;
    }
    return true;
  }));
  for (size_t i = 0; i < calls.size(); ++i) {
    calls[i]->StartCall();
    calls[i]->Finish(&responses[i], &statuses[i], nullptr);
    void* tag = nullptr;
    bool ok = false;
    ASSERT_TRUE(queue.Next(&tag, &ok));
    EXPECT_EQ(Words(statuses[i]), "OK");
    EXPECT_EQ(contexts[i].peer(), stays.peer());
  }
}

// pick_first does not connect again by itself: a call that finds its connection gone has to make
// it.
TEST(ChannelCalls, MakePickFirstConnectAgain) {
  Backend backend;
  ObligingXdsServer xds;
  PutPay(xds, {backend.address()});
  xds.Put("cds", "pay",
          ClusterBytes("pay",
                       "load_balancing_policy { policies { typed_extension_config { typed_config { "
                       "[type.googleapis.com/envoy.extensions.load_balancing_policies.pick_first."
                       "v3.PickFirst] {} } } } }"));
  ChannelUnderTest channel(xds.address());
  for (int round = 0; round < 10; ++round) {
    EXPECT_EQ(Words(channel.CallUntilOk().status), "OK");
    backend.Kill();
    backend.Restart();
    // The news of the end of the connection is on its way, and the call is parked before it is
    // there or after, or meets it.
    const CallResult result =
        channel.Call([](grpc::ClientContext& context) { context.set_wait_for_ready(true); });
    EXPECT_NE(result.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED)
        << Words(result.status);
  }
}

// A deadline that passes while a call is parked says what it waited for.
TEST(ChannelDeadline, NamesTheConfigurationThatDidNotCome) {
  ScriptedAdsServer silent;
  ChannelUnderTest channel(silent.address());
  const CallResult result = channel.Call([](grpc::ClientContext& context) {
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(300));
  });
  EXPECT_EQ(
      Words(result.status),
      "DEADLINE_EXCEEDED: Deadline Exceeded; the call was waiting: target \"xds:///pay\": its "
      "configuration has not come yet");
}

TEST(ChannelDeadline, NamesTheFailureThatACallWaitedOut) {
  ObligingXdsServer xds;
  PutPay(xds, {});
  ChannelUnderTest channel(xds.address());
  const std::string failure = Words(channel.Call().status);
  EXPECT_THAT(failure, ::testing::StartsWith("UNAVAILABLE: cluster \"pay\": "));
  const CallResult result = channel.Call([](grpc::ClientContext& context) {
    context.set_wait_for_ready(true);
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(300));
  });
  EXPECT_EQ(Words(result.status),
            absl::StrCat("DEADLINE_EXCEEDED: Deadline Exceeded; the call was waiting: ",
                         failure.substr(std::string("UNAVAILABLE: ").size())));
}

// The longest time that a route allows counts while a call waits, too.
TEST(ChannelDeadline, IsThatOfTheRouteForACallThatWaits) {
  ObligingXdsServer xds;
  PutPay(xds, {});
  xds.Put(
      "rds", "pay-routes",
      FromText("envoy.config.route.v3.RouteConfiguration",
               "name: \"pay-routes\" virtual_hosts { name: \"vh\" domains: \"*\" routes { match { "
               "prefix: \"\" } route { cluster: \"pay\" max_stream_duration { "
               "max_stream_duration { nanos: 300000000 } } } } }"));
  ChannelUnderTest channel(xds.address());
  EXPECT_EQ(channel.Call().status.error_code(), grpc::StatusCode::UNAVAILABLE);
  const absl::Time begin = absl::Now();
  const CallResult result =
      channel.Call([](grpc::ClientContext& context) { context.set_wait_for_ready(true); });
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_GE(absl::Now() - begin, absl::Milliseconds(290));
  EXPECT_LT(absl::Now() - begin, absl::FromChrono(ChannelUnderTest::kDeadline) / 2);
}

// R13.21: also if the call was made before the route was known.
TEST(ChannelDeadline, IsThatOfTheRouteForACallThatWaitedForTheRoute) {
  ObligingXdsServer xds;
  ChannelUnderTest channel(xds.address());
  std::thread control_plane([&xds] {
    xds.WaitForSubscription("lds", "pay");
    xds.Put("cds", "pay", ClusterBytes("pay"));
    xds.Put("eds", "pay", EndpointsBytes("pay", {}));
    xds.Put("rds", "pay-routes",
            FromText("envoy.config.route.v3.RouteConfiguration",
                     "name: \"pay-routes\" virtual_hosts { name: \"vh\" domains: \"*\" routes { "
                     "match { prefix: \"\" } route { cluster: \"pay\" max_stream_duration { "
                     "max_stream_duration { nanos: 300000000 } } } } }"));
    xds.Put("lds", "pay", ListenerBytes("pay", "pay-routes"));
  });
  const absl::Time begin = absl::Now();
  const CallResult result =
      channel.Call([](grpc::ClientContext& context) { context.set_wait_for_ready(true); });
  control_plane.join();
  EXPECT_LT(absl::Now() - begin, absl::FromChrono(ChannelUnderTest::kDeadline) / 2);
  EXPECT_THAT(Words(result.status),
              ::testing::StartsWith("DEADLINE_EXCEEDED: Deadline Exceeded; the call was waiting: "
                                    "cluster \"pay\": it has no endpoints ("));
}

// R13.21: and if the cluster of the route does not exist, so that there is nowhere to wait.
TEST(ChannelDeadline, IsThatOfTheRouteForACallWhoseClusterDoesNotExist) {
  ObligingXdsServer xds;
  ChannelUnderTest channel(xds.address());
  std::thread control_plane([&xds] {
    xds.WaitForSubscription("lds", "pay");
    xds.PutError("cds", "pay", 5, "no cluster of that name");
    xds.Put("rds", "pay-routes",
            FromText("envoy.config.route.v3.RouteConfiguration",
                     "name: \"pay-routes\" virtual_hosts { name: \"vh\" domains: \"*\" routes { "
                     "match { prefix: \"\" } route { cluster: \"pay\" max_stream_duration { "
                     "max_stream_duration { nanos: 300000000 } } } } }"));
    xds.Put("lds", "pay", ListenerBytes("pay", "pay-routes"));
  });
  const absl::Time begin = absl::Now();
  const CallResult result =
      channel.Call([](grpc::ClientContext& context) { context.set_wait_for_ready(true); });
  control_plane.join();
  EXPECT_LT(absl::Now() - begin, absl::FromChrono(ChannelUnderTest::kDeadline) / 2);
  EXPECT_THAT(Words(result.status),
              ::testing::StartsWith("DEADLINE_EXCEEDED: Deadline Exceeded; the call was waiting: "
                                    "cluster \"pay\": "));
  EXPECT_THAT(Words(result.status), ::testing::HasSubstr("no cluster of that name"));
}

// R11.36: the control plane and all endpoints are down: one message has both reasons.
TEST(ChannelCalls, SayBothReasonsWhenControlPlaneAndEndpointsAreDown) {
  Backend backend;
  ObligingXdsServer xds;
  PutPay(xds, {backend.address()});
  ChannelUnderTest channel(xds.address());
  EXPECT_EQ(Words(channel.CallUntilOk().status), "OK");
  xds.Kill();
  backend.Kill();
  CallResult result;
  ASSERT_TRUE(Eventually([&] {
    result = channel.Call();
    return absl::StrContains(result.status.error_message(), xds.address()) &&
           absl::StrContains(result.status.error_message(), backend.address());
  })) << Words(result.status);
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(result.status.error_message(),
              ::testing::HasSubstr(absl::StrCat(
                  "cluster \"pay\": no endpoint can be reached; last error: ", backend.peer())));
  EXPECT_THAT(result.status.error_message(), ::testing::HasSubstr("Connection refused"));
}

}  // namespace
}  // namespace holdfast

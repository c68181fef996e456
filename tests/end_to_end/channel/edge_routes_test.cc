// What routes and clusters may ask for: timeouts, weights, drops, DNS, aggregates, retries.
#include <gmock/gmock.h>

#include <map>
#include <string>

#include "tests/end_to_end/channel/channel_under_test.h"

namespace holdfast {
namespace {

using ::testing::HasSubstr;

std::string OneRoute(absl::string_view action) {
  return FromText("envoy.config.route.v3.RouteConfiguration",
                  absl::StrCat("name: \"pay-routes\" virtual_hosts { name: \"vh\" domains: \"*\" ",
                               "routes { match { prefix: \"\" } route { ", action, " } } }"));
}

class EdgeRoutes : public testing::Test {
 protected:
  EdgeRoutes() { PutPay(xds_, {backend_.address()}); }

  Backend backend_;
  ObligingXdsServer xds_;
};

// A stream that nobody else ends: its status, and how long it took.
std::pair<grpc::Status, absl::Duration> Watch(ChannelUnderTest& channel) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + ChannelUnderTest::kDeadline);
  const absl::Time begin = absl::Now();
  const auto reader = channel.stub().Watch(&context, {});
  grpc::health::v1::HealthCheckResponse response;
  while (reader->Read(&response)) {
  }
  return {reader->Finish(), absl::Now() - begin};
}

// By 200 ms.
void ExpectCapped(const std::pair<grpc::Status, absl::Duration>& end) {
  const auto& [status, took] = end;
  EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED) << Words(status);
  EXPECT_GE(took, absl::Milliseconds(150));
  EXPECT_LT(took, absl::FromChrono(ChannelUnderTest::kDeadline) / 2);
}

// R13.20, R13.21
TEST_F(EdgeRoutes, CapTheDeadlineOfTheirCalls) {
  xds_.Put("rds", "pay-routes",
           OneRoute("cluster: \"pay\" max_stream_duration { max_stream_duration { nanos: "
                    "200000000 } }"));
  ChannelUnderTest channel(xds_.address());
  for (int lane = 0; lane < 2; ++lane) {
    ExpectCapped(Watch(channel));
  }
  // One that is quicker does not notice.
  EXPECT_EQ(Words(channel.Call().status), "OK");
}

// R13.20, R13.21: what a call has for itself is not longer than the most that its route allows.
TEST_F(EdgeRoutes, CapTheTimeoutThatACallAsksFor) {
  xds_.Put("rds", "pay-routes",
           OneRoute("cluster: \"pay\" max_stream_duration { grpc_timeout_header_max { nanos: "
                    "200000000 } max_stream_duration { seconds: 3600 } }"));
  ChannelUnderTest channel(xds_.address());
  for (int lane = 0; lane < 2; ++lane) ExpectCapped(Watch(channel));
}

TEST_F(EdgeRoutes, LeaveTheDeadlineToTheirListenerIfTheySayNothing) {
  xds_.Put(
      "lds", "pay",
      FromText("envoy.config.listener.v3.Listener",
               ListenerText("pay",
                            "rds { route_config_name: \"pay-routes\" config_source { ads {} } } "
                            "common_http_protocol_options { max_stream_duration { nanos: "
                            "200000000 } }")));
  ChannelUnderTest channel(xds_.address());
  for (int lane = 0; lane < 2; ++lane) ExpectCapped(Watch(channel));
}

TEST_F(EdgeRoutes, ShareCallsByWeight) {
  Backend other;
  xds_.Hold();
  xds_.Put("cds", "other", ClusterBytes("other"));
  xds_.Put("eds", "other", EndpointsBytes("other", {other.address()}));
  const auto weights = [](int pay, int other_weight) {
    return OneRoute(
        absl::StrCat("weighted_clusters { clusters { name: \"pay\" weight { value: ", pay,
                     " } } clusters { name: \"other\" weight { value: ", other_weight, " } } }"));
  };
  xds_.Put("rds", "pay-routes", weights(1, 1));
  xds_.LetGo();
  ChannelUnderTest channel(xds_.address());
  std::map<std::string, int> calls;
  for (int i = 0; i < 200; ++i) {
    const CallResult result = channel.Call();
    ASSERT_EQ(Words(result.status), "OK");
    ++calls[result.peer];
  }
  // Beyond six standard deviations of a fair coin.
  EXPECT_GT(calls[backend_.peer()], 55);
  EXPECT_GT(calls[other.peer()], 55);
  xds_.Put("rds", "pay-routes", weights(0, 7));
  ASSERT_TRUE(Eventually([&] {
    for (int i = 0; i < 20; ++i) {
      if (channel.Call().peer != other.peer()) return false;
    }
    return true;
  }));
}

// R14.35
TEST_F(EdgeRoutes, LeadToAClusterThatDropsWhatItIsToldTo) {
  const std::vector<std::string> parts = absl::StrSplit(backend_.address(), ':');
  xds_.Put(
      "eds", "pay",
      FromText("envoy.config.endpoint.v3.ClusterLoadAssignment",
               absl::StrCat(
                   "cluster_name: \"pay\" endpoints { locality {} load_balancing_weight { value:"
                   " 1 } lb_endpoints { endpoint { address { socket_address { "
                   "address: \"",
                   parts[0], "\" port_value: ", parts[1],
                   " } } } } } policy { drop_overloads { category: \"throttle\" "
                   "drop_percentage { numerator: 100 } } }")));
  ChannelUnderTest channel(xds_.address());
  for (const bool waits : {false, true, false, true}) {
    EXPECT_EQ(
        Words(channel.Call([&](grpc::ClientContext& context) { context.set_wait_for_ready(waits); })
                  .status),
        "UNAVAILABLE: cluster \"pay\": the call was dropped, as the control plane asks for 1000000 "
        "of a million calls, category \"throttle\" (xDS node ID: web-1)");
  }
  xds_.Put("eds", "pay", EndpointsBytes("pay", {backend_.address()}));
  EXPECT_EQ(Words(channel.CallUntilOk().status), "OK");
}

TEST_F(EdgeRoutes, LeadToAHostThatDnsKnows) {
  const std::vector<std::string> parts = absl::StrSplit(backend_.address(), ':');
  xds_.Put("cds", "pay",
           FromText("envoy.config.cluster.v3.Cluster",
                    absl::StrCat("name: \"pay\" type: LOGICAL_DNS load_assignment { endpoints { "
                                 "lb_endpoints { endpoint { address { socket_address { address: "
                                 "\"localhost\" port_value: ",
                                 parts[1], " } } } } } }")));
  ChannelUnderTest channel(xds_.address());
  for (int lane = 0; lane < 2; ++lane) {
    const CallResult result = channel.Call();
    EXPECT_EQ(Words(result.status), "OK");
    EXPECT_EQ(result.peer, backend_.peer());
  }
}

TEST_F(EdgeRoutes, LeadToAHostThatDnsDoesNotKnow) {
  xds_.Put(
      "cds", "pay", FromText("envoy.config.cluster.v3.Cluster", R"pb(
        name: "pay"
        type: LOGICAL_DNS
        load_assignment {
          endpoints {
            lb_endpoints {
              endpoint { address { socket_address { address: "nowhere.invalid" port_value: 443 } } }
            }
          }
        })pb"));
  ChannelUnderTest channel(xds_.address());
  const grpc::Status status = channel.Call().status;
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr("cluster \"pay\""));
  EXPECT_THAT(status.error_message(), HasSubstr("nowhere.invalid"));
}

constexpr absl::string_view kBoth = R"pb(
  name: "pay"
  cluster_type {
    name: "envoy.clusters.aggregate"
    typed_config {
      [type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig] {
        clusters: "near"
        clusters: "far"
      }
    }
  })pb";

// R14.02
TEST_F(EdgeRoutes, LeadToTheNextClusterOfAnAggregateIfTheFirstIsUnreachable) {
  Backend far;
  xds_.Hold();
  xds_.Put("cds", "pay", FromText("envoy.config.cluster.v3.Cluster", kBoth));
  xds_.Put("cds", "near", ClusterBytes("near"));
  xds_.Put("cds", "far", ClusterBytes("far"));
  xds_.Put("eds", "near", EndpointsBytes("near", {backend_.address()}));
  xds_.Put("eds", "far", EndpointsBytes("far", {far.address()}));
  xds_.LetGo();
  backend_.Kill();
  ChannelUnderTest channel(xds_.address());
  EXPECT_EQ(channel.Call().peer, far.peer());
  backend_.Restart();
  EXPECT_TRUE(Eventually([&] {
    const CallResult result = channel.Call();
    EXPECT_EQ(Words(result.status), "OK");
    return result.peer == backend_.peer();
  }));
  backend_.Kill();
  EXPECT_TRUE(Eventually([&] { return channel.Call().peer == far.peer(); }));
}

TEST_F(EdgeRoutes, SayOnceWhatTheyAskForInVain) {
  testing::internal::CaptureStderr();
  const auto retrying = [](int most) {
    return OneRoute(absl::StrCat("cluster: \"pay\" retry_policy { retry_on: \"unavailable\" ",
                                 "num_retries { value: ", most, " } }"));
  };
  xds_.Put("rds", "pay-routes", retrying(2));
  {
    ChannelUnderTest channel(xds_.address());
    EXPECT_EQ(Words(channel.CallUntilOk().status), "OK");
    xds_.Put("rds", "pay-routes", retrying(3));
    xds_.WaitForAck("rds");
    // Two updates later the first has been applied.
    Backend other;
    xds_.Put("eds", "pay", EndpointsBytes("pay", {other.address()}));
    EXPECT_TRUE(Eventually([&] {
      const CallResult result = channel.Call();
      EXPECT_EQ(Words(result.status), "OK");
      return result.peer == other.peer();
    }));
  }
  const std::string said = testing::internal::GetCapturedStderr();
  const std::string sentence =
      "xds:///pay: virtual host \"vh\" route (prefix \"\"): its retry policy is not applied; a "
      "call that fails is not tried again";
  EXPECT_THAT(said, HasSubstr(sentence));
  EXPECT_EQ(said.find(sentence), said.rfind(sentence)) << said;
}

TEST_F(EdgeRoutes, WithAHashPolicyLeadWhereOthersDo) {
  testing::internal::CaptureStderr();
  xds_.Put("rds", "pay-routes",
           OneRoute("cluster: \"pay\" hash_policy { header { header_name: \"x-user\" } }"));
  {
    ChannelUnderTest channel(xds_.address());
    for (int lane = 0; lane < 2; ++lane) {
      const CallResult result = channel.CallUntilOk();
      EXPECT_EQ(Words(result.status), "OK");
      EXPECT_EQ(result.peer, backend_.peer());
    }
  }
  const std::string said = testing::internal::GetCapturedStderr();
  const std::string sentence =
      "xds:///pay: virtual host \"vh\" route (prefix \"\"): its hash policies are not applied; "
      "equal "
      "calls may go to different endpoints";
  EXPECT_THAT(said, HasSubstr(sentence));
  EXPECT_EQ(said.find(sentence), said.rfind(sentence)) << said;
}

}  // namespace
}  // namespace holdfast

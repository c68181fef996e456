// Load balancing policies of the application, and those this build does not have.
#include "tests/end_to_end/channel/edge_policy.h"

#include <gmock/gmock.h>

#include <future>
#include <ostream>
#include <string>

#include "tests/end_to_end/channel/channel_under_test.h"

namespace holdfast {
namespace {

using ::testing::HasSubstr;

class OwnPolicy : public testing::Test {
 protected:
  void PutPolicy(absl::string_view config = "") {
    PutPay(xds_, {one_.address(), two_.address()});
    xds_.Put("cds", "pay", ClusterBytes("pay", policy_.ClusterText(config)));
  }

  ToldPolicy policy_;
  Backend one_;
  Backend two_;
  ObligingXdsServer xds_;
};

TEST_F(OwnPolicy, PicksByMetadataAndPath) {
  policy_.Do([](const LbPickArgs& args, const std::vector<LbEndpoint>& endpoints) {
    const auto wanted = args.metadata.find("x-endpoint");
    if (args.path != "/grpc.health.v1.Health/Check" || wanted == args.metadata.end()) {
      return LbPick::Fail(absl::UnavailableError("nothing is wanted"));
    }
    for (size_t i = 0; i < endpoints.size(); ++i) {
      if (endpoints[i].addresses == std::vector<std::string>{wanted->second}) {
        return LbPick::Endpoint(i);
      }
    }
    return LbPick::Fail(absl::UnavailableError("no such endpoint"));
  });
  PutPolicy();
  ChannelUnderTest channel(xds_.address());
  const auto call = [&](const std::string& endpoint) {
    return channel.Call(
        [&](grpc::ClientContext& context) { context.AddMetadata("x-endpoint", endpoint); });
  };
  for (int round = 0; round < 3; ++round) {
    for (Backend* backend : {&one_, &two_}) {
      const CallResult result = call(backend->address());
      EXPECT_EQ(Words(result.status), "OK");
      EXPECT_EQ(result.peer, backend->peer());
    }
  }
  EXPECT_EQ(Words(call("elsewhere").status), "UNAVAILABLE: no such endpoint (xDS node ID: web-1)");
  EXPECT_EQ(Words(channel.Call().status), "UNAVAILABLE: nothing is wanted (xDS node ID: web-1)");
}

TEST_F(OwnPolicy, GetsItsConfigurationAsJson) {
  PutPolicy(R"pb(fields {
                   key: "zone"
                   value { string_value: "eu \"1\"" }
                 }
                 fields {
                   key: "most"
                   value { number_value: 3 }
                 }
                 fields {
                   key: "on"
                   value { bool_value: true }
                 })pb");
  ChannelUnderTest channel(xds_.address());
  EXPECT_EQ(Words(channel.CallUntilOk().status), "OK");
  EXPECT_EQ(policy_.configs(),
            (std::vector<std::string>{R"({"most":3,"on":true,"zone":"eu \"1\""})"}));
  xds_.Put("cds", "pay", ClusterBytes("pay", policy_.ClusterText()));
  EXPECT_TRUE(Eventually([&] { return policy_.configs().size() == 2; }));
  EXPECT_EQ(policy_.configs().back(), "{}");
  EXPECT_EQ(Words(channel.Call().status), "OK");
}

TEST_F(OwnPolicy, SeesTheStatesOfItsEndpoints) {
  using State = LbEndpoint::State;
  PutPolicy();
  ChannelUnderTest channel(xds_.address());
  EXPECT_EQ(Words(channel.CallUntilOk().status), "OK");
  const auto states = [&] {
    std::vector<State> all;
    for (const LbEndpoint& endpoint : policy_.endpoints()) all.push_back(endpoint.state);
    return all;
  };
  EXPECT_TRUE(Eventually([&] {
    return states() == std::vector<State>{State::kReady, State::kReady};
  }));
  two_.Kill();
  EXPECT_TRUE(Eventually([&] {
    return states() == std::vector<State>{State::kReady, State::kFailed};
  }));
  const LbEndpoint failed = policy_.endpoints().back();
  EXPECT_EQ(failed.addresses, std::vector<std::string>{two_.address()});
  EXPECT_EQ(failed.failure.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(failed.failure.message()), HasSubstr(two_.address()));
  EXPECT_THAT(std::string(failed.failure.message()), HasSubstr("Connection refused"));
  EXPECT_EQ(channel.Call().peer, one_.peer());
  two_.Restart();
  EXPECT_TRUE(Eventually([&] {
    return states() == std::vector<State>{State::kReady, State::kReady};
  }));
}

TEST_F(OwnPolicy, ThatChoosesAFailedEndpointMakesTheCallWaitForIt) {
  policy_.Do([](const LbPickArgs&, const std::vector<LbEndpoint>&) { return LbPick::Endpoint(1); });
  PutPolicy();
  ChannelUnderTest channel(xds_.address());
  EXPECT_EQ(channel.Call().peer, two_.peer());
  two_.Kill();
  EXPECT_TRUE(
      Eventually([&] { return policy_.endpoints().back().state == LbEndpoint::State::kFailed; }));
  auto result = std::async(std::launch::async, [&] { return channel.Call(); });
  two_.Restart();
  EXPECT_EQ(result.get().peer, two_.peer());
}

TEST_F(OwnPolicy, MayMakeCallsWaitForItsNextPicker) {
  policy_.Do([](const LbPickArgs&, const std::vector<LbEndpoint>& endpoints) {
    return endpoints.size() < 3 ? LbPick::Wait() : LbPick::Endpoint(0);
  });
  PutPolicy();
  ChannelUnderTest channel(xds_.address());
  auto result = std::async(std::launch::async, [&] { return channel.Call(); });
  EXPECT_TRUE(Eventually([&] { return policy_.endpoints().size() == 2; }));
  Backend three;
  xds_.Put("eds", "pay", EndpointsBytes("pay", {one_.address(), two_.address(), three.address()}));
  EXPECT_EQ(Words(result.get().status), "OK");
}

TEST_F(OwnPolicy, ThatRejectsItsConfigurationFailsItsCallsWithTheReason) {
  policy_.Reject(absl::InvalidArgumentError("zone must be set"));
  PutPolicy();
  ChannelUnderTest channel(xds_.address());
  for (int lane = 0; lane < 2; ++lane) {
    EXPECT_EQ(Words(channel.Call().status),
              absl::StrCat("UNAVAILABLE: cluster \"pay\": load balancing policy \"", policy_.name(),
                           "\" rejects its configuration: zone must be set (xDS node ID: web-1)"));
  }
  policy_.Reject(absl::OkStatus());
  xds_.Put("cds", "pay",
           ClusterBytes("pay", policy_.ClusterText("fields { key: \"zone\" value {} }")));
  EXPECT_EQ(Words(channel.CallUntilOk().status), "OK");
}

TEST_F(OwnPolicy, ThatMakesNoPickerFailsItsCalls) {
  policy_.MakeNoPicker();
  PutPolicy();
  ChannelUnderTest channel(xds_.address());
  EXPECT_EQ(Words(channel.CallUntilOk().status),
            absl::StrCat("UNAVAILABLE: cluster \"pay\": load balancing policy \"", policy_.name(),
                         "\" made no picker; its MakePicker must be fixed (xDS node ID: web-1)"));
}

TEST_F(OwnPolicy, ThatChoosesBeyondTheListFailsTheCallAndIsBlamed) {
  policy_.Do([](const LbPickArgs&, const std::vector<LbEndpoint>& endpoints) {
    return LbPick::Endpoint(endpoints.size());
  });
  PutPolicy();
  ChannelUnderTest channel(xds_.address());
  EXPECT_EQ(Words(channel.CallUntilOk().status),
            absl::StrCat("UNAVAILABLE: cluster \"pay\": load balancing policy \"", policy_.name(),
                         "\" chose endpoint 2 of a list of 2, counted from 0; its picker must be "
                         "fixed (xDS node ID: web-1)"));
}

// R12.64: what nobody registered is not supported, and the update that wants it is rejected.
TEST_F(OwnPolicy, ThatIsNotRegisteredMakesTheClusterInvalid) {
  PutPay(xds_, {one_.address()});
  xds_.Put("cds", "pay",
           ClusterBytes("pay", R"pb(load_balancing_policy {
                                      policies {
                                        typed_extension_config {
                                          name: "unknown"
                                          typed_config {
                                            [type.googleapis.com/xds.type.v3.TypedStruct] {
                                              type_url: "type.googleapis.com/acme.Unknown"
                                            }
                                          }
                                        }
                                      }
                                    })pb"));
  ChannelUnderTest channel(xds_.address());
  const grpc::Status status = channel.Call().status;
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr("cluster \"pay\""));
  EXPECT_THAT(status.error_message(),
              HasSubstr("holds no policy that is supported here (got \"acme.Unknown\")"));
  EXPECT_THAT(xds_.WaitForNack("cds"), HasSubstr("acme.Unknown"));
}

struct Missing {
  std::string name;
  std::string text;  // of the cluster's fields

  friend void PrintTo(const Missing& missing, std::ostream* out) { *out << missing.name; }
};

class PolicyOfAnotherBuild : public testing::TestWithParam<Missing> {};

INSTANTIATE_TEST_SUITE_P(, PolicyOfAnotherBuild,
                         testing::Values(Missing{"ring_hash", "lb_policy: RING_HASH"},
                                         Missing{"least_request", "lb_policy: LEAST_REQUEST"}),
                         [](const auto& row) {
                           return row.param.name == "ring_hash" ? "RingHash" : "LeastRequest";
                         });

TEST_P(PolicyOfAnotherBuild, FailsTheCallsOfItsClusterOnly) {
  Backend backend;
  ObligingXdsServer xds;
  PutPay(xds, {backend.address()});
  xds.Hold();
  xds.Put("cds", "other", ClusterBytes("other", GetParam().text));
  xds.Put("eds", "other", EndpointsBytes("other", {backend.address()}));
  xds.Put("rds", "pay-routes", RoutesBytes("pay-routes", "pay", R"pb(
            routes {
              match {
                prefix: ""
                headers { name: "x-other" present_match: true }
              }
              route { cluster: "other" }
            })pb"));
  xds.LetGo();
  ChannelUnderTest channel(xds.address());
  const auto to_other = [](grpc::ClientContext& context) { context.AddMetadata("x-other", "1"); };
  for (int lane = 0; lane < 2; ++lane) {
    EXPECT_EQ(
        Words(channel.Call(to_other).status),
        absl::StrCat("UNAVAILABLE: cluster \"other\": load balancing policy ", GetParam().name,
                     " is not yet supported by this build (xDS node ID: web-1)"));
    EXPECT_EQ(Words(channel.Call().status), "OK");
  }
}

}  // namespace
}  // namespace holdfast

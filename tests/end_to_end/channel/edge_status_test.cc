// Which codes calls fail with: the doors of gRFC A54, through a real channel.
#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <iterator>
#include <string>

#include "tests/end_to_end/channel/channel_under_test.h"
#include "tests/end_to_end/channel/edge_policy.h"

namespace holdfast {
namespace {

struct Code {
  absl::StatusCode said;
  bool belongs_to_the_application;
};

// All seventeen there are.
constexpr Code kCodes[] = {
    {absl::StatusCode::kOk, true},
    {absl::StatusCode::kCancelled, false},
    {absl::StatusCode::kUnknown, false},
    {absl::StatusCode::kInvalidArgument, true},
    {absl::StatusCode::kDeadlineExceeded, false},
    {absl::StatusCode::kNotFound, true},
    {absl::StatusCode::kAlreadyExists, true},
    {absl::StatusCode::kPermissionDenied, false},
    {absl::StatusCode::kResourceExhausted, false},
    {absl::StatusCode::kFailedPrecondition, true},
    {absl::StatusCode::kAborted, true},
    {absl::StatusCode::kOutOfRange, true},
    {absl::StatusCode::kUnimplemented, false},
    {absl::StatusCode::kInternal, false},
    {absl::StatusCode::kUnavailable, false},
    {absl::StatusCode::kDataLoss, true},
    {absl::StatusCode::kUnauthenticated, false},
};

std::string NameOf(absl::StatusCode code) { return absl::StatusCodeToString(code); }

// What a caller hears of a pick that fails with this code and the text "lost".
std::string Expected(const Code& code) {
  if (!code.belongs_to_the_application) {
    return absl::StrCat(NameOf(code.said), ": lost (xDS node ID: web-1)");
  }
  // absl keeps no message with OK.
  return absl::StrCat(
      "INTERNAL: bug in the control plane: the load balancer failed the call with ",
      NameOf(code.said), ", a code for the application's own answers; its message was ",
      code.said == absl::StatusCode::kOk ? "\"\"" : "\"lost (xDS node ID: web-1)\"");
}

// Fails or drops a call as its metadata say: "x-fail: 5".
LbPick PickAsTold(const LbPickArgs& args, const std::vector<LbEndpoint>&) {
  for (const auto& [key, value] : args.metadata) {
    int code = 0;
    if (!absl::SimpleAtoi(value, &code)) continue;
    const absl::Status why(static_cast<absl::StatusCode>(code), "lost");
    if (key == "x-fail") return LbPick::Fail(why);
    if (key == "x-drop") return LbPick::Drop(why);
  }
  return LbPick::Endpoint(0);
}

class PickDoor : public testing::TestWithParam<std::string> {
 protected:
  PickDoor() {
    policy_.Do(PickAsTold);
    PutPay(xds_, {backend_.address()});
    xds_.Put("cds", "pay", ClusterBytes("pay", policy_.ClusterText()));
  }

  std::function<void(grpc::ClientContext&)> Telling(absl::StatusCode code,
                                                    bool wait_for_ready = false) const {
    return [key = GetParam(), code, wait_for_ready](grpc::ClientContext& context) {
      context.AddMetadata(key, absl::StrCat(static_cast<int>(code)));
      context.set_wait_for_ready(wait_for_ready);
    };
  }

  ToldPolicy policy_;
  Backend backend_;
  ObligingXdsServer xds_;
  const ReservedPort unused_[2];
};

INSTANTIATE_TEST_SUITE_P(, PickDoor, testing::Values("x-fail", "x-drop"),
                         [](const auto& row) { return row.param == "x-fail" ? "Fail" : "Drop"; });

// R15.01, R15.02, R15.04, R15.07, R15.10
TEST_P(PickDoor, LetsNoCodeOfTheApplicationThroughAtOnce) {
  ChannelUnderTest channel(xds_.address());
  ASSERT_EQ(Words(channel.CallUntilOk().status), "OK");
  for (const Code& code : kCodes) {
    EXPECT_EQ(Words(channel.Call(Telling(code.said)).status), Expected(code)) << NameOf(code.said);
  }
}

// R15.01, R15.02, R15.04, R15.07, R15.10: the first call of a channel has to wait for its
// configuration.
TEST_P(PickDoor, LetsNoCodeOfTheApplicationThroughAfterAWait) {
  for (const Code& code : kCodes) {
    ChannelUnderTest channel(xds_.address());
    EXPECT_EQ(Words(channel.Call(Telling(code.said)).status), Expected(code)) << NameOf(code.said);
  }
}

// R15.07
TEST_P(PickDoor, MakesWaitWhoIsReadyToUnlessTheCallIsDropped) {
  ChannelUnderTest channel(xds_.address());
  ASSERT_EQ(Words(channel.CallUntilOk().status), "OK");
  const bool is_drop = GetParam() == "x-drop";
  for (const Code& code : kCodes) {
    if (is_drop) {
      EXPECT_EQ(Words(channel.Call(Telling(code.said, /*wait_for_ready=*/true)).status),
                Expected(code));
      continue;
    }
    const auto asked = std::make_shared<std::atomic<int>>(0);
    policy_.Do([asked](const LbPickArgs& args, const std::vector<LbEndpoint>& endpoints) {
      ++*asked;
      return PickAsTold(args, endpoints);
    });
    auto result = std::async(std::launch::async, [&] {
      return channel.Call(Telling(code.said, /*wait_for_ready=*/true));
    });
    EXPECT_TRUE(Eventually([&] { return *asked > 0; }));
    policy_.Do(
        [](const LbPickArgs&, const std::vector<LbEndpoint>&) { return LbPick::Endpoint(0); });
    // Another picker: those who wait are asked again.
    xds_.Put("eds", "pay",
             EndpointsBytes(
                 "pay", {backend_.address(), unused_[static_cast<int>(code.said) % 2].address()}));
    EXPECT_EQ(Words(result.get().status), "OK") << NameOf(code.said);
  }
}

// R15.11, R11.40, R11.41: what the control plane itself says never comes with its own code.
TEST(ResolverDoor, SaysUnavailableWhateverTheControlPlaneSays) {
  for (const Code& code : kCodes) {
    if (code.said == absl::StatusCode::kOk) continue;  // No error at all.
    ObligingXdsServer xds;
    xds.PutError("lds", "pay", static_cast<int32_t>(code.said), "ask #payments");
    ChannelUnderTest channel(xds.address());
    for (int lane = 0; lane < 2; ++lane) {  // After a wait, then at once.
      EXPECT_EQ(Words(channel.Call().status),
                absl::StrCat("UNAVAILABLE: target \"xds:///pay\": listener \"pay\": xds server \"",
                             xds.address(), "\" answered ", NameOf(code.said),
                             ": ask #payments; calls fail until it can be had (node \"web-1\")"))
          << NameOf(code.said);
    }
  }
}

// R15.03
TEST(SelectorDoor, SaysUnavailableForACallWithoutARoute) {
  Backend backend;
  ObligingXdsServer xds;
  PutPay(xds, {backend.address()});
  xds.Put("rds", "pay-routes", FromText("envoy.config.route.v3.RouteConfiguration", R"pb(
            name: "pay-routes"
            virtual_hosts {
              name: "vh"
              domains: "*"
              routes {
                match { prefix: "/acme." }
                route { cluster: "pay" }
              }
            })pb"));
  ChannelUnderTest channel(xds.address());
  for (int lane = 0; lane < 2; ++lane) {  // After a wait, then at once.
    EXPECT_EQ(Words(channel.Call().status),
              "UNAVAILABLE: target \"xds:///pay\": no route for \"/grpc.health.v1.Health/Check\": "
              "virtual "
              "host \"vh\": its only route does not match (xDS node ID: web-1)");
  }
}

// R11.36: the routes are the wrong ones, maybe, because the right ones cannot be had.
TEST(Refusals, OfTheRoutesQuoteWhatIsWrongAroundThem) {
  ObligingXdsServer xds;
  PutPay(xds, {});
  xds.Put("rds", "pay-routes", FromText("envoy.config.route.v3.RouteConfiguration", R"pb(
            name: "pay-routes"
            virtual_hosts {
              name: "vh"
              domains: "*"
              routes {
                match { prefix: "/acme." }
                route { cluster: "pay" }
              }
            })pb"));
  ChannelUnderTest channel(xds.address());
  const std::string refusal =
      "UNAVAILABLE: target \"xds:///pay\": no route for \"/grpc.health.v1.Health/Check\": virtual "
      "host \"vh\": its only route does not match (";
  EXPECT_EQ(Words(channel.Call().status), absl::StrCat(refusal, "xDS node ID: web-1)"));
  xds.Put("rds", "pay-routes",
          FromText("envoy.config.route.v3.RouteConfiguration",
                   "name: \"pay-routes\" virtual_hosts { name: \"vh\" }"));
  std::string words;
  ASSERT_TRUE(Eventually([&] {
    words = Words(channel.Call().status);
    return absl::StrContains(words, "virtual_hosts[0].domains: must not be empty");
  })) << words;
  EXPECT_THAT(words, ::testing::StartsWith(
                         absl::StrCat(refusal, "route configuration \"pay-routes\": version ")));
}

// Answers with the code that the metadata say.
class CodedHealth final : public grpc::health::v1::Health::Service {
 public:
  grpc::Status Check(grpc::ServerContext* context, const grpc::health::v1::HealthCheckRequest*,
                     grpc::health::v1::HealthCheckResponse*) override {
    const auto found = context->client_metadata().find("x-code");
    int code = 0;
    if (found == context->client_metadata().end() ||
        !absl::SimpleAtoi(absl::string_view(found->second.data(), found->second.size()), &code)) {
      return grpc::Status::OK;
    }
    return grpc::Status(static_cast<grpc::StatusCode>(code), "says the server");
  }
};

// R15.09
TEST(Answers, OfTheApplicationAreNeverRewritten) {
  CodedHealth health;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&health);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  ASSERT_NE(server, nullptr);
  ObligingXdsServer xds;
  PutPay(xds, {absl::StrCat("127.0.0.1:", port)});
  const auto channel = std::make_unique<ChannelUnderTest>(xds.address());
  for (const Code& code : kCodes) {
    const auto telling = [&](grpc::ClientContext& context) {
      context.AddMetadata("x-code", absl::StrCat(static_cast<int>(code.said)));
    };
    const std::string expected = code.said == absl::StatusCode::kOk
                                     ? "OK"
                                     : absl::StrCat(NameOf(code.said), ": says the server");
    EXPECT_EQ(Words(channel->Call(telling).status), expected);
    ChannelUnderTest fresh(xds.address());
    EXPECT_EQ(Words(fresh.Call(telling).status), expected);
  }
}

}  // namespace
}  // namespace holdfast

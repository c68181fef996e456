// Channel arguments of the user that reach further than the connections.
#include <grpc/grpc.h>

#include "tests/end_to_end/channel/channel_under_test.h"

namespace holdfast {
namespace {

// As with gRPC's own xds resolver: what calls say they are for is what routes are looked up by.
TEST(ChannelArguments, DefaultAuthorityChoosesTheVirtualHost) {
  Backend backend;
  ObligingXdsServer xds;
  PutPay(xds, {backend.address()});
  xds.Put("rds", "pay-routes",
          FromText("envoy.config.route.v3.RouteConfiguration",
                   "name: \"pay-routes\" virtual_hosts { name: \"vh\" domains: \"pay.example\" "
                   "routes { match { prefix: \"\" } route { cluster: \"pay\" } } }"));
  ChannelOptions options;
  options.arguments.SetString(GRPC_ARG_DEFAULT_AUTHORITY, "pay.example");
  ChannelUnderTest named(xds.address(), {}, QuickOptions(), "xds:///pay", options);
  EXPECT_EQ(Words(named.Call().status), "OK");
  ChannelUnderTest plain(xds.address());
  EXPECT_EQ(plain.Call().status.error_code(), grpc::StatusCode::UNAVAILABLE);
}

// Why a connection fails is asked by a call, which must not wait until it does not.
TEST(ChannelArguments, AServiceConfigThatWaitsForReadyHidesNoFailure) {
  Backend backend;
  backend.Kill();
  ObligingXdsServer xds;
  PutPay(xds, {backend.address()});
  ChannelOptions options;
  options.arguments.SetServiceConfigJSON(R"({"methodConfig":[{"name":[{}],"waitForReady":true}]})");
  ChannelUnderTest channel(xds.address(), {}, QuickOptions(), "xds:///pay", options);
  const std::string words = Words(channel.Call().status);
  EXPECT_NE(words.find("no endpoint can be reached; last error: "), std::string::npos) << words;
  EXPECT_NE(words.find("Connection refused"), std::string::npos) << words;
}

// gRPC retries that call as any other, and says nothing until it gives up.
TEST(ChannelArguments, AServiceConfigThatRetriesHidesTheReasonAndNotTheFailure) {
  Backend backend;
  backend.Kill();
  ObligingXdsServer xds;
  PutPay(xds, {backend.address()});
  ChannelOptions options;
  options.arguments.SetServiceConfigJSON(
      R"({"methodConfig":[{"name":[{}],"retryPolicy":{"maxAttempts":5,"initialBackoff":"60s",)"
      R"("maxBackoff":"60s","backoffMultiplier":1,"retryableStatusCodes":["UNAVAILABLE"]}}]})");
  ChannelUnderTest channel(xds.address(), {}, QuickOptions(), "xds:///pay", options);
  EXPECT_EQ(Words(channel.Call().status),
            absl::StrCat("UNAVAILABLE: cluster \"pay\": no endpoint can be reached; last error: "
                         "ipv4:",
                         backend.address(),
                         ": cannot be reached; gRPC did not say why within 1s, which a service "
                         "config that retries calls may prevent (xDS node ID: web-1)"));
}

}  // namespace
}  // namespace holdfast

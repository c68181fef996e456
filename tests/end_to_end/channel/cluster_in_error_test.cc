// A route to a cluster that cannot be had is no place to wait: whoever waits for better times goes
// where the routes lead when they come.
#include <memory>

#include "tests/end_to_end/channel/channel_under_test.h"
#include "tests/end_to_end/channel/parked_call.h"

namespace holdfast {
namespace {

constexpr char kNotFound[] = "UNAVAILABLE: cluster \"payy\": xds server \"";

class ClusterInError : public testing::Test {
 protected:
  static constexpr int kNotFoundCode = 5;

  ClusterInError() { PutPay(xds_, {backend_.address()}); }

  void RouteTo(const std::string& cluster) {
    xds_.Put("rds", "pay-routes", RoutesBytes("pay-routes", cluster));
  }

  Backend backend_;
  ObligingXdsServer xds_;
};

// R13.04: it fails, also for those who would wait; they choose anew.
TEST_F(ClusterInError, LetsAWaitingCallGoWhenTheRouteIsMended) {
  RouteTo("payy");
  xds_.PutError("cds", "payy", kNotFoundCode, "no such cluster");
  ChannelUnderTest channel(xds_.address());
  const std::string failure = Words(channel.Call().status);
  EXPECT_EQ(failure.rfind(kNotFound, 0), 0u) << failure;
  ParkedCall call(channel);
  RouteTo("pay");
  EXPECT_EQ(Words(call.Wait()), "OK");
}

TEST_F(ClusterInError, LetsAWaitingCallGoWhenTheClusterIsThere) {
  RouteTo("payy");
  xds_.PutError("cds", "payy", kNotFoundCode, "no such cluster");
  ChannelUnderTest channel(xds_.address());
  EXPECT_EQ(channel.Call().status.error_code(), grpc::StatusCode::UNAVAILABLE);
  ParkedCall call(channel);
  xds_.Put("eds", "payy", EndpointsBytes("payy", {backend_.address()}));
  xds_.Put("cds", "payy", ClusterBytes("payy"));
  EXPECT_EQ(Words(call.Wait()), "OK");
}

TEST_F(ClusterInError, LetsACallGoThatWaitedForItsEndpoints) {
  xds_.Put("cds", "gone", ClusterBytes("gone"));
  xds_.Put("eds", "gone", EndpointsBytes("gone", {}));
  RouteTo("gone");
  ChannelUnderTest channel(xds_.address(), {"fail_on_data_errors"});
  EXPECT_EQ(channel.Call().status.error_code(), grpc::StatusCode::UNAVAILABLE);
  ParkedCall call(channel);
  xds_.Remove("cds", "gone");
  xds_.WaitForAck("cds");
  RouteTo("pay");
  EXPECT_EQ(Words(call.Wait()), "OK");
}

// What a call that waits says at its end is the newest there is to say.
TEST_F(ClusterInError, IsWhatACallSaysThatWaitedInVain) {
  RouteTo("payy");
  xds_.PutError("cds", "payy", kNotFoundCode, "no such cluster");
  ChannelUnderTest channel(xds_.address());
  const std::string failure = Words(channel.Call().status);
  const CallResult result = channel.Call([](grpc::ClientContext& context) {
    context.set_wait_for_ready(true);
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(300));
  });
  EXPECT_EQ(Words(result.status),
            absl::StrCat("DEADLINE_EXCEEDED: Deadline Exceeded; the call was waiting: ",
                         failure.substr(std::string("UNAVAILABLE: ").size())));
}

}  // namespace
}  // namespace holdfast

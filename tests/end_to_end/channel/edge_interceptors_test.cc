// Interceptors of the application see every call of a channel, and what they make of a status is
// theirs.
#include <gmock/gmock.h>
#include <grpcpp/support/client_interceptor.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/end_to_end/channel/channel_under_test.h"

namespace holdfast {
namespace {

using grpc::experimental::ClientInterceptorFactoryInterface;
using grpc::experimental::ClientRpcInfo;
using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::Interceptor;
using grpc::experimental::InterceptorBatchMethods;

// Writes down what it sees; once told to, gives every call another status.
class Observer final : public ClientInterceptorFactoryInterface {
 public:
  Interceptor* CreateClientInterceptor(ClientRpcInfo* info) override {
    return new OneCall(*this, info->method());
  }

  // "METHOD CODE" of each call that has ended.
  std::vector<std::string> TakeSeen() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(seen_, {});
  }
  void Rewrite(grpc::Status status) {
    const std::lock_guard<std::mutex> lock(mutex_);
    rewritten_ = std::move(status);
  }

 private:
  class OneCall final : public Interceptor {
   public:
    OneCall(Observer& observer, std::string method)
        : observer_(observer), method_(std::move(method)) {}
    void Intercept(InterceptorBatchMethods* methods) override {
      if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::POST_RECV_STATUS)) {
        observer_.OnStatus(method_, *methods->GetRecvStatus());
      }
      methods->Proceed();
    }

   private:
    Observer& observer_;
    const std::string method_;
  };

  void OnStatus(const std::string& method, grpc::Status& status) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto code = static_cast<absl::StatusCode>(status.error_code());
    seen_.push_back(absl::StrCat(method, " ", absl::StatusCodeToString(code)));
    if (!rewritten_.ok()) status = rewritten_;
  }

  std::mutex mutex_;
  std::vector<std::string> seen_;
  grpc::Status rewritten_;
};

using Seen = std::vector<std::string>;
constexpr char kOk[] = "/grpc.health.v1.Health/Check OK";
constexpr char kUnavailable[] = "/grpc.health.v1.Health/Check UNAVAILABLE";

class EdgeInterceptors : public testing::Test {
 protected:
  ChannelUnderTest NewChannel(const std::string& target = "xds:///pay") {
    ChannelOptions options;
    options.interceptors = {observer_};
    return ChannelUnderTest(xds_.address(), {}, QuickOptions(), target, options);
  }

  const std::shared_ptr<Observer> observer_ = std::make_shared<Observer>();
  Backend backend_;
  ObligingXdsServer xds_;
};

// R15.08, R13.54
TEST_F(EdgeInterceptors, SeeEachCallOnce) {
  PutPay(xds_, {backend_.address()});
  ChannelUnderTest channel = NewChannel();
  EXPECT_EQ(Words(channel.Call().status), "OK");  // After a wait.
  EXPECT_EQ(observer_->TakeSeen(), Seen{kOk});
  EXPECT_EQ(Words(channel.Call().status), "OK");  // At once.
  EXPECT_EQ(observer_->TakeSeen(), Seen{kOk});
}

TEST_F(EdgeInterceptors, SeeACallThatFailsWithoutBeingSent) {
  xds_.PutError("lds", "pay", 5, "ask #payments");
  ChannelUnderTest channel = NewChannel();
  EXPECT_EQ(channel.Call().status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(observer_->TakeSeen(), Seen{kUnavailable});
  EXPECT_EQ(channel.Call().status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(observer_->TakeSeen(), Seen{kUnavailable});
}

TEST_F(EdgeInterceptors, SeeTheCallsOfAChannelThatCannotWork) {
  ChannelUnderTest channel = NewChannel("xds://nowhere/pay");
  EXPECT_EQ(channel.Call().status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(observer_->TakeSeen(), Seen{kUnavailable});
}

// What Holdfast calls for itself, to learn why a connection failed, is nobody's business.
TEST_F(EdgeInterceptors, SeeNoCallsButThoseOfTheApplication) {
  PutPay(xds_, {backend_.address()});
  backend_.Kill();
  ChannelUnderTest channel = NewChannel();
  EXPECT_EQ(channel.Call().status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(observer_->TakeSeen(), Seen{kUnavailable});
}

// R15.08, R13.54: any code, on every way that a call can take.
TEST_F(EdgeInterceptors, MayGiveACallAnyStatus) {
  const grpc::Status theirs(grpc::StatusCode::NOT_FOUND, "says the interceptor");
  observer_->Rewrite(theirs);
  {
    xds_.PutError("lds", "pay", 5, "ask #payments");
    ChannelUnderTest failing = NewChannel();
    EXPECT_EQ(Words(failing.Call().status), Words(theirs));
    EXPECT_EQ(Words(failing.Call().status), Words(theirs));
  }
  PutPay(xds_, {backend_.address()});
  ChannelUnderTest channel = NewChannel();
  EXPECT_EQ(Words(channel.Call().status), Words(theirs));
  EXPECT_EQ(Words(channel.Call().status), Words(theirs));
  EXPECT_EQ(observer_->TakeSeen(), (Seen{kUnavailable, kUnavailable, kOk, kOk}));
}

}  // namespace
}  // namespace holdfast

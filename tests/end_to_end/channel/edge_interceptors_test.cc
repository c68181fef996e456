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

// Adds "x-to: other" to every call.
class Adding final : public ClientInterceptorFactoryInterface {
 public:
  Interceptor* CreateClientInterceptor(ClientRpcInfo*) override { return new OneCall; }

 private:
  class OneCall final : public Interceptor {
   public:
    void Intercept(InterceptorBatchMethods* methods) override {
      if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_INITIAL_METADATA)) {
        methods->GetSendInitialMetadata()->insert({"x-to", "other"});
      }
      methods->Proceed();
    }
  };
};

// As channel.h says.
TEST_F(EdgeInterceptors, ChangeNoRouteByMetadataThatTheyAdd) {
  Backend other;
  xds_.Hold();
  PutPay(xds_, {backend_.address()});
  xds_.Put("cds", "other", ClusterBytes("other"));
  xds_.Put("eds", "other", EndpointsBytes("other", {other.address()}));
  xds_.Put("rds", "pay-routes",
           RoutesBytes("pay-routes", "pay",
                       "routes { match { prefix: \"\" headers { name: \"x-to\" string_match { "
                       "exact: \"other\" } } } route { cluster: \"other\" } }"));
  xds_.LetGo();
  ChannelOptions options;
  options.interceptors = {std::make_shared<Adding>()};
  ChannelUnderTest channel(xds_.address(), {}, QuickOptions(), "xds:///pay", options);
  for (int lane = 0; lane < 2; ++lane) {  // After a wait, then at once.
    EXPECT_EQ(channel.CallUntilOk().peer, backend_.peer());
  }
  // The route itself works.
  const CallResult led =
      channel.Call([](grpc::ClientContext& context) { context.AddMetadata("x-to", "other"); });
  EXPECT_EQ(Words(led.status), "OK");
  EXPECT_EQ(led.peer, other.peer());
}

// Of the whole process: makes a call of its own before each health check, and counts them. gRPC
// only forgets it, and calls that are still there look at it: it lives as long as the process.
class CallingOn final : public ClientInterceptorFactoryInterface {
 public:
  Interceptor* CreateClientInterceptor(ClientRpcInfo* info) override {
    const bool is_check = absl::string_view(info->method()) == "/grpc.health.v1.Health/Check";
    if (!is_check) ++*others_;
    return new OneCall(is_check ? calls_ : nullptr);
  }
  const std::shared_ptr<std::atomic<int>> calls_ = std::make_shared<std::atomic<int>>(0);
  const std::shared_ptr<std::atomic<int>> others_ = std::make_shared<std::atomic<int>>(0);

 private:
  class OneCall final : public Interceptor {
   public:
    explicit OneCall(std::shared_ptr<std::atomic<int>> calls) : calls_(std::move(calls)) {}
    void Intercept(InterceptorBatchMethods* methods) override {
      constexpr int kEndless = 10;
      if (calls_ != nullptr && *calls_ < kEndless &&
          methods->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_INITIAL_METADATA)) {
        ++*calls_;
        grpc::ClientContext context;
        grpc::health::v1::HealthCheckResponse response;
        const auto stub = grpc::health::v1::Health::NewStub(methods->GetInterceptedChannel());
        EXPECT_EQ(Words(stub->Check(&context, {}, &response)), "OK");
      }
      methods->Proceed();
    }

   private:
    const std::shared_ptr<std::atomic<int>> calls_;
  };
};

TEST_F(EdgeInterceptors, OfTheProcessMayCallOnThroughTheConnection) {
  PutPay(xds_, {backend_.address()});
  // What waits starts on a thread where nobody may block.
  ChannelUnderTest channel(xds_.address());
  ASSERT_EQ(Words(channel.CallUntilOk().status), "OK");
  static CallingOn factory;
  const auto calls = factory.calls_;
  *calls = 0;
  grpc::experimental::RegisterGlobalClientInterceptorFactory(&factory);
  EXPECT_EQ(Words(channel.Call().status), "OK");
  EXPECT_EQ(*calls, 1);
  EXPECT_EQ(Words(channel.Call().status), "OK");
  EXPECT_EQ(*calls, 2);
  grpc::experimental::TestOnlyResetGlobalClientInterceptorFactory();
}

// gRPC offers no way to keep them out; channel.h says so.
TEST_F(EdgeInterceptors, OfTheProcessSeeTheStreamToTheControlPlane) {
  PutPay(xds_, {backend_.address()});
  static CallingOn factory;
  const auto others = factory.others_;
  *others = 0;
  *factory.calls_ = 1000;  // Calls nothing on.
  grpc::experimental::RegisterGlobalClientInterceptorFactory(&factory);
  {
    ChannelUnderTest channel(xds_.address());
    EXPECT_EQ(Words(channel.CallUntilOk().status), "OK");
    EXPECT_GE(*others, 1);
  }
  grpc::experimental::TestOnlyResetGlobalClientInterceptorFactory();
}

}  // namespace
}  // namespace holdfast

// Interceptors of an application see the calls of every lane, and what they make of a status is
// theirs.
#include <gmock/gmock.h>
#include <grpcpp/support/client_interceptor.h>
#include <grpcpp/support/interceptor.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/channel/call_shapes.h"
#include "tests/channel/lane_under_test.h"

namespace holdfast {
namespace {

using grpc::experimental::ClientInterceptorFactoryInterface;
using grpc::experimental::ClientRpcInfo;
using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::InterceptorBatchMethods;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using ::testing::StrEq;
using ::testing::ValuesIn;

// Runs `each` for every batch of every call.
class Intercepts final : public ClientInterceptorFactoryInterface {
 public:
  using OfBatch = std::function<void(InterceptorBatchMethods&)>;
  explicit Intercepts(OfBatch each) : each_(std::move(each)) {}

  grpc::experimental::Interceptor* CreateClientInterceptor(ClientRpcInfo* call) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    methods_.push_back(call->method());
    return new One(each_);
  }
  // Of the calls it saw.
  std::vector<std::string> methods() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return methods_;
  }

 private:
  class One final : public grpc::experimental::Interceptor {
   public:
    explicit One(OfBatch each) : each_(std::move(each)) {}
    void Intercept(InterceptorBatchMethods* methods) override {
      each_(*methods);
      methods->Proceed();
    }

   private:
    const OfBatch each_;
  };

  const OfBatch each_;
  std::mutex mutex_;
  std::vector<std::string> methods_;
};

const char* PathOf(Kind kind) {
  static constexpr const char* kPaths[] = {
      "/acme.test.v1.Echo/Unary", "/acme.test.v1.Echo/ClientStream",
      "/acme.test.v1.Echo/ServerStream", "/acme.test.v1.Echo/Bidi"};
  return kPaths[static_cast<int>(kind)];
}

class EveryInterceptedCall : public testing::TestWithParam<Shape> {
 protected:
  EveryInterceptedCall() {
    interceptors_.push_back(std::make_shared<Intercepts>([this](InterceptorBatchMethods& batch) {
      if (!batch.QueryInterceptionHookPoint(InterceptionHookPoints::POST_RECV_STATUS)) return;
      ++statuses_;
      if (!replacement_.ok()) *batch.GetRecvStatus() = replacement_;
    }));
  }

  Intercepts& interceptor() { return static_cast<Intercepts&>(*interceptors_.front()); }

  EchoServer server_;
  grpc::Status replacement_;
  std::atomic<int> statuses_ = 0;
  SharedInterceptors interceptors_;
};

INSTANTIATE_TEST_SUITE_P(, EveryInterceptedCall, ValuesIn(AllShapes()),
                         [](const auto& given) { return NameOf(given.param); });

// A call that is taken over is created twice; the interceptor of the first hears nothing.
TEST_P(EveryInterceptedCall, IsSeenOnceOnEveryLane) {
  for (const Lane one : kLanes) {
    LaneUnderTest lane(one, server_.Connect(interceptors_), interceptors_);
    grpc::ClientContext context;
    const Outcome outcome = MakeCall(GetParam(), lane.stub(), context, RequestOf("hi"));
    EXPECT_TRUE(outcome.status.ok()) << outcome.status.error_message();
    EXPECT_EQ(outcome.texts, ExpectedTexts(GetParam().kind, "hi"));
  }
  const auto director = std::make_shared<FakeDirector>();
  const auto stub = echo::Echo::NewStub(ChannelOf(director, interceptors_));
  director->Fail(grpc::StatusCode::UNAVAILABLE, "down");
  grpc::ClientContext context;
  const Outcome outcome = MakeCall(GetParam(), *stub, context, RequestOf("hi"));
  EXPECT_EQ(outcome.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(outcome.status.error_message(), "down");
  constexpr size_t kCalls = std::size(kLanes) + 1;
  EXPECT_THAT(interceptor().methods(),
              AllOf(SizeIs(kCalls + 1), Each(StrEq(PathOf(GetParam().kind)))));
  EXPECT_EQ(statuses_, static_cast<int>(kCalls));
}

// Also with a code that the control plane must not use.
// R15.08, R13.54
TEST_P(EveryInterceptedCall, MayBeGivenAnyStatus) {
  replacement_ = grpc::Status(grpc::StatusCode::DATA_LOSS, "says the interceptor", "why");
  const auto director = std::make_shared<FakeDirector>();
  const auto stub = echo::Echo::NewStub(ChannelOf(director, interceptors_));
  const auto expect_replaced = [&] {
    grpc::ClientContext context;
    const Outcome outcome = MakeCall(GetParam(), *stub, context, RequestOf("hi"));
    EXPECT_EQ(outcome.status.error_code(), grpc::StatusCode::DATA_LOSS);
    EXPECT_EQ(outcome.status.error_message(), "says the interceptor");
    EXPECT_EQ(outcome.status.error_details(), "why");
  };
  director->Fail(grpc::StatusCode::UNAVAILABLE, "down");
  expect_replaced();
  director->StartOn(server_.Connect(interceptors_));
  expect_replaced();
  director->MakeWait();
  const StartsWhoeverWaits starter(director, server_.Connect(interceptors_));
  expect_replaced();
  EXPECT_EQ(director->waited(), 1);
}

TEST_P(EveryInterceptedCall, IsSeenWhenItIsCancelledWhileItWaits) {
  const auto director = std::make_shared<FakeDirector>();
  const auto stub = echo::Echo::NewStub(ChannelOf(director, interceptors_));
  grpc::ClientContext context;
  context.set_deadline(In(absl::Milliseconds(20)));
  const Outcome outcome = MakeCall(GetParam(), *stub, context, RequestOf("hi"));
  EXPECT_EQ(outcome.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_THAT(interceptor().methods(), ElementsAre(PathOf(GetParam().kind)));
  EXPECT_EQ(statuses_, 1);
}

class InterceptorsOfEveryLane : public testing::TestWithParam<Lane> {};

INSTANTIATE_TEST_SUITE_P(, InterceptorsOfEveryLane, ValuesIn(kLanes),
                         [](const auto& given) { return NameOf(given.param); });

// gRPC finds those after an interceptor by its position, of which ours must not take one away.
TEST_P(InterceptorsOfEveryLane, MakeCallsThatOnlyThoseAfterThemSee) {
  EchoServer server;
  std::atomic<int> inner_calls = 0;
  const auto first = std::make_shared<Intercepts>([&](InterceptorBatchMethods& batch) {
    if (!batch.QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_INITIAL_METADATA)) {
      return;
    }
    const auto stub = echo::Echo::NewStub(batch.GetInterceptedChannel());
    grpc::ClientContext context;
    echo::EchoReply reply;
    if (stub->Unary(&context, RequestOf("inner"), &reply).ok()) ++inner_calls;
  });
  const auto second = std::make_shared<Intercepts>([](InterceptorBatchMethods&) {});
  const SharedInterceptors interceptors = {first, second};
  LaneUnderTest lane(GetParam(), server.Connect(interceptors), interceptors);
  grpc::ClientContext context;
  echo::EchoReply reply;
  EXPECT_TRUE(lane.stub().Unary(&context, RequestOf("outer"), &reply).ok());
  EXPECT_EQ(reply.text(), "outer");
  EXPECT_EQ(inner_calls, 1);
  const size_t created_before = GetParam() == Lane::kTakenOver ? 1 : 0;
  EXPECT_EQ(first->methods().size(), created_before + 1);
  EXPECT_EQ(second->methods().size(), created_before + 2);
}

}  // namespace
}  // namespace holdfast

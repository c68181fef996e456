// What can happen to a call while it waits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/time/clock.h"
#include "channel/call/idle_channels.h"
#include "tests/channel/call_shapes.h"
#include "tests/channel/lane_under_test.h"
#include "tests/support/patience.h"

namespace holdfast {
namespace {

using ::testing::AllOf;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::ValuesIn;

// Calls are freed a little later, on the loop.
bool ExpiresSoon(const std::weak_ptr<FakeDirector>& director) {
  const auto end = std::chrono::steady_clock::now() + absl::ToChronoSeconds(kPatience);
  while (!director.expired() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return director.expired();
}

class DeferredLane : public testing::Test {
 protected:
  // When the one call that is made waits, `then` runs on a thread of its own.
  Outcome CallAndWhileItWaits(Shape shape, grpc::ClientContext& context,
                              const std::function<void()>& then) {
    std::thread other([&] {
      EXPECT_TRUE(director_->AwaitWaiting(1));
      then();
    });
    const Outcome outcome = MakeCall(shape, *stub_, context, RequestOf("hi"));
    other.join();
    return outcome;
  }

  EchoServer server_;
  const std::shared_ptr<FakeDirector> director_ = std::make_shared<FakeDirector>();
  std::shared_ptr<grpc::ChannelInterface> channel_ = ChannelOf(director_);
  std::unique_ptr<echo::Echo::Stub> stub_ = echo::Echo::NewStub(channel_);
};

class EveryWaitingCall : public DeferredLane, public testing::WithParamInterface<Shape> {};

INSTANTIATE_TEST_SUITE_P(, EveryWaitingCall, ValuesIn(AllShapes()),
                         [](const auto& given) { return NameOf(given.param); });

TEST_P(EveryWaitingCall, CanBeCancelled) {
  grpc::ClientContext context;
  const Outcome outcome =
      CallAndWhileItWaits(GetParam(), context, [&context] { context.TryCancel(); });
  EXPECT_EQ(outcome.status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(outcome.status.error_message(), "CANCELLED");
  EXPECT_THAT(outcome.texts, IsEmpty());
}

TEST_P(EveryWaitingCall, EndsAtItsDeadline) {
  grpc::ClientContext context;
  context.set_deadline(In(absl::Milliseconds(50)));
  const Outcome outcome = MakeCall(GetParam(), *stub_, context, RequestOf("hi"));
  EXPECT_EQ(outcome.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(outcome.status.error_message(), "Deadline Exceeded");
}

TEST_P(EveryWaitingCall, FailsWhenThePickFails) {
  grpc::ClientContext context;
  const Outcome outcome = CallAndWhileItWaits(GetParam(), context, [this] {
    director_->Fail(grpc::StatusCode::UNAVAILABLE, "no \u20ac left");
  });
  EXPECT_EQ(outcome.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(outcome.status.error_message(), "no \u20ac left");
}

// R15.07
TEST_P(EveryWaitingCall, WaitsOnWhenThePickFailsIfItWaitsForReady) {
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  director_->Fail(grpc::StatusCode::UNAVAILABLE, "down");
  const Outcome outcome = CallAndWhileItWaits(GetParam(), context, [this] {
    director_->Fail(grpc::StatusCode::UNAVAILABLE, "still down");
    EXPECT_TRUE(director_->AwaitWaiting(1));
    director_->StartOn(server_.Connect());
  });
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.error_message();
  EXPECT_EQ(outcome.texts, ExpectedTexts(GetParam().kind, "hi"));
}

// R15.07
TEST_P(EveryWaitingCall, FailsWhenItIsDroppedEvenIfItWaitsForReady) {
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  const Outcome outcome = CallAndWhileItWaits(
      GetParam(), context, [this] { director_->Drop(grpc::StatusCode::UNAVAILABLE, "dropped"); });
  EXPECT_EQ(outcome.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(outcome.status.error_message(), "dropped");
}

TEST_P(EveryWaitingCall, StartsWithTheOperationsThatCameMeanwhile) {
  grpc::ClientContext context;
  const Outcome outcome = CallAndWhileItWaits(GetParam(), context, [this] {
    director_->MakeWait();
    // Time for reactors to start all that they start at once.
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    director_->StartOn(server_.Connect());
  });
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.error_message();
  EXPECT_EQ(outcome.texts, ExpectedTexts(GetParam().kind, "hi"));
}

TEST_P(EveryWaitingCall, LeavesNothingBehind) {
  std::weak_ptr<FakeDirector> weak;
  {
    const auto director = std::make_shared<FakeDirector>();
    weak = director;
    const auto stub = echo::Echo::NewStub(ChannelOf(director));
    const StartsWhoeverWaits starter(director, server_.Connect());
    grpc::ClientContext context;
    EXPECT_TRUE(MakeCall(GetParam(), *stub, context, RequestOf("hi")).status.ok());
    EXPECT_EQ(director->waited(), 1);
  }
  EXPECT_TRUE(ExpiresSoon(weak));
}

// The placeholder is cancelled when it is decided already that the call starts: it starts, and is
// cancelled.
TEST_P(EveryWaitingCall, CanBeCancelledAsItStarts) {
  grpc::ClientContext context;
  context.set_deadline(In(kPatience));
  bool is_waiting = false;
  director_->OnAsked([&] {
    if (!std::exchange(is_waiting, true)) return;
    context.TryCancel();
    // Enough for the news to reach the loop; without it the test would be as true.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  const StartsWhoeverWaits starter(director_, server_.Connect());
  echo::EchoRequest request = RequestOf("hi");
  request.set_hold(true);
  const Outcome outcome = MakeCall(GetParam(), *stub_, context, request);
  EXPECT_EQ(outcome.status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(outcome.status.error_message(), "CANCELLED");
}

TEST_F(DeferredLane, CountsTheLongestTimeOfARouteFromWhenTheCallWasMade) {
  grpc::ClientContext context;
  context.set_deadline(In(kPatience));
  const Outcome outcome = CallAndWhileItWaits({Api::kSync, Kind::kUnary}, context, [this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    director_->StartOn(server_.Connect(), absl::Milliseconds(90));
  });
  EXPECT_EQ(outcome.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(outcome.status.error_message(), "Deadline Exceeded");
}

TEST_F(DeferredLane, LimitsTheDeadlineToTheLongestTimeOfARoute) {
  grpc::ClientContext context;
  const Outcome outcome = CallAndWhileItWaits({Api::kCallback, Kind::kBidi}, context, [this] {
    director_->StartOn(server_.Connect(), absl::Seconds(20));
  });
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.error_message();
  EXPECT_THAT(outcome.last_reply.remaining_ms(), AllOf(Gt(0), Le(21'000)));
}

TEST_F(DeferredLane, LeavesADeadlineThatIsEarlierThanTheLongestTimeOfARoute) {
  grpc::ClientContext context;
  context.set_deadline(In(absl::Seconds(20)));
  const Outcome outcome = CallAndWhileItWaits({Api::kSync, Kind::kUnary}, context, [this] {
    director_->StartOn(server_.Connect(), absl::Hours(2));
  });
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.error_message();
  EXPECT_THAT(outcome.last_reply.remaining_ms(), AllOf(Gt(0), Le(21'000)));
}

TEST(FastLane, LimitsTheDeadlineToTheLongestTimeOfARoute) {
  EchoServer server;
  const auto director = std::make_shared<FakeDirector>();
  const auto stub = echo::Echo::NewStub(ChannelOf(director));
  director->StartOn(server.Connect(), absl::Seconds(20));
  for (const absl::Duration own : {absl::Hours(2), absl::InfiniteDuration()}) {
    grpc::ClientContext context;
    if (own < absl::InfiniteDuration()) context.set_deadline(In(own));
    echo::EchoReply reply;
    EXPECT_TRUE(stub->Unary(&context, RequestOf("hi"), &reply).ok());
    EXPECT_THAT(reply.remaining_ms(), AllOf(Gt(0), Le(21'000)));
  }
  director->StartOn(server.Connect(), absl::InfiniteDuration());
  grpc::ClientContext context;
  context.set_deadline(In(absl::Seconds(20)));
  echo::EchoReply reply;
  EXPECT_TRUE(stub->Unary(&context, RequestOf("hi"), &reply).ok());
  EXPECT_THAT(reply.remaining_ms(), AllOf(Gt(0), Le(21'000)));
}

TEST_F(DeferredLane, HearsNewsFromBetweenPreparingACallAndStartingIt) {
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  echo::EchoReply reply;
  grpc::Status status;
  const auto call = stub_->PrepareAsyncUnary(&context, RequestOf("hi"), &queue);
  director_->StartOn(server_.Connect());
  call->StartCall();
  call->Finish(&reply, &status, &status);
  queue.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  EXPECT_TRUE(queue.Next(&tag, &ok));
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(reply.text(), "hi");
  EXPECT_FALSE(queue.Next(&tag, &ok));
}

// What was ready when the call was prepared may be gone when it starts. gRPC's own channel chooses
// then, too.
TEST_F(DeferredLane, ChoosesForACallThatWaitsForReadyWhenItStarts) {
  EchoServer other;
  director_->StartOn(server_.Connect());
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  context.AddMetadata("x-who", "me");
  context.set_wait_for_ready(true);
  echo::EchoReply reply;
  grpc::Status status;
  const auto call = stub_->PrepareAsyncUnary(&context, RequestOf("hi"), &queue);
  director_->StartOn(other.Connect());
  call->StartCall();
  call->Finish(&reply, &status, &status);
  queue.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  EXPECT_TRUE(queue.Next(&tag, &ok));
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(other.metadata().count("x-who"), 1u);
  EXPECT_EQ(director_->waited(), 0);
  EXPECT_FALSE(queue.Next(&tag, &ok));
}

TEST_P(EveryWaitingCall, StartsAtOnceIfItWaitsForReadyAndNothingIsWaitedFor) {
  director_->StartOn(server_.Connect());
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  const Outcome outcome = MakeCall(GetParam(), *stub_, context, RequestOf("hi"));
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.error_message();
  EXPECT_EQ(outcome.texts, ExpectedTexts(GetParam().kind, "hi"));
  EXPECT_EQ(director_->waited(), 0);
}

// R13.21: the route was not known when the call was made.
TEST_P(EveryWaitingCall, EndsWhenTheLongestTimeOfItsRouteIsOver) {
  grpc::ClientContext context;
  const absl::Time begin = absl::Now();
  const Outcome outcome = CallAndWhileItWaits(GetParam(), context, [this] {
    director_->Answer({.kind = Direction::Kind::kWait,
                       .longest = absl::Milliseconds(100),
                       .waits_for = "cluster \"pay\""});
  });
  EXPECT_EQ(outcome.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(outcome.status.error_message(),
            "Deadline Exceeded; the call was waiting: cluster \"pay\"");
  EXPECT_GE(absl::Now() - begin, absl::Milliseconds(95));
}

// The shortest of several counts, and none once it has started.
TEST_F(DeferredLane, IsFreeOfTheLimitOfItsWaitOnceItHasStarted) {
  grpc::ClientContext context;
  context.set_deadline(In(kPatience));
  const Outcome outcome = CallAndWhileItWaits({Api::kSync, Kind::kUnary}, context, [this] {
    for (const int seconds : {20, 30, 10}) {
      director_->Answer({.kind = Direction::Kind::kWait, .longest = absl::Seconds(seconds)});
      EXPECT_TRUE(director_->AwaitWaiting(1));
    }
    director_->StartOn(server_.Connect());
  });
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.error_message();
}

TEST_F(DeferredLane, RemembersThatAPreparedCallWasCancelled) {
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  echo::EchoReply reply;
  grpc::Status status;
  const auto call = stub_->PrepareAsyncUnary(&context, RequestOf("hi"), &queue);
  context.TryCancel();
  // So that the placeholder is over before there is an operation; if it is not, that is no
  // different to see.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  call->StartCall();
  call->Finish(&reply, &status, &status);
  queue.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  EXPECT_TRUE(queue.Next(&tag, &ok));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(status.error_message(), "CANCELLED");
  EXPECT_FALSE(queue.Next(&tag, &ok));
}

// The connection it was created on is ready, so nothing is parked: until it starts, nobody but the
// context can remember.
TEST_F(DeferredLane, RemembersThatACallWasCancelledThatWasPreparedOnAConnection) {
  for (const bool is_changed : {false, true}) {
    director_->StartOn(server_.Connect());
    grpc::CompletionQueue queue;
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    echo::EchoReply reply;
    grpc::Status status;
    const auto call = stub_->PrepareAsyncUnary(&context, RequestOf("hi"), &queue);
    context.TryCancel();
    if (is_changed) director_->MakeWait();
    call->StartCall();
    call->Finish(&reply, &status, &status);
    queue.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    EXPECT_TRUE(queue.Next(&tag, &ok));
    EXPECT_EQ(status.error_code(), grpc::StatusCode::CANCELLED);
    EXPECT_EQ(status.error_message(), "CANCELLED");
    EXPECT_FALSE(queue.Next(&tag, &ok));
  }
}

// The director has no news of the connection yet, but the call sees for itself.
TEST_F(DeferredLane, ChoosesAgainIfTheConnectionThatACallWasPreparedOnBroke) {
  EchoServer other;
  auto first = std::make_unique<EchoServer>();
  const std::shared_ptr<grpc::Channel> connection = first->Connect();
  director_->StartOn(connection);
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  echo::EchoReply reply;
  grpc::Status status;
  const auto call = stub_->PrepareAsyncUnary(&context, RequestOf("hi"), &queue);
  first.reset();
  ASSERT_TRUE(connection->WaitForStateChange(GRPC_CHANNEL_READY, In(kPatience)));
  director_->OnAsked([&] { director_->StartOn(other.Connect()); });
  call->StartCall();
  call->Finish(&reply, &status, &status);
  queue.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  EXPECT_TRUE(queue.Next(&tag, &ok));
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(reply.text(), "hi");
  EXPECT_FALSE(queue.Next(&tag, &ok));
}

TEST(DeferredCalls, AreFreedWhenTheyWerePreparedAndNeverStarted) {
  std::weak_ptr<FakeDirector> weak;
  {
    const auto director = std::make_shared<FakeDirector>();
    weak = director;
    const auto stub = echo::Echo::NewStub(ChannelOf(director));
    grpc::CompletionQueue queue;
    {
      // No deadline: nothing but the context says that it is over.
      grpc::ClientContext context;
      const auto call = stub->PrepareAsyncBidi(&context, &queue);
    }
    queue.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    EXPECT_FALSE(queue.Next(&tag, &ok));
  }
  EXPECT_TRUE(ExpiresSoon(weak));
}

TEST(DeferredCalls, OutliveTheStubAndTheChannelWhileTheyWait) {
  EchoServer server;
  std::weak_ptr<FakeDirector> weak;
  grpc::ClientContext context;
  echo::EchoRequest request = RequestOf("hi");
  echo::EchoReply reply;
  std::promise<grpc::Status> end;
  {
    const auto director = std::make_shared<FakeDirector>();
    weak = director;
    const auto stub = echo::Echo::NewStub(ChannelOf(director));
    stub->async()->Unary(&context, &request, &reply,
                         [&end](const grpc::Status& status) { end.set_value(status); });
  }
  // The call keeps who knows the way.
  const std::shared_ptr<FakeDirector> director = weak.lock();
  ASSERT_NE(director, nullptr);
  director->StartOn(server.Connect());
  const grpc::Status status = end.get_future().get();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(reply.text(), "hi");
}

TEST(DeferredCalls, NeverConnectThePlaceholderChannel) {
  const auto director = std::make_shared<FakeDirector>();
  const auto stub = echo::Echo::NewStub(ChannelOf(director));
  for (const Shape shape : AllShapes()) {
    grpc::ClientContext context;
    context.set_deadline(In(absl::Milliseconds(5)));
    MakeCall(shape, *stub, context, RequestOf("hi"));
  }
  EXPECT_EQ(grpc_channel_check_connectivity_state(PlaceholderChannel(), /*try_to_connect=*/0),
            GRPC_CHANNEL_IDLE);
}

}  // namespace
}  // namespace holdfast

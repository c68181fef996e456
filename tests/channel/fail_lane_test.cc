// A call that fails at once has exactly the status that it was given, whatever its shape.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "channel/call/idle_channels.h"
#include "tests/channel/call_shapes.h"
#include "tests/channel/lane_under_test.h"

namespace holdfast {
namespace {

using ::testing::IsEmpty;
using ::testing::ValuesIn;

struct Text {
  std::string given;
  std::string seen;
};

const std::vector<Text>& Texts() {
  static const auto& texts = *new std::vector<Text>{
      {"no endpoint is ready: 127.0.0.1:5: connection refused",
       "no endpoint is ready: 127.0.0.1:5: connection refused"},
      {"\"5 \u20ac\", 100 %25 and \\ \u4f60\u597d", "\"5 \u20ac\", 100 %25 and \\ \u4f60\u597d"},
      {"", ""},
      {std::string("zero\0inside", 11), "zero inside"},
      {"two\nlines", "two lines"},
      {"no UTF-8: \xff\xfe", "no UTF-8: \\xff\\xfe"},
      {std::string(10000, 'x'), absl::StrCat(std::string(8192, 'x'), "… (10000 bytes in all)")},
  };
  return texts;
}

class EveryFailedCall : public testing::TestWithParam<Shape> {};

INSTANTIATE_TEST_SUITE_P(, EveryFailedCall, ValuesIn(AllShapes()),
                         [](const auto& given) { return NameOf(given.param); });

TEST_P(EveryFailedCall, HasTheTextThatItWasGiven) {
  const auto director = std::make_shared<FakeDirector>();
  const auto stub = echo::Echo::NewStub(ChannelOf(director));
  for (const Text& text : Texts()) {
    director->Fail(grpc::StatusCode::UNAVAILABLE, text.given);
    grpc::ClientContext context;
    const Outcome outcome = MakeCall(GetParam(), *stub, context, RequestOf("hi"));
    EXPECT_EQ(outcome.status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_EQ(outcome.status.error_message(), text.seen);
    EXPECT_EQ(outcome.status.error_details(), "");
    EXPECT_THAT(outcome.texts, IsEmpty());
    EXPECT_THAT(context.GetServerInitialMetadata(), IsEmpty());
    EXPECT_THAT(context.GetServerTrailingMetadata(), IsEmpty());
  }
}

TEST_P(EveryFailedCall, HasTheCodeThatItWasGiven) {
  const auto director = std::make_shared<FakeDirector>();
  const auto stub = echo::Echo::NewStub(ChannelOf(director));
  for (int code = 1; code <= 16; ++code) {
    director->Drop(static_cast<grpc::StatusCode>(code), absl::StrCat("with ", code));
    grpc::ClientContext context;
    const Outcome outcome = MakeCall(GetParam(), *stub, context, RequestOf("hi"));
    EXPECT_EQ(outcome.status.error_code(), code);
    EXPECT_EQ(outcome.status.error_message(), absl::StrCat("with ", code));
  }
}

// R15.06: neither we nor gRPC try a call again whose pick failed.
TEST_P(EveryFailedCall, IsNotTriedAgain) {
  const auto director = std::make_shared<FakeDirector>();
  const auto stub = echo::Echo::NewStub(ChannelOf(director));
  director->Fail(grpc::StatusCode::UNAVAILABLE, "down");
  grpc::ClientContext context;
  MakeCall(GetParam(), *stub, context, RequestOf("hi"));
  EXPECT_EQ(director->asked(), 1);
  EXPECT_EQ(director->waited(), 0);
}

// R15.10
TEST(FailLane, NeverEndsACallWithOk) {
  const auto director = std::make_shared<FakeDirector>();
  const auto stub = echo::Echo::NewStub(ChannelOf(director));
  director->Fail(grpc::StatusCode::OK, "");
  grpc::ClientContext context;
  echo::EchoReply reply;
  const grpc::Status status = stub->Unary(&context, RequestOf("hi"), &reply);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INTERNAL);
  EXPECT_EQ(status.error_message(),
            "bug in the control plane: the load balancer failed the call with OK, a code for the "
            "application's own answers; its message was \"\"");
}

// R15.07
TEST(FailLane, FailsADroppedCallEvenIfItWaitsForReady) {
  const auto director = std::make_shared<FakeDirector>();
  const auto stub = echo::Echo::NewStub(ChannelOf(director));
  director->Drop(grpc::StatusCode::UNAVAILABLE, "dropped by category \"load\"");
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  echo::EchoReply reply;
  const grpc::Status status = stub->Unary(&context, RequestOf("hi"), &reply);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(status.error_message(), "dropped by category \"load\"");
  EXPECT_EQ(director->waited(), 0);
}

TEST(FailLane, NeverConnectsToAnything) {
  const auto director = std::make_shared<FakeDirector>();
  const auto stub = echo::Echo::NewStub(ChannelOf(director));
  director->Fail(grpc::StatusCode::UNAVAILABLE, "down");
  for (const Shape shape : AllShapes()) {
    grpc::ClientContext context;
    MakeCall(shape, *stub, context, RequestOf("hi"));
  }
  EXPECT_EQ(FailChannel({})->GetState(/*try_to_connect=*/false), GRPC_CHANNEL_IDLE);
}

}  // namespace
}  // namespace holdfast

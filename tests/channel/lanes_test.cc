// What an application sees of a call is the same on every lane, and the same as on gRPC's own
// channel, whatever the API and the kind of method.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/channel/call_shapes.h"
#include "tests/channel/lane_under_test.h"
#include "tests/support/patience.h"

namespace holdfast {
namespace {

using ::testing::AllOf;
using ::testing::Combine;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::ValuesIn;

std::vector<std::string> ValuesOf(const std::multimap<grpc::string_ref, grpc::string_ref>& metadata,
                                  const char* name) {
  std::vector<std::string> values;
  const auto [begin, end] = metadata.equal_range(name);
  for (auto value = begin; value != end; ++value) {
    values.emplace_back(value->second.data(), value->second.size());
  }
  return values;
}

const std::string kBinary("\0\1\xff end", 7);

class EveryCall : public testing::TestWithParam<std::tuple<Lane, Shape>> {
 protected:
  Lane lane() const { return std::get<0>(GetParam()); }
  Shape shape() const { return std::get<1>(GetParam()); }
  int deferred_calls() const { return lane() == Lane::kDeferred ? 1 : 0; }

  EchoServer server_;
};

INSTANTIATE_TEST_SUITE_P(, EveryCall, Combine(ValuesIn(kLanes), ValuesIn(AllShapes())),
                         [](const auto& given) {
                           return NameOf(std::get<0>(given.param)) +
                                  NameOf(std::get<1>(given.param));
                         });

TEST_P(EveryCall, CarriesMessagesMetadataAndDeadlineBothWays) {
  LaneUnderTest lane(this->lane(), server_.Connect());
  grpc::ClientContext context;
  context.AddMetadata(kEchoInitial, "first");
  context.AddMetadata(kEchoTrailing, kBinary);
  context.AddMetadata(kEchoTrailing, "second");
  context.set_deadline(In(kPatience));
  const Outcome outcome = MakeCall(shape(), lane.stub(), context, RequestOf("hi"));
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.error_message();
  EXPECT_EQ(outcome.texts, ExpectedTexts(shape().kind, "hi"));
  EXPECT_THAT(outcome.last_reply.authority(), HasSubstr("127.0.0.1"));
  EXPECT_THAT(outcome.last_reply.remaining_ms(),
              // gRPC rounds what is left up, before it sends it.
              AllOf(Gt(0), Le(absl::ToInt64Milliseconds(kPatience + absl::Seconds(1)))));
  EXPECT_THAT(ValuesOf(context.GetServerInitialMetadata(), kEchoInitial), ElementsAre("first"));
  EXPECT_THAT(ValuesOf(context.GetServerTrailingMetadata(), kEchoTrailing),
              ElementsAre(kBinary, "second"));
  EXPECT_THAT(context.peer(), HasSubstr("127.0.0.1"));
  EXPECT_EQ(lane.waited(), deferred_calls());
}

TEST_P(EveryCall, EndsWithTheStatusOfTheServer) {
  LaneUnderTest lane(this->lane(), server_.Connect());
  grpc::ClientContext context;
  context.AddMetadata(kEchoTrailing, kBinary);
  echo::EchoRequest request = RequestOf("hi");
  request.set_code(grpc::StatusCode::FAILED_PRECONDITION);
  request.set_message("5 \u20ac are \"missing\", 100 %");
  request.set_details(kBinary);
  const Outcome outcome = MakeCall(shape(), lane.stub(), context, request);
  // R15.09: a code that no control plane may use, and it stays as it is.
  EXPECT_EQ(outcome.status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(outcome.status.error_message(), "5 \u20ac are \"missing\", 100 %");
  EXPECT_EQ(outcome.status.error_details(), kBinary);
  EXPECT_THAT(ValuesOf(context.GetServerTrailingMetadata(), kEchoTrailing), ElementsAre(kBinary));
  EXPECT_EQ(lane.waited(), deferred_calls());
}

TEST_P(EveryCall, EndsAtItsDeadline) {
  LaneUnderTest lane(this->lane(), server_.Connect());
  grpc::ClientContext context;
  context.set_deadline(In(absl::Milliseconds(100)));
  echo::EchoRequest request = RequestOf("hi");
  request.set_hold(true);
  const Outcome outcome = MakeCall(shape(), lane.stub(), context, request);
  EXPECT_EQ(outcome.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(outcome.status.error_message(), "Deadline Exceeded");
  EXPECT_EQ(lane.waited(), deferred_calls());
}

TEST_P(EveryCall, IsCancelledWhileItIsServed) {
  LaneUnderTest lane(this->lane(), server_.Connect());
  grpc::ClientContext context;
  echo::EchoRequest request = RequestOf("hi");
  request.set_hold(true);
  std::thread canceller([&] {
    server_.AwaitHeld();
    context.TryCancel();
  });
  const Outcome outcome = MakeCall(shape(), lane.stub(), context, request);
  canceller.join();
  EXPECT_EQ(outcome.status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(outcome.status.error_message(), "CANCELLED");
  EXPECT_EQ(lane.waited(), deferred_calls());
}

TEST_P(EveryCall, IsCancelledBeforeItStarts) {
  LaneUnderTest lane(this->lane(), server_.Connect());
  grpc::ClientContext context;
  context.TryCancel();
  const Outcome outcome = MakeCall(shape(), lane.stub(), context, RequestOf("hi"));
  EXPECT_EQ(outcome.status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(outcome.status.error_message(), "CANCELLED");
  EXPECT_THAT(outcome.texts, IsEmpty());
}

class EveryLane : public testing::TestWithParam<Lane> {
 protected:
  EchoServer server_;
};

INSTANTIATE_TEST_SUITE_P(, EveryLane, ValuesIn(kLanes),
                         [](const auto& given) { return NameOf(given.param); });

TEST_P(EveryLane, CarriesMessagesOfThreeMegabytes) {
  const std::string big(3 << 20, 'x');
  for (const Shape shape : {Shape{Api::kSync, Kind::kUnary}, Shape{Api::kQueue, Kind::kUnary},
                            Shape{Api::kCallback, Kind::kBidi}}) {
    LaneUnderTest lane(GetParam(), server_.Connect());
    grpc::ClientContext context;
    const Outcome outcome = MakeCall(shape, lane.stub(), context, RequestOf(big));
    EXPECT_TRUE(outcome.status.ok()) << outcome.status.error_message();
    EXPECT_TRUE(outcome.texts == ExpectedTexts(shape.kind, big)) << NameOf(shape);
  }
}

TEST_P(EveryLane, LetsTheApplicationChooseTheAuthority) {
  LaneUnderTest lane(GetParam(), server_.Connect());
  grpc::ClientContext context;
  context.set_authority("pay.example");
  echo::EchoReply reply;
  EXPECT_TRUE(lane.stub().Unary(&context, RequestOf("hi"), &reply).ok());
  EXPECT_EQ(reply.authority(), "pay.example");
}

TEST_P(EveryLane, SendsTheMetadataOfACorkedStreamWithItsFirstMessage) {
  LaneUnderTest lane(GetParam(), server_.Connect());
  grpc::ClientContext context;
  context.set_initial_metadata_corked(true);
  context.AddMetadata(kEchoInitial, "corked");
  const auto stream = lane.stub().Bidi(&context);
  EXPECT_TRUE(stream->Write(RequestOf("only"), grpc::WriteOptions().set_last_message()));
  echo::EchoReply reply;
  EXPECT_TRUE(stream->Read(&reply));
  EXPECT_EQ(reply.text(), "only");
  EXPECT_FALSE(stream->Read(&reply));
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_THAT(ValuesOf(context.GetServerInitialMetadata(), kEchoInitial), ElementsAre("corked"));
}

TEST_P(EveryLane, TakesInitialMetadataAsAnOperationOfItsOwn) {
  LaneUnderTest lane(GetParam(), server_.Connect());
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  context.AddMetadata(kEchoInitial, "apart");
  echo::EchoReply reply;
  grpc::Status status;
  const auto call = lane.stub().PrepareAsyncUnary(&context, RequestOf("hi"), &queue);
  call->StartCall();
  int metadata_tag = 0, finish_tag = 0;
  call->ReadInitialMetadata(&metadata_tag);
  void* tag = nullptr;
  bool ok = false;
  ASSERT_TRUE(queue.Next(&tag, &ok));
  EXPECT_EQ(tag, &metadata_tag);
  EXPECT_THAT(ValuesOf(context.GetServerInitialMetadata(), kEchoInitial), ElementsAre("apart"));
  call->Finish(&reply, &status, &finish_tag);
  queue.Shutdown();
  ASSERT_TRUE(queue.Next(&tag, &ok));
  EXPECT_EQ(tag, &finish_tag);
  EXPECT_TRUE(status.ok());
  EXPECT_FALSE(queue.Next(&tag, &ok));
}

TEST_P(EveryLane, ForgetsACallThatWasPreparedAndNeverStarted) {
  LaneUnderTest lane(GetParam(), server_.Connect());
  grpc::CompletionQueue queue;
  {
    grpc::ClientContext context;
    // A stream, because gRPC leaks the request of a unary call that is never started.
    const auto call = lane.stub().PrepareAsyncBidi(&context, &queue);
  }
  queue.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  EXPECT_FALSE(queue.Next(&tag, &ok));
  EXPECT_EQ(lane.waited(), 0);
}

TEST_P(EveryLane, EndsAStreamThatItsCallerLeaves) {
  LaneUnderTest lane(GetParam(), server_.Connect());
  {
    grpc::ClientContext context;
    const auto stream = lane.stub().Bidi(&context);
    echo::EchoRequest request = RequestOf("hi");
    request.set_hold(true);
    EXPECT_TRUE(stream->Write(request));
    server_.AwaitHeld();
  }
  // Otherwise the server, which holds the call until it is over, would never be gone.
}

TEST_P(EveryLane, LetsCallsOutliveTheStubAndTheChannel) {
  grpc::ClientContext context;
  context.set_wait_for_ready(WaitsForReady(GetParam()));
  std::unique_ptr<grpc::ClientReaderWriter<echo::EchoRequest, echo::EchoReply>> stream;
  {
    LaneUnderTest lane(GetParam(), server_.Connect());
    stream = lane.stub().Bidi(&context);
    EXPECT_TRUE(stream->Write(RequestOf("before")));
  }
  echo::EchoReply reply;
  EXPECT_TRUE(stream->Read(&reply));
  EXPECT_EQ(reply.text(), "before");
  EXPECT_TRUE(stream->Write(RequestOf("after")));
  EXPECT_TRUE(stream->Read(&reply));
  EXPECT_EQ(reply.text(), "after");
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
}

}  // namespace
}  // namespace holdfast

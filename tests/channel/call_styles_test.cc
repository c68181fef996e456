// Ways to drive a call that its shape does not say: who reads and who writes, in which order
// operations are asked for, stubs without generated code, handlers of other make. The same on every
// lane as on gRPC's own channel.
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/channel/call_shapes.h"
#include "tests/channel/lane_under_test.h"
#include "tests/support/patience.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::ValuesIn;

class CallStyles : public testing::TestWithParam<Lane> {
 protected:
  // The next tag, and whether its operation was done.
  std::pair<void*, bool> Next() {
    std::pair<void*, bool> next(nullptr, false);
    EXPECT_TRUE(queue_.Next(&next.first, &next.second));
    return next;
  }
  // All that is left of the queue, which is little.
  std::map<void*, bool> Drain() {
    queue_.Shutdown();
    std::map<void*, bool> done;
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) done[tag] = ok;
    return done;
  }

  EchoServer server_;
  LaneUnderTest lane_{GetParam(), server_.Connect()};
  grpc::CompletionQueue queue_;
  grpc::ClientContext context_;
  echo::EchoReply reply_;
  grpc::Status status_;
};

INSTANTIATE_TEST_SUITE_P(, CallStyles, ValuesIn(kLanes),
                         [](const auto& given) { return NameOf(given.param); });

TEST_P(CallStyles, OneThreadWritesAndAnotherReads) {
  constexpr int kMany = 100;
  const auto stream = lane_.stub().Bidi(&context_);
  std::thread writer([&] {
    for (int i = 0; i < kMany; ++i) EXPECT_TRUE(stream->Write(RequestOf(absl::StrCat(i))));
    EXPECT_TRUE(stream->WritesDone());
  });
  int read = 0;
  for (; stream->Read(&reply_); ++read) EXPECT_EQ(reply_.text(), absl::StrCat(read));
  writer.join();
  EXPECT_EQ(read, kMany);
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_P(CallStyles, MetadataIsWaitedForFirst) {
  context_.AddMetadata(kEchoInitial, "first");
  echo::EchoRequest request = RequestOf("hi");
  request.set_replies(1);
  const auto reader = lane_.stub().ServerStream(&context_, request);
  reader->WaitForInitialMetadata();
  EXPECT_EQ(context_.GetServerInitialMetadata().count(kEchoInitial), 1U);
  EXPECT_TRUE(reader->Read(&reply_));
  EXPECT_FALSE(reader->Read(&reply_));
  EXPECT_TRUE(reader->Finish().ok());
}

TEST_P(CallStyles, TheLastMessageIsWrittenWithTheEnd) {
  const auto writer = lane_.stub().ClientStream(&context_, &reply_);
  EXPECT_TRUE(writer->Write(RequestOf("one,")));
  writer->WriteLast(RequestOf("two"), grpc::WriteOptions());
  EXPECT_TRUE(writer->Finish().ok());
  EXPECT_EQ(reply_.text(), "one,two");
}

// How it ended is asked for first.
TEST_P(CallStyles, TheEndIsWaitedForWhileMessagesAreWritten) {
  const auto writer = lane_.stub().PrepareAsyncClientStream(&context_, &reply_, &queue_);
  int start = 0, finish = 0, write = 0, last = 0;
  writer->StartCall(&start);
  writer->Finish(&status_, &finish);
  EXPECT_EQ(Next(), std::make_pair(static_cast<void*>(&start), true));
  writer->Write(RequestOf("one,"), &write);
  EXPECT_EQ(Next(), std::make_pair(static_cast<void*>(&write), true));
  echo::EchoRequest request = RequestOf("two");
  request.set_code(grpc::StatusCode::ABORTED);
  request.set_message("enough");
  writer->WriteLast(request, grpc::WriteOptions(), &last);
  EXPECT_EQ(Drain(), (std::map<void*, bool>{{&last, true}, {&finish, true}}));
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_EQ(status_.error_message(), "enough");
}

// What may be under way together, each with a tag of its own.
TEST_P(CallStyles, OperationsAreAskedForTogether) {
  context_.AddMetadata(kEchoInitial, "first");
  const auto stream = lane_.stub().PrepareAsyncBidi(&context_, &queue_);
  int start = 0, metadata = 0, write = 0, read = 0, all_written = 0, finish = 0;
  stream->StartCall(&start);
  stream->ReadInitialMetadata(&metadata);
  // The other comes only when the server answers, and it has had nothing to answer.
  EXPECT_EQ(Next(), std::make_pair(static_cast<void*>(&start), true));
  stream->Write(RequestOf("hi"), &write);
  std::map<void*, bool> done = {Next()};
  done.insert(Next());
  EXPECT_EQ(done, (std::map<void*, bool>{{&metadata, true}, {&write, true}}));
  EXPECT_EQ(context_.GetServerInitialMetadata().count(kEchoInitial), 1U);
  stream->Read(&reply_, &read);
  EXPECT_EQ(Next(), std::make_pair(static_cast<void*>(&read), true));
  EXPECT_EQ(reply_.text(), "hi");

  stream->Read(&reply_, &read);
  stream->WritesDone(&all_written);
  stream->Finish(&status_, &finish);
  EXPECT_EQ(Drain(),
            (std::map<void*, bool>{{&all_written, true}, {&read, false}, {&finish, true}}));
  EXPECT_TRUE(status_.ok()) << status_.error_message();
}

// A name that does not live longer than the line that says it.
TEST_P(CallStyles, AStubWithoutGeneratedCodeCalls) {
  grpc::GenericStub stub(lane_.channel());
  bool is_own = false;
  grpc::ByteBuffer request, reply;
  ASSERT_TRUE(
      grpc::SerializationTraits<echo::EchoRequest>::Serialize(RequestOf("raw"), &request, &is_own)
          .ok());
  const auto call = stub.PrepareUnaryCall(&context_, absl::StrCat("/acme.test.v1", ".Echo/Unary"),
                                          request, &queue_);
  call->StartCall();
  call->Finish(&reply, &status_, this);
  EXPECT_EQ(Drain(), (std::map<void*, bool>{{this, true}}));
  EXPECT_TRUE(status_.ok()) << status_.error_message();
  ASSERT_TRUE(grpc::SerializationTraits<echo::EchoReply>::Deserialize(&reply, &reply_).ok());
  EXPECT_EQ(reply_.text(), "raw");
}

TEST_P(CallStyles, AStubOfMessagesCallsWithAReactor) {
  grpc::TemplatedGenericStub<echo::EchoRequest, echo::EchoReply> stub(lane_.channel());
  class Reactor final : public grpc::ClientUnaryReactor {
   public:
    void OnDone(const grpc::Status& status) override { end.set_value(status); }
    std::promise<grpc::Status> end;
  } reactor;
  const echo::EchoRequest request = RequestOf("raw");
  stub.PrepareUnaryCall(&context_, absl::StrCat("/acme.test.v1", ".Echo/Unary"),
                        grpc::StubOptions(), &request, &reply_, &reactor);
  reactor.StartCall();
  status_ = reactor.end.get_future().get();
  EXPECT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(reply_.text(), "raw");
}

// A service whose handlers take one request from a stream and write the replies themselves.
class StreamedEcho final : public echo::Echo::StreamedService {
 public:
  grpc::Status StreamedUnary(
      grpc::ServerContext*,
      grpc::ServerUnaryStreamer<echo::EchoRequest, echo::EchoReply>* streamer) override {
    echo::EchoRequest request;
    if (!streamer->Read(&request)) return {grpc::StatusCode::INVALID_ARGUMENT, "no request"};
    echo::EchoReply reply;
    reply.set_text(request.text());
    streamer->Write(reply);
    return {static_cast<grpc::StatusCode>(request.code()), request.message()};
  }
  grpc::Status StreamedServerStream(
      grpc::ServerContext*,
      grpc::ServerSplitStreamer<echo::EchoRequest, echo::EchoReply>* streamer) override {
    echo::EchoRequest request;
    if (!streamer->Read(&request)) return {grpc::StatusCode::INVALID_ARGUMENT, "no request"};
    for (int i = 0; i < request.replies(); ++i) {
      echo::EchoReply reply;
      reply.set_text(absl::StrCat(request.text(), i));
      streamer->Write(reply);
    }
    return {static_cast<grpc::StatusCode>(request.code()), request.message()};
  }
};

class StreamedServers : public testing::TestWithParam<std::tuple<Lane, Shape>> {
 protected:
  StreamedServers() {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    connection_ = ConnectTo(absl::StrCat("ipv4:127.0.0.1:", port));
  }
  ~StreamedServers() override { server_->Shutdown(std::chrono::system_clock::now()); }

  StreamedEcho service_;
  std::unique_ptr<grpc::Server> server_;
  std::shared_ptr<grpc::Channel> connection_;
};

std::vector<Shape> OneRequestShapes() {
  std::vector<Shape> shapes;
  for (const Api api : kApis) {
    for (const Kind kind : {Kind::kUnary, Kind::kServerStream}) shapes.push_back({api, kind});
  }
  return shapes;
}

INSTANTIATE_TEST_SUITE_P(, StreamedServers,
                         testing::Combine(ValuesIn(kLanes), ValuesIn(OneRequestShapes())),
                         [](const auto& given) {
                           return NameOf(std::get<0>(given.param)) +
                                  NameOf(std::get<1>(given.param));
                         });

TEST_P(StreamedServers, AnswerEveryShapeOfCall) {
  const auto [lane_kind, shape] = GetParam();
  LaneUnderTest lane(lane_kind, connection_);
  grpc::ClientContext context;
  context.set_deadline(In(kPatience));
  const Outcome outcome = MakeCall(shape, lane.stub(), context, RequestOf("hi"));
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.error_message();
  EXPECT_EQ(outcome.texts, ExpectedTexts(shape.kind, "hi"));
}

// A reply and an error, which no handler of the usual kind sends.
TEST_P(StreamedServers, EndWithAnErrorAfterTheReply) {
  const auto [lane_kind, shape] = GetParam();
  LaneUnderTest lane(lane_kind, connection_);
  grpc::ClientContext context;
  context.set_deadline(In(kPatience));
  echo::EchoRequest request = RequestOf("hi");
  request.set_code(grpc::StatusCode::DATA_LOSS);
  request.set_message("half of it");
  const Outcome outcome = MakeCall(shape, lane.stub(), context, request);
  EXPECT_EQ(outcome.status.error_code(), grpc::StatusCode::DATA_LOSS);
  EXPECT_EQ(outcome.status.error_message(), "half of it");
}

}  // namespace
}  // namespace holdfast

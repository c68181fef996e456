// Reactors of a call that has nowhere to go: nothing was sent, and each operation is told so, as on
// gRPC's own channel.
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/channel/lane_under_test.h"
#include "tests/channel/recording_reactors.h"
#include "tests/support/reserved_port.h"

namespace holdfast {
namespace {

// When that is known: as the call is made, or when it waits.
enum class Failing { kFast, kDeferred };

class FailingReactors : public testing::TestWithParam<Failing> {
 protected:
  FailingReactors() {
    if (GetParam() == Failing::kFast) {
      director_->Fail(grpc::StatusCode::UNAVAILABLE, "down");
      return;
    }
    failer_ = std::thread([this] {
      EXPECT_TRUE(director_->AwaitWaiting(1));
      director_->Fail(grpc::StatusCode::UNAVAILABLE, "down");
    });
  }
  ~FailingReactors() override {
    if (failer_.joinable()) failer_.join();
  }

  const std::shared_ptr<FakeDirector> director_ = std::make_shared<FakeDirector>();
  const std::unique_ptr<echo::Echo::Stub> stub_ = echo::Echo::NewStub(ChannelOf(director_));
  std::thread failer_;
  // gRPC's own channel, to nobody.
  const ReservedPort nobody_;
  const std::unique_ptr<echo::Echo::Stub> plain_ = echo::Echo::NewStub(grpc::CreateChannel(
      absl::StrCat("ipv4:", nobody_.address()), grpc::InsecureChannelCredentials()));
  const echo::EchoRequest request_ = RequestOf("hi");

  // The same on both.
  void ExpectSame(const std::function<Heard(echo::Echo::Stub&)>& call) {
    const Heard heard = call(*stub_);
    EXPECT_EQ(heard, call(*plain_));
    EXPECT_EQ(heard.status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_EQ(heard.status.error_message(), "down");
  }
};

INSTANTIATE_TEST_SUITE_P(, FailingReactors, testing::Values(Failing::kFast, Failing::kDeferred),
                         [](const auto& given) {
                           return given.param == Failing::kFast ? "Fast" : "Deferred";
                         });

TEST_P(FailingReactors, OfAUnaryCall) {
  ExpectSame([this](echo::Echo::Stub& stub) {
    UnaryRecorder reactor;
    grpc::ClientContext context;
    echo::EchoReply reply;
    stub.async()->Unary(&context, &request_, &reply, &reactor);
    reactor.StartCall();
    return reactor.Wait();
  });
}

TEST_P(FailingReactors, OfAServerStream) {
  ExpectSame([this](echo::Echo::Stub& stub) {
    ReadRecorder reader;
    grpc::ClientContext context;
    stub.async()->ServerStream(&context, &request_, &reader);
    reader.ReadAll();
    reader.StartCall();
    return reader.Wait();
  });
}

TEST_P(FailingReactors, OfAClientStream) {
  ExpectSame([this](echo::Echo::Stub& stub) {
    WriteRecorder writer;
    grpc::ClientContext context;
    echo::EchoReply reply;
    stub.async()->ClientStream(&context, &reply, &writer);
    writer.StartWriteLast(&request_, grpc::WriteOptions());
    writer.StartCall();
    return writer.Wait();
  });
}

TEST_P(FailingReactors, OfABidiStream) {
  ExpectSame([this](echo::Echo::Stub& stub) {
    BidiRecorder bidi;
    grpc::ClientContext context;
    stub.async()->Bidi(&context, &bidi);
    bidi.StartWrite(&request_);
    bidi.ReadAll();
    bidi.StartCall();
    return bidi.Wait();
  });
}

TEST_P(FailingReactors, OfABidiStreamThatWritesNothing) {
  ExpectSame([](echo::Echo::Stub& stub) {
    BidiRecorder bidi;
    grpc::ClientContext context;
    stub.async()->Bidi(&context, &bidi);
    bidi.StartWritesDone();
    bidi.ReadAll();
    bidi.StartCall();
    return bidi.Wait();
  });
}

TEST_P(FailingReactors, MayEndThemselvesWithTheirContext) {
  EXPECT_EQ(SelfMade::Begin(*stub_).get(), "down");
}

}  // namespace
}  // namespace holdfast

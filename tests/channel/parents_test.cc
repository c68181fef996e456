// A call made on behalf of another ends with it, also while it waits.
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_context.h>
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "tests/channel/call_shapes.h"
#include "tests/channel/lane_under_test.h"

namespace holdfast {
namespace {

// A server whose unary calls do `handle`.
class Relay final : public echo::Echo::Service {
 public:
  using Handle =
      std::function<grpc::Status(grpc::ServerContext&, const echo::EchoRequest&, echo::EchoReply&)>;
  explicit Relay(Handle handle) : handle_(std::move(handle)) {
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    stub_ = echo::Echo::NewStub(grpc::CreateCustomChannel(
        "ipv4:127.0.0.1:" + std::to_string(port), grpc::InsecureChannelCredentials(), arguments));
  }
  ~Relay() override { server_->Shutdown(); }

  echo::Echo::Stub& stub() { return *stub_; }

 private:
  grpc::Status Unary(grpc::ServerContext* context, const echo::EchoRequest* request,
                     echo::EchoReply* reply) override {
    return handle_(*context, *request, *reply);
  }

  const Handle handle_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<echo::Echo::Stub> stub_;
};

class AChildThatWaits : public testing::Test {
 protected:
  // A relay that passes calls on to a channel of ours, and keeps the status.
  Relay::Handle PassOn() {
    return [this](grpc::ServerContext& parent, const echo::EchoRequest& request,
                  echo::EchoReply& reply) {
      const auto context = grpc::ClientContext::FromServerContext(parent);
      const grpc::Status status = stub_->Unary(context.get(), request, &reply);
      child_.set_value(status);
      return status;
    };
  }

  const std::shared_ptr<FakeDirector> director_ = std::make_shared<FakeDirector>();
  const std::unique_ptr<echo::Echo::Stub> stub_ = echo::Echo::NewStub(ChannelOf(director_));
  std::promise<grpc::Status> child_;
};

TEST_F(AChildThatWaits, IsCancelledWithItsParent) {
  Relay relay(PassOn());
  grpc::ClientContext context;
  std::thread canceller([&] {
    EXPECT_TRUE(director_->AwaitWaiting(1));
    context.TryCancel();
  });
  echo::EchoReply reply;
  EXPECT_EQ(relay.stub().Unary(&context, RequestOf("hi"), &reply).error_code(),
            grpc::StatusCode::CANCELLED);
  canceller.join();
  EXPECT_EQ(child_.get_future().get().error_code(), grpc::StatusCode::CANCELLED);
}

TEST_F(AChildThatWaits, EndsAtTheDeadlineOfItsParent) {
  Relay relay(PassOn());
  grpc::ClientContext context;
  context.set_deadline(In(absl::Milliseconds(100)));
  echo::EchoReply reply;
  EXPECT_EQ(relay.stub().Unary(&context, RequestOf("hi"), &reply).error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  // Whichever it notices first: that its parent was cancelled, or the deadline it has from it.
  const grpc::StatusCode code = child_.get_future().get().error_code();
  EXPECT_TRUE(code == grpc::StatusCode::DEADLINE_EXCEEDED || code == grpc::StatusCode::CANCELLED)
      << code;
}

TEST_F(AChildThatWaits, StartsWithTheDeadlineOfItsParent) {
  EchoServer server;
  Relay relay(PassOn());
  const StartsWhoeverWaits starter(director_, server.Connect());
  grpc::ClientContext context;
  context.set_deadline(In(absl::Seconds(20)));
  echo::EchoReply reply;
  const grpc::Status status = relay.stub().Unary(&context, RequestOf("hi"), &reply);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_GT(reply.remaining_ms(), 0);
  EXPECT_LE(reply.remaining_ms(), 22'000);
  EXPECT_EQ(director_->waited(), 1);
}

// Its parent is gone when the real call is created; gRPC's object of it must not be.
TEST_F(AChildThatWaits, IsCancelledWhenItsParentIsDone) {
  std::unique_ptr<grpc::ClientContext> child_context;
  const echo::EchoRequest child_request = RequestOf("child");
  echo::EchoReply child_reply;
  Relay relay([&](grpc::ServerContext& parent, const echo::EchoRequest&, echo::EchoReply&) {
    child_context = grpc::ClientContext::FromServerContext(parent);
    stub_->async()->Unary(child_context.get(), &child_request, &child_reply,
                          [this](const grpc::Status& status) { child_.set_value(status); });
    return grpc::Status::OK;
  });
  grpc::ClientContext context;
  echo::EchoReply reply;
  EXPECT_TRUE(relay.stub().Unary(&context, RequestOf("hi"), &reply).ok());
  EXPECT_EQ(child_.get_future().get().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(director_->waited(), 1);
}

}  // namespace
}  // namespace holdfast

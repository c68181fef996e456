// A call that waits for readiness, and is known to wait before the test goes on.
#pragma once

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>

#include "runtime/control_loop.h"
#include "tests/end_to_end/channel/channel_under_test.h"

namespace holdfast {

// What the loop was to do before, it has done.
inline void LetTheLoopRun() {
  std::promise<void> done;
  ControlLoop::Shared().Post([&] { done.set_value(); });
  done.get_future().wait();
}

class ParkedCall {
 public:
  explicit ParkedCall(ChannelUnderTest& channel) {
    context_.set_wait_for_ready(true);
    context_.set_deadline(std::chrono::system_clock::now() + ChannelUnderTest::kDeadline);
    reader_ = channel.stub().AsyncCheck(&context_, {}, &queue_);
    reader_->Finish(&response_, &status_, this);
    // Being parked posts what puts it into its place, and that may post more.
    for (int i = 0; i < 3; ++i) LetTheLoopRun();
  }
  ~ParkedCall() {
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
    }
  }

  grpc::Status Wait() {
    void* tag = nullptr;
    bool ok = false;
    EXPECT_TRUE(queue_.Next(&tag, &ok));
    return status_;
  }

 private:
  grpc::CompletionQueue queue_;
  grpc::ClientContext context_;
  grpc::health::v1::HealthCheckResponse response_;
  grpc::Status status_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<grpc::health::v1::HealthCheckResponse>> reader_;
};

}  // namespace holdfast

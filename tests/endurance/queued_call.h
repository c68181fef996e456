// Calls that wait for ready, in the three ways that applications make them.
#pragma once

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>

#include "grpc/health/v1/health.grpc.pb.h"
#include "tests/end_to_end/channel/channel_under_test.h"

namespace holdfast {

inline void WaitForReady(grpc::ClientContext& context) {
  context.set_wait_for_ready(true);
  context.set_deadline(std::chrono::system_clock::now() + absl::ToChronoSeconds(kPatience));
}

// One call on a queue of its own. When the constructor is done the channel has the call.
class QueuedAsyncCall {
 public:
  explicit QueuedAsyncCall(ChannelUnderTest& channel) {
    WaitForReady(context_);
    call_ = channel.stub().PrepareAsyncCheck(&context_, {}, &queue_);
    call_->StartCall();
    call_->Finish(&response_, &status_, this);
  }
  ~QueuedAsyncCall() {
    if (!is_over_) context_.TryCancel();
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
    }
  }

  bool IsOver() { return is_over_ || Take(gpr_inf_past(GPR_CLOCK_MONOTONIC)); }
  CallResult Await() {
    if (!is_over_) Take(gpr_inf_future(GPR_CLOCK_MONOTONIC));
    return {status_, context_.peer()};
  }

 private:
  bool Take(gpr_timespec until) {
    void* tag = nullptr;
    bool ok = false;
    is_over_ = queue_.AsyncNext(&tag, &ok, until) == grpc::CompletionQueue::GOT_EVENT;
    return is_over_;
  }

  grpc::CompletionQueue queue_;
  grpc::ClientContext context_;
  grpc::health::v1::HealthCheckResponse response_;
  grpc::Status status_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<grpc::health::v1::HealthCheckResponse>> call_;
  bool is_over_ = false;
};

// When the constructor is done the channel has the call.
class QueuedCallbackCall {
 public:
  explicit QueuedCallbackCall(ChannelUnderTest& channel) {
    WaitForReady(context_);
    channel.stub().async()->Check(&context_, &request_, &response_,
                                  [this](grpc::Status status) { over_.set_value(status); });
  }
  ~QueuedCallbackCall() {
    if (!result_.valid()) return;
    context_.TryCancel();
    result_.wait();
  }

  bool IsOver() const {
    return result_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  CallResult Await() {
    const grpc::Status status = result_.get();
    return {status, context_.peer()};
  }

 private:
  grpc::ClientContext context_;
  const grpc::health::v1::HealthCheckRequest request_;
  grpc::health::v1::HealthCheckResponse response_;
  std::promise<grpc::Status> over_;
  std::future<grpc::Status> result_ = over_.get_future();
};

// Begins on a thread of its own, some time after the constructor.
class QueuedSyncCall {
 public:
  explicit QueuedSyncCall(ChannelUnderTest& channel)
      : result_(std::async(std::launch::async, [&channel] { return channel.Call(WaitForReady); })) {
  }

  bool IsOver() const {
    return result_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  CallResult Await() { return result_.get(); }

 private:
  std::future<CallResult> result_;
};

inline void ExpectReached(const CallResult& result, const std::string& peer,
                          const std::string& how) {
  EXPECT_EQ(Words(result.status), "OK") << how;
  EXPECT_EQ(result.peer, peer) << how;
}

}  // namespace holdfast

#include "tests/channel/call_stress.h"

#include <grpcpp/completion_queue.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tests/channel/lane_under_test.h"
#include "tests/support/patience.h"

namespace holdfast {
namespace {

// A stream, because gRPC leaks the request of a unary call that was prepared and never started.
void PrepareOnly(echo::Echo::Stub& stub, grpc::ClientContext& context) {
  grpc::CompletionQueue queue;
  { const auto call = stub.PrepareAsyncBidi(&context, &queue); }
  queue.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  EXPECT_FALSE(queue.Next(&tag, &ok));
}

}  // namespace

std::chrono::seconds StressTime() {
  const char* const text = std::getenv("HOLDFAST_STRESS_SECONDS");
  int seconds = 3;
  if (text != nullptr) {
    EXPECT_TRUE(absl::SimpleAtoi(text, &seconds)) << text;
  }
  return std::chrono::seconds(seconds);
}

CallStress::CallStress(const std::vector<std::shared_ptr<grpc::ChannelInterface>>& channels,
                       Judge judge)
    : judge_(std::move(judge)) {
  for (unsigned i = 0; i < kCallers; ++i) {
    callers_.emplace_back(
        [this, channel = channels[i % channels.size()], i] { CallOnAndOn(channel, 100 + i); });
  }
}

CallStress::~CallStress() { Stop(); }

void CallStress::Stop() {
  is_over_ = true;
  for (std::thread& caller : std::exchange(callers_, {})) caller.join();
}

std::string CallStress::Summary() const {
  std::string text = absl::StrCat("prepared ", prepared_.load());
  for (size_t code = 0; code < codes_.size(); ++code) {
    if (codes_[code] == 0) continue;
    absl::StrAppend(&text, ", ", absl::StatusCodeToString(static_cast<absl::StatusCode>(code)), " ",
                    codes_[code].load());
  }
  return text;
}

void CallStress::CallOnAndOn(const std::shared_ptr<grpc::ChannelInterface>& channel,
                             unsigned seed) {
  std::mt19937 random(seed);
  const std::unique_ptr<echo::Echo::Stub> stub = echo::Echo::NewStub(channel);
  while (!is_over_) CallOnce(*stub, random);
}

void CallStress::CallOnce(echo::Echo::Stub& stub, std::mt19937& random) {
  static const std::vector<Shape>& shapes = *new std::vector<Shape>(AllShapes());
  StressedCall call;
  call.has_little_time = random() % 3 == 0;
  call.waits_for_ready = random() % 4 == 0;
  call.is_cancelled = random() % 5 == 0;
  grpc::ClientContext context;
  context.set_deadline(In(call.has_little_time ? absl::Microseconds(random() % 3000) : kPatience));
  context.set_wait_for_ready(call.waits_for_ready);
  std::thread canceller;
  if (call.is_cancelled) {
    canceller = std::thread([&context, when = std::chrono::microseconds(random() % 1500)] {
      std::this_thread::sleep_for(when);
      context.TryCancel();
    });
  }
  const size_t shape = random() % (shapes.size() + 1);
  if (shape < shapes.size()) {
    call.shape = shapes[shape];
    const Outcome outcome = MakeCall(call.shape, stub, context, RequestOf("hi"));
    ++codes_.at(static_cast<size_t>(outcome.status.error_code()));
    judge_(call, outcome);
  } else {
    PrepareOnly(stub, context);
    ++prepared_;
  }
  if (canceller.joinable()) canceller.join();
}

}  // namespace holdfast

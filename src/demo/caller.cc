#include "demo/caller.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "demo/story/record.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "holdfast/grpc/channel.h"

namespace holdfast {
namespace {

using Clock = std::chrono::steady_clock;
using ChannelPointer = std::shared_ptr<grpc::ChannelInterface>;

// Between the beginnings of two calls.
constexpr std::chrono::milliseconds kInterval{10};
// Longer than a busy machine lets a call wait that will be answered.
constexpr std::chrono::seconds kDeadline{10};
// Longer than gRPC waits for a resource.
constexpr std::chrono::seconds kDeadlineOfOne{30};

std::string TextOf(const grpc::Status& status) {
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  return absl::StrCat(absl::StatusCodeToString(code), ": ", status.error_message());
}

grpc::Status Check(grpc::health::v1::Health::Stub& stub, std::chrono::seconds deadline) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + deadline);
  grpc::health::v1::HealthCheckResponse response;
  return stub.Check(&context, {}, &response);
}

// Calls on a thread of its own.
class ContinuousCalls {
 public:
  explicit ContinuousCalls(const ChannelPointer& channel)
      : stub_(grpc::health::v1::Health::NewStub(channel)), thread_([this] { CallOnAndOn(); }) {}
  ~ContinuousCalls() {
    is_over_ = true;
    thread_.join();
  }

  CallReport Report() {
    const std::lock_guard<std::mutex> lock(mutex_);
    CountPause();
    return std::exchange(report_, {});
  }

 private:
  void CallOnAndOn() {
    while (!is_over_) {
      const Clock::time_point next = Clock::now() + kInterval;
      Count(Check(*stub_, kDeadline));
      std::this_thread::sleep_until(next);
    }
  }
  void Count(const grpc::Status& status) {
    const std::lock_guard<std::mutex> lock(mutex_);
    CountPause();
    last_end_ = Clock::now();
    ++report_.calls;
    if (status.ok()) return;
    ++report_.failed;
    report_.error = TextOf(status);
  }
  // The first call waits for configuration and connection, which is no pause.
  void CountPause() {
    if (!last_end_.has_value()) return;
    report_.longest_pause =
        std::max(report_.longest_pause, absl::FromChrono(Clock::now() - *last_end_));
  }

  const std::unique_ptr<grpc::health::v1::Health::Stub> stub_;
  std::atomic<bool> is_over_ = false;
  std::mutex mutex_;
  CallReport report_;
  std::optional<Clock::time_point> last_end_;
  std::thread thread_;
};

// gRPC 1.51 reads from its control plane only while somebody polls, which calls that fail at once
// do not. So that it has its best chance, a thread polls for it.
class Poller {
 public:
  explicit Poller(ChannelPointer channel)
      : channel_(std::move(channel)), thread_([this] { Poll(); }) {}
  ~Poller() {
    is_over_ = true;
    thread_.join();
  }

 private:
  void Poll() {
    while (!is_over_) {
      channel_->WaitForStateChange(channel_->GetState(true), std::chrono::system_clock::now() +
                                                                 std::chrono::milliseconds(100));
    }
  }

  const ChannelPointer channel_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

void CallOnce(const ChannelPointer& channel) {
  const auto stub = grpc::health::v1::Health::NewStub(channel);
  const Clock::time_point start = Clock::now();
  const grpc::Status status = Check(*stub, kDeadlineOfOne);
  std::cout << LineOf(Answer{absl::FromChrono(Clock::now() - start), TextOf(status)}) << std::endl;
}

}  // namespace

void RunCaller(const CallerOptions& options) {
  const ChannelPointer channel =
      options.is_stock
          ? ChannelPointer(grpc::CreateChannel(options.target, grpc::InsecureChannelCredentials()))
          : holdfast::CreateChannel(options.target, grpc::InsecureChannelCredentials());
  std::optional<Poller> poller;
  if (options.is_stock) poller.emplace(channel);
  std::optional<ContinuousCalls> calls;
  if (options.calls_once) {
    CallOnce(channel);
  } else {
    calls.emplace(channel);
  }
  for (std::string line; std::getline(std::cin, line);) {
    if (calls.has_value()) std::cout << LineOf(calls->Report()) << std::endl;
  }
}

}  // namespace holdfast

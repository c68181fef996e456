// Many threads, every shape of call, a director that changes its mind all the time, and callers who
// cancel or have no time. HOLDFAST_STRESS_SECONDS says for how long.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "tests/channel/call_shapes.h"
#include "tests/channel/lane_under_test.h"
#include "tests/support/patience.h"

namespace holdfast {
namespace {

using grpc::experimental::ClientInterceptorFactoryInterface;
using grpc::experimental::ClientRpcInfo;
using grpc::experimental::Interceptor;
using grpc::experimental::InterceptorBatchMethods;

// Counts the calls that there are.
class Counts final : public ClientInterceptorFactoryInterface {
 public:
  Interceptor* CreateClientInterceptor(ClientRpcInfo*) override { return new One(living_); }
  int living() const { return living_; }

 private:
  class One final : public Interceptor {
   public:
    explicit One(std::atomic<int>& living) : living_(living) { ++living_; }
    ~One() override { --living_; }
    void Intercept(InterceptorBatchMethods* methods) override { methods->Proceed(); }

   private:
    std::atomic<int>& living_;
  };
  std::atomic<int> living_ = 0;
};

int StressSeconds() {
  const char* const text = std::getenv("HOLDFAST_STRESS_SECONDS");
  int seconds = 3;
  if (text != nullptr) {
    EXPECT_TRUE(absl::SimpleAtoi(text, &seconds)) << text;
  }
  return seconds;
}

class Stress : public testing::Test {
 protected:
  static constexpr int kCallers = 8;

  void Flap() {
    std::mt19937 random(1);
    while (!is_over_) {
      switch (random() % 5) {
        case 0:
          director_->MakeWait();
          break;
        case 1:
          director_->Fail(grpc::StatusCode::UNAVAILABLE, "flapping");
          break;
        case 2:
          director_->StartOn(connection_, absl::Milliseconds(random() % 5));
          break;
        default:
          director_->StartOn(connection_);
      }
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 600));
    }
    director_->StartOn(connection_);  // nobody is to be left waiting
  }

  void Call(unsigned seed) {
    std::mt19937 random(seed);
    const std::unique_ptr<echo::Echo::Stub> stub = echo::Echo::NewStub(channel_);
    while (!is_over_) {
      grpc::ClientContext context;
      context.set_deadline(random() % 3 == 0 ? In(absl::Microseconds(random() % 3000))
                                             : In(kPatience));
      context.set_wait_for_ready(random() % 4 == 0);
      std::thread canceller;
      if (random() % 5 == 0) {
        canceller = std::thread([&context, when = std::chrono::microseconds(random() % 1500)] {
          std::this_thread::sleep_for(when);
          context.TryCancel();
        });
      }
      const size_t shape = random() % (shapes_.size() + 1);
      if (shape < shapes_.size()) {
        ++codes_.at(static_cast<size_t>(
            MakeCall(shapes_[shape], *stub, context, RequestOf("hi")).status.error_code()));
      } else {
        Prepare(*stub, context);
        ++prepared_;
      }
      if (canceller.joinable()) canceller.join();
    }
  }

  // A stream, because gRPC leaks the request of a unary call that was prepared and never started.
  static void Prepare(echo::Echo::Stub& stub, grpc::ClientContext& context) {
    grpc::CompletionQueue queue;
    { const auto call = stub.PrepareAsyncBidi(&context, &queue); }
    queue.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    EXPECT_FALSE(queue.Next(&tag, &ok));
  }

  void Run(const SharedInterceptors& interceptors) {
    connection_ = server_.Connect(interceptors);
    channel_ = ChannelOf(director_, interceptors);
    std::thread flapper([this] { Flap(); });
    std::vector<std::thread> callers;
    for (unsigned i = 0; i < kCallers; ++i) callers.emplace_back([this, i] { Call(100 + i); });
    std::this_thread::sleep_for(std::chrono::seconds(StressSeconds()));
    is_over_ = true;
    flapper.join();
    for (std::thread& caller : callers) caller.join();
    Report();
  }

  void Report() {
    std::cout << "prepared " << prepared_ << ", deferred " << director_->waited();
    for (size_t code = 0; code < codes_.size(); ++code) {
      if (codes_[code] != 0) std::cout << ", code " << code << ": " << codes_[code];
    }
    std::cout << "\n";
    // Nothing but what was to happen: OK, cancelled, too late, and what the director said.
    EXPECT_GT(codes_[grpc::StatusCode::OK], 0);
    for (size_t code = 0; code < codes_.size(); ++code) {
      const bool is_expected =
          code == grpc::StatusCode::OK || code == grpc::StatusCode::CANCELLED ||
          code == grpc::StatusCode::DEADLINE_EXCEEDED || code == grpc::StatusCode::UNAVAILABLE;
      EXPECT_TRUE(is_expected || codes_[code] == 0) << code;
    }
  }

  // All that is left of calls is gone, a little later.
  void ExpectNothingIsLeft() {
    channel_ = nullptr;
    const std::weak_ptr<FakeDirector> director = director_;
    director_ = nullptr;
    const auto end = std::chrono::steady_clock::now() + absl::ToChronoSeconds(kPatience);
    while (!director.expired() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(director.expired());
  }

  EchoServer server_;
  const std::vector<Shape> shapes_ = AllShapes();
  std::shared_ptr<FakeDirector> director_ = std::make_shared<FakeDirector>();
  std::shared_ptr<grpc::Channel> connection_;
  std::shared_ptr<grpc::ChannelInterface> channel_;
  std::atomic<bool> is_over_ = false;
  std::atomic<int> prepared_ = 0;
  std::array<std::atomic<int>, 17> codes_ = {};
};

TEST_F(Stress, LosesNoCall) {
  Run({});
  ExpectNothingIsLeft();
}

TEST_F(Stress, LosesNoCallWithInterceptors) {
  const auto counts = std::make_shared<Counts>();
  Run({counts});
  EXPECT_EQ(counts->living(), 0);
  ExpectNothingIsLeft();
}

}  // namespace
}  // namespace holdfast

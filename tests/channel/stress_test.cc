// Every shape of call, and a director that changes its mind all the time.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "tests/channel/call_stress.h"
#include "tests/channel/lane_under_test.h"
#include "tests/support/patience.h"

namespace holdfast {
namespace {

class Stress : public testing::Test {
 protected:
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

  void Run(const SharedInterceptors& interceptors) {
    connection_ = server_.Connect(interceptors);
    channel_ = ChannelOf(director_, interceptors);
    std::thread flapper([this] { Flap(); });
    CallStress stress({channel_}, Judge);
    std::this_thread::sleep_for(StressTime());
    is_over_ = true;
    flapper.join();
    stress.Stop();
    std::cout << "deferred " << director_->waited() << ", " << stress.Summary() << "\n";
    EXPECT_GT(stress.count(grpc::StatusCode::OK), 0);
  }

  // Nothing but what was to happen. Too late it may be for anyone: the director says so too.
  static void Judge(const StressedCall& call, const Outcome& outcome) {
    const grpc::StatusCode code = outcome.status.error_code();
    if (code == grpc::StatusCode::OK) {
      EXPECT_EQ(outcome.texts, ExpectedTexts(call.shape.kind, "hi"));
    } else if (code == grpc::StatusCode::CANCELLED) {
      EXPECT_TRUE(call.is_cancelled);
    } else if (code == grpc::StatusCode::UNAVAILABLE) {
      EXPECT_FALSE(call.waits_for_ready);
      EXPECT_EQ(outcome.status.error_message(), "flapping");
    } else {
      EXPECT_EQ(code, grpc::StatusCode::DEADLINE_EXCEEDED) << outcome.status.error_message();
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
  std::shared_ptr<FakeDirector> director_ = std::make_shared<FakeDirector>();
  std::shared_ptr<grpc::Channel> connection_;
  std::shared_ptr<grpc::ChannelInterface> channel_;
  std::atomic<bool> is_over_ = false;
};

TEST_F(Stress, LosesNoCall) {
  Run({});
  ExpectNothingIsLeft();
}

TEST_F(Stress, LosesNoCallWithInterceptors) {
  const auto living = std::make_shared<LivingCalls>();
  Run({living});
  EXPECT_EQ(living->living(), 0);
  ExpectNothingIsLeft();
}

}  // namespace
}  // namespace holdfast

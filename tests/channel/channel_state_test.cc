// What a channel says of its connectivity.
#include "channel/call/channel_state.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "tests/channel/lane_under_test.h"
#include "tests/support/patience.h"

namespace holdfast {
namespace {

class ConnectivityOfAChannel : public testing::Test {
 protected:
  ~ConnectivityOfAChannel() override {
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    EXPECT_FALSE(queue_.Next(&tag, &ok));
  }

  void Watch(grpc_connectivity_state last, absl::Duration deadline, int tag) {
    channel_->NotifyOnStateChange(last, In(deadline), &queue_, &tags_[tag]);
  }
  // The number of the next watch that is over; `ok` is whether there was a change.
  int Next(bool& ok) {
    void* tag = nullptr;
    EXPECT_TRUE(queue_.Next(&tag, &ok));
    return static_cast<int>(static_cast<char*>(tag) - tags_);
  }

  std::atomic<int> wanted_ = 0;
  const std::shared_ptr<ChannelState> state_ =
      std::make_shared<ChannelState>([this] { ++wanted_; });
  std::shared_ptr<grpc::ChannelInterface> channel_ =
      std::make_shared<XdsChannel>(std::make_shared<FakeDirector>(), state_, SharedInterceptors{});
  grpc::CompletionQueue queue_;
  char tags_[4] = {};
};

TEST_F(ConnectivityOfAChannel, IsIdleUntilSomebodyWantsAConnection) {
  EXPECT_EQ(channel_->GetState(/*try_to_connect=*/false), GRPC_CHANNEL_IDLE);
  EXPECT_EQ(wanted_, 0);
  EXPECT_EQ(channel_->GetState(/*try_to_connect=*/true), GRPC_CHANNEL_IDLE);
  EXPECT_EQ(wanted_, 1);
  state_->Set(GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(channel_->GetState(/*try_to_connect=*/false), GRPC_CHANNEL_CONNECTING);
}

TEST_F(ConnectivityOfAChannel, TellsAWatcherOfAChange) {
  bool ok = false;
  Watch(GRPC_CHANNEL_IDLE, kPatience, 1);
  Watch(GRPC_CHANNEL_CONNECTING, kPatience, 2);
  EXPECT_EQ(Next(ok), 2);  // it was never in the state that he saw
  EXPECT_TRUE(ok);
  state_->Set(GRPC_CHANNEL_IDLE);  // no change
  state_->Set(GRPC_CHANNEL_READY);
  EXPECT_EQ(Next(ok), 1);
  EXPECT_TRUE(ok);
}

TEST_F(ConnectivityOfAChannel, TellsAWatcherOfHisDeadline) {
  bool ok = true;
  Watch(GRPC_CHANNEL_IDLE, absl::Milliseconds(20), 3);
  EXPECT_EQ(Next(ok), 3);
  EXPECT_FALSE(ok);
  Watch(GRPC_CHANNEL_IDLE, -absl::Hours(1), 1);
  EXPECT_EQ(Next(ok), 1);
  EXPECT_FALSE(ok);
}

TEST_F(ConnectivityOfAChannel, KeepsAQueueThatIsShutDownUntilItsWatchesAreOver) {
  {
    grpc::CompletionQueue queue;
    channel_->NotifyOnStateChange(GRPC_CHANNEL_IDLE, In(kPatience), &queue, &tags_[1]);
    queue.Shutdown();
    std::thread changer([this] { state_->Set(GRPC_CHANNEL_TRANSIENT_FAILURE); });
    void* tag = nullptr;
    bool ok = false;
    EXPECT_TRUE(queue.Next(&tag, &ok));
    EXPECT_TRUE(ok);
    EXPECT_EQ(tag, &tags_[1]);
    EXPECT_FALSE(queue.Next(&tag, &ok));
    changer.join();
  }
  state_->Set(GRPC_CHANNEL_READY);  // nobody is left to be told
}

TEST_F(ConnectivityOfAChannel, TellsItsWatchersThatItIsGone) {
  bool ok = false;
  Watch(GRPC_CHANNEL_IDLE, absl::Hours(1), 1);
  channel_ = nullptr;
  EXPECT_EQ(Next(ok), 1);
  EXPECT_TRUE(ok);
  state_->Set(GRPC_CHANNEL_READY);
  EXPECT_EQ(state_->Get(/*try_to_connect=*/false), GRPC_CHANNEL_SHUTDOWN);
}

TEST_F(ConnectivityOfAChannel, CanBeWaitedFor) {
  EXPECT_FALSE(channel_->WaitForStateChange(GRPC_CHANNEL_IDLE, In(absl::Milliseconds(20))));
  EXPECT_TRUE(channel_->WaitForStateChange(GRPC_CHANNEL_READY, In(kPatience)));
  std::thread changer([this] { state_->Set(GRPC_CHANNEL_CONNECTING); });
  EXPECT_TRUE(channel_->WaitForStateChange(GRPC_CHANNEL_IDLE, In(kPatience)));
  changer.join();
}

TEST_F(ConnectivityOfAChannel, CanBeWaitedForUntilItIsConnected) {
  EXPECT_FALSE(channel_->WaitForConnected(In(absl::Milliseconds(20))));
  EXPECT_GE(wanted_, 1);
  std::thread changer([this] {
    state_->Set(GRPC_CHANNEL_CONNECTING);
    state_->Set(GRPC_CHANNEL_TRANSIENT_FAILURE);
    state_->Set(GRPC_CHANNEL_READY);
  });
  EXPECT_TRUE(channel_->WaitForConnected(In(kPatience)));
  changer.join();
}

}  // namespace
}  // namespace holdfast

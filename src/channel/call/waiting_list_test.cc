#include "channel/call/waiting_list.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace holdfast {
namespace {

class Waiter final : public WaitingCall {
 public:
  bool TryAgain() override {
    ++tries;
    return may_go;
  }
  std::atomic<int> tries = 0;
  std::atomic<bool> may_go = false;
};

class WaitingListTest : public testing::Test {
 protected:
  ControlLoop loop_;
  WaitingList list_{loop_};
};

TEST_F(WaitingListTest, LetsNewOnesTryOnceAndAllOfThemWhenSomethingChanged) {
  const auto first = std::make_shared<Waiter>();
  list_.Add(first);
  list_.RetryNew();
  const auto second = std::make_shared<Waiter>();
  list_.Add(second);
  list_.RetryNew();
  EXPECT_EQ(first->tries, 1);
  EXPECT_EQ(second->tries, 1);
  EXPECT_TRUE(list_.Retry());
  EXPECT_EQ(first->tries, 2);
  EXPECT_EQ(second->tries, 2);
  first->may_go = true;
  EXPECT_TRUE(list_.Retry());
  second->may_go = true;
  EXPECT_FALSE(list_.Retry());
  EXPECT_FALSE(list_.Retry());
  EXPECT_EQ(first->tries, 3);
  EXPECT_EQ(second->tries, 4);
}

TEST_F(WaitingListTest, ForgetsThoseThatAreGone) {
  auto one = std::make_shared<Waiter>();
  list_.Add(one);
  EXPECT_TRUE(list_.Prune());
  one.reset();
  EXPECT_FALSE(list_.Prune());
  EXPECT_FALSE(list_.Retry());
}

// Threads add calls, as applications do, and others retry, as the loop does: none is lost.
TEST_F(WaitingListTest, LosesNobody) {
  constexpr int kEach = 500;
  std::vector<std::vector<std::shared_ptr<Waiter>>> waiters(4);
  std::atomic<int> adding = 4;
  std::vector<std::thread> threads;
  for (auto& mine : waiters) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) {
        mine.push_back(std::make_shared<Waiter>());
        mine.back()->may_go = i % 2 == 0;
        list_.Add(mine.back());
        list_.RetryNew();
      }
      --adding;
    });
  }
  threads.emplace_back([&] {
    while (adding > 0) list_.Retry();
  });
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : waiters) {
    for (const auto& waiter : mine) {
      EXPECT_GE(waiter->tries, 1);
      waiter->may_go = true;
    }
  }
  EXPECT_FALSE(list_.Retry());
  EXPECT_FALSE(list_.Prune());
}

}  // namespace
}  // namespace holdfast

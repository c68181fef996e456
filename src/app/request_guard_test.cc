#include "app/request_guard.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <future>

namespace holdfast {
namespace {

constexpr std::chrono::hours kLong{1};

TEST(RequestGuard, EndsWhatTakesTooLong) {
  std::promise<void> ended;
  const RequestGuard guard(std::chrono::milliseconds(1), -1, [&ended] { ended.set_value(); });
  ended.get_future().wait();
  EXPECT_TRUE(guard.has_ended_it());
}

TEST(RequestGuard, EndsWhatNobodyWaitsForAnyMore) {
  const int stop = ::eventfd(1, EFD_CLOEXEC);
  std::promise<void> ended;
  const RequestGuard guard(kLong, stop, [&ended] { ended.set_value(); });
  ended.get_future().wait();
  EXPECT_TRUE(guard.has_ended_it());
  ::close(stop);
}

TEST(RequestGuard, LeavesAloneWhatIsOver) {
  bool is_ended = false;
  {
    const RequestGuard guard(kLong, -1, [&is_ended] { is_ended = true; });
  }
  EXPECT_FALSE(is_ended);
}

}  // namespace
}  // namespace holdfast

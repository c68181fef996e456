#include "channel/call/sharded_value.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace holdfast {
namespace {

TEST(ShardedValue, IsReadAsItWasSetLast) {
  ShardedValue<int> value(std::make_shared<const int>(1));
  EXPECT_EQ(value.Read([](int read) { return read; }), 1);
  value.Set(std::make_shared<const int>(2));
  EXPECT_EQ(value.Read([](int read) { return read; }), 2);
}

TEST(ShardedValue, KeepsNothingOfTheValueBeforeInAnyThread) {
  auto old = std::make_shared<const int>(1);
  ShardedValue<int> value(old);
  std::thread([&value] { value.Read([](int read) { return read; }); }).join();
  value.Set(std::make_shared<const int>(2));
  EXPECT_EQ(old.use_count(), 1);
}

// Twice as many readers as shards, so that some share one; the values rise, and so must what each
// of them sees. When Set returns nobody sees an older one.
TEST(ShardedValue, IsNeverSeenToGoBackwards) {
  constexpr int kValues = 200;
  ShardedValue<int> value(std::make_shared<const int>(0));
  std::atomic<int> set = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 16; ++i) {
    readers.emplace_back([&] {
      for (int last = 0; last < kValues;) {
        const int at_least = set.load();
        const int seen = value.Read([](int read) { return read; });
        EXPECT_GE(seen, last);
        EXPECT_GE(seen, at_least);
        last = seen;
        std::this_thread::yield();  // Whoever does nothing but read keeps the writer out.
      }
    });
  }
  for (int i = 1; i <= kValues; ++i) {
    value.Set(std::make_shared<const int>(i));
    set.store(i);
  }
  for (std::thread& reader : readers) reader.join();
}

}  // namespace
}  // namespace holdfast

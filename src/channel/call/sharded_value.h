// A value that every call reads and that changes now and then.
//
// Readers of different threads do not meet: each thread has a shard, with a lock and a reference of
// its own. Replacing the value takes each lock once, and when that is done nobody uses the old one.
// (A copy of the reference in each thread would be faster still, but an idle thread would keep old
// connections alive with it.)
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

namespace holdfast {

// Always the same for a thread; threads are spread over the shards in the order they come.
inline size_t ShardOfThisThread(size_t shards) {
  static std::atomic<size_t> threads = 0;
  thread_local const size_t number = threads.fetch_add(1, std::memory_order_relaxed);
  return number % shards;
}

template <class T>
class ShardedValue {
 public:
  // REQUIRES, here and in Set: not null.
  explicit ShardedValue(const std::shared_ptr<const T>& value) { Set(value); }

  // What `reader` makes of the value. A shard is locked meanwhile: it must not block, nor come back
  // to the same ShardedValue.
  template <class Reader>
  auto Read(Reader reader) const {
    const Shard& shard = shards_[ShardOfThisThread(kShards)];
    const std::lock_guard<std::mutex> lock(shard.mutex);
    return reader(*shard.value);
  }

  void Set(const std::shared_ptr<const T>& value) {
    for (Shard& shard : shards_) {
      std::shared_ptr<const T> other = value;  // the old one goes when nothing is locked any more
      const std::lock_guard<std::mutex> lock(shard.mutex);
      shard.value.swap(other);
    }
  }

 private:
  static constexpr size_t kShards = 8;
  static constexpr size_t kCacheLine = 64;

  struct alignas(kCacheLine) Shard {
    mutable std::mutex mutex;
    std::shared_ptr<const T> value;
  };

  std::array<Shard, kShards> shards_;
};

}  // namespace holdfast

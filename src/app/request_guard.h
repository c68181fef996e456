// Ends a request that takes too long in all, or that nobody waits for any more.
//
// A server that sends a byte now and then keeps any timeout of a single read from firing.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace holdfast {

class RequestGuard {
 public:
  // Calls `end` once, on another thread, after `patience` or when `stop` is readable (-1: never),
  // whatever comes first, unless this is destroyed before.
  RequestGuard(std::chrono::milliseconds patience, int stop, std::function<void()> end);
  ~RequestGuard();
  RequestGuard(const RequestGuard&) = delete;
  RequestGuard& operator=(const RequestGuard&) = delete;

  bool has_ended_it() const { return has_ended_it_; }

 private:
  const int done_;  // readable: the request is over
  std::atomic<bool> has_ended_it_ = false;
  std::thread thread_;
};

}  // namespace holdfast

#include "runtime/delivery_thread.h"

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace holdfast {
namespace {

// While a process takes itself apart, what a watcher refers to may be gone.
std::atomic<bool> is_exiting{false};

void NoticeExit() {
  static const bool is_registered = [] { return std::atexit([] { is_exiting = true; }) == 0; }();
  static_cast<void>(is_registered);
}

}  // namespace

// Shared with the thread, which outlives the owner while a call runs.
class DeliveryThread::State : public std::enable_shared_from_this<State> {
 public:
  void Post(std::function<void()> call) {
    const std::lock_guard lock(mutex_);
    if (is_stopped_) return;
    calls_.push_back(std::move(call));
    if (!is_started_) {
      is_started_ = true;
      std::thread([self = shared_from_this()] { self->Run(); }).detach();
    }
    changed_.notify_one();
  }

  void Stop() {
    std::deque<std::function<void()>>
        dropped;  // destroyed without the lock: it holds users' objects
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    dropped.swap(calls_);
    changed_.notify_one();
  }

 private:
  void Run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return is_stopped_ || !calls_.empty(); });
      if (is_stopped_) return;
      std::function<void()> call = std::move(calls_.front());
      calls_.pop_front();
      lock.unlock();
      if (!is_exiting) call();
      call = nullptr;
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> calls_;
  bool is_started_ = false;
  bool is_stopped_ = false;
};

DeliveryThread::DeliveryThread() : state_(std::make_shared<State>()) { NoticeExit(); }

DeliveryThread::~DeliveryThread() { Stop(); }

void DeliveryThread::Post(std::function<void()> call) { state_->Post(std::move(call)); }

void DeliveryThread::Stop() { state_->Stop(); }

}  // namespace holdfast

#include "runtime/control_loop.h"

#include <grpc/support/time.h>
#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>
#include <openssl/crypto.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <compare>
#include <condition_variable>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"

namespace holdfast {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;
using Task = std::function<void()>;

// Further away than any process lives, and near enough to be added to any steady time.
constexpr absl::Duration kLongestTimer = absl::Hours(24 * 365 * 100);

// How often the loop looks into its queue while calls are made, and how long after the last one.
constexpr std::chrono::milliseconds kGlance = std::chrono::milliseconds(10);
constexpr std::chrono::seconds kCallsAreOver = std::chrono::seconds(1);

// Both clocks are CLOCK_MONOTONIC.
gpr_timespec ToGprTime(SteadyTime time) {
  return gpr_time_from_nanos(
      std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count(),
      GPR_CLOCK_MONOTONIC);
}

// The loop whose thread this is; compared, never followed.
thread_local const void* current_loop = nullptr;

}  // namespace

// As a Completion it is the tag of its own wake-up.
class ControlLoop::State final : private Completion {
 public:
  enum class Ending { kDrainQueue, kLeaveQueue };

  State(std::unique_ptr<grpc::CompletionQueue> queue, const char* name)
      : queue_(std::move(queue)), thread_(&State::Run, this, name) {}
  ~State() override = default;

  void Post(Task task);
  void NoteCall();
  void WaitBegan();
  void WaitEnded();
  bool is_stopped() const { return is_stopped_.load(std::memory_order_acquire); }
  void TellWhenStopped(std::weak_ptr<StopListener> listener);
  // Once. Joins and tells, unless this is the loop thread.
  void Stop(Ending ending);

  LoopTimerId StartTimer(absl::Duration after, Task task);
  void CancelTimer(LoopTimerId timer);
  grpc::CompletionQueue* queue() { return queue_.get(); }
  bool IsLoopThread() const { return current_loop == this; }

 private:
  struct TimerKey {
    SteadyTime deadline;
    LoopTimerId id;
    friend std::strong_ordering operator<=>(const TimerKey&, const TimerKey&) = default;
  };

  void Run(const char* name);
  // False: the loop is to end.
  bool RunPosted();
  void RunDueTimers();
  void TakeCompletion();
  // Whether calls are made and nobody waits for us, so that the queue is better left alone.
  bool KeepsOutOfTheWay();
  // Until something is posted or due, but no longer than a glance takes.
  void StayAway();
  void Drain();
  // REQUIRES: mutex_ is held.
  void WakeLoop();
  // The wake-up arrived.
  void Done(bool ok) override;

  // Tasks are handed over under this mutex and not through gRPC's queue, so that their order is
  // plain to see, for a sanitizer too.
  std::mutex mutex_;
  std::vector<Task> posted_;
  std::optional<Ending> ending_;
  bool is_waiting_ = false;       // the loop found nothing posted and blocks, or is about to
  bool is_wake_pending_ = false;  // wake_ is set and its completion was not taken yet
  bool is_away_ = false;          // the loop waits for woken_ and not in its queue
  std::vector<std::weak_ptr<StopListener>> stop_listeners_;
  size_t most_stop_listeners_ = 16;  // then those that are gone are forgotten
  std::condition_variable woken_;

  // Set by calls, cleared by the loop at every glance, so that most calls only read it.
  std::atomic<bool> saw_call_ = false;
  std::atomic<int64_t> waits_ = 0;
  std::atomic<bool> is_stopped_ = false;

  // The loop thread's own.
  std::map<TimerKey, Task> timers_;
  std::map<LoopTimerId, SteadyTime> deadlines_;  // of timers_
  IdSource<LoopTimerId> timer_ids_;
  SteadyTime last_call_ = SteadyTime::min();

  const std::unique_ptr<grpc::CompletionQueue> queue_;
  grpc::Alarm wake_;
  std::thread thread_;  // last: it uses all of the above
};

void ControlLoop::State::Post(Task task) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (ending_.has_value()) return;
  posted_.push_back(std::move(task));
  WakeLoop();
}

void ControlLoop::State::NoteCall() {
  if (saw_call_.load(std::memory_order_relaxed)) return;
  // In one order with WaitEnded: each says its own and looks at the other's, and one of them must
  // see that the loop is to come out.
  saw_call_.store(true, std::memory_order_seq_cst);
  // It blocks for those who wait, and will come out for us when they are gone.
  if (waits_.load(std::memory_order_seq_cst) > 0) return;
  // Where it blocks in its queue it has to come out; where it is away already, this is its glance.
  std::lock_guard<std::mutex> lock(mutex_);
  if (!is_away_ && !ending_.has_value()) WakeLoop();
}

void ControlLoop::State::WaitBegan() {
  if (waits_.fetch_add(1, std::memory_order_relaxed) > 0) return;
  std::lock_guard<std::mutex> lock(mutex_);
  if (is_away_ && !ending_.has_value()) WakeLoop();
}

void ControlLoop::State::WaitEnded() {
  if (waits_.fetch_sub(1, std::memory_order_seq_cst) > 1) return;
  if (!saw_call_.load(std::memory_order_seq_cst)) return;
  std::lock_guard<std::mutex> lock(mutex_);
  if (!is_away_ && !ending_.has_value()) WakeLoop();
}

void ControlLoop::State::TellWhenStopped(std::weak_ptr<StopListener> listener) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (stop_listeners_.size() >= most_stop_listeners_) {
    std::erase_if(stop_listeners_, [](const auto& each) { return each.expired(); });
    most_stop_listeners_ = std::max(most_stop_listeners_, 2 * stop_listeners_.size());
  }
  stop_listeners_.push_back(std::move(listener));
}

void ControlLoop::State::Stop(Ending ending) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ending_ = ending;
    is_stopped_.store(true, std::memory_order_release);
    WakeLoop();
  }
  if (IsLoopThread()) return;
  thread_.join();
  std::vector<std::weak_ptr<StopListener>> listeners;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    listeners.swap(stop_listeners_);
  }
  for (const std::weak_ptr<StopListener>& each : listeners) {
    if (const auto listener = each.lock(); listener != nullptr) listener->OnStopped();
  }
}

void ControlLoop::State::WakeLoop() {
  // On its own thread the loop is awake, and looks at what was posted before it waits again.
  if (!is_waiting_ || is_wake_pending_ || IsLoopThread()) return;
  if (is_away_) {
    woken_.notify_one();
    return;
  }
  is_wake_pending_ = true;
  // Under the mutex: an alarm must not be set twice, nor on a queue that was shut down. Long past:
  // gRPC rounds "now" up to its next millisecond.
  wake_.Set(queue_.get(), gpr_inf_past(GPR_CLOCK_MONOTONIC), static_cast<Completion*>(this));
}

void ControlLoop::State::Done(bool) {
  std::lock_guard<std::mutex> lock(mutex_);
  is_wake_pending_ = false;
}

ControlLoop::LoopTimerId ControlLoop::State::StartTimer(absl::Duration after, Task task) {
  HOLDFAST_CHECK(IsLoopThread());
  after = std::clamp(after, absl::ZeroDuration(), kLongestTimer);
  const SteadyTime deadline = std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(after);
  const LoopTimerId id = timer_ids_.Next();
  timers_.emplace(TimerKey{deadline, id}, std::move(task));
  deadlines_.emplace(id, deadline);
  return id;
}

void ControlLoop::State::CancelTimer(LoopTimerId timer) {
  HOLDFAST_CHECK(IsLoopThread());
  const auto found = deadlines_.find(timer);
  if (found == deadlines_.end()) return;
  // What the task holds goes last: it may come back to us.
  const auto removed = timers_.extract(TimerKey{found->second, timer});
  deadlines_.erase(found);
}

void ControlLoop::State::Run(const char* name) {
  current_loop = this;
  pthread_setname_np(pthread_self(), name);
  while (RunPosted()) {
    RunDueTimers();
    TakeCompletion();
  }
  // Only Stop wrote it, before RunPosted read it under the mutex.
  if (ending_ == Ending::kDrainQueue) Drain();
}

bool ControlLoop::State::RunPosted() {
  std::vector<Task> tasks;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    is_waiting_ = false;
    if (ending_.has_value()) return false;
    tasks.swap(posted_);
  }
  // What a task holds goes with it, before the next one runs.
  for (Task& task : tasks) std::exchange(task, nullptr)();
  return true;
}

void ControlLoop::State::RunDueTimers() {
  if (timers_.empty()) return;
  const SteadyTime now = std::chrono::steady_clock::now();
  while (!timers_.empty() && timers_.begin()->first.deadline <= now) {
    auto due = timers_.extract(timers_.begin());
    deadlines_.erase(due.key().id);
    due.mapped()();
  }
}

bool ControlLoop::State::KeepsOutOfTheWay() {
  // What calls say meanwhile stays said, so that they need not say it again.
  if (waits_.load(std::memory_order_relaxed) > 0) return false;
  if (saw_call_.load(std::memory_order_relaxed)) {
    saw_call_.store(false, std::memory_order_relaxed);
    last_call_ = std::chrono::steady_clock::now();
  }
  if (last_call_ == SteadyTime::min()) return false;
  if (std::chrono::steady_clock::now() - last_call_ > kCallsAreOver) {
    last_call_ = SteadyTime::min();
    return false;
  }
  return true;
}

void ControlLoop::State::StayAway() {
  SteadyTime until = std::chrono::steady_clock::now() + kGlance;
  if (!timers_.empty()) until = std::min(until, timers_.begin()->first.deadline);
  std::unique_lock<std::mutex> lock(mutex_);
  is_away_ = true;
  is_waiting_ = true;
  woken_.wait_until(lock, until, [this] {
    return !posted_.empty() || ending_.has_value() || waits_.load(std::memory_order_relaxed) > 0;
  });
  is_away_ = false;
  is_waiting_ = false;
}

void ControlLoop::State::TakeCompletion() {
  const bool keeps_away = KeepsOutOfTheWay();
  gpr_timespec deadline = timers_.empty() ? gpr_inf_future(GPR_CLOCK_MONOTONIC)
                                          : ToGprTime(timers_.begin()->first.deadline);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    // A call that came since we looked finds nobody to wake: it is seen here.
    const bool is_wanted_away =
        saw_call_.load(std::memory_order_relaxed) && waits_.load(std::memory_order_relaxed) <= 0;
    is_waiting_ = posted_.empty() && !ending_.has_value() && !keeps_away && !is_wanted_away;
    if (!is_waiting_) deadline = gpr_inf_past(GPR_CLOCK_MONOTONIC);
  }
  void* tag = nullptr;
  bool ok = false;
  if (queue_->AsyncNext(&tag, &ok, deadline) == grpc::CompletionQueue::GOT_EVENT) {
    static_cast<Completion*>(tag)->Done(ok);
  } else if (keeps_away) {
    StayAway();
  }
}

void ControlLoop::State::Drain() {
  std::vector<Task> dropped;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    dropped.swap(posted_);
  }
  // These may hold the last of who has operations pending: they end before the queue does.
  dropped.clear();
  timers_.clear();
  deadlines_.clear();
  queue_->Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_->Next(&tag, &ok)) static_cast<Completion*>(tag)->Done(ok);
}

ControlLoop& ControlLoop::Shared() {
  static ControlLoop* const loop = [] {
    auto* const made = new ControlLoop();
    static const pid_t owner = getpid();
    // OpenSSL takes itself apart at the end of the process too, and the last that started ends
    // first. It must outlive the loop, on which gRPC shakes hands. (Told to load nothing, it would
    // not even start.)
    OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CRYPTO_STRINGS, nullptr);
    std::atexit([] {
      // A fork has no loop thread to join.
      if (getpid() != owner) return;
      // Operations that are pending would only be waited for: the process is at its end.
      Shared().state_->Stop(State::Ending::kLeaveQueue);
    });
    return made;
  }();
  return *loop;
}

ControlLoop::ControlLoop()
    : ControlLoop(std::make_unique<grpc::CompletionQueue>(), "holdfast-loop") {}

ControlLoop::ControlLoop(std::unique_ptr<grpc::CompletionQueue> queue, const char* name)
    : state_(std::make_unique<State>(std::move(queue), name)) {}

ControlLoop::~ControlLoop() {
  HOLDFAST_CHECK(!IsLoopThread());
  state_->Stop(State::Ending::kDrainQueue);
}

void ControlLoop::Post(std::function<void()> task) { state_->Post(std::move(task)); }

void ControlLoop::NoteCall() { state_->NoteCall(); }

void ControlLoop::WaitBegan() { state_->WaitBegan(); }

void ControlLoop::WaitEnded() { state_->WaitEnded(); }

bool ControlLoop::is_stopped() const { return state_->is_stopped(); }

void ControlLoop::TellWhenStopped(std::weak_ptr<StopListener> listener) {
  state_->TellWhenStopped(std::move(listener));
}

bool ControlLoop::IsLoopThread() const { return state_->IsLoopThread(); }

ControlLoop::LoopTimerId ControlLoop::StartTimer(absl::Duration after, std::function<void()> task) {
  return state_->StartTimer(after, std::move(task));
}

void ControlLoop::CancelTimer(LoopTimerId timer) { state_->CancelTimer(timer); }

grpc::CompletionQueue* ControlLoop::queue() { return state_->queue(); }

}  // namespace holdfast

// A thread on which things are decided: runs posted tasks, timers, and the completions of gRPC
// calls, one after another. The client library has one, a control plane one for each worker.
//
// Blocks in its completion queue while there is nothing to do: no wake-ups when idle. No kind of
// work can starve another: a round takes what was posted when it began, the timers that are due,
// and one completion.
//
// A thread that blocks in a completion queue takes the sockets of all others upon itself: a
// synchronous call then waits for two threads instead of one, and costs half as much again. So
// while calls are made (NoteCall) the loop only looks into its queue every 10 ms, until a second
// passed without one; unless somebody waits for what comes out of it (WaitBegan, WaitEnded).
#pragma once

#include <functional>
#include <memory>

#include "absl/time/time.h"
#include "base/strong_id.h"

namespace grpc {
class CompletionQueue;
}

namespace holdfast {

// Somebody who waits for what the loop does.
class StopListener {
 public:
  virtual ~StopListener() = default;
  // The loop has stopped, and nothing runs on it any more.
  virtual void OnStopped() = 0;
};

// What a gRPC operation's tag points to.
class Completion {
 public:
  virtual ~Completion() = default;
  // On the loop thread. `ok` as the completion queue has it.
  virtual void Done(bool ok) = 0;
};

class ControlLoop {
 public:
  using LoopTimerId = StrongId<struct LoopTimerIdTag>;

  // The loop of this process: started at first use, never destroyed, stopped when the process
  // exits, so that nothing runs while it takes itself apart.
  static ControlLoop& Shared();

  ControlLoop();
  // A loop of this name (at most 15 characters) on a queue made elsewhere, as those of a server
  // are.
  ControlLoop(std::unique_ptr<grpc::CompletionQueue> queue, const char* name);
  // Stops and joins. Tasks that were posted and did not run are dropped; operations of gRPC that
  // are pending complete first. Whoever starts operations must be gone, or in a dropped task.
  // REQUIRES: not on the loop thread.
  ~ControlLoop();
  ControlLoop(const ControlLoop&) = delete;
  ControlLoop& operator=(const ControlLoop&) = delete;

  // Runs `task` on the loop thread, after those posted before. Thread-safe; legal on the loop
  // thread; after the loop stopped it does nothing.
  void Post(std::function<void()> task);

  bool IsLoopThread() const;
  // Nothing runs on it any more. Thread-safe.
  bool is_stopped() const;
  // Told once, on the thread that stops the loop; not if that is the loop's own, where others may
  // be in the middle of something. Thread-safe.
  void TellWhenStopped(std::weak_ptr<StopListener> listener);

  // An application makes a call. Thread-safe, and cheap while calls are frequent.
  void NoteCall();
  // A call is parked until the loop learns something. Thread-safe; as many ends as beginnings.
  void WaitBegan();
  void WaitEnded();

  // The rest: on the loop thread only.
  //
  // Timers fire in the order of their deadlines, equal ones in the order they were started.
  LoopTimerId StartTimer(absl::Duration after, std::function<void()> task);
  // A timer that fired or was cancelled before is no error.
  void CancelTimer(LoopTimerId timer);
  // Tags of operations on it are Completion*. (Any thread may ask; whoever starts operations from
  // another thread must know that the loop still runs.)
  grpc::CompletionQueue* queue();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace holdfast

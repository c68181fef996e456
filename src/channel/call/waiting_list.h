// Calls that wait for the same news.
//
// Thread-safe. While anybody waits, the loop blocks in its queue, so that the news comes at once.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "channel/call/call_director.h"
#include "runtime/control_loop.h"

namespace holdfast {

class WaitingList {
 public:
  explicit WaitingList(ControlLoop& loop) : loop_(loop) {}
  ~WaitingList();
  WaitingList(const WaitingList&) = delete;
  WaitingList& operator=(const WaitingList&) = delete;

  void Add(std::weak_ptr<WaitingCall> call);

  // Lets those try again that were added since anybody did: what changed before they were added
  // they may have missed. The others have tried.
  void RetryNew();
  // Lets all of them try again, because something changed. Whether any has to wait on.
  bool Retry();

  // Forgets those that are gone. Whether any is left.
  bool Prune();

 private:
  using Calls = std::vector<std::weak_ptr<WaitingCall>>;

  void TryEach(Calls calls);
  // REQUIRES: mutex_.
  void Count();

  ControlLoop& loop_;
  std::mutex mutex_;
  Calls new_;
  Calls settled_;
  bool is_counted_ = false;  // the loop knows that somebody waits
};

}  // namespace holdfast

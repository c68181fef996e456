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

  // Lets each of them try again; those that still have to wait stay.
  void Retry();

  // Forgets those that are gone. Whether any is left.
  bool Prune();

 private:
  void PutBack(std::vector<std::weak_ptr<WaitingCall>> calls);

  ControlLoop& loop_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<WaitingCall>> calls_;
  bool is_counted_ = false;  // the loop knows that somebody waits
};

}  // namespace holdfast

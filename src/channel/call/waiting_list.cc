#include "channel/call/waiting_list.h"

#include <utility>

namespace holdfast {

WaitingList::~WaitingList() {
  if (is_counted_) loop_.WaitEnded();
}

void WaitingList::Add(std::weak_ptr<WaitingCall> call) {
  std::vector<std::weak_ptr<WaitingCall>> one;
  one.push_back(std::move(call));
  PutBack(std::move(one));
}

void WaitingList::PutBack(std::vector<std::weak_ptr<WaitingCall>> calls) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (std::weak_ptr<WaitingCall>& call : calls) calls_.push_back(std::move(call));
  if (calls_.empty() == is_counted_) {
    is_counted_ = !is_counted_;
    if (is_counted_) {
      loop_.WaitBegan();
    } else {
      loop_.WaitEnded();
    }
  }
}

void WaitingList::Retry() {
  std::vector<std::weak_ptr<WaitingCall>> calls;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    calls.swap(calls_);
  }
  std::vector<std::weak_ptr<WaitingCall>> still_waiting;
  for (std::weak_ptr<WaitingCall>& call : calls) {
    const std::shared_ptr<WaitingCall> alive = call.lock();
    if (alive != nullptr && !alive->TryAgain()) still_waiting.push_back(std::move(call));
  }
  PutBack(std::move(still_waiting));
}

bool WaitingList::Prune() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(calls_, [](const auto& call) { return call.expired(); });
  }
  PutBack({});
  const std::lock_guard<std::mutex> lock(mutex_);
  return !calls_.empty();
}

}  // namespace holdfast

#include "channel/call/waiting_list.h"

#include <iterator>
#include <utility>

namespace holdfast {

WaitingList::~WaitingList() {
  if (is_counted_) loop_.WaitEnded();
}

void WaitingList::Add(std::weak_ptr<WaitingCall> call) {
  const std::lock_guard<std::mutex> lock(mutex_);
  new_.push_back(std::move(call));
  Count();
}

void WaitingList::RetryNew() {
  Calls calls;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    calls.swap(new_);
  }
  TryEach(std::move(calls));
}

bool WaitingList::Retry() {
  Calls calls;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    calls.swap(settled_);
    calls.insert(calls.end(), std::make_move_iterator(new_.begin()),
                 std::make_move_iterator(new_.end()));
    new_.clear();
  }
  TryEach(std::move(calls));
  const std::lock_guard<std::mutex> lock(mutex_);
  return !settled_.empty() || !new_.empty();
}

void WaitingList::TryEach(Calls calls) {
  Calls waiting;
  for (std::weak_ptr<WaitingCall>& call : calls) {
    const std::shared_ptr<WaitingCall> alive = call.lock();
    if (alive != nullptr && !alive->TryAgain()) waiting.push_back(std::move(call));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  settled_.insert(settled_.end(), std::make_move_iterator(waiting.begin()),
                  std::make_move_iterator(waiting.end()));
  Count();
}

bool WaitingList::Prune() {
  const auto is_gone = [](const auto& call) { return call.expired(); };
  const std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(new_, is_gone);
  std::erase_if(settled_, is_gone);
  Count();
  return is_counted_;
}

void WaitingList::Count() {
  const bool has_any = !new_.empty() || !settled_.empty();
  if (has_any == is_counted_) return;
  is_counted_ = has_any;
  if (has_any) {
    loop_.WaitBegan();
  } else {
    loop_.WaitEnded();
  }
}

}  // namespace holdfast

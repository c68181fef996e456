#include "client/protocol/resource_timers.h"

#include "base/check.h"

namespace holdfast {

void ResourceTimers::Start(Turn& turn, SubscribedType& type, CacheEntry& entry,
                           absl::Duration after) {
  HOLDFAST_CHECK(!entry.timer.is_set() && !entry.has_resource());
  entry.timer = ids_.Next();
  waiting_.emplace(entry.timer, Waiting{&type, &entry});
  turn.Order(StartTimer{entry.timer, after});
}

void ResourceTimers::Cancel(Turn& turn, CacheEntry& entry) {
  if (!entry.timer.is_set()) return;
  turn.Order(CancelTimer{entry.timer});
  waiting_.erase(entry.timer);
  entry.timer = TimerId();
}

std::optional<ResourceTimers::Waiting> ResourceTimers::TakeFired(TimerId timer) {
  const auto found = waiting_.find(timer);
  if (found == waiting_.end()) return std::nullopt;
  const Waiting waiting = found->second;
  waiting_.erase(found);
  waiting.entry->timer = TimerId();
  return waiting;
}

}  // namespace holdfast

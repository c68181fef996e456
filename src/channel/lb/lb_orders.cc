#include "channel/lb/lb_orders.h"

#include <utility>

#include "base/check.h"

namespace holdfast {

LbOrders::LbOrders(LbTreeOptions options) : options_(std::move(options)), random_(options_.seed) {}

std::shared_ptr<const SubchannelSlot> LbOrders::CreateSubchannel(std::string target,
                                                                 SubchannelOwner& owner) {
  const SubchannelId id = subchannel_ids_.Next();
  auto slot = std::make_shared<SubchannelSlot>(SubchannelSlot{id, std::move(target), nullptr});
  subchannels_.emplace(id, &owner);
  effects_.push_back(holdfast::CreateSubchannel{slot});
  return slot;
}

void LbOrders::Connect(const SubchannelSlot& slot) {
  HOLDFAST_CHECK(subchannels_.count(slot.id) == 1);
  effects_.push_back(ConnectSubchannel{slot.id});
}

void LbOrders::Release(const SubchannelSlot& slot) {
  HOLDFAST_CHECK(subchannels_.erase(slot.id) == 1);
  effects_.push_back(ReleaseSubchannel{slot.id});
}

LbTimerId LbOrders::StartTimer(absl::Duration after, TimerOwner& owner) {
  const LbTimerId timer = timer_ids_.Next();
  timers_.emplace(timer, &owner);
  effects_.push_back(StartLbTimer{timer, after});
  return timer;
}

void LbOrders::Cancel(LbTimerId& timer) {
  if (!timer.is_set()) return;
  HOLDFAST_CHECK(timers_.erase(timer) == 1);
  effects_.push_back(CancelLbTimer{timer});
  timer = LbTimerId();
}

// A permutation of a counter (splitmix64): short, and good enough for where a round begins.
uint64_t LbOrders::NextRandom() {
  random_ += 0x9E3779B97F4A7C15;
  uint64_t mixed = random_;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
  return mixed ^ (mixed >> 31);
}

void LbOrders::Deliver(const SubchannelStateChanged& news) {
  const auto found = subchannels_.find(news.subchannel);
  if (found != subchannels_.end()) found->second->OnSubchannelState(news, *this);
}

void LbOrders::Deliver(const LbTimerFired& news) {
  const auto found = timers_.find(news.timer);
  if (found == timers_.end()) return;  // Cancelled while the news was on its way.
  TimerOwner& owner = *found->second;
  timers_.erase(found);
  owner.OnTimer(news.timer, *this);
}

LbEffects LbOrders::TakeEffects() { return std::exchange(effects_, {}); }

}  // namespace holdfast

#include "channel/lb/priority_child.h"

#include <algorithm>
#include <utility>

namespace holdfast {
namespace {

constexpr uint32_t kEveryCall = 1'000'000;

bool DropsEveryCall(const std::vector<DropCategory>& drops) {
  return std::any_of(drops.begin(), drops.end(),
                     [](const DropCategory& drop) { return drop.per_million >= kEveryCall; });
}

}  // namespace

void PriorityChild::Configure(Config config, LbOrders& orders) {
  if (config.leaf != config_.leaf) staleness_.Mark();
  config_ = std::move(config);
  if (is_made()) localities_->Update(config_.policy, config_.leaf.words, config_.spec, orders);
}

void PriorityChild::SetNote(const std::string& note) {
  if (note == config_.leaf.words.note) return;
  config_.leaf.words.note = note;
  if (is_made()) localities_->SetWords(config_.leaf.words);
  staleness_.Mark();
}

void PriorityChild::Make(LbOrders& orders) {
  orders.Cancel(unused_timer_);
  if (is_made()) return;
  localities_ = std::make_unique<LocalitySet>(staleness_);
  localities_->Update(config_.policy, config_.leaf.words, config_.spec, orders);
  worked_since_failure_ = true;  // Being new gives time to connect, as having worked does.
  balance_ = {Connectivity::kIdle, nullptr};
  staleness_.Mark();
  Refresh(orders);
}

void PriorityChild::Deactivate(LbOrders& orders) {
  if (!is_made() || unused_timer_.is_set()) return;
  unused_timer_ = orders.StartTimer(orders.options().keep_unused_for, *this);
}

void PriorityChild::Release(LbOrders& orders) {
  orders.Cancel(failover_timer_);
  orders.Cancel(unused_timer_);
  if (is_made()) localities_->Release(orders);
  localities_.reset();
  balance_ = {};
}

void PriorityChild::Connect(LbOrders& orders) {
  if (is_made()) localities_->Connect(orders);
}

void PriorityChild::OnTimer(LbTimerId timer, LbOrders& orders) {
  if (timer == failover_timer_) {
    failover_timer_ = LbTimerId();
  } else {
    unused_timer_ = LbTimerId();
    Release(orders);
  }
  staleness_.Mark();
}

void PriorityChild::Refresh(LbOrders& orders) {
  if (staleness_.is_stale && is_made()) {
    const Connectivity before = balance_.state;
    balance_ = localities_->Refresh(orders);
    if (DropsEveryCall(config_.leaf.drops)) balance_.state = Connectivity::kReady;
    FollowState(before, orders);
  }
  staleness_.Clear();
}

void PriorityChild::FollowState(Connectivity before, LbOrders& orders) {
  const Connectivity state = balance_.state;
  if (state != Connectivity::kConnecting) {
    orders.Cancel(failover_timer_);
    worked_since_failure_ = state != Connectivity::kTransientFailure;
  } else if (before != Connectivity::kConnecting && worked_since_failure_) {
    failover_timer_ = orders.StartTimer(orders.options().failover_after, *this);
  }
}

}  // namespace holdfast

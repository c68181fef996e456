#include "channel/lb/pick_first.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace holdfast {
namespace {

// gRPC's texts often name the address, but not always.
absl::Status WithTarget(const std::string& target, const absl::Status& why) {
  if (absl::StrContains(why.message(), target)) return why;
  return absl::Status(why.code(), absl::StrCat(target, ": ", why.message()));
}

}  // namespace

void PickFirst::SetTargets(const std::vector<std::string>& targets, LbOrders& orders) {
  HOLDFAST_CHECK(!targets.empty());
  const bool is_same = std::equal(
      targets.begin(), targets.end(), addresses_.begin(), addresses_.end(),
      [](const std::string& target, const Address& address) { return target == address.target; });
  if (is_same) return;

  const bool is_first_list = addresses_.empty();
  const std::string chosen_target = chosen_.has_value() ? addresses_[*chosen_].target : "";
  std::map<std::string, Address> before;
  for (Address& address : addresses_) before.emplace(address.target, std::move(address));
  addresses_.clear();
  chosen_.reset();
  for (const std::string& target : targets) {
    if (target == chosen_target) chosen_ = addresses_.size();
    const auto known = before.find(target);
    if (known == before.end()) {
      addresses_.push_back({.target = target});
    } else {
      addresses_.push_back(std::move(known->second));
      before.erase(known);
    }
  }
  if (is_first_list || (!chosen_.has_value() && state_ != Connectivity::kIdle)) {
    StartPass(orders);
  }
  // After the new ones are asked for: a connection that another tree shares is never without users.
  for (const auto& [target, address] : before) {
    if (address.slot != nullptr) orders.Release(*address.slot);
  }
}

void PickFirst::Connect(LbOrders& orders) {
  if (state_ != Connectivity::kIdle) return;
  SetState(Connectivity::kConnecting);
  StartPass(orders);
}

void PickFirst::Release(LbOrders& orders) {
  orders.Cancel(timer_);
  for (Address& address : addresses_) {
    if (address.slot != nullptr) orders.Release(*address.slot);
  }
  addresses_.clear();
  chosen_.reset();
}

std::vector<std::string> PickFirst::targets() const {
  std::vector<std::string> all;
  for (const Address& address : addresses_) all.push_back(address.target);
  return all;
}

std::shared_ptr<const SubchannelSlot> PickFirst::ready() const {
  return chosen_.has_value() ? addresses_[*chosen_].slot : nullptr;
}

void PickFirst::OnSubchannelState(const SubchannelStateChanged& news, LbOrders& orders) {
  size_t index = 0;
  while (addresses_[index].slot == nullptr || addresses_[index].slot->id != news.subchannel) {
    ++index;
    HOLDFAST_CHECK(index < addresses_.size());  // Only those in use are known to belong here.
  }
  addresses_[index].state = news.state;
  const bool was_chosen = chosen_ == index;
  switch (news.state) {
    case Connectivity::kReady:
      if (!was_chosen) Choose(index, orders);
      return;
    case Connectivity::kTransientFailure:
      failure_ = WithTarget(addresses_[index].target, news.why);
      if (was_chosen) return OnChosenLost(orders);
      return OnAttemptFailed(index, orders);
    case Connectivity::kIdle:
      if (was_chosen) return OnChosenLost(orders);
      // It was READY for too short a time to be seen.
      if (index < tried_ && state_ != Connectivity::kIdle) ConnectTo(addresses_[index], orders);
      return;
    case Connectivity::kConnecting:
      if (was_chosen) OnChosenLost(orders);
      return;
  }
}

void PickFirst::OnTimer(LbTimerId, LbOrders& orders) {
  timer_ = LbTimerId();
  TryNext(orders);
}

void PickFirst::StartPass(LbOrders& orders) {
  for (Address& address : addresses_) address.has_failed = false;
  tried_ = 0;
  TryNext(orders);
}

void PickFirst::TryNext(LbOrders& orders) {
  orders.Cancel(timer_);
  while (tried_ < addresses_.size()) {
    Address& next = addresses_[tried_++];
    if (next.state == Connectivity::kTransientFailure) {  // Not worth the delay.
      next.has_failed = true;
      continue;
    }
    if (next.slot == nullptr) next.slot = orders.CreateSubchannel(next.target, *this);
    if (next.state == Connectivity::kIdle) ConnectTo(next, orders);
    if (tried_ < addresses_.size()) {
      timer_ = orders.StartTimer(orders.options().attempt_delay, *this);
    }
    return;
  }
  EndPassIfAllFailed();
}

// Once asked to it is on its way, whether it said so yet or not.
void PickFirst::ConnectTo(Address& address, LbOrders& orders) {
  orders.Connect(*address.slot);
  address.state = Connectivity::kConnecting;
}

void PickFirst::EndPassIfAllFailed() {
  const bool all_failed = std::all_of(addresses_.begin(), addresses_.end(),
                                      [](const Address& address) { return address.has_failed; });
  if (all_failed) SetState(Connectivity::kTransientFailure);
}

void PickFirst::Choose(size_t index, LbOrders& orders) {
  orders.Cancel(timer_);
  chosen_ = index;
  for (size_t i = 0; i < addresses_.size(); ++i) {
    if (i == index || addresses_[i].slot == nullptr) continue;
    orders.Release(*addresses_[i].slot);
    addresses_[i] = {.target = std::move(addresses_[i].target)};
  }
  failure_ = absl::OkStatus();
  SetState(Connectivity::kReady);
}

void PickFirst::OnChosenLost(LbOrders& orders) {
  const bool is_idle = addresses_[*chosen_].state == Connectivity::kIdle;
  chosen_.reset();
  if (is_idle && when_broken_ == WhenBroken::kStayIdle) return SetState(Connectivity::kIdle);
  SetState(Connectivity::kConnecting);
  StartPass(orders);
}

void PickFirst::OnAttemptFailed(size_t index, LbOrders& orders) {
  if (state_ == Connectivity::kIdle) return;  // Somebody else's attempt on a shared connection.
  if (index < tried_) addresses_[index].has_failed = true;
  if (index + 1 == tried_ && tried_ < addresses_.size()) return TryNext(orders);
  if (state_ == Connectivity::kTransientFailure) {
    TellParent();
  } else {
    EndPassIfAllFailed();
  }
}

void PickFirst::SetState(Connectivity state) {
  state_ = state;
  TellParent();
}

void PickFirst::TellParent() {
  if (parent_ != nullptr) parent_->OnConnectionChanged(place_);
}

}  // namespace holdfast

#include "channel/lb/locality_set.h"

#include <utility>

namespace holdfast {

void LocalitySet::Update(const LbPolicy& policy, const PolicyWords& words, const PrioritySpec& spec,
                         LbOrders& orders) {
  std::map<Locality, Child> before;
  before.swap(children_);
  // Nobody would ask for the connection of one locality while others work.
  const auto when_broken = ChoosesLocality(policy) ? PickFirst::WhenBroken::kReconnect
                                                   : PickFirst::WhenBroken::kStayIdle;
  const EndpointGroup::Config config{EndpointPolicy(policy), words, when_broken};
  for (const LocalitySpec& locality : spec.localities) {
    Child& child = children_[locality.locality];
    const auto known = before.find(locality.locality);
    if (known != before.end()) {
      child = std::move(known->second);
      before.erase(known);
    } else {
      child.group = std::make_unique<EndpointGroup>(staleness_);
    }
    if (child.weight != locality.weight) staleness_.Mark();
    child.weight = locality.weight;
    child.group->Update(config, locality.endpoints, orders);
  }
  if (!before.empty()) staleness_.Mark();
  for (auto& [locality, child] : before) child.group->Release(orders);
}

void LocalitySet::Connect(LbOrders& orders) {
  for (auto& [locality, child] : children_) child.group->Connect(orders);
}

void LocalitySet::Release(LbOrders& orders) {
  for (auto& [locality, child] : children_) child.group->Release(orders);
  children_.clear();
}

const Balance& LocalitySet::Refresh(LbOrders& orders) {
  if (!staleness_.is_stale) return balance_;
  for (auto& [locality, child] : children_) child.group->Refresh(orders);
  balance_ = Decide();
  staleness_.is_stale = false;
  return balance_;
}

Balance LocalitySet::Decide() const {
  if (children_.size() == 1) return children_.begin()->second.group->balance();
  const auto is_any = [&](Connectivity state) {
    for (const auto& [locality, child] : children_) {
      if (child.group->balance().state == state) return true;
    }
    return false;
  };
  if (is_any(Connectivity::kReady)) {
    return {Connectivity::kReady, ByWeightAmong(Connectivity::kReady)};
  }
  for (const Connectivity undecided : {Connectivity::kConnecting, Connectivity::kIdle}) {
    if (is_any(undecided)) return {undecided, QueuePicker()};
  }
  return {Connectivity::kTransientFailure, ByWeightAmong(Connectivity::kTransientFailure)};
}

std::shared_ptr<const Picker> LocalitySet::ByWeightAmong(Connectivity state) const {
  std::vector<WeightedPicker::Child> chosen;
  for (const auto& [locality, child] : children_) {
    const Balance& balance = child.group->balance();
    if (balance.state == state) chosen.push_back({child.weight, balance.picker});
  }
  if (chosen.size() == 1) return chosen.front().picker;
  const auto* current = dynamic_cast<const WeightedPicker*>(balance_.picker.get());
  if (current != nullptr && current->children() == chosen) return balance_.picker;
  return std::make_shared<const WeightedPicker>(std::move(chosen));
}

}  // namespace holdfast

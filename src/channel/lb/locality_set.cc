#include "channel/lb/locality_set.h"

#include <utility>

namespace holdfast {
namespace {

// Where what a locality has come to stands in the list of those in this state.
WeightedPicker::Children::Place PlaceIf(const Balance& balance, Connectivity state,
                                        uint32_t weight) {
  if (balance.state != state) return {};
  return {weight, balance.picker};
}

}  // namespace

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
    child.weight = locality.weight;
    child.group->Update(config, locality.endpoints, orders);
  }
  for (auto& [locality, child] : before) child.group->Release(orders);
  by_place_.clear();
  for (auto& [locality, child] : children_) {
    child.group->SetPlace(by_place_.size());
    by_place_.push_back(&child);
  }
  are_places_new_ = true;
  staleness_.Mark();
}

void LocalitySet::SetWords(const PolicyWords& words) {
  for (auto& [locality, child] : children_) child.group->SetWords(words);
}

void LocalitySet::Connect(LbOrders& orders) {
  for (auto& [locality, child] : children_) child.group->Connect(orders);
}

void LocalitySet::Release(LbOrders& orders) {
  for (auto& [locality, child] : children_) child.group->Release(orders);
  by_place_.clear();
  children_.clear();
}

const Balance& LocalitySet::Refresh(LbOrders& orders) {
  if (!staleness_.is_stale) return balance_;
  const std::vector<size_t> stale = staleness_.Clear();
  if (std::exchange(are_places_new_, false)) {
    RefreshAll(orders);
  } else {
    for (size_t place : stale) RefreshAt(place, orders);
  }
  balance_ = Decide();
  return balance_;
}

void LocalitySet::RefreshAll(LbOrders& orders) {
  counts_ = {};
  std::vector<WeightedPicker::Children::Place> ready;
  std::vector<WeightedPicker::Children::Place> failing;
  for (Child* child : by_place_) {
    const Balance& balance = child->group->Refresh(orders);
    child->counted = balance.state;
    ++counts_[static_cast<size_t>(balance.state)];
    ready.push_back(PlaceIf(balance, Connectivity::kReady, child->weight));
    failing.push_back(PlaceIf(balance, Connectivity::kTransientFailure, child->weight));
  }
  ready_ = WeightedPicker::Children(std::move(ready));
  failing_ = WeightedPicker::Children(std::move(failing));
}

void LocalitySet::RefreshAt(size_t place, LbOrders& orders) {
  Child& child = *by_place_[place];
  const Balance& balance = child.group->Refresh(orders);
  --counts_[static_cast<size_t>(child.counted)];
  child.counted = balance.state;
  ++counts_[static_cast<size_t>(balance.state)];
  const auto set = [&](WeightedPicker::Children& list, Connectivity state) {
    auto now = PlaceIf(balance, state, child.weight);
    if (now.item != list.Item(place)) list.Set(place, std::move(now));
  };
  set(ready_, Connectivity::kReady);
  set(failing_, Connectivity::kTransientFailure);
}

Balance LocalitySet::Decide() const {
  if (by_place_.size() == 1) return by_place_.front()->group->balance();
  const size_t ready = CountOf(Connectivity::kReady);
  if (ready > 0) return {Connectivity::kReady, ByWeightAmong(ready_, ready)};
  for (const Connectivity undecided : {Connectivity::kConnecting, Connectivity::kIdle}) {
    if (CountOf(undecided) > 0) return {undecided, QueuePicker()};
  }
  return {Connectivity::kTransientFailure, ByWeightAmong(failing_, by_place_.size())};
}

std::shared_ptr<const Picker> LocalitySet::ByWeightAmong(const WeightedPicker::Children& chosen,
                                                         size_t count) const {
  if (count == 1) return chosen.At(0);
  const auto* current = dynamic_cast<const WeightedPicker*>(balance_.picker.get());
  if (current != nullptr && current->children() == chosen) return balance_.picker;
  return std::make_shared<const WeightedPicker>(chosen);
}

}  // namespace holdfast

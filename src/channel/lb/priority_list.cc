#include "channel/lb/priority_list.h"

#include <algorithm>
#include <utility>

namespace holdfast {
namespace {

bool IsSame(const LbLeaf& a, const LbLeaf& b) {
  const bool same_endpoints =
      a.endpoints == b.endpoints ||
      (a.endpoints != nullptr && b.endpoints != nullptr && *a.endpoints == *b.endpoints);
  return same_endpoints && a.cluster == b.cluster && a.policy == b.policy &&
         a.dns_target == b.dns_target && a.note == b.note;
}

bool ShareLocality(const PrioritySpec& a, const PrioritySpec& b) {
  return std::any_of(a.names.begin(), a.names.end(),
                     [&](const Locality& name) { return b.names.count(name) > 0; });
}

}  // namespace

void PriorityList::Update(const std::vector<LbLeaf>& leaves, LbOrders& orders) {
  const bool is_same = !children_.empty() && std::equal(leaves.begin(), leaves.end(),
                                                        leaves_.begin(), leaves_.end(), IsSame);
  if (is_same) return;
  staleness_.Mark();
  leaves_ = leaves;
  Children before;
  before.swap(children_);
  for (const LbLeaf& leaf : leaves) {
    for (PrioritySpec& spec : PrioritiesOf(leaf)) {
      std::unique_ptr<PriorityChild>& child = children_.emplace_back();
      child = ChildFor(leaf.cluster, spec, before);
      DropPicker::Rules rules{.words = {leaf.cluster, leaf.note}};
      if (leaf.endpoints != nullptr) rules.drops = leaf.endpoints->drops;
      child->Configure({leaf.policy, std::move(rules), std::move(spec)}, orders);
    }
  }
  // What is new is made before what is gone is released, so that a connection they share lives on.
  Refresh(orders);
  for (const auto& child : before) {
    if (child != nullptr) child->Release(orders);
  }
}

std::unique_ptr<PriorityChild> PriorityList::ChildFor(const std::string& cluster,
                                                      const PrioritySpec& spec, Children& before) {
  for (std::unique_ptr<PriorityChild>& child : before) {
    if (child == nullptr || child->config().leaf.words.cluster != cluster) continue;
    const PrioritySpec& was = child->config().spec;
    const bool are_both_empty = was.names.empty() && spec.names.empty();
    if (are_both_empty || ShareLocality(was, spec)) return std::move(child);
  }
  return std::make_unique<PriorityChild>(staleness_);
}

void PriorityList::Connect(LbOrders& orders) {
  if (chosen_ < children_.size()) children_[chosen_]->Connect(orders);
}

const Balance& PriorityList::Refresh(LbOrders& orders) {
  if (!staleness_.is_stale) return balance_;
  for (const auto& child : children_) child->Refresh(orders);
  if (children_.empty()) {
    balance_ = {Connectivity::kTransientFailure, no_members_};
  } else {
    chosen_ = Choose(orders);
    balance_ = WithDrops(*children_[chosen_]);
  }
  staleness_.is_stale = false;
  return balance_;
}

Balance PriorityList::WithDrops(const PriorityChild& child) const {
  const DropPicker::Rules& rules = child.config().leaf;
  const Balance& inside = child.balance();
  // A call that waits is not dropped, or it would be tried at every turn: its chance comes, once,
  // when there is somewhere to go.
  if (rules.drops.empty() || inside.state != Connectivity::kReady) return inside;
  const auto* current = dynamic_cast<const DropPicker*>(balance_.picker.get());
  if (current != nullptr && current->otherwise() == inside.picker && current->rules() == rules) {
    return {inside.state, balance_.picker};
  }
  return {inside.state, std::make_shared<const DropPicker>(rules, inside.picker)};
}

size_t PriorityList::Choose(LbOrders& orders) {
  for (size_t i = 0; i < children_.size(); ++i) {
    PriorityChild& child = *children_[i];
    child.Make(orders);
    const Connectivity state = child.balance().state;
    if (state == Connectivity::kReady || state == Connectivity::kIdle) {
      for (size_t lower = i + 1; lower < children_.size(); ++lower) {
        children_[lower]->Deactivate(orders);
      }
      return i;
    }
    if (child.has_time_left()) return i;
  }
  for (size_t i = 0; i < children_.size(); ++i) {
    if (children_[i]->balance().state == Connectivity::kConnecting) return i;
  }
  // One that has nothing to offer would only hide why the others failed.
  for (size_t i = children_.size(); i > 0; --i) {
    if (HasEndpoints(children_[i - 1]->config().spec)) return i - 1;
  }
  return children_.size() - 1;
}

}  // namespace holdfast

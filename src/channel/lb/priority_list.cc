#include "channel/lb/priority_list.h"

#include <algorithm>
#include <utility>

namespace holdfast {
namespace {

bool IsSameButForTheNote(const LbLeaf& a, const LbLeaf& b) {
  if (a.cluster != b.cluster || a.policy != b.policy || a.dns_target != b.dns_target) return false;
  return a.endpoints == b.endpoints ||
         (a.endpoints != nullptr && b.endpoints != nullptr && *a.endpoints == *b.endpoints);
}

bool ShareLocality(const PrioritySpec& a, const PrioritySpec& b) {
  return std::any_of(a.names.begin(), a.names.end(),
                     [&](const Locality& name) { return b.names.count(name) > 0; });
}

}  // namespace

void PriorityList::Update(const std::vector<LbLeaf>& leaves, LbOrders& orders) {
  std::vector<Leaf> before = std::exchange(leaves_, {});
  bool is_same = !before.empty() && before.size() == leaves.size();
  for (size_t i = 0; i < leaves.size(); ++i) {
    const auto known = std::find_if(before.begin(), before.end(), [&](const Leaf& leaf) {
      return leaf.config.cluster == leaves[i].cluster;
    });
    is_same = is_same && known == before.begin() + static_cast<ptrdiff_t>(i);
    if (known != before.end() && IsSameButForTheNote(known->config, leaves[i])) {
      leaves_.push_back(std::exchange(*known, {}));
      leaves_.back().config.note = leaves[i].note;
      for (const auto& child : leaves_.back().children) child->SetNote(leaves[i].note);
      continue;
    }
    is_same = false;
    Children none;
    Children& children = known == before.end() ? none : known->children;
    leaves_.push_back({leaves[i], ChildrenFor(leaves[i], children, orders)});
  }
  if (is_same) return;
  staleness_.Mark();
  children_.clear();
  for (const Leaf& leaf : leaves_) {
    for (const auto& child : leaf.children) children_.push_back(child.get());
  }
  // What is new is made before what is gone is released, so that a connection they share lives on.
  Refresh(orders);
  for (const Leaf& leaf : before) {
    for (const auto& child : leaf.children) {
      if (child != nullptr) child->Release(orders);
    }
  }
}

PriorityList::Children PriorityList::ChildrenFor(const LbLeaf& leaf, Children& before,
                                                 LbOrders& orders) {
  Children children;
  for (PrioritySpec& spec : PrioritiesOf(leaf)) {
    std::unique_ptr<PriorityChild>& child = children.emplace_back(ChildFor(spec, before));
    DropPicker::Rules rules{.words = {leaf.cluster, leaf.note}};
    if (leaf.endpoints != nullptr) rules.drops = leaf.endpoints->drops;
    child->Configure({leaf.policy, std::move(rules), std::move(spec)}, orders);
  }
  return children;
}

std::unique_ptr<PriorityChild> PriorityList::ChildFor(const PrioritySpec& spec, Children& before) {
  for (std::unique_ptr<PriorityChild>& child : before) {
    if (child == nullptr) continue;
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
  for (PriorityChild* child : children_) child->Refresh(orders);
  if (children_.empty()) {
    balance_ = {Connectivity::kTransientFailure, no_members_};
  } else {
    chosen_ = Choose(orders);
    balance_ = WithDrops(*children_[chosen_]);
  }
  staleness_.Clear();
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

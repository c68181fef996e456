// Which priority of a cluster, or of the leaves of an aggregate, serves its calls (gRFC A56).
//
//   leaf 0, priority 0 ▶ leaf 0, priority 1 ▶ leaf 1, priority 0 ▶ ...
//
// The first that works or was not given enough time, else the first that tries, else the last that
// has endpoints. Those behind it are made only when it is passed over.
//
// What always holds:
// 1. Nothing is chosen before a new configuration is wholly applied.
// 2. A priority stays who it is as long as a locality of it is in a priority of that cluster, so
//    that localities which move take their connections along.
//
// Not thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "channel/lb/lb_orders.h"
#include "channel/lb/priority_child.h"

namespace holdfast {

class PriorityList {
 public:
  PriorityList() : staleness_(nullptr) {}
  PriorityList(const PriorityList&) = delete;
  PriorityList& operator=(const PriorityList&) = delete;

  void Update(const std::vector<LbLeaf>& leaves, LbOrders& orders);
  // What serves calls, if it is IDLE.
  void Connect(LbOrders& orders);

  const Balance& Refresh(LbOrders& orders);

 private:
  using Children = std::vector<std::unique_ptr<PriorityChild>>;
  struct Leaf {
    LbLeaf config;
    Children children;  // by falling priority
  };

  Children ChildrenFor(const LbLeaf& leaf, Children& before, LbOrders& orders);
  // Out of `before`, or a new one.
  std::unique_ptr<PriorityChild> ChildFor(const PrioritySpec& spec, Children& before);
  size_t Choose(LbOrders& orders);
  Balance WithDrops(const PriorityChild& child) const;

  Staleness staleness_;
  std::vector<Leaf> leaves_;
  std::vector<PriorityChild*> children_;  // of all leaves, by falling priority
  size_t chosen_ = 0;
  Balance balance_;
  const std::shared_ptr<const Picker> no_members_ = std::make_shared<const FailPicker>(
      absl::UnavailableError("the aggregate cluster has no member clusters"));
};

}  // namespace holdfast

// The localities of one priority, chosen by weight among those that work (gRFC A28, A52); or all
// endpoints of the priority as one group, where the policy does not look at localities.
//
//   READY if any locality is, else CONNECTING if any is, else IDLE if any is, else failing
//
// Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "channel/lb/endpoint_group.h"
#include "channel/lb/lb_orders.h"
#include "channel/lb/lb_spec.h"
#include "channel/lb/pickers.h"

namespace holdfast {

class LocalitySet {
 public:
  explicit LocalitySet(Staleness& parent) : staleness_(&parent) {}
  LocalitySet(const LocalitySet&) = delete;
  LocalitySet& operator=(const LocalitySet&) = delete;

  void Update(const LbPolicy& policy, const PolicyWords& words, const PrioritySpec& spec,
              LbOrders& orders);
  // As an Update that changes nothing else.
  void SetWords(const PolicyWords& words);
  void Connect(LbOrders& orders);
  void Release(LbOrders& orders);

  const Balance& Refresh(LbOrders& orders);

 private:
  struct Child {
    uint32_t weight = 1;
    std::unique_ptr<EndpointGroup> group;
    Connectivity counted = Connectivity::kConnecting;  // as counts_ has it
  };

  void RefreshAll(LbOrders& orders);
  void RefreshAt(size_t place, LbOrders& orders);
  size_t CountOf(Connectivity state) const { return counts_[static_cast<size_t>(state)]; }
  Balance Decide() const;
  std::shared_ptr<const Picker> ByWeightAmong(const WeightedPicker::Children& chosen,
                                              size_t count) const;

  Staleness staleness_;
  std::map<Locality, Child> children_;
  std::vector<Child*> by_place_;    // in the same order
  bool are_places_new_ = false;     // and nothing below is counted yet
  std::array<size_t, 4> counts_{};  // by Connectivity
  WeightedPicker::Children ready_;
  WeightedPicker::Children failing_;
  Balance balance_;
};

}  // namespace holdfast

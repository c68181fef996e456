// The localities of one priority, chosen by weight among those that work (gRFC A28, A52); or all
// endpoints of the priority as one group, where the policy does not look at localities.
//
//   READY if any locality is, else CONNECTING if any is, else IDLE if any is, else failing
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "channel/lb/endpoint_group.h"
#include "channel/lb/lb_orders.h"
#include "channel/lb/lb_spec.h"

namespace holdfast {

class LocalitySet {
 public:
  explicit LocalitySet(Staleness& parent) : staleness_(&parent) {}
  LocalitySet(const LocalitySet&) = delete;
  LocalitySet& operator=(const LocalitySet&) = delete;

  void Update(const LbPolicy& policy, const PolicyWords& words, const PrioritySpec& spec,
              LbOrders& orders);
  void Connect(LbOrders& orders);
  void Release(LbOrders& orders);

  const Balance& Refresh(LbOrders& orders);

 private:
  struct Child {
    uint32_t weight = 1;
    std::unique_ptr<EndpointGroup> group;
  };

  Balance Decide() const;
  std::shared_ptr<const Picker> ByWeightAmong(Connectivity state) const;

  Staleness staleness_;
  std::map<Locality, Child> children_;
  Balance balance_;
};

}  // namespace holdfast

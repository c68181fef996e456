// Connections to endpoints, one each, at numbered places: how many are in which state, and which of
// them calls may take. When one changes, the others are not looked at.
//
// Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "channel/lb/lb_orders.h"
#include "channel/lb/pick_first.h"
#include "channel/lb/pickers.h"

namespace holdfast {

class ConnectionList final : PickFirst::Parent {
 public:
  class Parent {
   public:
    // The state, the connection or the failure of the one at this place is another.
    virtual void OnConnectionChanged(const ConnectionList& list, size_t place) = 0;

   protected:
    ~Parent() = default;
  };
  using Connections = std::vector<std::unique_ptr<PickFirst>>;

  explicit ConnectionList(Parent& parent) : parent_(parent) {}
  ConnectionList(const ConnectionList&) = delete;
  ConnectionList& operator=(const ConnectionList&) = delete;

  // In the order of their places. REQUIRES: it is empty.
  void Fill(Connections connections);
  // All that are left. Afterwards nobody is told of them, and it is empty.
  Connections Take();
  // Leaves its place empty.
  std::unique_ptr<PickFirst> TakeAt(size_t place);

  bool empty() const { return left_ == 0; }
  // REQUIRES: its place is not empty.
  const PickFirst& at(size_t place) const { return *connections_[place]; }
  const PickFirst& back() const { return *connections_.back(); }
  void Connect(LbOrders& orders);

  // READY if any is, else CONNECTING if any may get there, else TRANSIENT_FAILURE.
  Connectivity Aggregate() const;
  const ReadySlots& ready() const { return ready_; }

 private:
  void OnConnectionChanged(size_t place) override;

  size_t& CountOf(Connectivity state) { return counts_[static_cast<size_t>(state)]; }
  size_t CountOf(Connectivity state) const { return counts_[static_cast<size_t>(state)]; }

  Parent& parent_;
  Connections connections_;            // null where one was taken
  size_t left_ = 0;                    // of them
  std::vector<Connectivity> counted_;  // by place, as counts_ has it
  std::array<size_t, 4> counts_{};     // by Connectivity
  ReadySlots ready_;
};

}  // namespace holdfast

// One connection out of several addresses: the first that answers (gRFC A61, A62).
//
//   pass: address 0 ─ 250 ms or failed ─▶ address 1 ─ ... ─▶ all failed: TRANSIENT_FAILURE
//           └──────────── READY ────────────┴──▶ that one stays, the others are released
//
// What always holds:
// 1. READY means one subchannel, the chosen one, and no timer.
// 2. TRANSIENT_FAILURE lasts until an address is READY: the attempts that go on meanwhile are not
//    worth waiting for.
// 3. Whoever destroys it released it before, or lets go of everything in the tree at once.
//
// Not thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "channel/lb/lb_orders.h"

namespace holdfast {

class PickFirst final : LbOrders::SubchannelOwner, LbOrders::TimerOwner {
 public:
  class Parent {
   public:
    // The state, the connection or the failure of the one at this place is another.
    virtual void OnConnectionChanged(size_t place) = 0;

   protected:
    ~Parent() = default;
  };
  enum class WhenBroken { kReconnect, kStayIdle };

  explicit PickFirst(WhenBroken when_broken) : when_broken_(when_broken) {}
  PickFirst(const PickFirst&) = delete;
  PickFirst& operator=(const PickFirst&) = delete;

  // From now on `parent` is told what changes here, with this number for this; null: nobody is.
  void SetParent(Parent* parent, size_t place) {
    parent_ = parent;
    place_ = place;
  }

  // In the order they are to be tried; at least one, none twice. The first list is tried at once;
  // later ones keep the connection, and an IDLE one stays IDLE.
  // REQUIRES: if it is READY, the address of its connection is among them.
  void SetTargets(const std::vector<std::string>& targets, LbOrders& orders);
  // If it is IDLE.
  void Connect(LbOrders& orders);
  void Release(LbOrders& orders);

  std::vector<std::string> targets() const;
  Connectivity state() const { return state_; }
  // Null unless READY.
  std::shared_ptr<const SubchannelSlot> ready() const;
  // What the newest failed attempt died of, with its address; OK if none failed since the last
  // connection.
  const absl::Status& failure() const { return failure_; }

 private:
  struct Address {
    std::string target;
    std::shared_ptr<const SubchannelSlot> slot;  // null: not asked for yet
    Connectivity state = Connectivity::kIdle;
    bool has_failed = false;  // in this pass
  };

  void OnSubchannelState(const SubchannelStateChanged& news, LbOrders& orders) override;
  void OnTimer(LbTimerId timer, LbOrders& orders) override;

  void StartPass(LbOrders& orders);
  void TryNext(LbOrders& orders);
  void ConnectTo(Address& address, LbOrders& orders);
  void EndPassIfAllFailed();
  void Choose(size_t index, LbOrders& orders);
  void OnChosenLost(LbOrders& orders);
  void OnAttemptFailed(size_t index, LbOrders& orders);
  void SetState(Connectivity state);
  void TellParent();

  const WhenBroken when_broken_;
  Parent* parent_ = nullptr;
  size_t place_ = 0;
  std::vector<Address> addresses_;
  size_t tried_ = 0;  // Of addresses_, from the first, in this pass.
  std::optional<size_t> chosen_;
  LbTimerId timer_;  // Until the next address is tried as well.
  Connectivity state_ = Connectivity::kConnecting;
  absl::Status failure_;
};

}  // namespace holdfast

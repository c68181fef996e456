// One priority of a leaf cluster: made when it is needed, kept for a while when it is not (gRFC
// A56).
//
//   not made ── Make ─▶ in use ── Deactivate ─▶ kept 15 min ─▶ not made
//                         ▲─────── Make ────────────┘
//
// Not thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "channel/lb/lb_orders.h"
#include "channel/lb/lb_spec.h"
#include "channel/lb/locality_set.h"
#include "channel/lb/policy_words.h"
#include "resources/endpoints.h"

namespace holdfast {

class PriorityChild final : LbOrders::TimerOwner {
 public:
  explicit PriorityChild(Staleness& parent) : staleness_(&parent) {}
  PriorityChild(const PriorityChild&) = delete;
  PriorityChild& operator=(const PriorityChild&) = delete;

  struct Config {
    LbPolicy policy;
    DropPicker::Rules leaf;  // what it drops, and its words
    PrioritySpec spec;
  };
  const Config& config() const { return config_; }
  // If it is not made yet, for when it is.
  void Configure(Config config, LbOrders& orders);
  // As a configuration that differs in nothing else.
  void SetNote(const std::string& note);

  // Afterwards it is refreshed and to be kept.
  void Make(LbOrders& orders);
  void Deactivate(LbOrders& orders);
  void Release(LbOrders& orders);
  void Connect(LbOrders& orders);

  // Without the drops, which are the leaf's and not its own; but where every call is to be dropped
  // nothing that works better is needed, or looked for: it counts as READY.
  const Balance& balance() const { return balance_; }
  bool is_made() const { return localities_ != nullptr; }
  // It has been trying for too short a time to be given up.
  bool has_time_left() const { return failover_timer_.is_set(); }
  void Refresh(LbOrders& orders);

 private:
  void OnTimer(LbTimerId timer, LbOrders& orders) override;

  void FollowState(Connectivity before, LbOrders& orders);

  Staleness staleness_;
  Config config_;
  std::unique_ptr<LocalitySet> localities_;
  LbTimerId failover_timer_;
  LbTimerId unused_timer_;
  bool worked_since_failure_ = false;  // READY or IDLE, later than TRANSIENT_FAILURE
  Balance balance_;
};

}  // namespace holdfast

// What the parts of a tree act through: the orders given in this turn, and who hears what came of
// them.
//
//   PickFirst ── Create, Connect, Release ─▶ effects of this turn
//             ◀─ OnSubchannelState ───────── SubchannelStateChanged, by its owner
//
// What always holds:
// 1. No order names a subchannel that was released, or a timer that fired or was cancelled.
// 2. News of such a subchannel or timer reaches nobody.
//
// Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "base/strong_id.h"
#include "channel/lb/lb_tree.h"

namespace holdfast {

class LbOrders {
 public:
  class SubchannelOwner {
   public:
    virtual void OnSubchannelState(const SubchannelStateChanged& news, LbOrders& orders) = 0;

   protected:
    ~SubchannelOwner() = default;
  };
  class TimerOwner {
   public:
    virtual void OnTimer(LbTimerId timer, LbOrders& orders) = 0;

   protected:
    ~TimerOwner() = default;
  };

  explicit LbOrders(LbTreeOptions options);

  const LbTreeOptions& options() const { return options_; }

  std::shared_ptr<const SubchannelSlot> CreateSubchannel(std::string target,
                                                         SubchannelOwner& owner);
  void Connect(const SubchannelSlot& slot);
  void Release(const SubchannelSlot& slot);

  LbTimerId StartTimer(absl::Duration after, TimerOwner& owner);
  // Nothing for an id that is not set; afterwards it is not.
  void Cancel(LbTimerId& timer);

  // From the seed; another one each time.
  uint64_t NextRandom();
  uint64_t NextSerial() { return ++last_serial_; }

  void Deliver(const SubchannelStateChanged& news);
  void Deliver(const LbTimerFired& news);
  void Publish(PublishPicker picker) { effects_.push_back(std::move(picker)); }
  // All of this turn, in their order.
  LbEffects TakeEffects();

 private:
  const LbTreeOptions options_;
  IdSource<SubchannelId> subchannel_ids_;
  IdSource<LbTimerId> timer_ids_;
  std::map<SubchannelId, SubchannelOwner*> subchannels_;
  std::map<LbTimerId, TimerOwner*> timers_;
  uint64_t random_;
  uint64_t last_serial_ = 0;
  LbEffects effects_;
};

// Something below changed, so what was made of it is out of date; up to the root. Refreshing goes
// the other way: what is below is clean before what is above.
struct Staleness {
  explicit Staleness(Staleness* parent) : above(parent) {}

  void Mark() {
    for (Staleness* each = this; !each->is_stale; each = each->above) {
      each->is_stale = true;
      if (each->above == nullptr) return;
      each->above->stale_below.push_back(each->place);
    }
  }
  // Afterwards it is not stale, and those of these places below are to be refreshed.
  std::vector<size_t> Clear() {
    is_stale = false;
    return std::exchange(stale_below, {});
  }

  Staleness* const above;
  size_t place = 0;  // among those below the same parent
  bool is_stale = false;
  std::vector<size_t> stale_below;
};

// What a part of the tree has come to.
struct Balance {
  Connectivity state = Connectivity::kConnecting;
  std::shared_ptr<const Picker> picker;  // null only before the first refresh

  friend bool operator==(const Balance&, const Balance&) = default;
};

}  // namespace holdfast

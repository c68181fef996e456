// Balances the calls of one cluster: which connections there are, which of them a call may take.
//
//   LbConfigChanged ────────┐                       ┌─ CreateSubchannel, ConnectSubchannel,
//   SubchannelStateChanged ─┼─▶ leaf clusters ▶     ┼─   ReleaseSubchannel
//   LbTimerFired ───────────┤   priorities ▶        ├─ StartLbTimer, CancelLbTimer
//   ConnectionWanted ───────┘   localities ▶        └─ PublishPicker (at most one, the last)
//                               endpoints ▶ addresses
//
// Drops come first, then the first priority that works, then a locality by weight, then an endpoint
// by the cluster's policy, then the first of its addresses that answers. Every failure quotes the
// note of its leaf cluster (gRFC A88). Destroying a tree orders nothing: whoever does it lets go of
// all subchannels and timers it asked for.
//
// Not thread-safe; the pickers are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "channel/lb/picker.h"
#include "holdfast/grpc/lb_policy.h"
#include "resources/endpoints.h"
#include "resources/lb_policy.h"

namespace holdfast {

using LbTimerId = StrongId<struct LbTimerIdTag>;

enum class Connectivity { kIdle, kConnecting, kReady, kTransientFailure };
absl::string_view NameOf(Connectivity state);  // "IDLE", "CONNECTING", ...

// A cluster with endpoints of its own.
struct LbLeaf {
  std::string cluster;
  LbPolicy policy;
  std::shared_ptr<const Endpoints> endpoints;  // null: by DNS, or none to be had
  std::string dns_target;                      // "dns:///pay.internal:443"; empty: not by DNS
  std::string note;                            // what its errors quote, in parentheses
};

struct LbConfigChanged {
  std::vector<LbLeaf> leaves;  // one, or those of an aggregate by falling priority
};
// As the connection has it: after a failure it tries again by itself until it is READY; one that
// was READY and broke is IDLE, and stays so until ConnectSubchannel.
struct SubchannelStateChanged {
  SubchannelId subchannel;
  Connectivity state;
  absl::Status why;  // kTransientFailure: what the last attempt died of; never OK then
};
struct LbTimerFired {
  LbTimerId timer;
};
// A call found everything idle, or somebody asked the channel to connect.
struct ConnectionWanted {};
using LbEvent =
    std::variant<LbConfigChanged, SubchannelStateChanged, LbTimerFired, ConnectionWanted>;

struct CreateSubchannel {
  std::shared_ptr<SubchannelSlot> slot;  // its peg is empty
};
struct ConnectSubchannel {
  SubchannelId subchannel;
};
struct ReleaseSubchannel {
  SubchannelId subchannel;
};
struct StartLbTimer {
  LbTimerId timer;
  absl::Duration after;
};
struct CancelLbTimer {
  LbTimerId timer;
};
struct PublishPicker {
  Connectivity state;
  std::shared_ptr<const Picker> picker;
};
using LbEffect = std::variant<CreateSubchannel, ConnectSubchannel, ReleaseSubchannel, StartLbTimer,
                              CancelLbTimer, PublishPicker>;
using LbEffects = std::vector<LbEffect>;

// One line, for journals and failing tests.
std::ostream& operator<<(std::ostream& out, const LbEvent& event);
std::ostream& operator<<(std::ostream& out, const LbEffect& effect);

struct LbTreeOptions {
  uint64_t seed = 0;  // of shuffles and of where a round begins
  absl::Duration failover_after = absl::Seconds(10);
  absl::Duration keep_unused_for = absl::Minutes(15);
  absl::Duration attempt_delay = absl::Milliseconds(250);  // Happy Eyeballs
  // Must be set; never null once called; each round_robin picker has its own.
  std::function<std::shared_ptr<Turns>()> make_turns;
  // Must be set. A policy of the user's own code; null: nobody registered that name.
  std::function<std::shared_ptr<const LbPolicyFactory>(absl::string_view name)> find_policy;
};

class LbTree {
 public:
  explicit LbTree(LbTreeOptions options);
  ~LbTree();
  LbTree(const LbTree&) = delete;
  LbTree& operator=(const LbTree&) = delete;

  LbEffects Handle(absl::Time now, const LbEvent& event);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace holdfast

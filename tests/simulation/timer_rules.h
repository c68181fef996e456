// The timers of the protocol: which run, which were cancelled and may fire all the same, and the
// rules of when one may be started (R4.01 to R4.08, R4.30).
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "client/protocol/effects.h"
#include "tests/simulation/chance.h"
#include "tests/simulation/expected_cache.h"
#include "tests/simulation/fake_world.h"
#include "tests/simulation/findings.h"
#include "tests/simulation/request_rules.h"
#include "tests/simulation/watchers.h"

namespace holdfast {

class TimerRules {
 public:
  enum class Kind {
    kResource,   // waits for a resource
    kReconnect,  // waits to open a stream
    kHold,       // waits a little to send a change of subscription
  };
  struct Timer {
    TimerId id;
    Kind kind;
    absl::Time deadline;
  };

  TimerRules(const Mode& mode, const Watchers& watchers, const ExpectedCache& cache,
             const RequestRules& requests, Findings& findings);

  void Do(absl::Time now, bool is_stream_open, const StartTimer& order);
  void Do(const CancelTimer& order);

  bool IsAnyRunning() const { return !running_.empty(); }
  bool IsRunning(Kind kind) const;
  // The one that fires next. REQUIRES: one runs.
  Timer TakeNext();
  // One that was cancelled, or has fired before; nullopt if there is none.
  std::optional<TimerId> AnyDead(Chance& chance) const;

  // The living stream said something of it: it waits no more.
  void ResponseCame(const DiscoveryResponse& response);
  // Its timer fired.
  void TimeIsUp(ResourceKey key) { heard_[key.index()] = Heard::kYes; }
  // A timer fired, and everybody knew already what there was to say.
  void SomeTimeIsUp() { ++silently_fired_; }
  // A request with no more than these names is on its way: what else was heard is forgotten.
  void RequestOrdered(int type, const NameSet& names);
  // It left: what is cached now is not waited for on this stream, even if it is lost (R4.04).
  void RequestLeft(int type, const NameSet& names);
  // Nobody watches it, and the server was not asked for it: what was heard may be forgotten.
  void MayForget(ResourceKey key);
  void StreamEnded();

  // A timer for each resource that waits, and no other.
  void Check(bool is_stream_open);

 private:
  enum class Heard : char { kNothing, kMaybe, kYes };  // of a resource, on the living stream

  void Mentioned(int type, absl::string_view name, bool is_clear);

  const Mode& mode_;
  const Watchers& watchers_;
  const ExpectedCache& cache_;
  const RequestRules& requests_;
  Findings& findings_;
  std::vector<Timer> running_;
  std::vector<TimerId> dead_;
  TimerId newest_;
  std::array<Heard, kAllResources> heard_ = {};
  int silently_fired_ = 0;
};

}  // namespace holdfast

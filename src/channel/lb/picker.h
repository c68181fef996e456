// One answer for one call: on which connection. Immutable values; any thread may ask.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "base/chance.h"
#include "base/strong_id.h"
#include "channel/routing/routed_call.h"

namespace holdfast {

using SubchannelId = StrongId<struct SubchannelIdTag>;

// A connection to one address, as balancing knows it: an id, and a peg on which whoever carries out
// CreateSubchannel hangs the real thing, before any picker with it is used. Nothing in this room
// looks at what hangs there.
struct SubchannelSlot {
  const SubchannelId id;
  const std::string target;  // "ipv4:10.0.0.7:443", "ipv6:[::1]:443", "dns:///pay.internal:443"
  std::shared_ptr<void> connection;
};

struct PickResult {
  enum class Kind {
    kComplete,  // send it there
    kQueue,     // nothing is decided yet: wait for the next picker
    kFail,      // fails, unless the call waits until things are ready
    kDrop,      // fails, whatever the call wants
  };
  Kind kind = Kind::kQueue;
  const SubchannelSlot* subchannel = nullptr;  // kComplete; lives as long as the picker
  absl::Status status;                         // kFail, kDrop

  static PickResult Complete(const SubchannelSlot& slot) { return {Kind::kComplete, &slot, {}}; }
  static PickResult Queue() { return {}; }
  static PickResult Fail(absl::Status why) { return {Kind::kFail, nullptr, std::move(why)}; }
  static PickResult Drop(absl::Status why) { return {Kind::kDrop, nullptr, std::move(why)}; }
};

// Counts calls, so that they can take turns: 0, 1, 2, ... Any thread may ask. Counting is
// remembering, so it is injected: a picker itself remembers nothing.
class Turns {
 public:
  virtual ~Turns() = default;
  virtual uint32_t Next() = 0;
};

class Picker {
 public:
  virtual ~Picker() = default;

  virtual PickResult Pick(const RoutedCall& call, Chance chance) const = 0;

  // One line that says what it would do, for journals and tests: "round_robin(#1, #3)",
  // "fail(UNAVAILABLE: ...)". Two pickers with the same line do the same.
  virtual std::string Text() const = 0;

  // Whether it fails calls with the same words, or is the same picker.
  virtual bool FailsLike(const Picker& other) const { return this == &other; }
};

}  // namespace holdfast

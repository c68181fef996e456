// The pickers of our own policies.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "channel/lb/picker.h"
#include "channel/lb/policy_words.h"
#include "channel/lb/weighted_list.h"
#include "resources/endpoints.h"

namespace holdfast {

// The connections that are READY, each at the place of its endpoint, with a weight of 1.
using ReadySlots = WeightedList<SubchannelSlot>;

// "queue". Always the same one.
std::shared_ptr<const Picker> QueuePicker();

// "fail(UNAVAILABLE: ...)".
class FailPicker final : public Picker {
 public:
  explicit FailPicker(absl::Status why) : why_(std::move(why)) {}
  PickResult Pick(const RoutedCall&, Chance) const override { return PickResult::Fail(why_); }
  std::string Text() const override;
  bool FailsLike(const Picker& other) const override;
  const absl::Status& why() const { return why_; }

 private:
  const absl::Status why_;
};

// "pick_first(#1)".
class PickFirstPicker final : public Picker {
 public:
  explicit PickFirstPicker(std::shared_ptr<const SubchannelSlot> slot) : slot_(std::move(slot)) {}
  PickResult Pick(const RoutedCall&, Chance) const override { return PickResult::Complete(*slot_); }
  std::string Text() const override;
  const std::shared_ptr<const SubchannelSlot>& slot() const { return slot_; }

 private:
  const std::shared_ptr<const SubchannelSlot> slot_;
};

// "round_robin(#1, #3)".
class RoundRobinPicker final : public Picker {
 public:
  // The first call takes the slot at `start`; at least one slot.
  RoundRobinPicker(ReadySlots slots, uint32_t start, std::shared_ptr<Turns> turns)
      : slots_(std::move(slots)), start_(start), turns_(std::move(turns)) {}
  PickResult Pick(const RoutedCall&, Chance) const override;
  std::string Text() const override;
  const ReadySlots& slots() const { return slots_; }

 private:
  const ReadySlots slots_;
  const uint32_t start_;
  const std::shared_ptr<Turns> turns_;
};

// "weighted(3: round_robin(#1), 1: round_robin(#2))".
class WeightedPicker final : public Picker {
 public:
  using Children = WeightedList<Picker>;

  // The weights add up to more than 0.
  explicit WeightedPicker(Children children) : children_(std::move(children)) {}
  PickResult Pick(const RoutedCall& call, Chance chance) const override;
  std::string Text() const override;
  bool FailsLike(const Picker& other) const override;
  const Children& children() const { return children_; }

 private:
  const Children children_;
};

// "drop(pay: throttle 20000 ppm (node "web-1")) else round_robin(#1)". Asks chance for each
// category in turn (gRFC A27), then the picker inside.
class DropPicker final : public Picker {
 public:
  struct Rules {
    std::vector<DropCategory> drops;
    PolicyWords words;
    friend bool operator==(const Rules&, const Rules&) = default;
  };
  DropPicker(Rules rules, std::shared_ptr<const Picker> otherwise);
  PickResult Pick(const RoutedCall& call, Chance chance) const override;
  std::string Text() const override;
  const Rules& rules() const { return rules_; }
  const std::shared_ptr<const Picker>& otherwise() const { return otherwise_; }

 private:
  const Rules rules_;
  std::vector<absl::Status> failures_;  // one a category
  const std::shared_ptr<const Picker> otherwise_;
};

}  // namespace holdfast

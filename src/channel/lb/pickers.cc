#include "channel/lb/pickers.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

constexpr uint32_t kMillion = 1'000'000;

class TheQueuePicker final : public Picker {
 public:
  PickResult Pick(const RoutedCall&, Chance) const override { return PickResult::Queue(); }
  std::string Text() const override { return "queue"; }
};

}  // namespace

std::shared_ptr<const Picker> QueuePicker() {
  static const auto& the_one = *new std::shared_ptr<const Picker>(new TheQueuePicker);
  return the_one;
}

std::string FailPicker::Text() const {
  return absl::StrCat("fail(", absl::StatusCodeToString(why_.code()), ": ", why_.message(), ")");
}

bool FailPicker::FailsLike(const Picker& other) const {
  const auto* same_kind = dynamic_cast<const FailPicker*>(&other);
  return same_kind != nullptr && same_kind->why_ == why_;
}

std::string PickFirstPicker::Text() const {
  return absl::StrCat("pick_first(#", slot_->id.value(), ")");
}

PickResult RoundRobinPicker::Pick(const RoutedCall&, Chance) const {
  const uint64_t turn = uint64_t{start_} + turns_->Next();
  return PickResult::Complete(*slots_.At(static_cast<uint32_t>(turn % slots_.weight())));
}

std::string RoundRobinPicker::Text() const {
  return absl::StrCat("round_robin(",
                      absl::StrJoin(slots_.Weighted(), ", ",
                                    [](std::string* text, const auto& slot) {
                                      absl::StrAppend(text, "#", slot.item->id.value());
                                    }),
                      ")");
}

PickResult WeightedPicker::Pick(const RoutedCall& call, Chance chance) const {
  return children_.At(chance(children_.weight()))->Pick(call, chance);
}

std::string WeightedPicker::Text() const {
  return absl::StrCat("weighted(",
                      absl::StrJoin(children_.Weighted(), ", ",
                                    [](std::string* text, const auto& child) {
                                      absl::StrAppend(text, child.weight, ": ", child.item->Text());
                                    }),
                      ")");
}

bool WeightedPicker::FailsLike(const Picker& other) const {
  const auto* same_kind = dynamic_cast<const WeightedPicker*>(&other);
  return same_kind != nullptr &&
         children_.Equals(same_kind->children_,
                          [](const Picker& a, const Picker& b) { return a.FailsLike(b); });
}

DropPicker::DropPicker(Rules rules, std::shared_ptr<const Picker> otherwise)
    : rules_(std::move(rules)), otherwise_(std::move(otherwise)) {
  for (const DropCategory& drop : rules_.drops) {
    failures_.push_back(rules_.words.Failure(
        absl::StrCat("the call was dropped, as the control plane asks for ", drop.per_million,
                     " of a million calls, category ", Quoted(drop.category))));
  }
}

PickResult DropPicker::Pick(const RoutedCall& call, Chance chance) const {
  for (size_t i = 0; i < failures_.size(); ++i) {
    if (chance(kMillion) < rules_.drops[i].per_million) return PickResult::Drop(failures_[i]);
  }
  return otherwise_->Pick(call, chance);
}

std::string DropPicker::Text() const {
  const auto one = [](std::string* text, const DropCategory& drop) {
    absl::StrAppend(text, drop.category, " ", drop.per_million, " ppm");
  };
  return absl::StrCat("drop(", rules_.words.cluster, ": ", absl::StrJoin(rules_.drops, ", ", one),
                      " (", rules_.words.note, ")) else ", otherwise_->Text());
}

}  // namespace holdfast

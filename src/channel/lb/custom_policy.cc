#include "channel/lb/custom_policy.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/json_text.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

// Up to here every whole number is a double of its own.
constexpr double kMostExact = 9007199254740992;  // 2⁵³

std::string NumberJson(double number) {
  if (!std::isfinite(number)) return "null";
  if (number == std::floor(number) && std::fabs(number) <= kMostExact) {
    return absl::StrCat(static_cast<int64_t>(number));
  }
  return absl::StrFormat("%.17g", number);
}

std::string ValueJson(const JsonValue& value) {
  if (const bool* truth = value.if_bool()) return *truth ? "true" : "false";
  if (const double* number = value.if_number()) return NumberJson(*number);
  if (const std::string* text = value.if_string()) return JsonText(*text);
  if (const JsonValue::Object* object = value.if_object()) return ConfigJson(*object);
  if (const JsonValue::Array* array = value.if_array()) {
    return absl::StrCat("[",
                        absl::StrJoin(*array, ",",
                                      [](std::string* text, const JsonValue& element) {
                                        absl::StrAppend(text, ValueJson(element));
                                      }),
                        "]");
  }
  return "null";
}

class CustomPicker final : public Picker {
 public:
  // Two never have the same serial: what the user's may remember nobody can compare.
  CustomPicker(std::string name, std::shared_ptr<LbPicker> picker, ReadySlots slots,
               PolicyWords words, uint64_t serial)
      : name_(std::move(name)),
        picker_(std::move(picker)),
        slots_(std::move(slots)),
        words_(std::move(words)),
        serial_(serial) {}

  PickResult Pick(const RoutedCall& call, Chance chance) const override {
    uint64_t random = 0;
    for (int i = 0; i < 4; ++i) random = random << 16 | chance(1 << 16);
    const LbPick pick = picker_->Pick({call.path, call.metadata, random});
    switch (pick.kind()) {
      case LbPick::Kind::kEndpoint:
        return At(pick.index());
      case LbPick::Kind::kWait:
        return PickResult::Queue();
      case LbPick::Kind::kFail:
        return PickResult::Fail(words_.WithNote(pick.status()));
      case LbPick::Kind::kDrop:
        return PickResult::Drop(words_.WithNote(pick.status()));
    }
    return PickResult::Queue();
  }

  std::string Text() const override {
    std::vector<std::string> slots;
    for (size_t i = 0; i < slots_.size(); ++i) {
      const std::shared_ptr<const SubchannelSlot>& slot = slots_.Item(i);
      slots.push_back(slot == nullptr ? "-" : absl::StrCat("#", slot->id.value()));
    }
    return absl::StrCat(name_, "[", serial_, "](", absl::StrJoin(slots, ", "), ")");
  }

 private:
  PickResult At(size_t index) const {
    if (index < slots_.size()) {
      const std::shared_ptr<const SubchannelSlot>& slot = slots_.Item(index);
      return slot == nullptr ? PickResult::Queue() : PickResult::Complete(*slot);
    }
    return PickResult::Fail(words_.Failure(absl::StrCat(
        "load balancing policy ", Quoted(name_), " chose endpoint ", index, " of a list of ",
        slots_.size(), ", counted from 0; its picker must be fixed")));
  }

  const std::string name_;
  const std::shared_ptr<LbPicker> picker_;
  const ReadySlots slots_;
  const PolicyWords words_;
  const uint64_t serial_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<CustomPolicy>> CustomPolicy::Create(const CustomLb& policy,
                                                                   const LbTreeOptions& options) {
  const std::string who = absl::StrCat("load balancing policy ", Quoted(policy.name));
  const std::shared_ptr<const LbPolicyFactory> factory = options.find_policy(policy.name);
  if (factory == nullptr) {
    return absl::UnavailableError(
        absl::StrCat(who,
                     " is not registered in this process; register it with RegisterLbPolicy "
                     "before the channel is made"));
  }
  auto instance = factory->Create(ConfigJson(policy.config));
  if (!instance.ok()) {
    return absl::UnavailableError(
        absl::StrCat(who, " rejects its configuration: ", instance.status().message()));
  }
  if (*instance == nullptr) {
    return absl::UnavailableError(
        absl::StrCat(who, " made no instance of itself; its factory must be fixed"));
  }
  return std::unique_ptr<CustomPolicy>(new CustomPolicy(policy, *std::move(instance)));
}

std::shared_ptr<const Picker> CustomPolicy::PickerFor(const std::vector<LbEndpoint>& endpoints,
                                                      bool is_new, const ReadySlots& slots,
                                                      const PolicyWords& words, LbOrders& orders) {
  const bool is_to_ask = picker_ == nullptr || is_new || slots != slots_;
  if (!is_to_ask && words == words_) return picker_;
  if (is_to_ask) theirs_ = instance_->MakePicker(endpoints);
  slots_ = slots;
  words_ = words;
  if (theirs_ == nullptr) {
    picker_ = std::make_shared<const FailPicker>(
        words.Failure(absl::StrCat("load balancing policy ", Quoted(config_.name),
                                   " made no picker; its MakePicker must be fixed")));
  } else {
    picker_ = std::make_shared<const CustomPicker>(config_.name, theirs_, slots, words,
                                                   orders.NextSerial());
  }
  return picker_;
}

std::string ConfigJson(const JsonValue::Object& config) {
  return absl::StrCat("{",
                      absl::StrJoin(config, ",",
                                    [](std::string* text, const auto& field) {
                                      absl::StrAppend(text, JsonText(field.first), ":",
                                                      ValueJson(field.second));
                                    }),
                      "}");
}

}  // namespace holdfast

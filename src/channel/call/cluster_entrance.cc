#include "channel/call/cluster_entrance.h"

#include "absl/strings/str_cat.h"

namespace holdfast {
namespace {

class QueueingPicker final : public Picker {
 public:
  PickResult Pick(const RoutedCall&, Chance) const override { return PickResult::Queue(); }
  std::string Text() const override { return "queue"; }
};

class FailingPickerImpl final : public Picker {
 public:
  explicit FailingPickerImpl(absl::Status why) : why_(std::move(why)) {}
  PickResult Pick(const RoutedCall&, Chance) const override { return PickResult::Fail(why_); }
  std::string Text() const override { return absl::StrCat("fail(", why_.ToString(), ")"); }

 private:
  const absl::Status why_;
};

}  // namespace

ClusterEntrance::ClusterEntrance(std::string name, ControlLoop& loop)
    : cluster(std::move(name)), picker(std::make_shared<const QueueingPicker>()), waiting(loop) {}

std::shared_ptr<const Picker> FailingPicker(absl::Status why) {
  return std::make_shared<const FailingPickerImpl>(std::move(why));
}

}  // namespace holdfast

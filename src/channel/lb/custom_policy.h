// A policy of the user's own code inside a tree: it sees endpoints, and its pickers choose among
// them by index.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "channel/lb/lb_orders.h"
#include "channel/lb/pickers.h"
#include "channel/lb/policy_words.h"
#include "holdfast/grpc/lb_policy.h"
#include "resources/lb_policy.h"

namespace holdfast {

class CustomPolicy {
 public:
  // Or a sentence that says why there is none.
  static absl::StatusOr<std::unique_ptr<CustomPolicy>> Create(const CustomLb& policy,
                                                              const LbTreeOptions& options);

  // `slots` are those of `endpoints`, null where one is not READY. The user's code is asked for a
  // picker if they are another or `is_new` says that the endpoints are; and nobody is if the words
  // are as they were, too: the picker is the same then.
  std::shared_ptr<const Picker> PickerFor(const std::vector<LbEndpoint>& endpoints, bool is_new,
                                          const ReadySlots& slots, const PolicyWords& words,
                                          LbOrders& orders);

 private:
  CustomPolicy(CustomLb config, std::unique_ptr<LbPolicyInstance> instance)
      : config_(std::move(config)), instance_(std::move(instance)) {}

  const CustomLb config_;
  const std::unique_ptr<LbPolicyInstance> instance_;
  // What the picker is made of.
  std::shared_ptr<LbPicker> theirs_;
  ReadySlots slots_;
  PolicyWords words_;
  std::shared_ptr<const Picker> picker_;  // null: none was asked for
};

// On one line, names sorted.
std::string ConfigJson(const JsonValue::Object& config);

}  // namespace holdfast

// Load balancing policies of your own, for clusters that name them.
//
//   class Nearest : public holdfast::LbPolicyFactory {
//     std::string name() const override { return "acme.nearest"; }
//     absl::StatusOr<std::unique_ptr<holdfast::LbPolicyInstance>> Create(
//         absl::string_view config_json) const override;
//   };
//   absl::Status registered = holdfast::RegisterLbPolicy(std::make_shared<Nearest>());
//
// A cluster asks for it with an xds.type.v3.TypedStruct whose type_url ends in that name. Holdfast
// keeps the connections: one to each endpoint, always tried. Your policy only says, whenever an
// endpoint comes, goes or changes its state, how calls choose among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "holdfast/export.h"

namespace holdfast {

// One endpoint of a cluster (of one of its localities, where the policy is used inside
// wrr_locality).
struct LbEndpoint {
  enum class State { kConnecting, kReady, kFailed };

  std::vector<std::string> addresses;  // "10.0.0.7:443"; the first is the preferred one
  std::string hostname;                // what the control plane says; often empty
  uint32_t weight = 1;
  State state = State::kConnecting;  // once kFailed, until it is kReady, however often it tries
  absl::Status failure;              // kFailed: what the last attempt to connect died of
};

struct LbPickArgs {
  absl::string_view path;  // "/acme.Pay/Charge"
  const std::multimap<std::string, std::string>& metadata;
  uint64_t random;  // another one for each call
};

// What a picker says. A failure's code should be UNAVAILABLE: codes that belong to the application
// reach the caller as INTERNAL, with the original inside (gRFC A54).
class LbPick {
 public:
  // The endpoint at this index of the list the picker was made for. If it is not READY, the call
  // waits. An index beyond the list fails the call, with a text that blames the policy.
  static LbPick Endpoint(size_t index) { return LbPick(Kind::kEndpoint, index, absl::OkStatus()); }
  // Until the next picker.
  static LbPick Wait() { return LbPick(Kind::kWait, 0, absl::OkStatus()); }
  // Fails the call, unless it is wait_for_ready: that one waits.
  static LbPick Fail(absl::Status why) { return LbPick(Kind::kFail, 0, std::move(why)); }
  // Fails the call.
  static LbPick Drop(absl::Status why) { return LbPick(Kind::kDrop, 0, std::move(why)); }

  enum class Kind { kEndpoint, kWait, kFail, kDrop };
  Kind kind() const { return kind_; }
  size_t index() const { return index_; }
  const absl::Status& status() const { return status_; }

 private:
  LbPick(Kind kind, size_t index, absl::Status status)
      : kind_(kind), index_(index), status_(std::move(status)) {}
  Kind kind_;
  size_t index_;
  absl::Status status_;
};

// Called for every call, from any thread, also at the same time. Must not block, throw,
// use a channel, or call exit(): locks are held, and while calls wait the process would not end.
class HOLDFAST_EXPORT LbPicker {
 public:
  virtual ~LbPicker() = default;
  virtual LbPick Pick(const LbPickArgs& args) = 0;
};

// One use of the policy, in one cluster. Called on a thread of Holdfast, one call at a time; must
// not block.
class HOLDFAST_EXPORT LbPolicyInstance {
 public:
  virtual ~LbPolicyInstance() = default;
  // Whenever an endpoint or its state is another; the list is never empty: a cluster without
  // endpoints fails its calls by itself. Null fails them too.
  virtual std::shared_ptr<LbPicker> MakePicker(const std::vector<LbEndpoint>& endpoints) = 0;
};

class HOLDFAST_EXPORT LbPolicyFactory {
 public:
  virtual ~LbPolicyFactory() = default;
  virtual std::string name() const = 0;
  // `config_json` is the cluster's configuration of this policy, a JSON object. An error fails the
  // calls of that cluster, and says so.
  virtual absl::StatusOr<std::unique_ptr<LbPolicyInstance>> Create(
      absl::string_view config_json) const = 0;
};

// For targets of which no channel was made before: channels of a target share an xDS client, which
// accepts what was registered when it was made. ALREADY_EXISTS if that name is taken,
// INVALID_ARGUMENT if it is empty. Thread-safe.
HOLDFAST_EXPORT absl::Status RegisterLbPolicy(std::shared_ptr<const LbPolicyFactory> policy);

}  // namespace holdfast

// The acts of the demo as data: what goes wrong, how it is told, and what Holdfast promises.
//
//   all is well → bad cluster → listener deleted → denied → a name that is not there
//     → control plane killed and back → control plane and backends dead → repaired
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace holdfast {

// What both clients call, and what nobody defined.
inline constexpr absl::string_view kTarget = "xds:///web";
inline constexpr absl::string_view kMissingTarget = "xds:///nowhere";

enum class Mishap {
  kNone,
  kBadCluster,
  kListenerDeleted,
  kDenied,
  kMissingName,
  kControlPlaneDead,
  kAllDead,
  kRepaired,
};

// What has to be true of Holdfast at the end of an act. What stock gRPC does is only shown.
struct Promise {
  bool no_call_fails = false;
  // Between the ends of two calls: a call that waits fails no more than one that is answered.
  absl::Duration longest_pause = absl::InfiniteDuration();
  // In the log of the client: why it does not use the newest.
  std::vector<std::string> log_says;
  // In the text of the newest call that failed; there must be one.
  std::vector<std::string> error_says;
  // In the answer for the name that is not there, which must come so soon.
  std::vector<std::string> answer_says;
  absl::Duration answers_within = absl::InfiniteDuration();
  // From the repair to calls that are answered.
  absl::Duration recovers_within = absl::InfiniteDuration();
};

struct Act {
  Mishap trouble;
  std::string event;  // in the table: "listener deleted"
  std::string title;
  std::vector<std::string> telling;  // a line each
  Promise promise;
  bool ends_repaired = true;  // else the next act has to live with what this one did
};

// For such a control plane, which the texts name.
std::vector<Act> Script(const std::string& control_plane);

}  // namespace holdfast

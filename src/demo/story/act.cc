#include "demo/story/act.h"

#include "absl/strings/str_cat.h"

namespace holdfast {
namespace {

// Far longer than it takes: a machine may be busy.
constexpr absl::Duration kSoon = absl::Seconds(1);
constexpr absl::Duration kInTime = absl::Seconds(30);
// A hundred times what it is: calls begin every 10 ms.
constexpr absl::Duration kPause = absl::Seconds(2);

}  // namespace

std::vector<Act> Script(const std::string& control_plane) {
  const std::string server = absl::StrCat("xds server \"", control_plane, "\": cannot be reached");
  return {
      {.trouble = Mishap::kNone,
       .event = "all is well",
       .title = "All is well",
       .telling = {"A control plane serves web.yaml: one service, three backends.",
                   "Two clients call it again and again, alike but for one line of code."},
       .promise = {.no_call_fails = true, .longest_pause = kPause}},
      {.trouble = Mishap::kBadCluster,
       .event = "bad cluster pushed",
       .title = "A bad cluster is pushed",
       .telling = {"Somebody writes \"lb: maglev\" into web.yaml. Envoy can do that, gRPC cannot:",
                   "both clients reject the cluster (NACK) and keep the one they have."},
       .promise = {.no_call_fails = true,
                   .longest_pause = kPause,
                   .log_says = {"cluster \"web\": ", "got MAGLEV"}}},
      {.trouble = Mishap::kListenerDeleted,
       .event = "listener deleted",
       .title = "The listener is deleted",
       .telling =
           {"Somebody removes web.yaml. The backends are up, and the clients know them all."},
       .promise = {.no_call_fails = true,
                   .longest_pause = kPause,
                   .log_says = {"listener \"web\": ", "keeping version"}}},
      {.trouble = Mishap::kDenied,
       .event = "permission denied",
       .title = "Permission denied",
       .telling = {"web.yaml is back, but a new rule says that these clients may not read it."},
       .promise = {.no_call_fails = true,
                   .longest_pause = kPause,
                   .log_says = {"ask #platform", "keeping version"}}},
      {.trouble = Mishap::kMissingName,
       .event = "a missing name",
       .title = "A name that is not there",
       .telling = {"After the first act both also called xds:///nowhere, which nobody defined."},
       .promise = {.no_call_fails = true,
                   .longest_pause = kPause,
                   .answer_says = {"NOT_FOUND", "no listener \"nowhere\""},
                   .answers_within = kSoon}},
      {.trouble = Mishap::kControlPlaneDead,
       .event = "control plane killed",
       .title = "The control plane is killed, and comes back",
       .telling = {"SIGKILL: what the clients know is all they have. Then it is started again."},
       .promise = {.no_call_fails = true, .longest_pause = kPause, .log_says = {server}}},
      {.trouble = Mishap::kAllDead,
       .event = "backends dead, too",
       .title = "The control plane is killed again, and all three backends with it",
       .telling =
           {"Now calls have to fail, for two reasons: no backend can be reached, and nobody is",
            "there to name others. Do they say so?"},
       .promise = {.error_says = {"Connection refused", control_plane}},
       .ends_repaired = false},
      {.trouble = Mishap::kRepaired,
       .event = "all repaired",
       .title = "All is repaired",
       .telling = {"Control plane and backends are started again."},
       .promise = {.recovers_within = kInTime}},
  };
}

}  // namespace holdfast

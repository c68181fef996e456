// What a failure does to a cache entry and what its watchers are told: gRFC A88's table of
// behaviour, as a function. Off, the switch of A88 gives A53's behaviour instead.
//
// It decides; it does not act: no cache, no watchers. Every row of the table is a row of
// error_policy_test.cc.
#pragma once

#include <optional>
#include <ostream>

#include "absl/status/status.h"
#include "holdfast/xds/error.h"
#include "xds/cache_state.h"

namespace holdfast {

// Why a subscribed resource could not be obtained or refreshed.
enum class Failure {
  kChannelFailed,                 // The xDS channel is in TRANSIENT_FAILURE.
  kStreamFailedWithoutResponse,   // The ADS stream ended before any response (A57).
  kNacked,                        // We rejected the newest version.
  kTimedOut,                      // The resource timer fired; never cached, by definition.
  kDeleted,                       // Absent from a response that lists everything.
  kServerReportedDataError,       // TP3: NOT_FOUND or PERMISSION_DENIED.
  kServerReportedTransientError,  // TP3: any other code.
};

// TP3 leaves the other codes undefined, and A88 makes them transient (R2.12–R2.14).
Failure FailureOfServerError(absl::StatusCode code);

struct Circumstances {
  bool is_cached = false;
  // Of the server that the failure came from (R6.07).
  bool fail_on_data_errors = false;
  bool resource_timer_is_transient_error = false;
  bool ignore_resource_deletion = false;
  bool data_error_handling = true;  // A88's switch
};

enum class Delivery {
  kNothing,          // A53's ignored deletion: a WARNING in the log, and nobody else knows.
  kResourceChanged,  // OnResourceChanged(error): nothing usable is left.
  kAmbientError,     // OnAmbientError(error): go on with what you have.
};
std::ostream& operator<<(std::ostream& out, Delivery delivery);

struct Verdict {
  Delivery delivery = Delivery::kNothing;
  bool drop_cached = false;  // before anybody is told
  // The state afterwards; nullopt: as before. An error of the connection is none of the entry.
  std::optional<CacheState> state;
  // Of the status, where the failure itself brings none.
  absl::StatusCode code = absl::StatusCode::kUnavailable;

  friend bool operator==(const Verdict&, const Verdict&) = default;
};

Verdict Judge(Failure failure, const Circumstances& given);

}  // namespace holdfast

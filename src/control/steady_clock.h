// The time of the sessions.
#pragma once

#include <chrono>

#include "absl/time/time.h"

namespace holdfast {

// It never steps: with a wall clock that is put back an hour, whatever a session waits for would
// come an hour late.
inline absl::Time SteadyNow() {
  return absl::UnixEpoch() + absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace holdfast

// How long to wait before the next attempt to reach a server (gRFC A57, R4.30).
#pragma once

#include <cstdint>

#include "absl/time/time.h"

namespace holdfast {

// The first delay, times 1.6 each time, up to the longest, each ± 20 %. The same seed gives the
// same delays.
class Backoff {
 public:
  Backoff(absl::Duration first, absl::Duration longest, uint64_t seed);

  // No delay is longer.
  absl::Duration longest() const;

  // The delay after one more failure.
  absl::Duration Next();
  // The server answered: the next failure is the first again.
  void Reset();
  // `delay` ± 20 %, which counts as no failure.
  absl::Duration Jittered(absl::Duration delay);

 private:
  const absl::Duration first_;
  const absl::Duration longest_;
  absl::Duration current_;
  uint64_t random_;
};

}  // namespace holdfast

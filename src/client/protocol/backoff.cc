#include "client/protocol/backoff.h"

#include <algorithm>

namespace holdfast {
namespace {

constexpr double kMultiplier = 1.6;
constexpr double kJitter = 0.2;

// Steps a generator (splitmix64) whose whole state is one number.
uint64_t NextRandom(uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

}  // namespace

Backoff::Backoff(absl::Duration first, absl::Duration longest, uint64_t seed)
    : first_(first), longest_(std::max(first, longest)), current_(first), random_(seed) {}

absl::Duration Backoff::longest() const { return longest_ * (1.0 + kJitter); }

absl::Duration Backoff::Next() {
  const absl::Duration delay = current_;
  current_ = std::min(current_ * kMultiplier, longest_);
  return Jittered(delay);
}

void Backoff::Reset() { current_ = first_; }

absl::Duration Backoff::Jittered(absl::Duration delay) {
  // 53 bits: as many as a double between 0 and 1 has.
  const double fraction = static_cast<double>(NextRandom(random_) >> 11) * 0x1.0p-53;
  return delay * (1.0 - kJitter + 2.0 * kJitter * fraction);
}

}  // namespace holdfast

// One step of the protocol: the time it happens at, and the orders given so far.
#pragma once

#include <utility>

#include "absl/time/time.h"
#include "client/protocol/effects.h"

namespace holdfast {

struct Turn {
  absl::Time now;
  Effects effects;

  void Order(Effect effect) { effects.push_back(std::move(effect)); }
};

}  // namespace holdfast

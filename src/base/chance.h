// Randomness as an argument: whoever decides by chance is handed it, and stays pure.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace holdfast {

// A number from [0, bound), each as likely as the others. REQUIRES: bound > 0.
using Chance = absl::FunctionRef<uint32_t(uint32_t bound)>;

}  // namespace holdfast

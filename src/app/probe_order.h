// A line that `holdfast probe --stdin` is given: "call", "call 3s" or "call 3s 2".
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace holdfast {

struct ProbeOrder {
  std::optional<absl::Duration> timeout;  // absent: that of --timeout
  uint32_t channel = 1;

  friend bool operator==(const ProbeOrder&, const ProbeOrder&) = default;
};

// Nothing for an empty line. INVALID_ARGUMENT with what is wrong and how it is written.
absl::StatusOr<std::optional<ProbeOrder>> ParseProbeOrder(absl::string_view line);

}  // namespace holdfast

// A line that `holdfast watch --stdin` is given: "watch cds/pay" or "cancel cds/pay".
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "app/resource_ref.h"

namespace holdfast {

struct WatchOrder {
  enum class Verb { kWatch, kCancel };

  Verb verb;
  ResourceRef resource;

  friend bool operator==(const WatchOrder&, const WatchOrder&) = default;
};

// Nothing for an empty line. INVALID_ARGUMENT with what is wrong and was probably meant.
absl::StatusOr<std::optional<WatchOrder>> ParseWatchOrder(absl::string_view line);

}  // namespace holdfast

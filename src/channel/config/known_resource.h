// What is known of a resource that is watched: nothing yet, its value, or that it cannot be had.
//
// An error is kept as its text. Its code ends here, so that none can reach a call (R11.40).
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "channel/config/resolution_note.h"

namespace holdfast {

template <typename Value>
struct KnownResource {
  std::shared_ptr<const Value> value;
  std::string failure;        // why it cannot be had; empty unless there is no value
  std::string ambient_error;  // what is wrong beside the value; empty without one

  bool is_answered() const { return value != nullptr || !failure.empty(); }

  // Each says whether anything is different now. A value that equals the one before is not taken:
  // an unchanged pointer is an unchanged value.
  bool Arrived(std::shared_ptr<const Value> arrived) {
    const bool had_error = !std::exchange(ambient_error, "").empty();
    if (value != nullptr && *value == *arrived) return had_error;
    value = std::move(arrived);
    failure.clear();
    return true;
  }

  bool Failed(const absl::Status& why) {
    const bool had_value = std::exchange(value, nullptr) != nullptr;
    ambient_error.clear();
    return std::exchange(failure, WatcherWords(why)) != failure || had_value;
  }

  bool AmbientErrorChanged(const absl::Status& error) {
    if (value == nullptr) return false;
    const std::string before = std::exchange(ambient_error, error.ok() ? "" : WatcherWords(error));
    return before != ambient_error;
  }
};

}  // namespace holdfast

// What calls see of a cluster: its picker, and a place to wait for the next one.
//
// Thread-safe. Lives as long as anybody looks at it; once closed, calls choose anew.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "channel/call/sharded_value.h"
#include "channel/call/waiting_list.h"
#include "channel/lb/picker.h"

namespace holdfast {

struct ClusterEntrance {
  // Until the first picker is published, calls wait.
  ClusterEntrance(std::string name, ControlLoop& loop);

  const std::string cluster;
  ShardedValue<Picker> picker;
  WaitingList waiting;
  std::atomic<bool> is_closed = false;
  // The cluster itself cannot be had. Nobody waits here then: it may never be there (R13.04).
  std::atomic<bool> is_in_error = false;
};

// Fails every call.
std::shared_ptr<const Picker> FailingPicker(absl::Status why);

}  // namespace holdfast

// The same load for several servers, side by side: what each of them pays for it.
//
// The floor comes first. All servers of a measurement run at the same time and take turns, so that
// whatever else the machine does meets all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "bench/control/served_resources.h"
#include "control/session/session_types.h"

namespace holdfast {

struct Contestant {
  std::string name;
  std::vector<std::string> command;
};

struct Load {
  ServedKind kind = ServedKind::kClusters;
  int resources = 0;
  size_t size = 0;  // of a resource
  Variant variant = Variant::kSotw;
  int streams = 0;
  // What the stream of this number asks for; null: everything.
  std::function<std::vector<std::string>(int stream)> names_of;
};

// Measurements by contestant, in the order of the contestants; each in the order of the rounds.
using Measured = std::vector<std::vector<double>>;

struct PushPlan {
  Load load;
  std::optional<int> changed;  // number of a resource; none: all
  int64_t affected = 0;        // streams that are sent a commit
  int rounds = 10;
  int commits = 1;  // in a round: more where one costs too little to be measured
};
struct Pushes {
  Measured cpu_us;      // a response
  Measured latency_ms;  // of each commit, until the last client that is due one has its response
};
// Exactly the responses that are due must come.
Pushes MeasurePushes(const std::vector<Contestant>& contestants, const PushPlan& plan);

// Kilobytes a stream that was served and is idle.
Measured MeasureIdleMemory(const std::vector<Contestant>& contestants, const Load& load,
                           int rounds);

struct Storm {
  Measured cpu_us;     // a stream
  Measured growth_mb;  // of memory, at its peak
};
// All streams at once, from the first connection to the last answer.
Storm MeasureStorm(const std::vector<Contestant>& contestants, const Load& load, int rounds);

// Responses that come within `time` after the rejection of one a stream.
std::vector<int64_t> CountResends(const std::vector<Contestant>& contestants, const Load& load,
                                  absl::Duration time);

}  // namespace holdfast

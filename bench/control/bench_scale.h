// How much bench_control does: all of it, less that is still worth reading, or hardly anything.
#pragma once

#include "absl/time/time.h"

namespace holdfast {

struct Scale {
  int streams = 1000;
  int resources = 1000;
  int many_resources = 10'000;
  int storm_streams = 2000;
  int rounds = 10;
  int few_rounds = 5;
  int commits = 20;
  int asks = 1000;
  int silent_streams = 20;
  absl::Duration silence = absl::Seconds(5);
  absl::Duration after_nack = absl::Seconds(3);
  bool is_judged = true;  // by time and memory
};

inline Scale QuickScale() {
  Scale scale;
  scale.streams = 200;
  scale.storm_streams = 400;
  scale.rounds = 3;
  scale.few_rounds = 1;
  scale.commits = 5;
  return scale;
}

inline Scale SmokeScale() {
  Scale scale;
  scale.streams = 10;
  scale.resources = 20;
  scale.many_resources = 40;
  scale.storm_streams = 20;
  scale.rounds = 1;
  scale.few_rounds = 1;
  scale.commits = 1;
  scale.asks = 20;
  scale.silent_streams = 4;
  scale.silence = absl::Milliseconds(200);
  scale.after_nack = absl::Milliseconds(300);
  scale.is_judged = false;
  return scale;
}

}  // namespace holdfast

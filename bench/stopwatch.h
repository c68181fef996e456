// Times a piece of work on a machine that does other things too: CPU time of this thread, the best
// of several runs.
#pragma once

#include <time.h>

#include <algorithm>
#include <limits>

namespace holdfast {

inline double ThreadCpuSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// CPU seconds of the quickest of `runs` calls.
template <class Work>
double BestSeconds(int runs, Work work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < runs; ++i) {
    const double start = ThreadCpuSeconds();
    work();
    best = std::min(best, ThreadCpuSeconds() - start);
  }
  return best;
}

}  // namespace holdfast

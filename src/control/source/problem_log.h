// Says each problem once when it appears and once when it is over.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "holdfast/xds/log.h"

namespace holdfast {

// Not thread-safe.
class ProblemLog {
 public:
  // `log` must outlive it.
  ProblemLog(LogSink& log, std::string component) : log_(log), component_(std::move(component)) {}

  // All problems there are now.
  void Update(const std::vector<std::string>& problems);

 private:
  LogSink& log_;
  const std::string component_;
  std::set<std::string> known_;
};

}  // namespace holdfast

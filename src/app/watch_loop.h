// What --watch of a command does: asks again and again and shows the answers, until a signal.
#pragma once

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "app/exit_codes.h"
#include "app/result_lines.h"
#include "app/stop_signals.h"

namespace holdfast {

class WatchLoop {
 public:
  // For "holdfast ps: ..." on stderr.
  explicit WatchLoop(std::string command) : command_(std::move(command)) {}

  // Readable once it is time to stop: whoever waits for an answer gives up then.
  int stop_event() const { return stop_.event(); }

  // `show` writes an answer and returns what must be said beside it ("" if nothing), or why there
  // is none. Either is said once, and again after something else was.
  ExitCode Run(absl::FunctionRef<absl::StatusOr<std::string>(ResultLines&)> show);

 private:
  void SayOnce(const std::string& sentence);
  bool IsStopped() const;
  // False: it is time to stop.
  bool Wait(const ResultLines& lines) const;

  const std::string command_;
  const StopSignals stop_;
  std::string said_;
};

// Before each answer: a terminal is drawn anew; in a file a line stands between.
void BeginAnswer(absl::Time time, ResultLines& lines);

}  // namespace holdfast

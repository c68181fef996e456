// The results of a command that streams them: whole lines on stdout, each visible at once.
//
// Thread-safe.
#pragma once

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"

namespace holdfast {

class ResultLines {
 public:
  // Writes to this file, which must stay open.
  explicit ResultLines(int file);
  ~ResultLines();
  ResultLines(const ResultLines&) = delete;
  ResultLines& operator=(const ResultLines&) = delete;

  // With an end of line added. After a failure it does nothing.
  void Write(absl::string_view line) ABSL_LOCKS_EXCLUDED(mutex_);

  // Readable, for poll(), once a write failed.
  int failure_event() const { return failure_event_; }
  // Why; OK while nothing failed. CANCELLED: whoever read the lines does not want more.
  absl::Status failure() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Fail(absl::Status failure) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int file_;
  const int failure_event_;
  mutable absl::Mutex mutex_;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace holdfast

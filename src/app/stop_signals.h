// SIGINT, SIGTERM and, unless it is ignored, SIGHUP as something to poll for, so that a command
// ends in an orderly way.
#pragma once

namespace holdfast {

class StopSignals {
 public:
  // From now on they are only visible here. Only this thread and those it starts later are told, so
  // it comes before any other thread. SIGPIPE is ignored too: a write says EPIPE by itself.
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Readable, for poll(), once one came.
  int event() const { return event_; }

 private:
  const int event_;
};

}  // namespace holdfast

// Another process of this program, which never outlives this one.
//
// Its stdin and stdout are one socket, for lines; it may be silent as long as it likes, but not
// dead. What it says on stderr is kept until it is asked for.
//
// Not thread-safe. Whoever starts one must be a thread that lives as long: the system ends the
// child with it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace holdfast {

class ChildProcess {
 public:
  // `name` is what errors call it. `words` are the arguments of this program.
  ChildProcess(std::string name, std::vector<std::string> words,
               std::vector<std::string> environment);
  // Kills it.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Adds an end of line. A child that is dead is found by who reads.
  void Tell(absl::string_view line);
  // The next line without its end; DEADLINE_EXCEEDED if none comes in time, ABORTED with how it
  // ended and its last words if it is dead.
  absl::StatusOr<std::string> ReadLine(absl::Duration patience);
  // The whole lines on stderr since the last time.
  std::vector<std::string> TakeLog();

  // OK while it lives.
  absl::Status IsAlive();

 private:
  void ReadLog();
  // Asks the system, once, without waiting.
  void LearnWhetherItEnded();
  absl::Status Death();

  const std::string name_;
  pid_t pid_ = -1;
  int socket_ = -1;
  int log_ = -1;
  bool has_ended_ = false;
  std::optional<int> how_it_ended_;  // unknown where the system throws it away: SIGCHLD is ignored
  std::string unread_;
  std::string unread_log_;
  std::string last_words_;
};

// The environment of this process, "NAME=value" each.
std::vector<std::string> OurEnvironment();

}  // namespace holdfast

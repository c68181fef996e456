#include "bench/control/program_run.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "bench/control/bench_failure.h"

namespace holdfast {
namespace {

std::string ReadAll(int file) {
  std::string all;
  std::array<char, 65536> some;
  while (true) {
    const ssize_t count = read(file, some.data(), some.size());
    if (count > 0) {
      all.append(some.data(), static_cast<size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return all;
    }
  }
}

double Milliseconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) * 1e-3;
}

}  // namespace

ProgramRun RunProgram(const std::vector<std::string>& command) {
  int output[2];
  if (pipe2(output, O_CLOEXEC) != 0) FailBench("no pipe");
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  pid_t pid = -1;
  const absl::Time start = absl::Now();
  const int problem = posix_spawn(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(output[1]);
  if (problem != 0) FailBench(absl::StrCat("cannot start ", command[0]));
  ProgramRun run;
  run.output = ReadAll(output[0]);
  close(output[0]);
  int status = 0;
  rusage usage = {};
  if (wait4(pid, &status, 0, &usage) != pid || !WIFEXITED(status)) {
    FailBench(absl::StrCat(command[0], " did not come to its end"));
  }
  run.wall_ms = absl::ToDoubleMilliseconds(absl::Now() - start);
  run.exit_code = WEXITSTATUS(status);
  run.cpu_ms = Milliseconds(usage.ru_utime) + Milliseconds(usage.ru_stime);
  return run;
}

}  // namespace holdfast

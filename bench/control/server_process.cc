#include "bench/control/server_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "bench/control/bench_failure.h"

namespace holdfast {
namespace {

constexpr absl::Duration kMoment = absl::Milliseconds(25);
// More than the question itself costs.
constexpr int64_t kIdleCpuUs = 300;
// A collector of garbage may go on for a while.
constexpr int kMostMoments = 80;

}  // namespace

ServerProcess::ServerProcess(const std::vector<std::string>& command) {
  int to_server[2];
  int from_server[2];
  // Not for the servers that are started later: they would keep this one's input open.
  if (pipe2(to_server, O_CLOEXEC) != 0 || pipe2(from_server, O_CLOEXEC) != 0) FailBench("no pipe");
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to_server[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from_server[1], STDOUT_FILENO);
  if (posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ) != 0) {
    FailBench(absl::StrCat("cannot start ", command[0]));
  }
  posix_spawn_file_actions_destroy(&actions);
  close(to_server[0]);
  close(from_server[1]);
  in_ = fdopen(to_server[1], "w");
  out_ = fdopen(from_server[0], "r");
  const std::vector<std::string> words = absl::StrSplit(Hear(), ' ');
  if (words.size() != 2 || words[0] != "listening") FailBench("a server does not listen");
  address_ = absl::StrCat("127.0.0.1:", words[1]);
}

ServerProcess::~ServerProcess() {
  std::fclose(in_);
  waitpid(pid_, nullptr, 0);
  std::fclose(out_);
}

void ServerProcess::Say(const std::string& line) {
  if (std::fprintf(in_, "%s\n", line.c_str()) < 0 || std::fflush(in_) != 0) {
    FailBench("a server is gone");
  }
}

std::string ServerProcess::Hear() {
  char line[256];
  if (std::fgets(line, sizeof(line), out_) == nullptr) FailBench("a server is gone");
  return std::string(absl::StripTrailingAsciiWhitespace(line));
}

void ServerProcess::Do(const std::string& line) {
  Say(line);
  const std::string answer = Hear();
  if (answer != "ok") FailBench(absl::StrCat("a server answered \"", line, "\": ", answer));
}

std::vector<int64_t> ServerProcess::Ask(const std::string& question, size_t numbers) {
  Say(question);
  const std::string answer = Hear();
  const std::vector<std::string> words = absl::StrSplit(answer, ' ');
  std::vector<int64_t> values(words.size() - 1);
  bool is_good = words[0] == question && values.size() == numbers;
  for (size_t i = 0; i < values.size(); ++i) is_good &= absl::SimpleAtoi(words[i + 1], &values[i]);
  if (!is_good) FailBench(absl::StrCat("a server answered \"", question, "\": ", answer));
  return values;
}

int64_t ServerProcess::SettledCpu() {
  int64_t before = Ask("cpu", 1)[0];
  for (int i = 0; i < kMostMoments; ++i) {
    absl::SleepFor(kMoment);
    const int64_t now = Ask("cpu", 1)[0];
    if (now - before <= kIdleCpuUs) return now;
    before = now;
  }
  return before;
}

ServerMemory ServerProcess::Memory() {
  const std::vector<int64_t> kb = Ask("memory", 2);
  return {.rss_kb = kb[0], .peak_rss_kb = kb[1]};
}

int ServerProcess::AdminPort() { return static_cast<int>(Ask("admin", 1)[0]); }

}  // namespace holdfast

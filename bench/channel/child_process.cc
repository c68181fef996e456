#include "bench/channel/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "bench/channel/bench_failure.h"

namespace holdfast {

ChildProcess::ChildProcess(const std::vector<std::string>& command)
    : name_(absl::StrJoin(command, " ")) {
  int to_child[2];
  int from_child[2];
  // Not for the processes that are started later: they would keep this one's input open.
  if (pipe2(to_child, O_CLOEXEC) != 0 || pipe2(from_child, O_CLOEXEC) != 0) FailBench("no pipe");
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to_child[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from_child[1], STDOUT_FILENO);
  if (posix_spawnp(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ) != 0) {
    FailBench(absl::StrCat("cannot start ", name_));
  }
  posix_spawn_file_actions_destroy(&actions);
  close(to_child[0]);
  close(from_child[1]);
  in_ = fdopen(to_child[1], "w");
  out_ = fdopen(from_child[0], "r");
}

ChildProcess::~ChildProcess() {
  std::fclose(in_);
  int status = 0;
  waitpid(pid_, &status, 0);
  std::fclose(out_);
  if (status != 0) FailBench(absl::StrCat(name_, " ended with ", status));
}

void ChildProcess::Say(const std::string& line) {
  if (std::fprintf(in_, "%s\n", line.c_str()) < 0 || std::fflush(in_) != 0) {
    FailBench(absl::StrCat(name_, " is gone before \"", line, "\""));
  }
}

std::string ChildProcess::Hear() {
  char line[1024];
  if (std::fgets(line, sizeof(line), out_) == nullptr) FailBench(absl::StrCat(name_, " is gone"));
  return std::string(absl::StripTrailingAsciiWhitespace(line));
}

void ChildProcess::Do(const std::string& line) {
  Say(line);
  const std::string answer = Hear();
  if (answer != "ok") FailBench(absl::StrCat(name_, " answered \"", line, "\": ", answer));
}

std::vector<int64_t> ChildProcess::Ask(const std::string& line) {
  Say(line);
  return NumbersIn(Hear(), line);
}

std::vector<int64_t> ChildProcess::NumbersIn(const std::string& answer,
                                             const std::string& line) const {
  const std::vector<std::string> words = absl::StrSplit(answer, ' ');
  std::vector<int64_t> values(words.size() - 1);
  bool is_good = words[0] == *absl::StrSplit(line, ' ').begin() && !values.empty();
  for (size_t i = 0; i < values.size(); ++i) is_good &= absl::SimpleAtoi(words[i + 1], &values[i]);
  if (!is_good) FailBench(absl::StrCat(name_, " answered \"", line, "\": ", answer));
  return values;
}

std::string ThisProgram() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  if (length <= 0) FailBench("cannot find this program");
  return std::string(path, static_cast<size_t>(length));
}

int64_t VoluntarySwitches(pid_t pid) {
  int64_t sum = 0;
  // A thread may end while we look.
  std::error_code ignored;
  for (const auto& task :
       std::filesystem::directory_iterator(absl::StrCat("/proc/", pid, "/task"), ignored)) {
    std::ifstream status(task.path() / "status");
    std::string line;
    while (std::getline(status, line)) {
      absl::string_view text = line;
      int64_t count = 0;
      if (absl::ConsumePrefix(&text, "voluntary_ctxt_switches:") &&
          absl::SimpleAtoi(text, &count)) {
        sum += count;
      }
    }
  }
  return sum;
}

}  // namespace holdfast

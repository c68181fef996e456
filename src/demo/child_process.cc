#include "demo/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "base/check.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

constexpr char kThisProgram[] = "/proc/self/exe";
constexpr int kCannotStart = 127;

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

struct NewChild {
  pid_t parent;
  int socket;
  int log;
  char** words;
  char** environment;
};

// Between fork and exec, where only a few calls are allowed: other threads of the parent may have
// held any lock.
[[noreturn]] void Become(const NewChild& child) {
  // Killed with us, however we end; and not by a Ctrl-C that is meant for us alone.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != child.parent) ::_exit(kCannotStart);
  ::setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(child.socket, STDIN_FILENO);
  ::dup2(child.socket, STDOUT_FILENO);
  ::dup2(child.log, STDERR_FILENO);
  ::execve(kThisProgram, child.words, child.environment);
  ::_exit(kCannotStart);
}

std::string HowItEnded(std::optional<int> how) {
  if (!how.has_value()) return "an exit code that is not known";
  return WIFEXITED(*how) ? absl::StrCat("exit code ", WEXITSTATUS(*how))
                         : absl::StrCat("signal ", WTERMSIG(*how));
}

}  // namespace

ChildProcess::ChildProcess(std::string name, std::vector<std::string> words,
                           std::vector<std::string> environment)
    : name_(std::move(name)) {
  int ends[2];
  int logs[2];
  HOLDFAST_CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  HOLDFAST_CHECK(::pipe2(logs, O_CLOEXEC) == 0);
  HOLDFAST_CHECK(::fcntl(logs[0], F_SETFL, O_NONBLOCK) == 0);
  words.insert(words.begin(), "holdfast");
  const std::vector<char*> word_pointers = Pointers(words);
  const std::vector<char*> environment_pointers = Pointers(environment);
  const NewChild child = {::getpid(), ends[1], logs[1], const_cast<char**>(word_pointers.data()),
                          const_cast<char**>(environment_pointers.data())};
  pid_ = ::fork();
  if (pid_ == 0) Become(child);
  HOLDFAST_CHECK(pid_ > 0);
  ::close(ends[1]);
  ::close(logs[1]);
  socket_ = ends[0];
  log_ = logs[0];
}

ChildProcess::~ChildProcess() {
  if (!has_ended_) {
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  ::close(socket_);
  ::close(log_);
}

void ChildProcess::Tell(absl::string_view line) {
  const std::string text = absl::StrCat(line, "\n");
  // One short line at a time: it fits.
  static_cast<void>(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL));
}

absl::StatusOr<std::string> ChildProcess::ReadLine(absl::Duration patience) {
  const absl::Time end = absl::Now() + patience;
  while (true) {
    if (const size_t at = unread_.find('\n'); at != std::string::npos) {
      std::string line = unread_.substr(0, at);
      unread_.erase(0, at + 1);
      return line;
    }
    // Whoever waits for a line must not let the child wait for its log.
    ReadLog();
    const absl::Duration left = std::max(end - absl::Now(), absl::ZeroDuration());
    pollfd files[] = {{socket_, POLLIN, 0}, {log_, POLLIN, 0}};
    ::poll(files, std::size(files), static_cast<int>(absl::ToInt64Milliseconds(left)));
    if (files[0].revents != 0) {
      char buffer[4096];
      const ssize_t size = ::read(socket_, buffer, sizeof(buffer));
      if (size > 0) {
        unread_.append(buffer, static_cast<size_t>(size));
      } else if (size == 0 || errno != EINTR) {
        return Death();
      }
    } else if (absl::Now() >= end) {
      return absl::DeadlineExceededError(
          absl::StrCat(name_, " says nothing for ", absl::FormatDuration(patience)));
    }
  }
}

void ChildProcess::ReadLog() {
  char buffer[4096];
  for (ssize_t size; (size = ::read(log_, buffer, sizeof(buffer))) > 0;) {
    unread_log_.append(buffer, static_cast<size_t>(size));
  }
}

std::vector<std::string> ChildProcess::TakeLog() {
  ReadLog();
  const size_t end = unread_log_.rfind('\n');
  if (end == std::string::npos) return {};
  std::vector<std::string> lines = absl::StrSplit(unread_log_.substr(0, end), '\n');
  unread_log_.erase(0, end + 1);
  last_words_ = lines.back();
  return lines;
}

void ChildProcess::LearnWhetherItEnded() {
  if (has_ended_) return;
  int how = 0;
  const pid_t answer = ::waitpid(pid_, &how, WNOHANG);
  has_ended_ = answer == pid_ || (answer < 0 && errno == ECHILD);
  if (answer == pid_) how_it_ended_ = how;
}

absl::Status ChildProcess::IsAlive() {
  LearnWhetherItEnded();
  return has_ended_ ? Death() : absl::OkStatus();
}

absl::Status ChildProcess::Death() {
  // Who ends closes its files a moment before.
  const absl::Time end = absl::Now() + absl::Seconds(1);
  while (LearnWhetherItEnded(), !has_ended_) {
    if (absl::Now() > end) ::kill(pid_, SIGKILL);
    absl::SleepFor(absl::Milliseconds(1));
  }
  TakeLog();
  return absl::AbortedError(absl::StrCat(
      name_, " ended unexpectedly, with ", HowItEnded(how_it_ended_),
      last_words_.empty() ? "" : "; its last words: ", BoundedText(last_words_, 4096)));
}

std::vector<std::string> OurEnvironment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.push_back(*variable);
  return variables;
}

}  // namespace holdfast

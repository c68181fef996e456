#include "tests/endurance/caller_process.h"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "base/check.h"
#include "tests/support/patience.h"

namespace holdfast {
namespace {

// Ours, but for what would lead the callers elsewhere or let them talk of each mishap.
std::vector<std::string> EnvironmentOf(const std::string& xds_address) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string name = std::vector<std::string>(absl::StrSplit(*variable, '='))[0];
    if (!absl::EndsWith(name, "_proxy") && !absl::StartsWith(name, "GRPC_") &&
        !absl::StartsWith(name, "HOLDFAST_LOG")) {
      variables.push_back(*variable);
    }
  }
  variables.push_back(
      absl::StrCat(R"(GRPC_XDS_BOOTSTRAP_CONFIG={"xds_servers":[{"server_uri":")", xds_address,
                   R"(","channel_creds":[{"type":"insecure"}],"server_features":["xds_v3"]}],)",
                   R"("node":{"id":"web-1"}})"));
  variables.push_back("GRPC_VERBOSITY=NONE");
  variables.push_back("HOLDFAST_LOG=error");
  return variables;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

CallerProcess::CallerProcess(const std::string& whose, const std::string& xds_address,
                             int threads) {
  int ends[2];
  HOLDFAST_CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  socket_ = ends[0];
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<std::string> words = {HOLDFAST_CALLER, whose, "xds:///pay", absl::StrCat(threads)};
  std::vector<std::string> environment = EnvironmentOf(xds_address);
  const int error = ::posix_spawn(&pid_, HOLDFAST_CALLER, &actions, nullptr, Pointers(words).data(),
                                  Pointers(environment).data());
  HOLDFAST_CHECK(error == 0);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
}

CallerProcess::~CallerProcess() {
  Finish();
  ::close(socket_);
}

std::optional<CallReport> CallerProcess::Report() {
  const std::vector<std::string> fields = Ask("report\n");
  CallReport report;
  if (fields.size() != 5 || !absl::SimpleAtoi(fields[0], &report.calls) ||
      !absl::SimpleAtoi(fields[1], &report.failed) ||
      !absl::SimpleAtoi(fields[2], &report.longest_ms)) {
    return std::nullopt;
  }
  report.peers = absl::StrSplit(fields[3], ',', absl::SkipEmpty());
  report.first_failure = fields[4];
  return report;
}

std::string CallerProcess::CallOnce() {
  const std::vector<std::string> fields = Ask("call\n");
  return fields.size() == 3 && fields[0] == "0" ? fields[1] : "";
}

std::map<std::string, std::string> CallerProcess::Metrics() {
  std::map<std::string, std::string> values;
  for (const std::string& sample : Ask("metrics\n")) {
    const size_t space = sample.rfind(' ');
    if (space != std::string::npos) values[sample.substr(0, space)] = sample.substr(space + 1);
  }
  return values;
}

std::vector<std::string> CallerProcess::Ask(const std::string& command) {
  if (::send(socket_, command.data(), command.size(), MSG_NOSIGNAL) < 0) return {};
  while (!absl::StrContains(unread_, '\n')) {
    pollfd readable = {.fd = socket_, .events = POLLIN, .revents = 0};
    char buffer[4096];
    if (::poll(&readable, 1, static_cast<int>(absl::ToInt64Milliseconds(kPatience))) != 1) {
      return {};
    }
    const ssize_t size = ::read(socket_, buffer, sizeof(buffer));
    if (size <= 0) return {};
    unread_.append(buffer, static_cast<size_t>(size));
  }
  const std::pair<std::string, std::string> split =
      absl::StrSplit(unread_, absl::MaxSplits('\n', 1));
  unread_ = split.second;
  return absl::StrSplit(split.first, '\t');
}

std::string CallerProcess::Finish() {
  if (pid_ < 0) return "finished before";
  ::shutdown(socket_, SHUT_WR);
  int how = 0;
  const absl::Time patience_ends = absl::Now() + kPatience;
  while (::waitpid(pid_, &how, WNOHANG) == 0) {
    if (absl::Now() > patience_ends) ::kill(pid_, SIGKILL);
    absl::SleepFor(absl::Milliseconds(5));
  }
  pid_ = -1;
  return WIFEXITED(how) ? absl::StrCat("exit ", WEXITSTATUS(how))
                        : absl::StrCat("signal ", WTERMSIG(how));
}

}  // namespace holdfast

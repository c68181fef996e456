// A process may end at any time, whatever its clients are doing: exit_main.cc, in several ways.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "tests/end_to_end/client_under_test.h"

namespace holdfast {
namespace {

class Child {
 public:
  Child(std::string how, std::string address) {
    std::string program = HOLDFAST_EXIT_PROGRAM;
    char* arguments[] = {program.data(), how.data(), address.data(), nullptr};
    EXPECT_EQ(::posix_spawn(&pid_, program.c_str(), nullptr, nullptr, arguments, ::environ), 0);
  }

  // -1 if a signal ended it, or if it does not end.
  int ExitCode() {
    int status = 0;
    if (!Eventually([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; })) {
      ADD_FAILURE() << "the child does not end";
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, &status, 0);
      return -1;
    }
    EXPECT_FALSE(WIFSIGNALED(status)) << "signal " << WTERMSIG(status);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = 0;
};

class EndToEndExit : public testing::TestWithParam<std::string> {};

TEST_P(EndToEndExit, WithALiveClientIsClean) {  // R3.11
  ScriptedAdsServer server;
  Child child(GetParam(), server.address());
  if (GetParam() != "early") {
    const auto stream = server.NextStream();
    stream->NextRequest();
    stream->Send(TestResponse(ClusterType(), "1").Resource(ClusterBytes("pay")).Bytes());
  }
  EXPECT_EQ(child.ExitCode(), 0);
}

INSTANTIATE_TEST_SUITE_P(Ways, EndToEndExit,
                         testing::Values("return", "leak", "watcher", "busy", "early"),
                         [](const auto& row) { return row.param; });

}  // namespace
}  // namespace holdfast

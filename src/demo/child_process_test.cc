// The program that the children are is this test.
#include "demo/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace holdfast {
namespace {

constexpr char kPart[] = "HOLDFAST_TEST_PART";
constexpr absl::Duration kPatience = absl::Seconds(60);

// What a child does; in a test run of its own it does nothing.
TEST(ChildPart, IsPlayed) {
  const char* const part = std::getenv(kPart);
  if (part == nullptr) return;
  if (std::string(part) == "exits") {
    std::cerr << "cannot go on" << std::endl;
    std::_Exit(3);
  }
  for (std::string line; std::getline(std::cin, line);) {
    std::cerr << "heard " << line << std::endl;
    std::cout << line << " " << ::getpid() << std::endl;
  }
  std::_Exit(0);
}

ChildProcess Start(const std::string& part) {
  std::vector<std::string> environment = OurEnvironment();
  environment.push_back(absl::StrCat(kPart, "=", part));
  return ChildProcess("the child",
                      {"--gtest_filter=ChildPart.IsPlayed", "--gtest_brief=1", "--gtest_color=no"},
                      std::move(environment));
}

// The first line that is not GoogleTest's own.
std::string NextLine(ChildProcess& child, const std::string& start) {
  while (true) {
    const absl::StatusOr<std::string> line = child.ReadLine(kPatience);
    if (!line.ok()) return std::string(line.status().message());
    if (line->rfind(start, 0) == 0) return *line;
  }
}

TEST(ChildProcess, SpeaksInLinesAndKeepsItsLog) {
  ChildProcess child = Start("echoes");
  child.Tell("one");
  child.Tell("two");
  EXPECT_EQ(NextLine(child, "one ").substr(0, 4), "one ");
  EXPECT_EQ(NextLine(child, "two ").substr(0, 4), "two ");
  EXPECT_THAT(child.TakeLog(), testing::ElementsAre("heard one", "heard two"));
  EXPECT_THAT(child.TakeLog(), testing::IsEmpty());
  EXPECT_EQ(child.IsAlive(), absl::OkStatus());
  EXPECT_EQ(child.ReadLine(absl::ZeroDuration()).status(),
            absl::DeadlineExceededError("the child says nothing for 0"));
}

TEST(ChildProcess, SaysHowItEndedAndItsLastWords) {
  ChildProcess child = Start("exits");
  EXPECT_EQ(NextLine(child, "never"),
            "the child ended unexpectedly, with exit code 3; its last words: cannot go on");
  EXPECT_EQ(child.IsAlive().code(), absl::StatusCode::kAborted);
}

// A parent may have left it so, and exec keeps it: then nobody can be asked how a child ended.
TEST(ChildProcess, IsKnownToHaveEndedAlsoWhereTheSystemForgetsHow) {
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  {
    ChildProcess child = Start("exits");
    EXPECT_EQ(NextLine(child, "never"),
              "the child ended unexpectedly, with an exit code that is not known; its last words: "
              "cannot go on");
    EXPECT_EQ(child.IsAlive().code(), absl::StatusCode::kAborted);
    ChildProcess other = Start("echoes");
    EXPECT_EQ(other.IsAlive(), absl::OkStatus());
  }
  ::signal(SIGCHLD, before);
}

TEST(ChildProcess, IsGoneWithItsObject) {
  pid_t pid = 0;
  {
    ChildProcess child = Start("echoes");
    child.Tell("pid");
    ASSERT_TRUE(absl::SimpleAtoi(NextLine(child, "pid ").substr(4), &pid));
    EXPECT_EQ(::kill(pid, 0), 0);
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

}  // namespace
}  // namespace holdfast

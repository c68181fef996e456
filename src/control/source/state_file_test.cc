#include "control/source/state_file.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "control/source/state_format.h"
#include "control/source/stepped_disk_test.h"
#include "control/source/temp_directory_test.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const char kType[] = "envoy.config.cluster.v3.Cluster";

LastGood Good(absl::string_view body) {
  LastGood good;
  good["a.yaml"].resources[{kType, "pay"}] = std::make_shared<const Resource>(kType, "pay", body);
  return good;
}

TEST(StateFile, WhatWasSavedIsLoadedByTheNextProcess) {
  TempDirectory directory;
  const std::string path = directory.Path("not/there/yet");
  {
    StateFile state(path);
    EXPECT_EQ(state.Load(), std::nullopt);
    EXPECT_THAT(state.problem(), IsEmpty());
    EXPECT_FALSE(state.is_saved());
    state.Save(Good("v1"));
    EXPECT_TRUE(state.is_saved());
    EXPECT_THAT(state.problem(), IsEmpty());
  }
  StateFile next(path);
  EXPECT_EQ(next.Load(), Good("v1"));
  EXPECT_TRUE(next.is_saved());
}

TEST(StateFile, NobodyElseMayReadIt) {
  TempDirectory directory;
  StateFile state(directory.Path("state"));
  state.Save(Good("v1"));
  struct stat found;
  ASSERT_EQ(stat(directory.Path("state").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700u);
  ASSERT_EQ(stat(directory.Path("state/last_good").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
}

TEST(StateFile, IsWrittenInThisOrderAndOnlyIfSomethingChanged) {
  TempDirectory directory;
  std::vector<std::string> steps;
  const auto note = Stepped([&](absl::string_view step) {
    steps.emplace_back(step);
    return absl::OkStatus();
  });
  {
    StateFile state(directory.path(), note);
    state.Save(Good("v1"));
    EXPECT_THAT(steps, ElementsAreArray(kSteps));
    steps.clear();
    state.Save(Good("v1"));
    EXPECT_THAT(steps, IsEmpty());
  }
  StateFile next(directory.path(), note);
  ASSERT_EQ(next.Load(), Good("v1"));
  next.Save(Good("v1"));
  EXPECT_THAT(steps, IsEmpty());
  next.Save(Good("v2"));
  EXPECT_FALSE(steps.empty());
}

TEST(StateFile, ABrokenOneIsIgnoredAndReplaced) {
  TempDirectory directory;
  const std::string bytes = EncodeState(Good("v1"));
  directory.Write("last_good", bytes.substr(0, bytes.size() / 2));
  StateFile state(directory.path());
  EXPECT_EQ(state.Load(), std::nullopt);
  EXPECT_THAT(state.problem(), StartsWith(absl::StrCat("state file \"", directory.path(),
                                                       "/last_good\": not what was written: ")));
  EXPECT_THAT(state.problem(), HasSubstr("it is ignored"));
  state.Save(Good("v2"));
  EXPECT_THAT(state.problem(), IsEmpty());
  EXPECT_EQ(directory.Read("last_good"), EncodeState(Good("v2")));
}

TEST(StateFile, OneThatCannotBeOpenedIsIgnored) {
  TempDirectory directory;
  directory.MakeDirectory("last_good");
  StateFile state(directory.path());
  EXPECT_EQ(state.Load(), std::nullopt);
  EXPECT_THAT(state.problem(), HasSubstr("cannot be read: Is a directory; it is ignored"));
  state.Save(Good("v1"));
  EXPECT_THAT(state.problem(), HasSubstr("cannot be replaced: "));
  EXPECT_THAT(state.problem(), HasSubstr("serving goes on"));
  EXPECT_FALSE(state.is_saved());
}

TEST(StateFile, ADirectoryThatCannotBeMadeIsAProblemUntilItCan) {
  TempDirectory directory;
  directory.Write("state", "a file is in the way");
  StateFile state(directory.Path("state"));
  EXPECT_EQ(state.Load(), std::nullopt);
  EXPECT_THAT(state.problem(), StartsWith(absl::StrCat("state directory \"", directory.path(),
                                                       "/state\": cannot be made: ")));
  EXPECT_THAT(state.problem(), HasSubstr("name a state directory that can be written"));
  state.Save(Good("v1"));
  EXPECT_FALSE(state.is_saved());
  directory.Remove("state");
  state.Save(Good("v1"));
  EXPECT_TRUE(state.is_saved());
  EXPECT_THAT(state.problem(), IsEmpty());
}

TEST(StateFile, ADirectoryThatWasTakenAwayIsMadeAgain) {
  TempDirectory directory;
  StateFile state(directory.Path("state"));
  state.Save(Good("v1"));
  directory.Remove("state");
  state.Save(Good("v2"));
  EXPECT_THAT(state.problem(), IsEmpty());
  EXPECT_EQ(directory.Read("state/last_good"), EncodeState(Good("v2")));
  // The lock is the new one.
  StateFile second(directory.Path("state"));
  EXPECT_EQ(second.Load(), std::nullopt);
  EXPECT_THAT(second.problem(), HasSubstr("in use by another process"));
}

TEST(StateFile, AFileThatWasTakenAwayIsWrittenAgain) {
  TempDirectory directory;
  StateFile state(directory.path());
  state.Save(Good("v1"));
  EXPECT_TRUE(state.is_saved());
  directory.Remove("last_good");
  EXPECT_FALSE(state.is_saved());
  state.Save(Good("v1"));
  EXPECT_TRUE(state.is_saved());
  EXPECT_EQ(directory.Read("last_good"), EncodeState(Good("v1")));
}

// A configuration directory that is away for a while must not come back empty.
TEST(StateFile, WhatIsAboveIsOnlyMadeWhereItMayBe) {
  TempDirectory directory;
  StateFile state(directory.Path("conf/.holdfast"), MakeStateDisk, StateFile::Parents::kMustExist);
  EXPECT_EQ(state.Load(), std::nullopt);
  EXPECT_THAT(state.problem(), HasSubstr("cannot be made: No such file or directory"));
  state.Save(Good("v1"));
  EXPECT_FALSE(state.is_saved());
  EXPECT_FALSE(directory.Has("conf"));
  directory.MakeDirectory("conf");
  state.Save(Good("v1"));
  EXPECT_THAT(state.problem(), IsEmpty());
  EXPECT_TRUE(directory.Has("conf/.holdfast/last_good"));
}

TEST(StateFile, TheSecondOfTwoProcessesGoesWithout) {
  TempDirectory directory;
  auto first = std::make_unique<StateFile>(directory.path());
  first->Save(Good("v1"));
  StateFile second(directory.path());  // flock tells open files apart, not processes
  EXPECT_EQ(second.Load(), std::nullopt);
  EXPECT_THAT(second.problem(), StartsWith(absl::StrCat("state directory \"", directory.path(),
                                                        "\": in use by another process; serving")));
  second.Save(Good("v2"));
  EXPECT_FALSE(second.is_saved());
  EXPECT_EQ(directory.Read("last_good"), EncodeState(Good("v1")));
  first.reset();
  second.Save(Good("v2"));
  EXPECT_TRUE(second.is_saved());
  EXPECT_THAT(second.problem(), IsEmpty());
}

class StateFileStep : public testing::TestWithParam<const char*> {};

// A full disk, a broken one: the old state stays, the next attempt starts afresh.
TEST_P(StateFileStep, FailingLeavesTheOldStateOrTheNew) {
  TempDirectory directory;
  bool is_broken = false;
  StateFile state(directory.path(), Stepped([&](absl::string_view step) {
                    return is_broken && step == GetParam()
                               ? absl::ResourceExhaustedError("no space left")
                               : absl::OkStatus();
                  }));
  state.Save(Good("v1"));
  is_broken = true;
  state.Save(Good("v2"));
  EXPECT_FALSE(state.is_saved());
  EXPECT_THAT(state.problem(), StartsWith("state directory no space left; serving goes on"));
  const bool is_replaced = absl::string_view(GetParam()) == "sync directory";
  EXPECT_EQ(directory.Read("last_good"), EncodeState(Good(is_replaced ? "v2" : "v1")));
  is_broken = false;
  state.Save(Good("v2"));
  EXPECT_TRUE(state.is_saved());
  EXPECT_EQ(directory.Read("last_good"), EncodeState(Good("v2")));
}

// kill -9 in a process of its own, before each step: nothing is lost, nothing half-written, and the
// next process writes again.
TEST_P(StateFileStep, KilledThereTheNextProcessFindsAWholeState) {
  TempDirectory directory;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool is_second = false;
    StateFile state(directory.path(), Stepped([&](absl::string_view step) {
                      if (is_second && step == GetParam()) raise(SIGKILL);
                      return absl::OkStatus();
                    }));
    state.Save(Good("v1"));
    is_second = true;
    state.Save(Good("v2"));
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);

  const bool is_replaced = absl::string_view(GetParam()) == "sync directory";
  {
    StateFile next(directory.path());
    EXPECT_EQ(next.Load(), Good(is_replaced ? "v2" : "v1"));
    EXPECT_THAT(next.problem(), IsEmpty());
    next.Save(Good("v3"));
    EXPECT_THAT(next.problem(), IsEmpty());
  }
  EXPECT_EQ(StateFile(directory.path()).Load(), Good("v3"));
  EXPECT_FALSE(directory.Has("last_good.next"));
}

INSTANTIATE_TEST_SUITE_P(Steps, StateFileStep, testing::ValuesIn(kSteps), [](const auto& row) {
  std::string name = row.param;
  for (char& c : name) c = c == ' ' ? '_' : c;
  return name;
});

}  // namespace
}  // namespace holdfast

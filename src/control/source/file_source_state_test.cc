// What a file source keeps: over restarts, and while its directory is away.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "control/source/file_source_fixture_test.h"
#include "control/source/stepped_disk_test.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST_F(FileSourceTest, ADirectoryThatIsGoneForAWhileChangesNothing) {
  Write("a.yaml", Endpoints("pay", "v1"));
  FileSourceOptions options = Options();
  options.look_every = absl::Milliseconds(10);
  Start(options);
  recorded_->WaitForServed({"pay=v1"});
  directory_.Rename("conf", "away");
  recorded_->WaitFor([](const Published& now) {
    return !now.problems.empty() && absl::StrContains(now.problems[0], "serving what it last said");
  });
  EXPECT_THAT(Served(), ElementsAre("pay=v1"));
  EXPECT_TRUE(recorded_->newest().contents.is_synced);
  directory_.Write("away/a.yaml", Endpoints("pay", "v2"));
  directory_.Rename("away", "conf");
  recorded_->WaitForServed({"pay=v2"});
  recorded_->WaitFor([](const Published& now) { return now.problems.empty(); });
}

// Away is not empty: nobody may make the directory again but who took it away.
TEST_F(FileSourceTest, ADirectoryThatIsGoneIsNotMadeAgain) {
  Write("a.yaml", Endpoints("pay", "v1"));
  FileSourceOptions options = Options();
  options.look_every = absl::Milliseconds(10);
  const auto is_away = [](const Published& now) {
    return !now.problems.empty() && absl::StrContains(now.problems[0], "serving what it last said");
  };
  std::atomic<bool> is_broken = false;
  options.make_disk = Stepped([&](absl::string_view) {
    return is_broken ? absl::ResourceExhaustedError("no space left") : absl::OkStatus();
  });
  for (const absl::string_view why : {"the save failed", "another process has the lock"}) {
    SCOPED_TRACE(why);
    std::unique_ptr<FileSource> first;
    Recorded of_first;
    if (why != "the save failed") {
      first = *FileSource::Open(Options());
      first->Start(of_first.Callback());
      first->ReadNow();
    }
    is_broken = first == nullptr;
    Start(options);
    Read();
    EXPECT_THAT(Problems(), ElementsAre(HasSubstr("serving goes on")));
    directory_.Rename("conf", "away");
    recorded_->WaitFor(is_away);
    first = nullptr;
    is_broken = false;
    // Looks, as often as it takes for a save to be tried again.
    for (int i = 0; i < 3; ++i) Read();
    EXPECT_FALSE(directory_.Has("conf"));
    EXPECT_THAT(Served(), ElementsAre("pay=v1"));
    directory_.Rename("away", "conf");
    recorded_->WaitFor([](const Published& now) { return now.problems.empty(); });
    EXPECT_THAT(Served(), ElementsAre("pay=v1"));
    source_ = nullptr;
  }
}

TEST_F(FileSourceTest, AStateThatIsRemovedIsWrittenAgainAtTheNextLook) {
  Write("a.yaml", Endpoints("pay", "v1"));
  Start();
  Read();
  for (const char* const name : {"conf/.holdfast/last_good", "conf/.holdfast"}) {
    directory_.Remove(name);
    Read();
    EXPECT_TRUE(directory_.Has("conf/.holdfast/last_good")) << name;
    EXPECT_THAT(Problems(), IsEmpty()) << name;
  }
}

TEST_F(FileSourceTest, LastGoodSurvivesARestart) {
  Write("a.yaml", Endpoints("pay", "v1"));
  Write("b.yaml", Endpoints("web", "v1"));
  Write("c.yaml", Endpoints("api", "v1"));
  Start();
  Read();
  source_ = nullptr;
  Write("a.yaml", kBroken);
  Write("b.yaml", InvalidEndpoints("web"));
  directory_.Remove("conf/c.yaml");
  Start();
  const Published first = recorded_->At(0);
  EXPECT_FALSE(first.contents.is_synced);
  EXPECT_THAT(VersionsIn(first.contents), ElementsAre("pay=v1", "web=v1", "api=v1"));
  Read();
  EXPECT_TRUE(recorded_->newest().contents.is_synced);
  EXPECT_THAT(Served(), ElementsAre("pay=v1", "web=v1"));
  // What did not change is the same object, so that views share it.
  EXPECT_EQ(recorded_->newest().contents.resources.at(0), first.contents.resources.at(0));
}

TEST_F(FileSourceTest, AStateThatCannotBeWrittenIsOneWarning) {
  directory_.Write("state", "a file is in the way");
  Write("a.yaml", Endpoints("pay", "v1"));
  FileSourceOptions options = Options();
  options.state_directory = directory_.Path("state");
  options.look_every = absl::Milliseconds(10);
  Start(options);
  Read();
  EXPECT_THAT(Served(), ElementsAre("pay=v1"));
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("serving goes on, but the last good configuration "
                                                "would not survive a restart")));
  Write("a.yaml", Endpoints("pay", "v2"));
  Read();
  EXPECT_THAT(Served(), ElementsAre("pay=v2"));
  EXPECT_THAT(log_.With("state directory"), ElementsAre(StartsWith("WARNING control: ")));
  directory_.Remove("state");
  recorded_->WaitFor([](const Published& now) { return now.problems.empty(); });
  EXPECT_TRUE(directory_.Has("state/last_good"));
}

TEST_F(FileSourceTest, TwoOfOneDirectoryBothServeAndOneKeepsTheState) {
  Write("a.yaml", Endpoints("pay", "v1"));
  Start();
  Read();
  Recorded other;
  auto second = *FileSource::Open(Options());
  second->Start(other.Callback());
  second->ReadNow();
  EXPECT_THAT(other.Served(), ElementsAre("pay=v1"));
  EXPECT_THAT(other.newest().problems, ElementsAre(HasSubstr("in use by another process")));
  EXPECT_THAT(Problems(), IsEmpty());
}

// Hidden things are no configuration, ours least of all. That nobody is told when they change is
// shown in directory_watch_test.cc.
TEST_F(FileSourceTest, TheStateIsNoConfiguration) {
  Start();
  Read();
  ASSERT_TRUE(directory_.Has("conf/.holdfast/last_good"));
  const size_t before = recorded_->count();
  Write(".holdfast/a.yaml", Endpoints("pay", "v1"));
  Write(".hidden.yaml", kBroken);
  Read();
  EXPECT_EQ(recorded_->count(), before);
}

// The process is killed while it saves a new version: what it served before that is served again by
// the next, which cannot read the file any more.
TEST_F(FileSourceTest, KilledWhileSavingNothingThatWasServedIsLost) {
  for (const absl::string_view fatal : kSteps) {
    SCOPED_TRACE(fatal);
    directory_.Remove("conf/.holdfast");
    Write("a.yaml", Endpoints("pay", "v1"));
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      bool is_second = false;
      FileSourceOptions options = Options();
      options.make_disk = Stepped([&](absl::string_view step) {
        if (is_second && step == fatal) raise(SIGKILL);
        if (step == "sync directory") is_second = true;
        return absl::OkStatus();
      });
      Start(options);
      Read();
      Write("a.yaml", Endpoints("pay", "v2"));
      Read();
      _exit(1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;

    Write("a.yaml", kBroken);
    Start();
    Read();
    EXPECT_THAT(Served(), ElementsAre(fatal == "sync directory" ? "pay=v2" : "pay=v1"));
    source_ = nullptr;
  }
}

// F10: clients that return name the versions they have.
TEST_F(FileSourceTest, VersionsAreTheSameAfterARestart) {
  constexpr int kResources = 1000;
  std::string text = "resources:\n";
  for (int i = 0; i < kResources; ++i) text += EndpointsYaml(absl::StrCat("pay-", i), "v1");
  Write("a.yaml", text);
  const auto versions = [this] {
    std::map<std::string, std::string> found;
    for (const ResourcePtr& one : recorded_->newest().contents.resources) {
      found[one->name()] = one->version();
    }
    return found;
  };
  Start();
  Read();
  const std::map<std::string, std::string> before = versions();
  ASSERT_EQ(before.size(), static_cast<size_t>(kResources));
  Start();
  EXPECT_EQ(versions(), before);
  Read();
  EXPECT_EQ(versions(), before);
  // Nothing but the state to go by.
  Write("a.yaml", kBroken);
  Start();
  EXPECT_EQ(versions(), before);
  Read();
  EXPECT_EQ(versions(), before);
}

}  // namespace
}  // namespace holdfast

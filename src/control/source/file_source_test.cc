#include "control/source/file_source.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "control/source/recorded_test.h"
#include "control/source/stepped_disk_test.h"
#include "control/source/temp_directory_test.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::string Endpoints(const std::string& name, const std::string& version) {
  return "resources:\n" + EndpointsYaml(name, version);
}

std::string InvalidEndpoints(const std::string& name) {
  return absl::StrCat(Endpoints(name, "bad"), "  no_such_field: 1\n");
}

constexpr absl::string_view kBroken = "resources: [}\n";

// A source of one directory, stopped and started again as a test likes.
class FileSourceTest : public testing::Test {
 protected:
  FileSourceTest() { directory_.MakeDirectory("conf"); }

  FileSourceOptions Options() {
    FileSourceOptions options;
    options.directory = conf();
    options.settle = absl::Milliseconds(1);
    options.log = &log_;
    return options;
  }
  std::string conf() const { return directory_.Path("conf"); }

  void Start() { Start(Options()); }
  void Start(FileSourceOptions options) {
    source_ = nullptr;
    recorded_ = std::make_unique<Recorded>();
    absl::StatusOr<std::unique_ptr<FileSource>> source = FileSource::Open(std::move(options));
    ASSERT_TRUE(source.ok()) << source.status();
    source_ = *std::move(source);
    source_->Start(recorded_->Callback());
    ASSERT_GE(recorded_->count(), 1u);
  }
  // Reads what is there now, whether or not anybody told.
  void Read() { source_->ReadNow(); }

  void Write(const std::string& name, absl::string_view text) {
    directory_.Write("conf/" + name, text);
  }
  std::vector<std::string> Served() const { return recorded_->Served(); }
  std::vector<std::string> Problems() const { return recorded_->newest().problems; }

  TempDirectory directory_;
  RecordedLog log_;
  std::unique_ptr<Recorded> recorded_;
  std::unique_ptr<FileSource> source_;
};

TEST_F(FileSourceTest, ADirectoryThatCannotBeReadIsAnErrorWithTheReason) {
  FileSourceOptions options = Options();
  options.directory = directory_.Path("nowhere");
  absl::Status status = FileSource::Open(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr(options.directory));
  options = Options();
  options.protoset = directory_.Path("no.protoset");
  status = FileSource::Open(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("no.protoset"));
}

TEST_F(FileSourceTest, NothingIsKnownAtFirstThenAllOfIt) {
  Write("a.yaml", Endpoints("pay", "v1"));
  Start();
  const Published first = recorded_->At(0);
  EXPECT_FALSE(first.contents.is_synced);
  EXPECT_THAT(first.contents.resources, IsEmpty());
  Read();
  EXPECT_TRUE(recorded_->newest().contents.is_synced);
  EXPECT_THAT(Served(), ElementsAre("pay=v1"));
  EXPECT_THAT(Problems(), IsEmpty());
}

TEST_F(FileSourceTest, AnEmptyDirectoryIsReadToo) {
  Start();
  Read();
  EXPECT_TRUE(recorded_->newest().contents.is_synced);
  EXPECT_EQ(recorded_->count(), 2u);
  Read();  // Nothing new is not published.
  EXPECT_EQ(recorded_->count(), 2u);
}

TEST_F(FileSourceTest, NoticesEveryKindOfChangeByItself) {
  Start();
  Write("a.yaml", Endpoints("pay", "v1"));
  recorded_->WaitForServed({"pay=v1"});
  Write("a.yaml", Endpoints("pay", "v2"));
  recorded_->WaitForServed({"pay=v2"});
  directory_.Write("new", Endpoints("pay", "v4"));
  directory_.Rename("new", "conf/a.yaml");
  recorded_->WaitForServed({"pay=v4"});
  directory_.Rename("conf/a.yaml", "conf/b.yaml");
  Write("c.json", R"({"errors": [{"type": "eds", "name": "x", "code": "NOT_FOUND"}]})");
  recorded_->WaitFor([](const Published& now) { return now.contents.errors.size() == 1; });
  recorded_->WaitForServed({"pay=v4"});
  directory_.Remove("conf/b.yaml");
  directory_.Remove("conf/c.json");
  recorded_->WaitFor([](const Published& now) {
    return now.contents.resources.empty() && now.contents.errors.empty();
  });
}

// As Kubernetes mounts a ConfigMap: files are links through "..data", which is replaced as a whole.
TEST_F(FileSourceTest, AnExchangeOfAllFilesIsSeenAsOne) {
  for (const std::string version : {"v1", "v2"}) {
    directory_.MakeDirectory("conf/.." + version);
    Write(absl::StrCat("..", version, "/a.yaml"), Endpoints("a", version));
    Write(absl::StrCat("..", version, "/b.yaml"), Endpoints("b", version));
  }
  directory_.Link("..v1", "conf/..data");
  directory_.Link("..data/a.yaml", "conf/a.yaml");
  directory_.Link("..data/b.yaml", "conf/b.yaml");
  Start();
  recorded_->WaitForServed({"a=v1", "b=v1"});
  directory_.Link("..v2", "conf/..data");
  recorded_->WaitForServed({"a=v2", "b=v2"});
  for (size_t i = 1; i < recorded_->count(); ++i) {
    const std::vector<std::string> served = VersionsIn(recorded_->At(i).contents);
    EXPECT_TRUE(served == std::vector<std::string>({"a=v1", "b=v1"}) ||
                served == std::vector<std::string>({"a=v2", "b=v2"}))
        << testing::PrintToString(served);
  }
}

// Nobody is told of that: the directory that is watched did not change.
TEST_F(FileSourceTest, FindsOutThatTheDirectoryIsAnotherOne) {
  directory_.MakeDirectory("v1");
  directory_.MakeDirectory("v2");
  directory_.Write("v1/a.yaml", Endpoints("pay", "v1"));
  directory_.Write("v2/a.yaml", Endpoints("pay", "v2"));
  directory_.Link("v1", "now");
  FileSourceOptions options = Options();
  options.directory = directory_.Path("now");
  options.state_directory = directory_.Path("state");
  options.look_every = absl::Milliseconds(10);
  Start(options);
  recorded_->WaitForServed({"pay=v1"});
  directory_.Link("v2", "now");
  recorded_->WaitForServed({"pay=v2"});
  directory_.Write("v2/a.yaml", Endpoints("pay", "v3"));
  recorded_->WaitForServed({"pay=v3"});
}

TEST_F(FileSourceTest, ABrokenFileKeepsWhatItSaidAndHoldsUpNobody) {
  Write("a.yaml", Endpoints("pay", "v1"));
  Write("b.yaml", Endpoints("web", "v1"));
  Start();
  Read();
  Write("a.yaml", kBroken);
  Write("b.yaml", Endpoints("web", "v2"));
  Read();
  EXPECT_THAT(Served(), ElementsAre("pay=v1", "web=v2"));
  EXPECT_TRUE(recorded_->newest().contents.is_synced);
  EXPECT_THAT(Problems(), Contains(StartsWith(absl::StrCat(conf(), "/a.yaml:1:"))));
  EXPECT_THAT(Problems(),
              Contains(HasSubstr("a.yaml: serving what it last said: 1 resources and 0 errors")));
  Write("a.yaml", Endpoints("pay", "v2"));
  Read();
  EXPECT_THAT(Served(), ElementsAre("pay=v2", "web=v2"));
  EXPECT_THAT(Problems(), IsEmpty());
}

// Whoever writes a file in place empties it first, and a crash may leave it so.
TEST_F(FileSourceTest, AnEmptyFileIsTakenForHalfWritten) {
  Write("a.yaml", Endpoints("pay", "v1"));
  Start();
  Read();
  Write("a.yaml", "");
  Read();
  EXPECT_THAT(Served(), ElementsAre("pay=v1"));
  EXPECT_THAT(Problems(), Contains(HasSubstr("a.yaml: error: is empty, as if half written; to "
                                             "delete what it defines, delete the file")));
  Write("a.yaml", "resources: []\n");
  Read();
  EXPECT_THAT(Served(), IsEmpty());
  EXPECT_THAT(Problems(), IsEmpty());
}

TEST_F(FileSourceTest, AFileThatCannotBeOpenedIsABrokenFile) {
  Write("a.yaml", Endpoints("pay", "v1"));
  Start();
  Read();
  directory_.Link("nowhere", "conf/a.yaml");
  Read();
  EXPECT_THAT(Served(), ElementsAre("pay=v1"));
  EXPECT_THAT(Problems(), Contains(AllOf(StartsWith(absl::StrCat(conf(), "/a.yaml: error: ")),
                                         HasSubstr("No such file or directory"))));
}

TEST_F(FileSourceTest, AnInvalidResourceIsServedAsItWasOrToldWhy) {
  Write("a.yaml", Endpoints("pay", "v1"));
  Start();
  Read();
  Write("a.yaml", InvalidEndpoints("pay"));
  Write("b.yaml", InvalidEndpoints("web"));
  Read();
  EXPECT_THAT(Served(), ElementsAre("pay=v1"));
  const Contents contents = recorded_->newest().contents;
  ASSERT_THAT(contents.errors, SizeIs(1));
  EXPECT_EQ(contents.errors.begin()->first.name, "web");
  EXPECT_EQ(contents.errors.begin()->second.code, 13);
  EXPECT_THAT(contents.errors.begin()->second.message, HasSubstr("no_such_field"));
  EXPECT_THAT(Problems(), Contains(HasSubstr("\"pay\": serving the last good version")));
  EXPECT_THAT(Problems(), Contains(HasSubstr("\"web\": withheld: it never was good")));
}

TEST_F(FileSourceTest, EachProblemIsLoggedOnceAndOnceWhenItIsOver) {
  Write("a.yaml", kBroken);
  Start();
  Read();
  Write("b.yaml", Endpoints("web", "v1"));
  Read();
  Read();
  EXPECT_THAT(log_.With("a.yaml: nothing of it is served"),
              ElementsAre(StartsWith("WARNING control: ")));
  Write("a.yaml", Endpoints("pay", "v1"));
  Read();
  EXPECT_THAT(
      log_.With("a.yaml: nothing of it is served"),
      ElementsAre(StartsWith("WARNING control: "), StartsWith("INFO control: no longer: ")));
}

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

TEST_F(FileSourceTest, NothingIsPublishedAfterStop) {
  Start();
  source_->Stop();
  const size_t before = recorded_->count();
  Write("a.yaml", Endpoints("pay", "v1"));
  source_->ReadNow();
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

}  // namespace
}  // namespace holdfast

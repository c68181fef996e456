#include "control/source/file_source.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "control/source/file_source_fixture_test.h"
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

TEST_F(FileSourceTest, ABurstOfWritesIsPublishedOnce) {
  FileSourceOptions options = Options();
  options.settle = FileSourceOptions().settle;
  options.state_directory = directory_.Path("state");
  Start(options);
  Read();
  // A machine that pauses makes two bursts of one: then again.
  for (int round = 0; round < 20; ++round) {
    const size_t before = recorded_->count();
    std::vector<std::string> expected;
    absl::Duration longest;
    absl::Time last = absl::Now();
    for (int i = 0; i < 8; ++i) {
      const std::string name(1, static_cast<char>('a' + i));
      directory_.Write("new", Endpoints(name, absl::StrCat("v", round)));
      directory_.Rename("new", absl::StrCat("conf/", name, ".yaml"));
      expected.push_back(absl::StrCat(name, "=v", round));
      const absl::Time now = absl::Now();
      longest = std::max(longest, now - last);
      last = now;
    }
    recorded_->WaitForServed(expected);
    if (longest > options.settle / 2) continue;
    EXPECT_EQ(recorded_->count(), before + 1);
    return;
  }
  FAIL() << "the machine is too slow to write eight files in a row";
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

// It never looks by itself: somebody must have told.
TEST_F(FileSourceTest, NoticesChangesBehindSymlinksByItself) {
  directory_.MakeDirectory("v1");
  directory_.MakeDirectory("v2");
  directory_.MakeDirectory("elsewhere");
  directory_.Write("elsewhere/a.yaml", Endpoints("pay", "v1"));
  directory_.Write("v2/a.yaml", Endpoints("pay", "v3"));
  directory_.Link("../elsewhere/a.yaml", "v1/a.yaml");
  directory_.Link("v1", "now");
  FileSourceOptions options = Options();
  options.directory = directory_.Path("now");
  options.look_every = absl::Hours(1);
  Start(options);
  recorded_->WaitForServed({"pay=v1"});
  Read();
  directory_.Write("elsewhere/a.yaml", Endpoints("pay", "v2"));
  recorded_->WaitForServed({"pay=v2"});
  directory_.Link("v2", "now");
  recorded_->WaitForServed({"pay=v3"});
}

// What nobody tells it finds by looking.
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
  for (const char* const text : {"", "\n", "# nothing\n"}) {
    Write("a.yaml", text);
    Read();
    EXPECT_THAT(Served(), ElementsAre("pay=v1"));
    EXPECT_THAT(Problems(), Contains(HasSubstr("a.yaml: error: is empty, as if half written; to "
                                               "delete what it defines, delete the file")));
  }
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

// What is in it nobody knows, so what is not elsewhere may be there (CP-6).
TEST_F(FileSourceTest, AFileThatNeverWasReadableIsNamed) {
  Write("a.yaml", Endpoints("pay", "v1"));
  Write("b.yaml", kBroken);
  Start();
  Read();
  EXPECT_EQ(recorded_->newest().contents.never_read, "\"b.yaml\"");
  Write("c.yaml", "");
  Read();
  EXPECT_EQ(recorded_->newest().contents.never_read, "\"b.yaml\" and 1 more files");
  Write("a.yaml", kBroken);  // It was.
  Write("c.yaml", Endpoints("web", "v1"));
  Read();
  EXPECT_EQ(recorded_->newest().contents.never_read, "\"b.yaml\"");
  Start();
  EXPECT_EQ(recorded_->At(0).contents.never_read, "") << "nothing has been read";
  Read();
  EXPECT_EQ(recorded_->newest().contents.never_read, "\"b.yaml\"");
  Write("b.yaml", "resources: []\n");
  Read();
  EXPECT_EQ(recorded_->newest().contents.never_read, "");
}

// Which type was meant cannot be told, so nothing that the file no longer has is deleted.
TEST_F(FileSourceTest, AMisspeltTypeDeletesNothing) {
  constexpr absl::string_view kWrapped =
      "resources:\n"
      "- \"@type\": type.googleapis.com/envoy.service.discovery.v3.Resource\n"
      "  name: pay\n"
      "  resource: {\"@type\": "
      "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignmnet}\n";
  const std::string misspelt = absl::StrReplaceAll(
      Endpoints("pay", "v2"), {{"ClusterLoadAssignment", "ClusterLoadAssignmnet"}});
  for (const std::string& text : {misspelt, std::string(kWrapped)}) {
    Write("a.yaml", absl::StrCat(Endpoints("pay", "v1"), EndpointsYaml("web", "v1")));
    Start();
    Read();
    Write("a.yaml", absl::StrCat(text, EndpointsYaml("web", "v2")));
    Read();
    EXPECT_THAT(Served(), ElementsAre("pay=v1", "web=v2")) << text;
    EXPECT_THAT(Problems(), Contains(HasSubstr("unknown type")));
    EXPECT_THAT(Problems(), Contains(HasSubstr("a.yaml: still serving what it no longer has, 1 "
                                               "resources: they may be what has no known type or "
                                               "name now")));
    Write("a.yaml", Endpoints("web", "v2"));
    Read();
    EXPECT_THAT(Served(), ElementsAre("web=v2")) << text;
  }
}

TEST_F(FileSourceTest, AMisspeltDenialOpensNothing) {
  const auto denial = [](const std::string& code) {
    return absl::StrCat("errors: [{type: eds, name: pay, code: ", code, "}]\n");
  };
  const auto code_of_pay = [this] {
    const Contents contents = recorded_->newest().contents;
    const auto found = contents.errors.begin();
    return found == contents.errors.end() ? 0 : found->second.code;
  };
  Write("a.yaml", Endpoints("pay", "v1"));
  Write("b.yaml", denial("PERMISSION_DENIED"));
  Start();
  Read();
  EXPECT_EQ(code_of_pay(), 7);
  Write("b.yaml", denial("PERMISSION_DENID"));
  Read();
  EXPECT_EQ(code_of_pay(), 7);
  EXPECT_THAT(Problems(), Contains(HasSubstr("b.yaml: still saying what it no longer does, 1 "
                                             "errors: they may be what cannot be read now")));
  Start();  // Nor after a restart.
  Read();
  EXPECT_EQ(code_of_pay(), 7);
  // Without anything that was good before.
  source_ = nullptr;
  directory_.Remove("conf/.holdfast/last_good");
  Start();
  Read();
  EXPECT_THAT(Served(), IsEmpty());
  EXPECT_EQ(code_of_pay(), 13);
  EXPECT_THAT(recorded_->newest().contents.errors.begin()->second.message,
              HasSubstr("b.yaml:1:39: error: errors[0].code: unknown status code "
                        "\"PERMISSION_DENID\"; did you mean PERMISSION_DENIED?"));
  directory_.Remove("conf/b.yaml");
  Read();
  EXPECT_THAT(Served(), ElementsAre("pay=v1"));
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

// Rules in a document of their own are about the names of all files.
TEST_F(FileSourceTest, WithAnAccessRuleNothingNewIsServed) {
  Write("a.yaml", Endpoints("pay", "v1"));
  Start();
  Read();
  Write("rules.yaml", "access:\n- {clients: [web], read: [web]}\n");
  Write("b.yaml", Endpoints("web", "v1"));
  Read();
  EXPECT_THAT(Served(), ElementsAre("pay=v1"));
  const Contents contents = recorded_->newest().contents;
  ASSERT_THAT(contents.errors, SizeIs(1));
  EXPECT_EQ(contents.errors.begin()->first.name, "web");
  EXPECT_EQ(contents.errors.begin()->second.code, 13);
  EXPECT_THAT(contents.errors.begin()->second.message,
              HasSubstr("rules.yaml:1:1: error: access: is not supported yet; nothing of this "
                        "directory is served that was not served before, because without the rule "
                        "everybody could read it"));
  EXPECT_THAT(Problems(), Contains(HasSubstr("rules.yaml:1:1: error: access: ")));
  // Not even after a restart with the rule in a file that cannot be read.
  Write("rules.yaml", "access: [}\n");
  Start();
  Read();
  EXPECT_THAT(Served(), ElementsAre("pay=v1"));
  directory_.Remove("conf/rules.yaml");
  Read();
  EXPECT_THAT(Served(), ElementsAre("pay=v1", "web=v1"));
}

TEST_F(FileSourceTest, OnlyMistakesThatLeaveNothingMakeAConfigurationBad) {
  directory_.Write("state", "a file is in the way");
  FileSourceOptions options = Options();
  options.state_directory = directory_.Path("state");
  Start(options);
  EXPECT_FALSE(recorded_->At(0).has_good_configuration) << "nothing is known yet";
  Read();
  EXPECT_THAT(Problems(), ElementsAre(HasSubstr("state directory")));
  EXPECT_TRUE(recorded_->newest().has_good_configuration) << "empty";
  Write("a.yaml", kBroken);
  Read();
  EXPECT_FALSE(recorded_->newest().has_good_configuration);
  Write("b.yaml", "errors: [{type: eds, name: x, code: NOT_FOUND}]\n");
  Read();
  EXPECT_TRUE(recorded_->newest().has_good_configuration) << "an error to be told is something";
  directory_.Remove("conf/a.yaml");
  Write("b.yaml", "errors: [{type: eds, name: pay, code: UNAVAILABLE}]\n" + Endpoints("pay", "v1"));
  Read();
  EXPECT_THAT(Problems(), Contains(HasSubstr("warning: ")));
  EXPECT_TRUE(recorded_->newest().has_good_configuration);
}

TEST_F(FileSourceTest, NothingIsPublishedAfterStop) {
  Start();
  source_->Stop();
  const size_t before = recorded_->count();
  Write("a.yaml", Endpoints("pay", "v1"));
  source_->ReadNow();
  EXPECT_EQ(recorded_->count(), before);
}

}  // namespace
}  // namespace holdfast

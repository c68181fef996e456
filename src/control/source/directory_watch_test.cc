#include "control/source/directory_watch.h"

#include <string>
#include <thread>
#include <vector>

#include "control/source/temp_directory_test.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr absl::Duration kLong = absl::Seconds(10);
constexpr absl::Duration kNoTime = absl::ZeroDuration();

TEST(DirectoryWatch, NamesWhatChanged) {
  TempDirectory directory;
  DirectoryWatch watch(directory.path(), "");
  watch.Attach();
  ASSERT_TRUE(watch.is_attached());
  EXPECT_THAT(watch.Wait(kNoTime), IsEmpty());
  directory.Write("a.yaml", "x");
  EXPECT_THAT(watch.Wait(kLong), Contains("a.yaml"));
  directory.Rename("a.yaml", "b.yaml");
  EXPECT_THAT(watch.Wait(kLong), Contains("b.yaml"));
  directory.Remove("b.yaml");
  EXPECT_THAT(watch.Wait(kLong), Contains("b.yaml"));
  directory.Link("elsewhere", "..data");
  EXPECT_THAT(watch.Wait(kLong), Contains("..data"));
}

// Events come in order: once the last is there, the earlier ones were there, too.
TEST(DirectoryWatch, ChangesOfTheStateAreNone) {
  TempDirectory directory;
  DirectoryWatch watch(directory.path(), ".holdfast");
  watch.Attach();
  directory.MakeDirectory(".holdfast");
  directory.Write(".holdfast/last_good", "x");
  directory.Rename(".holdfast/last_good", ".holdfast/other");
  directory.Remove(".holdfast");
  directory.Write("a.yaml", "x");
  const std::vector<std::string> names = watch.Wait(kLong);
  EXPECT_THAT(names, Contains("a.yaml"));
  EXPECT_THAT(names, Each("a.yaml"));
}

TEST(DirectoryWatch, FollowsThePathToAnotherDirectory) {
  TempDirectory directory;
  directory.MakeDirectory("one");
  directory.MakeDirectory("two");
  directory.Link("one", "now");
  DirectoryWatch watch(directory.Path("now"), "");
  watch.Attach();
  directory.Link("two", "now");
  watch.Attach();
  directory.Write("one/old.yaml", "x");
  directory.Write("two/new.yaml", "x");
  EXPECT_THAT(watch.Wait(kLong), Each("new.yaml"));
}

TEST(DirectoryWatch, AlsoWatchesSingleEntriesOfOtherDirectories) {
  TempDirectory directory;
  for (const char* const name : {"conf", "one", "two"}) directory.MakeDirectory(name);
  DirectoryWatch watch(directory.Path("conf"), "");
  watch.Attach({{directory.Path("one"), "a.yaml"}, {directory.Path("nowhere"), "a.yaml"}});
  ASSERT_TRUE(watch.is_attached());
  directory.Write("one/a.yaml", "x");
  EXPECT_THAT(watch.Wait(kLong), Contains(""));
  // Other entries are nobody's business, nor are those of before.
  watch.Attach({{directory.Path("two"), "a.yaml"}});
  directory.Write("one/a.yaml", "y");
  directory.Write("two/b.yaml", "x");
  directory.Write("conf/c.yaml", "x");
  EXPECT_THAT(watch.Wait(kLong), Each("c.yaml"));
  directory.Write("two/a.yaml", "x");
  EXPECT_THAT(watch.Wait(kLong), Contains(""));
  // It may be a directory that is watched as a whole.
  watch.Attach({{directory.Path("conf"), "d.yaml"}});
  directory.Write("conf/e.yaml", "x");
  EXPECT_THAT(watch.Wait(kLong), Each("e.yaml"));
}

TEST(DirectoryWatch, SaysThatTheDirectoryIsGoneAndComesBack) {
  TempDirectory directory;
  directory.MakeDirectory("conf");
  DirectoryWatch watch(directory.Path("conf"), "");
  watch.Attach();
  directory.Remove("conf");
  while (watch.is_attached()) ASSERT_THAT(watch.Wait(kLong), Not(IsEmpty()));
  watch.Attach();
  EXPECT_FALSE(watch.is_attached());
  directory.MakeDirectory("conf");
  watch.Attach();
  EXPECT_TRUE(watch.is_attached());
  directory.Write("conf/a.yaml", "x");
  EXPECT_THAT(watch.Wait(kLong), Contains("a.yaml"));
}

TEST(DirectoryWatch, CanBeWokenUp) {
  TempDirectory directory;
  DirectoryWatch watch(directory.path(), "");
  watch.Wake();
  EXPECT_THAT(watch.Wait(absl::InfiniteDuration()), IsEmpty());
  std::thread waker([&] { watch.Wake(); });
  EXPECT_THAT(watch.Wait(absl::InfiniteDuration()), IsEmpty());
  waker.join();
}

}  // namespace
}  // namespace holdfast

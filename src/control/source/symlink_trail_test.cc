#include "control/source/symlink_trail.h"

#include <filesystem>
#include <string>
#include <vector>

#include "control/source/temp_directory_test.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// "directory|name" of each, below the directory of the test.
std::vector<std::string> TrailIn(const TempDirectory& directory, const std::string& path) {
  const std::string root = std::filesystem::canonical(directory.path()).string();
  std::vector<std::string> texts;
  for (const DirectoryEntry& entry : SymlinkTrail(root + "/" + path)) {
    texts.push_back(std::filesystem::path(entry.directory).lexically_relative(root).string() + "|" +
                    entry.name);
  }
  return texts;
}

TEST(SymlinkTrail, WithoutSymlinksThereIsNone) {
  TempDirectory directory;
  directory.Write("a.yaml", "x");
  EXPECT_THAT(TrailIn(directory, "a.yaml"), IsEmpty());
  EXPECT_THAT(TrailIn(directory, "nowhere/a.yaml"), IsEmpty());
}

TEST(SymlinkTrail, NamesEverySymlinkAndTheEnd) {
  TempDirectory directory;
  directory.MakeDirectory("v1");
  directory.Write("v1/a.yaml", "x");
  directory.Link("v1", "now");
  directory.Link(directory.Path("now"), "again");
  directory.Link("../v1/./a.yaml", "v1/b.yaml");
  EXPECT_THAT(TrailIn(directory, "now"), ElementsAre(".|now", ".|v1"));
  EXPECT_THAT(TrailIn(directory, "again/a.yaml"), ElementsAre(".|again", ".|now", "v1|a.yaml"));
  EXPECT_THAT(TrailIn(directory, "v1/b.yaml"), ElementsAre("v1|b.yaml", "v1|a.yaml"));
}

TEST(SymlinkTrail, GoesAsFarAsItCan) {
  TempDirectory directory;
  directory.Link("nowhere/at/all", "lost");
  directory.Link("circle", "circle");
  EXPECT_THAT(TrailIn(directory, "lost"), ElementsAre(".|lost", "nowhere/at|all"));
  EXPECT_THAT(TrailIn(directory, "circle"), SizeIs(40));
}

}  // namespace
}  // namespace holdfast

#include "control/config/config_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ConfigDirectoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "config_directory_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::string At(absl::string_view name) const { return absl::StrCat(root_, "/", name); }
  void Write(absl::string_view name, absl::string_view text = "resources: []\n") const {
    std::ofstream(At(name)) << text;
  }
  std::vector<std::string> Names(const std::string& directory) const {
    const absl::StatusOr<std::vector<std::string>> paths = ListConfigFiles(directory);
    EXPECT_TRUE(paths.ok()) << paths.status();
    std::vector<std::string> names;
    for (const std::string& path : *paths) names.push_back(path.substr(root_.size() + 1));
    return names;
  }

  std::string root_;
};

TEST(ConfigFileNameTest, ThreeEndingsAndNothingHidden) {
  EXPECT_TRUE(IsConfigFileName("pay.yaml"));
  EXPECT_TRUE(IsConfigFileName("pay.yml"));
  EXPECT_TRUE(IsConfigFileName("pay.json"));
  EXPECT_TRUE(IsConfigFileName(".hidden/pay.json"));
  EXPECT_FALSE(IsConfigFileName(".pay.yaml"));
  EXPECT_FALSE(IsConfigFileName("conf/.pay.yaml"));
  EXPECT_FALSE(IsConfigFileName(".yaml"));
  EXPECT_FALSE(IsConfigFileName("pay.yaml~"));
  EXPECT_FALSE(IsConfigFileName("pay.yaml.bak"));
  EXPECT_FALSE(IsConfigFileName("pay.YAML"));
  EXPECT_FALSE(IsConfigFileName("yaml"));
  EXPECT_FALSE(IsConfigFileName(""));
}

TEST_F(ConfigDirectoryTest, ListsConfigurationByName) {
  for (const char* name : {"b.yml", "a.json", "c.yaml", ".d.yaml", "README.md", "c.yaml~"}) {
    Write(name);
  }
  std::filesystem::create_directory(At("folder.yaml"));
  std::filesystem::create_directory(At("deeper"));
  Write("deeper/e.yaml");
  EXPECT_THAT(Names(root_), ElementsAre("a.json", "b.yml", "c.yaml"));
  EXPECT_THAT(*ListConfigFiles(root_ + "/"), ElementsAre(At("a.json"), At("b.yml"), At("c.yaml")));
}

TEST_F(ConfigDirectoryTest, FollowsSymlinksAsAMountedConfigMapHasThem) {
  std::filesystem::create_directory(At("..2026_11_16"));
  Write("..2026_11_16/pay.yaml", "from: the mount\n");
  std::filesystem::create_directory_symlink("..2026_11_16", At("..data"));
  std::filesystem::create_symlink("..data/pay.yaml", At("pay.yaml"));
  EXPECT_THAT(Names(root_), ElementsAre("pay.yaml"));
  EXPECT_EQ(*ReadConfigText(At("pay.yaml")), "from: the mount\n");
}

TEST_F(ConfigDirectoryTest, ASymlinkThatLeadsNowhereIsListedAndSaysWhyItCannotBeRead) {
  std::filesystem::create_symlink("gone.yaml", At("pay.yaml"));
  EXPECT_THAT(Names(root_), ElementsAre("pay.yaml"));
  const absl::Status reason = ReadConfigText(At("pay.yaml")).status();
  EXPECT_TRUE(absl::IsNotFound(reason)) << reason;
  const ConfigFile file = UnreadableConfigFile(At("pay.yaml"), reason);
  EXPECT_FALSE(file.is_readable);
  EXPECT_EQ(file.path, At("pay.yaml"));
  EXPECT_THAT(file.problems,
              ElementsAre(Problem{.kind = Problem::Kind::kError,
                                  .file = At("pay.yaml"),
                                  .text = "cannot be opened: No such file or directory"}));
}

TEST_F(ConfigDirectoryTest, NobodyWaitsForAPipe) {
  ASSERT_EQ(mkfifo(At("pay.yaml").c_str(), 0600), 0);
  EXPECT_THAT(Names(root_), IsEmpty());
}

TEST_F(ConfigDirectoryTest, SaysWhyADirectoryCannotBeListed) {
  const absl::Status missing = ListConfigFiles(At("gone")).status();
  EXPECT_TRUE(absl::IsNotFound(missing)) << missing;
  EXPECT_EQ(missing.message(), absl::StrCat("\"", At("gone"),
                                            "\": cannot be opened as a directory: No such file or "
                                            "directory"));
  Write("pay.yaml");
  const absl::Status no_directory = ListConfigFiles(At("pay.yaml")).status();
  EXPECT_THAT(no_directory.message(), HasSubstr("Not a directory"));
}

TEST_F(ConfigDirectoryTest, AFileThatIsTooBigIsNotRead) {
  Write("big.yaml");
  std::filesystem::resize_file(At("big.yaml"), kMostFileBytes + 1);
  const absl::Status status = ReadConfigText(At("big.yaml")).status();
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("longer than the most we read, 67108864 bytes"));
}

}  // namespace
}  // namespace holdfast

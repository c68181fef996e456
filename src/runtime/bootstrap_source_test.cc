#include "runtime/bootstrap_source.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "bootstrap/bootstrap.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "holdfast/xds/bootstrap.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string JsonFor(absl::string_view server) {
  return absl::StrCat(R"({"xds_servers": [{"server_uri": ")", server,
                      R"(", "channel_creds": [{"type": "insecure"}]}], "node": {"id": "web-1"}})");
}

std::string ServerOf(const Bootstrap& bootstrap) {
  return bootstrap.parsed().bootstrap.servers.at(0).server_uri;
}

// Every variable that is read here, unset before and after each test.
class BootstrapSourceTest : public testing::Test {
 protected:
  BootstrapSourceTest() { Forget(); }
  ~BootstrapSourceTest() override { Forget(); }

  static void Forget() {
    for (const absl::string_view variable :
         {kBootstrapFileVariable, kBootstrapTextVariable, kDataErrorHandlingVariable}) {
      unsetenv(std::string(variable).c_str());
    }
  }
  static void Set(absl::string_view variable, const std::string& value) {
    setenv(std::string(variable).c_str(), value.c_str(), 1);
  }
  // A file of this test alone.
  static std::string WriteFile(const std::string& text) {
    const std::string path =
        absl::StrCat(testing::TempDir(), "/bootstrap_source_",
                     testing::UnitTest::GetInstance()->current_test_info()->name(), "_", getpid());
    std::ofstream(path) << text;
    return path;
  }
};

TEST_F(BootstrapSourceTest, NothingSetIsAnErrorThatSaysWhatToDo) {  // R7.01
  const absl::Status status = Bootstrap::FromEnvironment().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(),
            "no xDS bootstrap: set GRPC_XDS_BOOTSTRAP to the path of a JSON file, or "
            "GRPC_XDS_BOOTSTRAP_CONFIG to the JSON itself");
}

TEST_F(BootstrapSourceTest, AnEmptyVariableCountsAsUnset) {
  Set(kBootstrapFileVariable, "");
  Set(kBootstrapTextVariable, "");
  EXPECT_EQ(Bootstrap::FromEnvironment().status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(BootstrapSourceTest, ReadsTheTextInTheVariable) {  // R7.01
  Set(kBootstrapTextVariable, JsonFor("inline:1"));
  const absl::StatusOr<Bootstrap> bootstrap = Bootstrap::FromEnvironment();
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_EQ(ServerOf(*bootstrap), "inline:1");
}

TEST_F(BootstrapSourceTest, PrefersTheFile) {  // R7.01
  const std::string path = WriteFile(JsonFor("file:1"));
  Set(kBootstrapFileVariable, path);
  Set(kBootstrapTextVariable, JsonFor("inline:1"));
  const absl::StatusOr<Bootstrap> bootstrap = Bootstrap::FromEnvironment();
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_EQ(ServerOf(*bootstrap), "file:1");
  unlink(path.c_str());
}

TEST_F(BootstrapSourceTest, ABadFileIsAnErrorEvenIfTheTextIsGood) {  // R7.01
  Set(kBootstrapTextVariable, JsonFor("inline:1"));
  Set(kBootstrapFileVariable, "/nonexistent/bootstrap.json");
  const absl::Status missing = Bootstrap::FromEnvironment().status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(
      missing.message(),
      "GRPC_XDS_BOOTSTRAP: \"/nonexistent/bootstrap.json\": cannot be opened: No such file or "
      "directory");

  Set(kBootstrapFileVariable, testing::TempDir());
  const absl::Status folder = Bootstrap::FromEnvironment().status();
  EXPECT_EQ(folder.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(folder.message()), HasSubstr("cannot be read: Is a directory"));

  const std::string path = WriteFile(R"({"xds_servers": 1})");
  Set(kBootstrapFileVariable, path);
  const absl::Status invalid = Bootstrap::FromEnvironment().status();
  EXPECT_EQ(invalid.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(invalid.message()),
              StartsWith(absl::StrCat("GRPC_XDS_BOOTSTRAP: \"", path,
                                      "\": bootstrap: xds_servers: must be an array")));
  unlink(path.c_str());
}

TEST_F(BootstrapSourceTest, DoesNotReadAFileWithoutEnd) {
  Set(kBootstrapFileVariable, "/dev/zero");
  const absl::Status status = Bootstrap::FromEnvironment().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(),
            "GRPC_XDS_BOOTSTRAP: \"/dev/zero\": longer than the most we read, 16777216 bytes");
}

TEST_F(BootstrapSourceTest, SaysWhichVariableHoldsTheMistake) {
  Set(kBootstrapTextVariable, "{");
  const absl::Status status = Bootstrap::FromEnvironment().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), StartsWith("GRPC_XDS_BOOTSTRAP_CONFIG: bootstrap: "));
}

TEST_F(BootstrapSourceTest, HandsOutWarnings) {
  const absl::StatusOr<Bootstrap> bootstrap = Bootstrap::Parse(
      R"({"xds_servers": [{"server_uri": "cp:1", "channel_creds": [{"type": "insecure"}]}],
          "nodes": {}})");
  ASSERT_TRUE(bootstrap.ok()) << bootstrap.status();
  EXPECT_THAT(bootstrap->warnings(), ElementsAre(StartsWith("nodes: unknown key, did you mean")));
}

TEST_F(BootstrapSourceTest, ParseRefusesWhatIsNoBootstrap) {
  const absl::Status status = Bootstrap::Parse("[]").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), StartsWith("bootstrap: "));
}

TEST_F(BootstrapSourceTest, ReadsTheGuardOfDataErrorHandling) {  // R7.60
  EXPECT_EQ(DataErrorHandlingFromEnvironment(), DataErrorHandling());
  Set(kDataErrorHandlingVariable, "No");
  EXPECT_FALSE(DataErrorHandlingFromEnvironment().is_enabled);
  Set(kDataErrorHandlingVariable, "1");
  EXPECT_EQ(DataErrorHandlingFromEnvironment(), DataErrorHandling());
  Set(kDataErrorHandlingVariable, "perhaps");
  EXPECT_TRUE(DataErrorHandlingFromEnvironment().is_enabled);
  EXPECT_EQ(DataErrorHandlingFromEnvironment().warning,
            "GRPC_EXPERIMENTAL_XDS_DATA_ERROR_HANDLING: must be true or false (got \"perhaps\"); "
            "treated as unset, which means true");
}

}  // namespace
}  // namespace holdfast

#include "app/command_line.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace holdfast {
namespace {

struct Options {
  std::vector<std::string> names;
  std::string admin;
  std::string format;
  bool reads_stdin = false;
};

std::optional<ExitCode> Parse(std::vector<std::string> words, Options& options) {
  CLI::App app;
  app.add_option("names", options.names);
  app.add_option("--admin", options.admin);
  app.add_option("-o,--output", options.format);
  app.add_flag("--stdin", options.reads_stdin);
  return ParseArguments({"watch", std::move(words)}, "an example\n", app);
}

// What it says on stderr about these words; they must be refused.
std::string Refusal(std::vector<std::string> words) {
  Options options;
  testing::internal::CaptureStderr();
  EXPECT_EQ(Parse(std::move(words), options), ExitCode::kUsage);
  return testing::internal::GetCapturedStderr();
}

TEST(CommandLine, OptionsMayStandAnywhere) {
  Options options;
  EXPECT_EQ(Parse({"--stdin", "a", "--admin", "host:1", "b", "--", "--c"}, options), std::nullopt);
  EXPECT_EQ(options.names, (std::vector<std::string>{"a", "b", "--c"}));
  EXPECT_EQ(options.admin, "host:1");
  EXPECT_TRUE(options.reads_stdin);
}

TEST(CommandLine, HelpIsAResult) {
  Options options;
  testing::internal::CaptureStdout();
  EXPECT_EQ(Parse({"a", "--help"}, options), ExitCode::kFine);
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "an example\n");
}

TEST(CommandLine, AnUnknownOptionGetsASuggestion) {
  EXPECT_EQ(Refusal({"a", "--sdtin"}),
            "holdfast watch: unknown option \"--sdtin\"; did you mean --stdin?\n"
            "holdfast watch --help shows how\n");
  EXPECT_EQ(Refusal({"--frobnicate=3"}),
            "holdfast watch: unknown option \"--frobnicate\"\n"
            "holdfast watch --help shows how\n");
}

TEST(CommandLine, AnOptionWithoutItsValueIsRefused) {
  EXPECT_EQ(Refusal({"a", "--admin"}),
            "holdfast watch: --admin needs a value\nholdfast watch --help shows how\n");
  EXPECT_EQ(Refusal({"a", "-o"}),
            "holdfast watch: --output needs a value\nholdfast watch --help shows how\n");
}

TEST(CommandLine, AShortOptionMayHaveItsValueInManyWays) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"-o", "json"}, {"-ojson"}, {"-o=json"}, {"--output=json"}}) {
    Options options;
    EXPECT_EQ(Parse(words, options), std::nullopt) << words[0];
    EXPECT_EQ(options.format, "json") << words[0];
  }
  Options options;
  EXPECT_EQ(Parse({"--", "-o=json"}, options), std::nullopt);
  EXPECT_EQ(options.names, std::vector<std::string>{"-o=json"});
  EXPECT_EQ(Refusal({"-x=json"}),
            "holdfast watch: unknown option \"-x\"\nholdfast watch --help shows how\n");
}

TEST(CommandLine, ACountIsAWholeNumberAboveZero) {
  EXPECT_EQ(ParseCount("--count", "1", 10).value(), 1u);
  EXPECT_EQ(ParseCount("--count", "10", 10).value(), 10u);
  for (const char* bad :
       {"0", "-1", "-5", "+1", "11", "x", "", "1.5", " 1", "18446744073709551617"}) {
    EXPECT_EQ(ParseCount("--count", bad, 10).status().message(),
              absl::StrCat("--count must be a whole number from 1 to 10 (got \"", bad, "\")"));
  }
}

TEST(CommandLine, KnowsTheOutputFormats) {
  EXPECT_EQ(ParseOutputFormat("table").value(), OutputFormat::kTable);
  EXPECT_EQ(ParseOutputFormat("wide").value(), OutputFormat::kWide);
  EXPECT_EQ(ParseOutputFormat("json").value(), OutputFormat::kJson);
  EXPECT_EQ(ParseOutputFormat("yaml").status().message(),
            "unknown output \"yaml\": it is table, wide or json");
}

}  // namespace
}  // namespace holdfast

#include "runtime/stderr_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

const absl::Time kTime =
    absl::FromCivil(absl::CivilSecond(2026, 1, 2, 3, 4, 5), absl::UTCTimeZone()) +
    absl::Milliseconds(678);

// A pipe: what is written to one end is read from the other.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe2(ends_, O_CLOEXEC), 0); }
  ~Pipe() {
    close(ends_[0]);
    CloseWriteEnd();
  }
  int write_end() const { return ends_[1]; }
  void CloseWriteEnd() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }
  std::string ReadAll() {
    CloseWriteEnd();
    std::string all;
    char chunk[4096];
    for (ssize_t got; (got = read(ends_[0], chunk, sizeof(chunk))) > 0;) {
      all.append(chunk, static_cast<size_t>(got));
    }
    return all;
  }

 private:
  int ends_[2] = {-1, -1};
};

TEST(LogSettings, AreInfoAsTextByDefault) {
  const ParsedLogSettings parsed = ReadLogSettings(std::nullopt, std::nullopt);
  EXPECT_EQ(parsed.settings, LogSettings());
  EXPECT_THAT(parsed.warnings, IsEmpty());
  EXPECT_TRUE(parsed.settings.Wants(Severity::kInfo, "client"));
  EXPECT_FALSE(parsed.settings.Wants(Severity::kDebug, "client"));
}

TEST(LogSettings, TellComponentsApart) {
  const ParsedLogSettings parsed =
      ReadLogSettings("warn, client=debug ,control=ERROR", std::nullopt);
  EXPECT_THAT(parsed.warnings, IsEmpty());
  const LogSettings& settings = parsed.settings;
  EXPECT_TRUE(settings.Wants(Severity::kDebug, "client"));
  EXPECT_FALSE(settings.Wants(Severity::kWarning, "control"));
  EXPECT_TRUE(settings.Wants(Severity::kError, "control"));
  EXPECT_FALSE(settings.Wants(Severity::kInfo, "clients"));
  EXPECT_TRUE(settings.Wants(Severity::kWarning, "clients"));
}

TEST(LogSettings, LetLaterEntriesWin) {
  const LogSettings settings =
      ReadLogSettings("debug,client=info,client=error,info", std::nullopt).settings;
  EXPECT_FALSE(settings.Wants(Severity::kDebug, "server"));
  EXPECT_FALSE(settings.Wants(Severity::kWarning, "client"));
}

TEST(LogSettings, IgnoreAVariableWithAMistakeAndSaySo) {
  for (const char* bad : {"loud", "info,", ",", "=debug", "client=", "client=loud", "debug,client",
                          "client=debug=info", "client:debug"}) {
    const ParsedLogSettings parsed = ReadLogSettings(bad, "json");
    LogSettings expected;
    expected.format = LogFormat::kJson;
    EXPECT_EQ(parsed.settings, expected) << bad;
    EXPECT_THAT(
        parsed.warnings,
        ElementsAre(absl::StrCat("HOLDFAST_LOG: must be a list of debug, info, warning or error, "
                                 "such as \"info,client=debug\" (got \"",
                                 bad, "\"); treated as unset, which means info")));
  }
}

TEST(LogSettings, GuessWhatWasMeant) {
  EXPECT_THAT(ReadLogSettings("inof", "jsn").warnings,
              ElementsAre("HOLDFAST_LOG: must be a list of debug, info, warning or error, such as "
                          "\"info,client=debug\" (got \"inof\"; did you mean info?); treated as "
                          "unset, which means info",
                          "HOLDFAST_LOG_FORMAT: must be text or json (got \"jsn\"; did you mean "
                          "json?); treated as unset, which means text"));
  EXPECT_THAT(ReadLogSettings("info,client=debgu", std::nullopt).warnings,
              ElementsAre(HasSubstr("(got \"info,client=debgu\"; did you mean debug?)")));
}

// A program may log under names of its own, so it counts all the same.
TEST(LogSettings, RemarkOnAComponentThatNobodyKnows) {
  const ParsedLogSettings parsed = ReadLogSettings("info,clint=debug,mine=error", std::nullopt);
  EXPECT_TRUE(parsed.settings.Wants(Severity::kDebug, "clint"));
  EXPECT_FALSE(parsed.settings.Wants(Severity::kWarning, "mine"));
  EXPECT_THAT(parsed.warnings,
              ElementsAre("HOLDFAST_LOG: nothing of Holdfast logs as \"clint\"; did you mean "
                          "client?",
                          "HOLDFAST_LOG: nothing of Holdfast logs as \"mine\"; there are client, "
                          "channel, control, log"));
}

TEST(LogSettings, IgnoreAnUnknownFormatAndSaySo) {
  EXPECT_EQ(ReadLogSettings(std::nullopt, "JSON").settings.format, LogFormat::kJson);
  EXPECT_EQ(ReadLogSettings(std::nullopt, "text").settings.format, LogFormat::kText);
  const ParsedLogSettings parsed = ReadLogSettings("debug", "xml");
  EXPECT_EQ(parsed.settings.least, Severity::kDebug);
  EXPECT_EQ(parsed.settings.format, LogFormat::kText);
  EXPECT_THAT(parsed.warnings,
              ElementsAre("HOLDFAST_LOG_FORMAT: must be text or json (got \"xml\"); treated as "
                          "unset, which means text"));
}

TEST(LogLine, IsAsDocumented) {
  EXPECT_EQ(LogLine(LogFormat::kText, kTime, Severity::kWarning, "client", "a \"b\" \\ c"),
            "2026-01-02T03:04:05.678Z WARNING client: a \"b\" \\ c\n");
  EXPECT_EQ(LogLine(LogFormat::kJson, kTime, Severity::kInfo, "client", "a \"b\" \\ ü"),
            "{\"time\":\"2026-01-02T03:04:05.678Z\",\"severity\":\"INFO\",\"component\":\"client\","
            "\"text\":\"a \\\"b\\\" \\\\ ü\"}\n");
}

TEST(LogLine, StaysOneLineOfUtf8WhateverIsInIt) {
  EXPECT_EQ(LogLine(LogFormat::kText, kTime, Severity::kError, "a\nb", "one\r\ntwo\x1b[2J"),
            "2026-01-02T03:04:05.678Z ERROR a b: one  two [2J\n");
  EXPECT_EQ(
      LogLine(LogFormat::kJson, kTime, Severity::kError, "a\"b", "\xff\n"),
      "{\"time\":\"2026-01-02T03:04:05.678Z\",\"severity\":\"ERROR\",\"component\":\"a\\\"b\","
      "\"text\":\"\\\\xff\\\\n\"}\n");
}

TEST(DescriptorLog, WritesOnlyWhatIsWanted) {
  Pipe pipe;
  DescriptorLog log(pipe.write_end(), ReadLogSettings("warning", std::nullopt).settings);
  log.Log(Severity::kInfo, "client", "quiet");
  log.Log(Severity::kWarning, "client", "loud");
  EXPECT_THAT(pipe.ReadAll(), MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"
                                           "\\.[0-9]{3}Z WARNING client: loud\n"));
}

TEST(DescriptorLog, SaysWhatItWants) {
  const DescriptorLog log(-1, ReadLogSettings("error,client=debug", std::nullopt).settings);
  EXPECT_TRUE(log.Wants(Severity::kDebug, "client"));
  EXPECT_FALSE(log.Wants(Severity::kWarning, "server"));
}

TEST(DescriptorLog, KeepsLinesOfManyThreadsWhole) {
  Pipe pipe;
  constexpr int kThreads = 4;
  constexpr int kLines = 100;  // together less than a pipe holds
  DescriptorLog log(pipe.write_end(), LogSettings());
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&log] {
      for (int line = 0; line < kLines; ++line) log.Log(Severity::kInfo, "client", "all of it");
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<std::string> lines = absl::StrSplit(pipe.ReadAll(), '\n', absl::SkipEmpty());
  EXPECT_THAT(lines, SizeIs(kThreads * kLines));
  EXPECT_THAT(lines, Each(MatchesRegex("[^ ]+Z INFO client: all of it")));
}

TEST(DescriptorLog, SurvivesADescriptorThatIsClosed) {
  DescriptorLog log(-1, LogSettings());
  log.Log(Severity::kError, "client", "lost");
}

// In a process of its own: the environment is read once.
TEST(StderrLogDeathTest, WarnsOnceOfABadVariable) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("HOLDFAST_LOG", "loud", 1);
        setenv("HOLDFAST_LOG_FORMAT", "json", 1);
        StderrLog().Log(Severity::kInfo, "client", "first");
        StderrLog().Log(Severity::kDebug, "client", "unwanted");
        StderrLog().Log(Severity::kInfo, "client", "second");
        std::exit(0);
      },
      testing::ExitedWithCode(0),
      "^\\{[^\n]*\"WARNING\",\"component\":\"log\",\"text\":\"HOLDFAST_LOG: must be [^\n]*\n"
      "[^\n]*\"text\":\"first\"\\}\n"
      "[^\n]*\"text\":\"second\"\\}\n$");
}

}  // namespace
}  // namespace holdfast

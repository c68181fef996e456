#include "app/command_line.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/did_you_mean.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

absl::string_view ValueOf(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

std::vector<std::string> OptionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

ExitCode UnknownOption(absl::string_view command, absl::string_view word, const CLI::App& app) {
  const std::string option(word.substr(0, word.find('=')));
  const std::vector<std::string> names = OptionNames(app);
  const std::vector<absl::string_view> known(names.begin(), names.end());
  return UsageError(command,
                    absl::StrCat("unknown option ", Quoted(option), Suggestion(option, known)));
}

// "-o=json" as "-ojson", which CLI11 knows; it would take the "=" for a part of the value.
std::vector<std::string> WithoutShortEquals(std::vector<std::string> words, const CLI::App& app) {
  const std::vector<std::string> names = OptionNames(app);
  for (std::string& word : words) {
    if (word == "--") break;
    if (word.size() < 3 || word[2] != '=' || word[1] == '-') continue;
    if (absl::c_linear_search(names, absl::string_view(word).substr(0, 2))) word.erase(2, 1);
  }
  return words;
}

// In our words what CLI11 says in those of programmers.
std::string SentenceOf(const CLI::ParseError& error) {
  const absl::string_view text = error.what();
  const absl::string_view option = text.substr(0, text.find(':'));
  if (error.get_name() == "ArgumentMismatch" && absl::StartsWith(option, "-")) {
    return absl::StrCat(option, " needs a value");
  }
  return std::string(text);
}

}  // namespace

ExitCode UsageError(absl::string_view command, absl::string_view sentence) {
  const std::string program = absl::StrCat("holdfast", command.empty() ? "" : " ", command);
  std::fprintf(stderr, "%s\n",
               absl::StrCat(program, ": ", sentence, "\n", program, " --help shows how").c_str());
  return ExitCode::kUsage;
}

std::optional<ExitCode> ParseArguments(const Arguments& arguments, absl::string_view help,
                                       CLI::App& app) {
  bool wants_help = false;
  app.set_help_flag();
  app.add_flag("-h,--help", wants_help);
  app.allow_extras();  // To say more about them than CLI11 would.
  std::vector<std::string> reversed = WithoutShortEquals(arguments.words, app);
  absl::c_reverse(reversed);
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    return UsageError(arguments.command, SentenceOf(error));
  }
  if (wants_help) {
    std::fwrite(help.data(), 1, help.size(), stdout);
    return ExitCode::kFine;
  }
  for (const std::string& extra : app.remaining()) {
    // CLI11 counts the mark that ends all options among them.
    if (extra != "--") return UnknownOption(arguments.command, extra, app);
  }
  return std::nullopt;
}

absl::StatusOr<uint64_t> ParseCount(absl::string_view option, absl::string_view word,
                                    uint64_t most) {
  uint64_t count = 0;
  // A sign would be taken for that of a number which wraps around.
  const bool is_number = !word.empty() && absl::c_all_of(word, absl::ascii_isdigit);
  if (is_number && absl::SimpleAtoi(word, &count) && count >= 1 && count <= most) return count;
  return absl::InvalidArgumentError(absl::StrCat(option, " must be a whole number from 1 to ", most,
                                                 " (got ", Quoted(word), ")"));
}

absl::StatusOr<OutputFormat> ParseOutputFormat(absl::string_view word) {
  if (word == "table") return OutputFormat::kTable;
  if (word == "wide") return OutputFormat::kWide;
  if (word == "json") return OutputFormat::kJson;
  return absl::InvalidArgumentError(absl::StrCat("unknown output ", Quoted(word),
                                                 ": it is table, wide or json",
                                                 Suggestion(word, {{"table", "wide", "json"}})));
}

std::string Suggestion(absl::string_view word, absl::Span<const absl::string_view> known) {
  const std::optional<absl::string_view> meant = DidYouMean(word, known);
  return meant.has_value() ? absl::StrCat("; did you mean ", *meant, "?") : "";
}

bool TerminalIsDumb() {
  const char* terminal = std::getenv("TERM");
  return terminal == nullptr || absl::string_view(terminal) == "dumb";
}

bool StdoutHasColour() {
  if (!ValueOf("NO_COLOR").empty()) return false;
  const absl::string_view forced = ValueOf("CLICOLOR_FORCE");
  if (!forced.empty() && forced != "0") return true;
  return !TerminalIsDumb() && ::isatty(STDOUT_FILENO) != 0;
}

}  // namespace holdfast

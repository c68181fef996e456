// What every command does with its arguments: the same words for the same mistakes.
//
//   CLI::App app;
//   app.add_option("resources", options.resources);
//   if (auto done = ParseArguments(arguments, kHelp, app)) return *done;
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "app/exit_codes.h"

namespace CLI {
class App;
}

namespace holdfast {

enum class OutputFormat { kTable, kWide, kJson };

// A command and what was written behind it.
struct Arguments {
  absl::string_view command;  // "watch"
  std::vector<std::string> words;
};

// Prints "holdfast watch: <sentence>" and where help is, and returns the code for it.
ExitCode UsageError(absl::string_view command, absl::string_view sentence);

// How the program should end now, if it should: after --help, or a mistake that was explained.
// `help` starts with an example. Adds -h and --help to the options of `app`.
std::optional<ExitCode> ParseArguments(const Arguments& arguments, absl::string_view help,
                                       CLI::App& app);

// A number from 1 to `most` behind `option`; else the sentence that says so.
absl::StatusOr<uint64_t> ParseCount(absl::string_view option, absl::string_view word,
                                    uint64_t most);

// "table", "wide" or "json"; else the sentence that says so.
absl::StatusOr<OutputFormat> ParseOutputFormat(absl::string_view word);

// "; did you mean --stdin?", or nothing.
std::string Suggestion(absl::string_view word, absl::Span<const absl::string_view> known);

// TERM says that it understands no escapes, or nothing.
bool TerminalIsDumb();

// Whether stdout is a terminal whose user did not say no to colours, or somebody insists on them:
// CLICOLOR_FORCE is set, and not to 0.
bool StdoutHasColour();

}  // namespace holdfast

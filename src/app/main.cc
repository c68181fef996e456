// The program: finds the command among the arguments and runs it.

#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "app/command_line.h"
#include "app/demo_command.h"
#include "app/exit_codes.h"
#include "app/lint_command.h"
#include "app/probe_command.h"
#include "app/ps_command.h"
#include "app/serve_command.h"
#include "app/watch_command.h"
#include "app/why_command.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

constexpr absl::string_view kHelp = R"(holdfast watch cds/pay -o json

Keeps an eye on xDS: what a client is told about its configuration, and what is wrong with it.

  ps                    every client of a control plane and how it stands
  why TARGET            the chain from a target to an address, and its first broken link
  watch TYPE/NAME...    print each watcher call of an xDS client as it comes
  probe TARGET          make calls through a channel and print what became of them
  serve --config DIR    a control plane that serves a directory of files
  lint DIR|FILE...      say everything that is wrong with a configuration directory
  demo                  an outage, told with two clients side by side

  holdfast help COMMAND, or COMMAND --help, says more; --version says which one this is. NO_COLOR is
  honoured.
)";

struct Command {
  absl::string_view name;
  ExitCode (*run)(const Arguments& arguments);  // null: not there yet
};
// Of the program's own use: nobody is told of it.
constexpr absl::string_view kDemoCaller = "demo-caller";
constexpr Command kCommands[] = {
    {"watch", RunWatch}, {"serve", RunServe}, {"lint", RunLint},
    {"probe", RunProbe}, {"ps", RunPs},       {"why", RunWhy},
    {"doctor", nullptr}, {"demo", RunDemo},   {kDemoCaller, RunDemoCaller},
};

const Command* FindCommand(absl::string_view name) {
  const auto* found =
      absl::c_find_if(kCommands, [name](const Command& command) { return command.name == name; });
  return found == std::end(kCommands) ? nullptr : found;
}

ExitCode Show(absl::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  return ExitCode::kFine;
}

ExitCode UnknownCommand(absl::string_view word) {
  std::vector<absl::string_view> names;
  for (const Command& known : kCommands) {
    if (known.name != kDemoCaller) names.push_back(known.name);
  }
  return UsageError("", absl::StrCat("unknown command ", Quoted(word), Suggestion(word, names)));
}

ExitCode NoCommand(const std::vector<std::string>& words) {
  if (absl::c_linear_search(words, "--version")) return Show("holdfast " HOLDFAST_VERSION "\n");
  if (absl::c_linear_search(words, "--help") || absl::c_linear_search(words, "-h")) {
    return Show(kHelp);
  }
  if (words.empty()) return UsageError("", "which command? as in holdfast watch cds/pay");
  const auto command =
      absl::c_find_if(words, [](const std::string& word) { return word[0] != '-'; });
  if (command == words.end()) {
    return UsageError("", absl::StrCat("no command among the arguments, only ",
                                       Quoted(words.front()), "; as in holdfast watch cds/pay"));
  }
  return UnknownCommand(*command);
}

ExitCode RunCommand(const Command& command, std::vector<std::string> words) {
  if (command.run == nullptr) {
    return UsageError(
        "", absl::StrCat(
                command.name,
                " is not there yet: this version has ps, why, demo, watch, probe, serve and lint"));
  }
  return command.run({command.name, std::move(words)});
}

// `holdfast help why`: that of the command, else of the program.
ExitCode Help(const std::vector<std::string>& words) {
  const auto word = absl::c_find_if(words, [](const std::string& text) { return text[0] != '-'; });
  if (word == words.end()) return Show(kHelp);
  const Command* const command = FindCommand(*word);
  const bool is_known = command != nullptr && command->name != kDemoCaller;
  return is_known ? RunCommand(*command, {"--help"}) : UnknownCommand(*word);
}

// The command may stand anywhere among its options: `holdfast -o json watch cds/pay`.
ExitCode Run(std::vector<std::string> words) {
  if (!words.empty() && words.front() == "help") {
    return Help(std::vector<std::string>(words.begin() + 1, words.end()));
  }
  const auto word =
      absl::c_find_if(words, [](const std::string& text) { return FindCommand(text) != nullptr; });
  if (word == words.end()) return NoCommand(words);
  const Command& command = *FindCommand(*word);
  words.erase(word);
  return RunCommand(command, std::move(words));
}

}  // namespace
}  // namespace holdfast

int main(int argc, char** argv) {
  return static_cast<int>(holdfast::Run(std::vector<std::string>(argv + 1, argv + argc)));
}

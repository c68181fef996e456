#include "app/lint_command.h"

#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/json_text.h"
#include "base/outside_text.h"
#include "control/config/config_directory.h"
#include "control/config/config_file.h"
#include "control/config/config_set.h"
#include "control/config/problem.h"
#include "control/config/schema.h"
#include "explain/json_object.h"

namespace holdfast {
namespace {

constexpr absl::string_view kHelp = R"(holdfast lint /etc/holdfast/conf.d --strict

Checks configuration as serve does at every change, and prints each problem with its place:

  pay.yaml:4:3: error: resources[0].lb_policyy: unknown field ...; did you mean lb_policy?

An error: the resource would be withheld. A warning: it would be served, and somebody may regret it.

  DIR|FILE...           of a directory: *.yaml, *.yml and *.json at its top level, not hidden ones;
                        a file is read whatever it is called. All of them are checked as one
  --strict              warnings are problems too
  --protoset FILE       the messages that may be used: a FileDescriptorSet of protoc
  -o, --output FORMAT   table (the default): as above; json: one object
  -h, --help            this

Exit codes: 0 no errors, 64 usage, 65 something cannot be read, 79 problems found.
)";

constexpr absl::Duration kQuietTime = absl::Seconds(2);

struct LintOptions {
  std::vector<std::string> paths;
  bool is_strict = false;
  std::string protoset;
  OutputFormat format = OutputFormat::kTable;
};

// All on stderr: results alone are on stdout.
void Say(absl::string_view sentence) {
  std::fprintf(stderr, "%s\n", absl::StrCat("holdfast lint: ", sentence).c_str());
}

// Either options, or how to end.
std::optional<ExitCode> ParseOptions(const Arguments& arguments, LintOptions& options) {
  std::string format = "table";
  CLI::App app;
  app.add_option("paths", options.paths);
  app.add_flag("--strict", options.is_strict);
  app.add_option("--protoset", options.protoset)->take_last();
  app.add_option("-o,--output", format)->take_last();
  if (const std::optional<ExitCode> done = ParseArguments(arguments, kHelp, app)) return done;
  const absl::StatusOr<OutputFormat> parsed_format = ParseOutputFormat(format);
  if (!parsed_format.ok()) return UsageError("lint", parsed_format.status().message());
  options.format = *parsed_format;
  if (options.paths.empty()) {
    return UsageError("lint", "nothing to check; name a directory or files, as in holdfast lint .");
  }
  return std::nullopt;
}

// A file to check. Of a directory a file that cannot be read is a problem like others; one that the
// user named is a reason to stop.
struct Input {
  std::string path;
  bool is_named = false;
};

bool IsDirectory(const std::string& path) {
  struct stat facts = {};
  return stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

// Each file once, even if it was named beside its directory, by path.
absl::StatusOr<std::vector<Input>> FindInputs(const std::vector<std::string>& paths) {
  std::vector<Input> inputs;
  std::set<std::string> seen;
  const auto add = [&](std::string path, bool is_named) {
    if (!seen.insert(std::filesystem::path(path).lexically_normal().string()).second) return;
    inputs.push_back({std::move(path), is_named});
  };
  for (const std::string& path : paths) {
    if (!IsDirectory(path)) {
      add(path, /*is_named=*/true);
      continue;
    }
    const absl::StatusOr<std::vector<std::string>> files = ListConfigFiles(path);
    if (!files.ok()) return files.status();
    if (files->empty()) {
      Say(absl::StrCat(Quoted(path), " holds no *.yaml, *.yml or *.json: nothing to check"));
    }
    for (const std::string& file : *files) add(file, /*is_named=*/false);
  }
  std::sort(inputs.begin(), inputs.end(),
            [](const Input& a, const Input& b) { return a.path < b.path; });
  return inputs;
}

absl::StatusOr<std::vector<ConfigFile>> ReadInputs(const std::vector<Input>& inputs,
                                                   const Schema& schema) {
  std::vector<ConfigFile> files;
  absl::Time said_at = absl::Now();
  for (const Input& input : inputs) {
    if (absl::Now() - said_at > kQuietTime) {
      said_at = absl::Now();
      Say(absl::StrCat("read ", files.size(), " of ", inputs.size(), " files"));
    }
    const absl::StatusOr<std::string> text = ReadConfigText(input.path);
    if (text.ok()) {
      files.push_back(ReadConfigFile(input.path, *text, schema));
    } else if (input.is_named) {
      return text.status();
    } else {
      files.push_back(UnreadableConfigFile(input.path, text.status()));
    }
  }
  return files;
}

std::string JsonOf(const Problem& problem) {
  return absl::StrCat(
      "{\"kind\":", problem.kind == Problem::Kind::kError ? "\"error\"" : "\"warning\"",
      ",\"file\":", JsonText(problem.file), ",\"line\":", problem.line,
      ",\"column\":", problem.column, ",\"field\":", JsonText(problem.field),
      ",\"text\":", JsonText(problem.text), "}");
}

struct Findings {
  std::vector<Problem> problems;
  size_t files = 0;
  size_t resources = 0;
  size_t errors = 0;

  size_t warnings() const { return problems.size() - errors; }
};

std::string JsonOf(const Findings& findings) {
  std::vector<std::string> problems;
  for (const Problem& problem : findings.problems) problems.push_back(JsonOf(problem));
  JsonObject object;
  object.Array("problems", problems);
  object.Number("files", findings.files);
  object.Number("resources", findings.resources);
  object.Number("errors", findings.errors);
  object.Number("warnings", findings.warnings());
  return object.Close();
}

// False if nobody could be told.
bool Print(const Findings& findings, OutputFormat format) {
  const auto print = [](absl::string_view line) {
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fputc('\n', stdout);
  };
  if (format == OutputFormat::kJson) {
    print(JsonOf(findings));
  } else {
    for (const Problem& problem : findings.problems) print(TextOf(problem));
  }
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return true;
  Say("cannot write the problems to stdout");
  return false;
}

// "1 file", "2 files"
std::string Count(size_t number, absl::string_view noun) {
  return absl::StrCat(number, " ", noun, number == 1 ? "" : "s");
}

// All that was checked, and how it ends.
ExitCode Report(const Findings& findings, const LintOptions& options) {
  if (!Print(findings, options.format)) return ExitCode::kUnexpected;
  if (findings.files == 0) return ExitCode::kFine;  // That was said of each directory.
  const std::string checked = absl::StrCat(Count(findings.files, "file"), ", ",
                                           Count(findings.resources, "resource"), ": ");
  if (findings.problems.empty()) {
    Say(absl::StrCat(checked, "no problems"));
    return ExitCode::kFine;
  }
  Say(absl::StrCat(checked, Count(findings.errors, "error"), ", ",
                   Count(findings.warnings(), "warning")));
  return findings.errors > 0 || options.is_strict ? ExitCode::kProblemsFound : ExitCode::kFine;
}

}  // namespace

ExitCode RunLint(const Arguments& arguments) {
  LintOptions options;
  if (const std::optional<ExitCode> done = ParseOptions(arguments, options)) return *done;
  const absl::StatusOr<std::shared_ptr<const Schema>> schema = Schema::Load(options.protoset);
  if (!schema.ok()) {
    Say(schema.status().message());
    return ExitCode::kBadInput;
  }
  const absl::StatusOr<std::vector<Input>> inputs = FindInputs(options.paths);
  if (!inputs.ok()) {
    Say(inputs.status().message());
    return ExitCode::kBadInput;
  }
  absl::StatusOr<std::vector<ConfigFile>> files = ReadInputs(*inputs, **schema);
  if (!files.ok()) {
    Say(files.status().message());
    return ExitCode::kBadInput;
  }
  Findings findings;
  findings.files = files->size();
  for (const ConfigFile& file : *files) {
    findings.resources += file.resources.size() + file.invalid.size();
  }
  findings.problems = LintTogether(absl::MakeSpan(*files));
  findings.errors = static_cast<size_t>(
      std::count_if(findings.problems.begin(), findings.problems.end(),
                    [](const Problem& problem) { return problem.kind == Problem::Kind::kError; }));
  return Report(findings, options);
}

}  // namespace holdfast

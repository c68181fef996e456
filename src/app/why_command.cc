#include "app/why_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "app/fleet_source.h"
#include "app/result_lines.h"
#include "app/watch_loop.h"
#include "app/why_question.h"
#include "app/why_research.h"
#include "base/outside_text.h"
#include "bootstrap/bootstrap.h"
#include "explain/why_text.h"
#include "holdfast/xds/bootstrap.h"

namespace holdfast {
namespace {

constexpr absl::string_view kHelp = R"(holdfast why xds:///web

Follows the chain from a target to the addresses at its end, a line for each link, and says what is
broken first, who said no and when, which version is in use, and what to do next. Addresses are tried
from this machine: a connection that is closed again.

  TARGET                xds:///NAME or xds://AUTHORITY/NAME: what a client connects to
  CLIENT                the id of a node: the worst of that client
  TYPE/NAME             a resource; TYPE is lds, rds, cds or eds
  --server HOST:PORT    the admin address of holdfast serve (127.0.0.1:18080)
  --target HOST:PORT    one process instead, asked through CSDS at a gRPC address; with --server
                        too, the control plane explains what the process says
  --watch               again every 2 s, until SIGINT
  -o, --output FORMAT   table (the default); wide: also chains that are good; json: one object; with
                        --watch one a line
  -h, --help            this

With --target, the xDS servers of the bootstrap in the environment are tried too, if there is one.

Exit codes: 0 nothing is wrong, 79 a cause was found, or not all could be seen, 69 nobody answers,
65 the answer makes no sense, 77 denied, 64 usage, 1 stdout cannot be written. The same for each
output.
)";

constexpr size_t kMostCautionBytes = 2000;

// Without one, why makes do; one that is there and broken is worth a word.
bool NamesABootstrap() {
  for (const char* name : {"GRPC_XDS_BOOTSTRAP", "GRPC_XDS_BOOTSTRAP_CONFIG"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') return true;
  }
  return false;
}

struct Asked {
  std::string what;
  WhyOptions options;
  bool watches = false;
  OutputFormat format = OutputFormat::kTable;
};

// Either options, or how to end.
std::optional<ExitCode> ParseOptions(const Arguments& arguments, Asked& asked) {
  std::vector<std::string> what;
  std::string format = "table";
  CLI::App app;
  app.add_option("what", what);
  app.add_option("--server", asked.options.server)->take_last();
  app.add_option("--target", asked.options.target)->take_last();
  app.add_flag("--watch", asked.watches);
  app.add_option("-o,--output", format)->take_last();
  if (const std::optional<ExitCode> done = ParseArguments(arguments, kHelp, app)) return done;

  if (what.size() != 1 || what.front().empty()) {
    return UsageError("why",
                      "name one target, client or resource, as in holdfast why xds:///web, "
                      "holdfast why web-1 or holdfast why cds/pay");
  }
  asked.what = what.front();
  const absl::StatusOr<OutputFormat> parsed_format = ParseOutputFormat(format);
  if (!parsed_format.ok()) return UsageError("why", parsed_format.status().message());
  asked.format = *parsed_format;
  if (asked.options.server.empty() && asked.options.target.empty()) {
    asked.options.server = std::string(kDefaultServer);
  }
  if (!asked.options.server.empty()) {
    if (const auto done = CheckAddress("why", "--server", asked.options.server)) return done;
  }
  if (asked.options.target.empty()) return std::nullopt;
  return CheckAddress("why", "--target", asked.options.target);
}

// Why nobody could be asked, and who else could be.
absl::Status Unanswered(const Asked& asked, const absl::Status& status) {
  std::string sentence(status.message());
  if (absl::IsUnavailable(status) && asked.options.target.empty()) {
    sentence +=
        "; clients go on with what they have: ask one of them, with --target and the address of "
        "its CSDS";
  }
  return absl::Status(status.code(), sentence);
}

// Returns what must be said beside it.
std::string Show(const Asked& asked, const Question& question, const WhyAnswer& answer,
                 ResultLines& lines) {
  const std::string caution = BoundedText(absl::StrJoin(answer.warnings, "; "), kMostCautionBytes);
  if (asked.format == OutputFormat::kJson) {
    lines.Write(WhyJson(question, answer.chain, answer.verdict, answer.known));
    return caution;
  }
  if (asked.watches) BeginAnswer(answer.known.time, lines);
  const WhyStyle style = {.has_colour = StdoutHasColour(),
                          .is_wide = asked.format == OutputFormat::kWide};
  for (const std::string& line : WhyLines(answer.chain, answer.verdict, answer.known, style)) {
    lines.Write(line);
  }
  return caution;
}

ExitCode WatchWhy(Asked asked, const WhyQuestion& why, const BootstrapConfig* bootstrap) {
  WatchLoop loop("why");
  asked.options.stop = loop.stop_event();
  return loop.Run([&](ResultLines& lines) -> absl::StatusOr<std::string> {
    const absl::StatusOr<WhyAnswer> answer = WhyResearch(why, asked.options, bootstrap).Answer();
    if (!answer.ok()) return Unanswered(asked, answer.status());
    return Show(asked, why.question, *answer, lines);
  });
}

}  // namespace

ExitCode RunWhy(const Arguments& arguments) {
  Asked asked;
  if (const std::optional<ExitCode> done = ParseOptions(arguments, asked)) return *done;
  IgnoreBrokenPipes();
  // What gRPC would log of a failed handshake is in the answer. Whoever sets it gets it.
  ::setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  const absl::StatusOr<Bootstrap> environment = Bootstrap::FromEnvironment();
  const BootstrapConfig* bootstrap = environment.ok() ? &environment->parsed().bootstrap : nullptr;

  if (!environment.ok() && NamesABootstrap()) {
    SayAs("why", absl::StrCat("the bootstrap of the environment is not used: ",
                              BoundedText(environment.status().message(), kMostCautionBytes)));
  }

  absl::StatusOr<WhyQuestion> why = ParseWhyQuestion(asked.what, bootstrap);
  if (!why.ok()) return UsageError("why", why.status().message());
  why->question.server_option = absl::StrCat(
      "--server ", asked.options.server.empty() ? kDefaultServer : asked.options.server);
  if (asked.watches) return WatchWhy(asked, *why, bootstrap);
  const absl::StatusOr<WhyAnswer> answer = WhyResearch(*why, asked.options, bootstrap).Answer();
  if (!answer.ok()) {
    const absl::Status status = Unanswered(asked, answer.status());
    SayAs("why", status.message());
    return ExitCodeOf(status);
  }
  ResultLines lines(STDOUT_FILENO);
  const std::string caution = Show(asked, why->question, *answer, lines);
  if (!caution.empty()) SayAs("why", caution);
  return EndOf(
      "why", lines,
      answer->verdict.finding == Finding::kNothing ? ExitCode::kFine : ExitCode::kProblemsFound);
}

}  // namespace holdfast

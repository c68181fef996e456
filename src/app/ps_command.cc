#include "app/ps_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "app/api_reader.h"
#include "app/csds_reader.h"
#include "app/fleet_source.h"
#include "app/result_lines.h"
#include "app/watch_loop.h"
#include "base/outside_text.h"
#include "explain/api_answer.h"
#include "explain/csds_answer.h"
#include "explain/fleet.h"
#include "explain/ps_text.h"

namespace holdfast {
namespace {

constexpr absl::string_view kHelp = R"(holdfast ps --server 127.0.0.1:18080

Shows every client of a control plane, worst first, with how it stands: good, waiting, held back (it
runs on an older version than the newest) or failed (it has nothing to use), since when and why.

  --server HOST:PORT    the admin address of holdfast serve (127.0.0.1:18080)
  --target HOST:PORT    one process instead, asked through CSDS at a gRPC address: any gRPC language
                        with admin services, or holdfast watch and probe with --admin
  --watch               again every 2 s, until SIGINT
  -o, --output FORMAT   table (the default); wide: more columns and whole reasons; json: one object
                        with all clients; with --watch one a line
  -h, --help            this

A control plane knows what it told a client, and what the client refused. One that was told that a
resource is gone is failed there, also if it keeps what it had (gRFC A88): ask it with --target.

Exit codes: 0 all clients are good or waiting, 79 some are held back or failed, or the control plane
says that its answer is not complete, 69 nobody answers, 65 the answer makes no sense, 77 denied,
64 usage, 1 stdout cannot be written. The same for each output.
)";

struct PsOptions {
  std::string server = std::string(kDefaultServer);
  std::string target;
  bool watches = false;
  OutputFormat format = OutputFormat::kTable;
};

// Either options, or how to end.
std::optional<ExitCode> ParseOptions(const Arguments& arguments, PsOptions& options) {
  std::vector<std::string> names;
  std::string format = "table";
  CLI::App app;
  app.add_option("names", names);
  const CLI::Option* server = app.add_option("--server", options.server)->take_last();
  app.add_option("--target", options.target)->take_last();
  app.add_flag("--watch", options.watches);
  app.add_option("-o,--output", format)->take_last();
  if (const std::optional<ExitCode> done = ParseArguments(arguments, kHelp, app)) return done;

  if (!names.empty()) {
    return UsageError("ps", absl::StrCat("ps shows all clients and takes no name; for one of them: "
                                         "holdfast why ",
                                         names.front()));
  }
  const absl::StatusOr<OutputFormat> parsed_format = ParseOutputFormat(format);
  if (!parsed_format.ok()) return UsageError("ps", parsed_format.status().message());
  options.format = *parsed_format;
  if (!options.target.empty() && server->count() > 0) {
    return UsageError("ps",
                      "--server asks a control plane, --target one process: name one of them");
  }
  return options.target.empty() ? CheckAddress("ps", "--server", options.server)
                                : CheckAddress("ps", "--target", options.target);
}

// Once `stop` is readable, nothing is waited for.
absl::StatusOr<Fleet> Fetch(const PsOptions& options, int stop = -1) {
  if (!options.target.empty()) {
    const absl::StatusOr<std::string> answer =
        FetchClientStatus(options.target, CsdsContents::kExcluded, stop);
    if (!answer.ok()) return answer.status();
    return FleetOfCsds(*answer, absl::Now(), KeepBytes::kNo);
  }
  const absl::StatusOr<std::unique_ptr<ApiReader>> reader = ApiReader::To(options.server, stop);
  if (!reader.ok()) return reader.status();
  const absl::StatusOr<std::string> answer = (*reader)->Get("/api/v1/clients");
  if (!answer.ok()) return answer.status();
  return FleetOfApi(*answer);
}

// An empty table teaches nobody.
std::string NobodyThere(const PsOptions& options) {
  if (!options.target.empty()) {
    return absl::StrCat("the process at ", options.target,
                        " has no xDS client yet: it makes one with its first xds: target");
  }
  return absl::StrCat(
      "no client is connected to the control plane at ", options.server,
      "; give one this bootstrap, with the ads address that serve printed: "
      "GRPC_XDS_BOOTSTRAP_CONFIG='{\"xds_servers\":[{\"server_uri\":\"127.0.0.1:18000\","
      "\"channel_creds\":[{\"type\":\"insecure\"}]}],\"node\":{\"id\":\"web-1\"}}'");
}

// What must be said beside a table, so that it is not taken for more than it is; "" if nothing.
std::string Caution(const PsOptions& options, const Fleet& fleet) {
  if (!fleet.incomplete.empty()) {
    return absl::StrCat("this is not complete: ", BoundedText(fleet.incomplete));
  }
  if (fleet.clients.empty()) return NobodyThere(options);
  // Of a control plane, whoever is shown is connected to it.
  const bool seems_good = fleet.clients.front().standing == Standing::kGood;
  if (options.target.empty() || !seems_good) return "";
  return "CSDS does not say whether a process can reach its control plane: holdfast why tries it";
}

ExitCode CodeFor(const Fleet& fleet) {
  if (!fleet.incomplete.empty()) return ExitCode::kProblemsFound;
  for (const FleetClient& client : fleet.clients) {
    if (client.standing > Standing::kWaiting) return ExitCode::kProblemsFound;
  }
  return ExitCode::kFine;
}

// Returns what must be said beside it.
std::string Show(const PsOptions& options, const Fleet& fleet, ResultLines& lines) {
  if (options.format == OutputFormat::kJson) {
    lines.Write(PsJson(fleet));
    return Caution(options, fleet);
  }
  if (options.watches) BeginAnswer(fleet.time, lines);
  const PsStyle style = {.is_wide = options.format == OutputFormat::kWide,
                         .has_colour = StdoutHasColour(),
                         .width = StdoutWidth()};
  if (!fleet.clients.empty()) {
    for (const std::string& line : PsLines(fleet, style)) lines.Write(line);
  }
  return Caution(options, fleet);
}

ExitCode WatchPs(const PsOptions& options) {
  WatchLoop loop("ps");
  return loop.Run([&](ResultLines& lines) -> absl::StatusOr<std::string> {
    const absl::StatusOr<Fleet> fleet = Fetch(options, loop.stop_event());
    if (!fleet.ok()) return fleet.status();
    return Show(options, *fleet, lines);
  });
}

}  // namespace

ExitCode RunPs(const Arguments& arguments) {
  PsOptions options;
  if (const std::optional<ExitCode> done = ParseOptions(arguments, options)) return *done;
  if (options.watches) return WatchPs(options);
  IgnoreBrokenPipes();

  const absl::StatusOr<Fleet> fleet = Fetch(options);
  if (!fleet.ok()) {
    SayAs("ps", fleet.status().message());
    return ExitCodeOf(fleet.status());
  }
  ResultLines lines(STDOUT_FILENO);
  const std::string caution = Show(options, *fleet, lines);
  if (!caution.empty()) SayAs("ps", caution);
  return EndOf("ps", lines, CodeFor(*fleet));
}

}  // namespace holdfast

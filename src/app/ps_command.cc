#include "app/ps_command.h"

#include <poll.h>
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
#include "absl/time/time.h"
#include "app/api_reader.h"
#include "app/csds_reader.h"
#include "app/fleet_source.h"
#include "app/result_lines.h"
#include "app/stop_signals.h"
#include "explain/age_text.h"
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
  -o, --output FORMAT   table (the default); wide: more columns and whole reasons; json: one object a
                        client and line
  -h, --help            this

Exit codes: 0 all clients are good or waiting, 79 some are held back or failed, 69 nobody answers,
65 the answer makes no sense, 77 denied, 64 usage, 1 stdout cannot be written. The same for each
output.
)";

constexpr absl::Duration kWatchInterval = absl::Seconds(2);

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

absl::StatusOr<Fleet> Fetch(const PsOptions& options) {
  if (!options.target.empty()) {
    const absl::StatusOr<std::string> answer =
        FetchClientStatus(options.target, CsdsContents::kExcluded);
    if (!answer.ok()) return answer.status();
    return FleetOfCsds(*answer, absl::Now(), KeepBytes::kNo);
  }
  const absl::StatusOr<std::unique_ptr<ApiReader>> reader = ApiReader::To(options.server);
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

ExitCode CodeFor(const Fleet& fleet) {
  for (const FleetClient& client : fleet.clients) {
    if (client.standing > Standing::kWaiting) return ExitCode::kProblemsFound;
  }
  return ExitCode::kFine;
}

class Screen {
 public:
  explicit Screen(const PsOptions& options) : options_(options) {}

  void Show(const Fleet& fleet, ResultLines& lines) {
    if (options_.format == OutputFormat::kJson) {
      for (const FleetClient& client : fleet.clients) lines.Write(PsJson(client, fleet.time));
    } else {
      if (options_.watches) Begin(fleet, lines);
      const PsStyle style = {.is_wide = options_.format == OutputFormat::kWide,
                             .has_colour = StdoutHasColour(),
                             .width = StdoutWidth()};
      if (!fleet.clients.empty()) {
        for (const std::string& line : PsLines(fleet, style)) lines.Write(line);
      }
    }
    if (fleet.clients.empty()) SayOnce(NobodyThere(options_));
  }

  // Again and again the same would hide what is new.
  void SayOnce(const std::string& sentence) {
    if (sentence != said_) SayAs("ps", sentence);
    said_ = sentence;
  }

 private:
  // A terminal is drawn anew; in a file a line stands between.
  void Begin(const Fleet& fleet, ResultLines& lines) {
    const bool is_terminal = ::isatty(STDOUT_FILENO) != 0;
    lines.Write(absl::StrCat(is_terminal ? "\x1b[H\x1b[2J" : "", "--- ", TimeText(fleet.time)));
  }

  const PsOptions& options_;
  std::string said_;
};

// False: it is time to stop.
bool Wait(const StopSignals& stop, const ResultLines& lines) {
  pollfd files[] = {{stop.event(), POLLIN, 0}, {lines.failure_event(), POLLIN, 0}};
  return ::poll(files, std::size(files),
                static_cast<int>(absl::ToInt64Milliseconds(kWatchInterval))) == 0;
}

ExitCode Watch(const PsOptions& options) {
  const StopSignals stop;
  ResultLines lines(STDOUT_FILENO);
  Screen screen(options);
  do {
    const absl::StatusOr<Fleet> fleet = Fetch(options);
    if (fleet.ok()) {
      screen.Show(*fleet, lines);
    } else {
      screen.SayOnce(std::string(fleet.status().message()));
    }
  } while (Wait(stop, lines));
  return EndOf("ps", lines, ExitCode::kFine);
}

}  // namespace

ExitCode RunPs(const Arguments& arguments) {
  PsOptions options;
  if (const std::optional<ExitCode> done = ParseOptions(arguments, options)) return *done;
  if (options.watches) return Watch(options);
  IgnoreBrokenPipes();

  const absl::StatusOr<Fleet> fleet = Fetch(options);
  if (!fleet.ok()) {
    SayAs("ps", fleet.status().message());
    return ExitCodeOf(fleet.status());
  }
  ResultLines lines(STDOUT_FILENO);
  Screen(options).Show(*fleet, lines);
  return EndOf("ps", lines, CodeFor(*fleet));
}

}  // namespace holdfast

#include "app/watch_command.h"

#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "app/admin_server.h"
#include "app/order_input.h"
#include "app/resource_ref.h"
#include "app/result_lines.h"
#include "app/stop_signals.h"
#include "app/watch_event.h"
#include "app/watch_list.h"
#include "app/watch_order.h"
#include "client/client_core.h"
#include "holdfast/xds/bootstrap.h"
#include "holdfast/xds/client.h"

namespace holdfast {
namespace {

constexpr absl::string_view kHelp = R"(holdfast watch cds/pay lds/front -o json

Watches resources of an xDS server and prints what a watcher is told, as it comes. The servers are
those of the bootstrap in GRPC_XDS_BOOTSTRAP (a file) or GRPC_XDS_BOOTSTRAP_CONFIG (its content).
Ends with SIGINT or SIGTERM.

  TYPE/NAME...          what to watch; TYPE is lds, rds, cds or eds
  -o, --output FORMAT   table (the default); wide: with the server and whole error texts; json: one
                        object a line
  --admin HOST:PORT     open CSDS and health of this process there; port 0 picks one
  --stdin               take orders, one a line: "watch TYPE/NAME" adds a watcher, also a second one
                        of the same name; "cancel TYPE/NAME" removes the newest; the end of the
                        input ends the program
  -h, --help            this

Exit codes: 0 ended as told, 64 usage, 69 --admin cannot listen, 78 bad bootstrap.
)";

struct WatchOptions {
  std::vector<ResourceRef> resources;
  OutputFormat format = OutputFormat::kTable;
  std::string admin;
  bool reads_stdin = false;
};

// All on stderr: results alone are on stdout.
void Say(absl::string_view sentence) {
  std::fprintf(stderr, "%s\n", absl::StrCat("holdfast watch: ", sentence).c_str());
}

// Either options, or how to end.
std::optional<ExitCode> ParseOptions(const Arguments& arguments, WatchOptions& options) {
  std::vector<std::string> resources;
  std::string format = "table";
  CLI::App app;
  app.add_option("resources", resources);
  app.add_option("-o,--output", format)->take_last();
  app.add_option("--admin", options.admin)->take_last();
  app.add_flag("--stdin", options.reads_stdin);
  if (const std::optional<ExitCode> done = ParseArguments(arguments, kHelp, app)) return done;

  const absl::StatusOr<OutputFormat> parsed_format = ParseOutputFormat(format);
  if (!parsed_format.ok()) return UsageError("watch", parsed_format.status().message());
  options.format = *parsed_format;
  for (const std::string& text : resources) {
    absl::StatusOr<ResourceRef> resource = ParseResourceRef(text);
    if (!resource.ok()) return UsageError("watch", resource.status().message());
    options.resources.push_back(*std::move(resource));
  }
  if (options.resources.empty() && !options.reads_stdin) {
    return UsageError("watch", "nothing to watch: name a resource, as in cds/pay, or say --stdin");
  }
  return std::nullopt;
}

// Wide enough for what was asked for at the start; with --stdin others may come.
size_t ResourceWidth(const WatchOptions& options) {
  size_t width = options.reads_stdin ? 20 : 8;
  for (const ResourceRef& resource : options.resources) {
    width = std::max(width, resource.Text().size());
  }
  return std::min(width, size_t{40});
}

WatchList::Print PrinterFor(const WatchOptions& options, std::shared_ptr<ResultLines> lines) {
  if (options.format == OutputFormat::kJson) {
    return [lines](const WatchEvent& event) { lines->Write(JsonLine(event)); };
  }
  const TableStyle style = {.is_wide = options.format == OutputFormat::kWide,
                            .has_colour = StdoutHasColour(),
                            .resource_width = ResourceWidth(options)};
  lines->Write(TableHeader(style));
  return [lines, style](const WatchEvent& event) { lines->Write(TableLine(event, style)); };
}

void Obey(size_t line_number, absl::string_view line, WatchList& watches) {
  const absl::StatusOr<std::optional<WatchOrder>> order = ParseWatchOrder(line);
  absl::Status status = order.status();
  if (order.ok() && order->has_value()) {
    if ((*order)->verb == WatchOrder::Verb::kWatch) {
      watches.Start((*order)->resource);
    } else {
      status = watches.CancelNewest((*order)->resource);
    }
  }
  if (!status.ok()) Say(absl::StrCat("line ", line_number, ": ", status.message()));
}

// Until something says stop.
ExitCode Serve(const StopSignals& stop, const ResultLines& lines, bool reads_stdin,
               WatchList& watches) {
  OrderInput orders(STDIN_FILENO);
  // stdout asks for nothing: a reader that went away is reported all the same.
  pollfd files[] = {{stop.event(), POLLIN, 0},
                    {lines.failure_event(), POLLIN, 0},
                    {STDOUT_FILENO, 0, 0},
                    {reads_stdin ? STDIN_FILENO : -1, POLLIN, 0}};
  const auto& [stopped, failed, output, input] = files;
  while (true) {
    if (::poll(files, std::size(files), -1) < 0 && errno != EINTR) return ExitCode::kUnexpected;
    if (failed.revents != 0 && !absl::IsCancelled(lines.failure())) {
      Say(lines.failure().message());
      return ExitCode::kUnexpected;
    }
    if (stopped.revents != 0 || failed.revents != 0) return ExitCode::kFine;
    if ((output.revents & (POLLERR | POLLHUP)) != 0) return ExitCode::kFine;
    if (input.revents != 0 && !orders.ReadSome([&](size_t number, absl::string_view line) {
          Obey(number, line, watches);
        })) {
      return ExitCode::kFine;
    }
  }
}

}  // namespace

ExitCode RunWatch(const Arguments& arguments) {
  WatchOptions options;
  if (const std::optional<ExitCode> done = ParseOptions(arguments, options)) return *done;

  const StopSignals stop;
  const absl::StatusOr<Bootstrap> bootstrap = Bootstrap::FromEnvironment();
  if (!bootstrap.ok()) {
    Say(bootstrap.status().message());
    return ExitCode::kBadConfig;
  }
  const absl::StatusOr<std::shared_ptr<ClientCore>> client =
      ClientCore::Create(*bootstrap, XdsClientOptions());
  if (!client.ok()) {
    Say(client.status().message());
    return ExitCode::kBadConfig;
  }
  std::unique_ptr<AdminServer> admin;
  if (const std::optional<ExitCode> done = StartAdmin("watch", options.admin, admin)) return *done;

  const auto lines = std::make_shared<ResultLines>(STDOUT_FILENO);
  WatchList watches(*client, PrinterFor(options, lines));
  for (const ResourceRef& resource : options.resources) watches.Start(resource);
  const ExitCode code = Serve(stop, *lines, options.reads_stdin, watches);
  (*client)->Shutdown();
  return code;
}

}  // namespace holdfast

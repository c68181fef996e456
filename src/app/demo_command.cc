#include "app/demo_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "app/stop_signals.h"
#include "demo/caller.h"
#include "demo/storyteller.h"

namespace holdfast {
namespace {

constexpr absl::string_view kHelp = R"(holdfast demo

An outage in eight acts, in about a minute. A control plane and three backends are started on free
ports of this machine, and two clients call them without a pause: one on a Holdfast channel, one on
gRPC's own. Then the configuration goes wrong, in one way after the other, and you see what becomes
of their calls. It ends by itself, with a table, and leaves nothing behind.

  --step                wait for Enter before each act; at the end of the input, go on
  --fast                shorter acts
  -h, --help            this

What gRPC's own client does is shown and not judged. Clients inherit the environment, so
GRPC_EXPERIMENTAL_XDS_DATA_ERROR_HANDLING=false shows Holdfast without what it is for.

Exit codes: 0 Holdfast kept what it promises, 1 it did not, or the demo was ended, 64 usage.
)";

bool CanGoBack() {
  const char* terminal = std::getenv("TERM");
  return terminal != nullptr && absl::string_view(terminal) != "dumb" &&
         ::isatty(STDOUT_FILENO) != 0;
}

}  // namespace

ExitCode RunDemo(const Arguments& arguments) {
  DemoOptions options;
  CLI::App app;
  app.add_flag("--step", options.waits_for_enter);
  app.add_flag("--fast", options.is_fast);
  if (const std::optional<ExitCode> done = ParseArguments(arguments, kHelp, app)) return *done;

  const StopSignals stop;
  options.style.has_colour = StdoutHasColour();
  options.redraws = CanGoBack();
  const absl::StatusOr<bool> is_kept = TellStory(options, stop.event());
  if (is_kept.ok()) return *is_kept ? ExitCode::kFine : ExitCode::kUnexpected;
  std::fprintf(stderr, "%s\n",
               absl::StrCat("holdfast demo: ", is_kept.status().message(),
                            "; all that it started is stopped")
                   .c_str());
  return ExitCode::kUnexpected;
}

ExitCode RunDemoCaller(const Arguments& arguments) {
  CallerOptions options;
  CLI::App app;
  app.add_option("target", options.target)->required();
  app.add_flag("--stock", options.is_stock);
  app.add_flag("--once", options.calls_once);
  constexpr absl::string_view kCallerHelp =
      "holdfast demo-caller xds:///web [--stock] [--once]\n\nA client of holdfast demo.\n";
  if (const std::optional<ExitCode> done = ParseArguments(arguments, kCallerHelp, app)) {
    return *done;
  }
  RunCaller(options);
  return ExitCode::kFine;
}

}  // namespace holdfast

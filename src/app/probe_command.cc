#include "app/probe_command.h"

#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "app/admin_server.h"
#include "app/duration_text.h"
#include "app/health_probe.h"
#include "app/order_input.h"
#include "app/probe_order.h"
#include "app/result_lines.h"
#include "app/stop_signals.h"
#include "base/did_you_mean.h"
#include "base/outside_text.h"
#include "client/client_registry.h"

namespace holdfast {
namespace {

constexpr absl::string_view kHelp = R"(holdfast probe xds:///pay --count 10 --interval 1s

Calls grpc.health.v1.Health/Check through a Holdfast channel and prints what became of it, one line a
call. The xDS servers are those of the bootstrap in GRPC_XDS_BOOTSTRAP (a file) or
GRPC_XDS_BOOTSTRAP_CONFIG (its content).

  TARGET                xds:///NAME or xds://AUTHORITY/NAME
  --timeout D           how long a call may take (20s: longer than a silent control plane is given)
  --count N             how many calls (1)
  --interval D          between the beginnings of two calls (1s)
  --wait-for-ready      a call that has nowhere to go waits, instead of failing
  --service S           the service to ask for; empty: the server as a whole
  --admin HOST:PORT     open CSDS and health of this process there; port 0 picks one
  --stdin               make a call for each line "call [D [K]]": D is its timeout, K the number of
                        the channel (1); a new K opens another channel to the same target
  -o, --output FORMAT   table (the default), or json: one object a line
  -h, --help            this

Exit codes: 0 the last call was OK, 69 it was not, or --admin cannot listen, 1 stdout cannot be
written, 64 usage, 78 bad bootstrap.
)";

// More than anybody waits for.
constexpr uint64_t kMostCalls = 1'000'000'000'000;

struct ProbeOptions {
  std::string target;
  HealthProbe::Call call;
  uint64_t count = 1;
  absl::Duration interval;
  std::string admin;
  bool reads_stdin = false;
  OutputFormat format = OutputFormat::kTable;
};

// What is wrong with a target that names a scheme, and not ours; nothing if it does not.
std::string OtherScheme(absl::string_view target) {
  const size_t end = target.find("://");
  if (end == absl::string_view::npos || target.substr(0, end) == "xds") return "";
  const absl::string_view scheme = target.substr(0, end);
  const std::string meant = absl::StrCat("xds", BoundedText(target.substr(end)));
  return absl::StrCat(
      "unknown scheme ", Quoted(scheme), " in ", Quoted(target),
      ": a target is xds:///NAME or xds://AUTHORITY/NAME",
      DidYouMean(scheme, {{"xds"}}).has_value() ? absl::StrCat("; did you mean ", meant, "?") : "");
}

// Either options, or how to end.
std::optional<ExitCode> ParseOptions(const Arguments& arguments, ProbeOptions& options) {
  std::vector<std::string> targets;
  std::string timeout = "20s";
  std::string interval = "1s";
  std::string count = "1";
  std::string format = "table";
  CLI::App app;
  app.add_option("target", targets);
  app.add_option("--timeout", timeout)->take_last();
  app.add_option("--count", count)->take_last();
  app.add_option("--interval", interval)->take_last();
  app.add_flag("--wait-for-ready", options.call.waits_for_ready);
  app.add_option("--service", options.call.service)->take_last();
  app.add_option("--admin", options.admin)->take_last();
  app.add_flag("--stdin", options.reads_stdin);
  app.add_option("-o,--output", format)->take_last();
  if (const std::optional<ExitCode> done = ParseArguments(arguments, kHelp, app)) return done;

  if (targets.size() != 1) {
    return UsageError("probe", "name one target, as in holdfast probe xds:///pay");
  }
  options.target = targets.front();
  if (const std::string other = OtherScheme(options.target); !other.empty()) {
    return UsageError("probe", other);
  }
  const absl::StatusOr<OutputFormat> parsed_format = ParseOutputFormat(format);
  if (!parsed_format.ok()) return UsageError("probe", parsed_format.status().message());
  options.format = *parsed_format;
  const absl::StatusOr<absl::Duration> parsed_timeout = ParseDuration(timeout);
  if (!parsed_timeout.ok()) {
    return UsageError("probe", absl::StrCat("--timeout ", parsed_timeout.status().message()));
  }
  options.call.timeout = *parsed_timeout;
  const absl::StatusOr<absl::Duration> parsed_interval = ParseDuration(interval);
  if (!parsed_interval.ok()) {
    return UsageError("probe", absl::StrCat("--interval ", parsed_interval.status().message()));
  }
  options.interval = *parsed_interval;
  const absl::StatusOr<uint64_t> parsed_count = ParseCount("--count", count, kMostCalls);
  if (!parsed_count.ok()) return UsageError("probe", parsed_count.status().message());
  options.count = *parsed_count;
  return std::nullopt;
}

void Say(absl::string_view sentence) {
  std::fprintf(stderr, "%s\n", absl::StrCat("holdfast probe: ", sentence).c_str());
}

// Until `until`, or until one of the files has something to say. False: it is time to stop.
class Patience {
 public:
  Patience(const StopSignals& stop, const ResultLines& lines)
      : files_{{stop.event(), POLLIN, 0}, {lines.failure_event(), POLLIN, 0}, {-1, POLLIN, 0}} {}

  bool WaitUntil(absl::Time until) {
    while (true) {
      const absl::Duration left = until - absl::Now();
      if (left <= absl::ZeroDuration()) return !HasToStop(0);
      if (HasToStop(
              static_cast<int>(std::min<int64_t>(absl::ToInt64Milliseconds(left) + 1, 60'000)))) {
        return false;
      }
    }
  }
  bool WaitForInput(int input) {
    files_[2] = {input, POLLIN, 0};
    while (true) {
      if (HasToStop(-1)) return false;
      if (files_[2].revents != 0) return true;
    }
  }

 private:
  bool HasToStop(int milliseconds) {
    ::poll(files_, std::size(files_), milliseconds);
    return files_[0].revents != 0 || files_[1].revents != 0;
  }

  pollfd files_[3];
};

class Prober {
 public:
  Prober(const ProbeOptions& options, int stop_event, ResultLines& lines)
      : options_(options), stop_event_(stop_event), lines_(lines), probe_(options.target) {}

  void Call(const HealthProbe::Call& call) {
    const ProbeResult result = probe_.Check(call, stop_event_);
    is_last_ok_ = result.is_ok();
    lines_.Write(options_.format == OutputFormat::kJson ? JsonLine(result)
                                                        : TextLine(result, StdoutHasColour()));
  }
  void Obey(size_t line_number, absl::string_view line) {
    const absl::StatusOr<std::optional<ProbeOrder>> order = ParseProbeOrder(line);
    if (!order.ok()) {
      Say(absl::StrCat("line ", line_number, ": ", order.status().message()));
    } else if (order->has_value()) {
      HealthProbe::Call call = options_.call;
      call.timeout = (*order)->timeout.value_or(call.timeout);
      call.channel = (*order)->channel;
      Call(call);
    }
  }
  ExitCode result() const { return is_last_ok_ ? ExitCode::kFine : ExitCode::kUnreachable; }

 private:
  const ProbeOptions& options_;
  const int stop_event_;
  ResultLines& lines_;
  HealthProbe probe_;
  bool is_last_ok_ = true;
};

ExitCode EndOf(const Prober& prober, const ResultLines& lines) {
  const absl::Status failure = lines.failure();
  if (failure.ok() || absl::IsCancelled(failure)) return prober.result();
  Say(failure.message());
  return ExitCode::kUnexpected;
}

}  // namespace

ExitCode RunProbe(const Arguments& arguments) {
  ProbeOptions options;
  if (const std::optional<ExitCode> done = ParseOptions(arguments, options)) return *done;

  const StopSignals stop;
  if (!BootstrapOfTheProcess().ok()) {
    Say(BootstrapOfTheProcess().status().message());
    return ExitCode::kBadConfig;
  }
  std::unique_ptr<AdminServer> admin;
  if (const std::optional<ExitCode> done = StartAdmin("probe", options.admin, admin)) return *done;

  ResultLines lines(STDOUT_FILENO);
  Prober prober(options, stop.event(), lines);
  Patience patience(stop, lines);
  if (options.reads_stdin) {
    OrderInput orders(STDIN_FILENO);
    while (patience.WaitForInput(STDIN_FILENO) &&
           orders.ReadSome(
               [&](size_t number, absl::string_view line) { prober.Obey(number, line); })) {
    }
    return EndOf(prober, lines);
  }
  absl::Time next = absl::Now();
  for (uint64_t made = 0; made < options.count && patience.WaitUntil(next); ++made) {
    prober.Call(options.call);
    // After one that took long, the next comes at once, but not all that are late by now.
    next = std::max(next + options.interval, absl::Now());
  }
  return EndOf(prober, lines);
}

}  // namespace holdfast

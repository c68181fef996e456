#include "app/serve_command.h"

#include <grpcpp/grpcpp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "app/listen_address.h"
#include "app/stop_signals.h"
#include "app/tls_files.h"
#include "base/outside_text.h"
#include "control/admin_http.h"
#include "holdfast/control/control_plane.h"
#include "holdfast/xds/log.h"
#include "holdfast/xds/prometheus.h"
#include "observe/health_service.h"

namespace holdfast {
namespace {

constexpr absl::string_view kHelp = R"(holdfast serve --config ./config

A control plane: serves the YAML and JSON files of a directory over ADS, state of the world and
delta, and reads them again when anything there changes. The first line on stdout says where it
listens, as soon as the directory was read: listening ads=HOST:PORT admin=HOST:PORT. Ends with
SIGINT or SIGTERM, after telling every client.

  --config DIR          what to serve; hidden files are ignored
  --listen HOST:PORT    ADS, CSDS and health over gRPC (127.0.0.1:18000); port 0 picks one
  --admin HOST:PORT     /healthz, /readyz, /metrics and /api/v1 over HTTP (127.0.0.1:18080)
  --tls-cert FILE       the certificate to show, and its chain, in PEM; with --tls-key
  --tls-key FILE        its private key
  --client-ca FILE      clients need a certificate of one of these authorities
  --tp3 on|once|off     tell clients why they do not get a resource: with every response of
                        listeners and clusters (on, the default), once, or never
  --state DIR           where the last good configuration is kept (DIR/.holdfast of --config)
  --protoset FILE       the messages that the files use, as a FileDescriptorSet

  --max-streams-per-connection N   100
  --max-names N                    50000, a stream and type
  --max-node-bytes N               65536
  --max-message-bytes N            268435456
  -h, --help            this

Exit codes: 0 ended as told, 1 stdout cannot be written, 64 usage, 69 cannot listen, 78 the
directory, the protoset or a TLS file cannot be used.
)";

constexpr absl::Duration kLongestFirstReading = absl::Seconds(5);

constexpr absl::string_view kAdsService = "envoy.service.discovery.v3.AggregatedDiscoveryService";

struct ServeOptions {
  ControlPlaneOptions plane;
  ListenAddress listen;
  ListenAddress admin;
  TlsFiles tls;
};

// All on stderr: what other programs wait for is on stdout.
void Say(absl::string_view sentence) {
  std::fprintf(stderr, "%s\n", absl::StrCat("holdfast serve: ", sentence).c_str());
}

ExitCode Fail(ExitCode code, absl::string_view sentence) {
  Say(sentence);
  return code;
}

absl::StatusOr<ResourceErrors> ParseTp3(absl::string_view word) {
  if (word == "on") return ResourceErrors::kOn;
  if (word == "once") return ResourceErrors::kOnce;
  if (word == "off") return ResourceErrors::kOff;
  return absl::InvalidArgumentError(absl::StrCat("unknown --tp3 ", Quoted(word),
                                                 ": it is on, once or off",
                                                 Suggestion(word, {{"on", "once", "off"}})));
}

// The sentence that says what is missing, or nothing.
std::string WhatIsMissing(const ServeOptions& options) {
  if (options.plane.config_directory.empty()) {
    return "what to serve? say --config DIR, as in holdfast serve --config ./config";
  }
  if (options.tls.certificate.empty() != options.tls.key.empty()) {
    return "--tls-cert and --tls-key come together";
  }
  if (!options.tls.client_ca.empty() && options.tls.certificate.empty()) {
    return "--client-ca needs --tls-cert and --tls-key";
  }
  return "";
}

struct Limit {
  std::string option;
  size_t* value;
  std::string word = "";  // as given; empty: not given
};

// Either options, or how to end.
std::optional<ExitCode> ParseOptions(const Arguments& arguments, ServeOptions& options) {
  std::string listen = "127.0.0.1:18000";
  std::string admin = "127.0.0.1:18080";
  std::string tp3 = "on";
  CLI::App app;
  std::vector<std::string> directories;
  app.add_option("--config", directories)->allow_extra_args(false);
  app.add_option("--listen", listen)->take_last();
  app.add_option("--admin", admin)->take_last();
  app.add_option("--tls-cert", options.tls.certificate)->take_last();
  app.add_option("--tls-key", options.tls.key)->take_last();
  app.add_option("--client-ca", options.tls.client_ca)->take_last();
  app.add_option("--tp3", tp3)->take_last();
  app.add_option("--state", options.plane.state_directory)->take_last();
  app.add_option("--protoset", options.plane.protoset)->take_last();
  ControlPlaneOptions& plane = options.plane;
  Limit limits[] = {{"--max-streams-per-connection", &plane.most_streams_per_connection},
                    {"--max-names", &plane.most_names},
                    {"--max-node-bytes", &plane.most_node_bytes},
                    {"--max-message-bytes", &plane.most_message_bytes}};
  for (Limit& limit : limits) app.add_option(limit.option, limit.word)->take_last();
  if (const std::optional<ExitCode> done = ParseArguments(arguments, kHelp, app)) return done;

  if (directories.size() > 1) {
    return UsageError("serve",
                      absl::StrCat("--config is there ", directories.size(),
                                   " times; one directory is served: put all files in it"));
  }
  if (!directories.empty()) options.plane.config_directory = directories.front();
  for (const Limit& limit : limits) {
    if (limit.word.empty()) continue;
    // Zero would serve nobody; more than 2 GiB no message can have.
    const absl::StatusOr<uint64_t> number = ParseCount(limit.option, limit.word, INT32_MAX);
    if (!number.ok()) return UsageError("serve", number.status().message());
    *limit.value = *number;
  }
  const std::string missing = WhatIsMissing(options);
  if (!missing.empty()) return UsageError("serve", missing);
  const absl::StatusOr<ResourceErrors> errors = ParseTp3(tp3);
  if (!errors.ok()) return UsageError("serve", errors.status().message());
  options.plane.resource_errors = *errors;
  for (const auto& [name, text, address] : {std::tuple("--listen ", &listen, &options.listen),
                                            std::tuple("--admin ", &admin, &options.admin)}) {
    absl::StatusOr<ListenAddress> parsed = ParseListenAddress(*text);
    if (!parsed.ok()) return UsageError("serve", absl::StrCat(name, parsed.status().message()));
    *address = *std::move(parsed);
  }
  if (options.listen.port != 0 && options.listen.Text() == options.admin.Text()) {
    return UsageError("serve", absl::StrCat("--listen and --admin are both ", options.listen.Text(),
                                            "; give each a port of its own"));
  }
  return std::nullopt;
}

// Somebody changed what is served: something to poll for.
class ChangeEvent {
 public:
  ChangeEvent() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~ChangeEvent() { ::close(event_); }
  ChangeEvent(const ChangeEvent&) = delete;
  ChangeEvent& operator=(const ChangeEvent&) = delete;

  void Set() { ::eventfd_write(event_, 1); }
  void Clear() {
    eventfd_t ignored = 0;
    ::eventfd_read(event_, &ignored);
  }
  int event() const { return event_; }

 private:
  const int event_;
};

// Users and scripts wait for the line on stdout: after it they change files and ask for health, so
// the directory should have been read by then, be it good or not. False: it takes long.
bool WaitForFirstReading(const StopSignals& stop, ChangeEvent& changed, const ControlPlane& plane) {
  pollfd files[] = {{stop.event(), POLLIN, 0}, {changed.event(), POLLIN, 0}};
  const absl::Time until = absl::Now() + kLongestFirstReading;
  while (!plane.Health().is_synced) {
    const int64_t left = absl::ToInt64Milliseconds(until - absl::Now());
    if (left <= 0) return false;
    ::poll(files, std::size(files), static_cast<int>(left));
    if (files[0].revents != 0) return true;
    changed.Clear();
  }
  return true;
}

// Until a signal; meanwhile the health service says what is so.
ExitCode WaitForSignal(const StopSignals& stop, ChangeEvent& changed, const ControlPlane& plane,
                       HealthService& health) {
  pollfd files[] = {{stop.event(), POLLIN, 0}, {changed.event(), POLLIN, 0}};
  while (true) {
    health.SetServing(plane.Health().is_serving);
    if (::poll(files, std::size(files), -1) < 0 && errno != EINTR) return ExitCode::kUnexpected;
    if (files[0].revents != 0) return ExitCode::kFine;
    changed.Clear();
  }
}

ExitCode Serve(const ServeOptions& options, const StopSignals& stop, ChangeEvent& changed,
               const PrometheusMetrics& metrics, ControlPlane& plane,
               const std::shared_ptr<grpc::ServerCredentials>& credentials) {
  const absl::Status can_listen_http = TryToListen(options.admin);
  if (!can_listen_http.ok()) return Fail(ExitCode::kUnreachable, can_listen_http.message());
  absl::StatusOr<std::unique_ptr<AdminHttp>> admin = AdminHttp::Start(
      {.host = options.admin.host,
       .port = options.admin.port,
       .health = [&plane] { return plane.Health(); },
       .metrics = [&metrics] { return metrics.Text(); },
       .clients = [&plane](const ClientQuery& query) { return plane.Clients(query); },
       .resources = [&plane](const ResourceQuery& query) { return plane.Resources(query); },
       .errors = [&plane] { return plane.Errors(); }});
  if (!admin.ok()) return Fail(ExitCode::kUnreachable, admin.status().message());

  // While the admin port is open: one port can be written in more than one way.
  const absl::Status can_listen = TryToListen(options.listen);
  if (!can_listen.ok()) return Fail(ExitCode::kUnreachable, can_listen.message());
  // gRPC's own says SERVING until it is told otherwise.
  HealthService health({std::string(kAdsService)}, plane.Health().is_serving);
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(options.listen.Text(), credentials, &port);
  // Without it a second process would share the port, and each would get half of the clients.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // gRPC inflates a message before anybody can say that it is too long: a megabyte may become a
  // thousand. No client of xDS is known that would compress its requests.
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder.RegisterService(&health);
  plane.Register(&builder);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) {
    return Fail(ExitCode::kUnreachable,
                CannotListen(options.listen, "gRPC refuses it, for the reason above").message());
  }
  if (!WaitForFirstReading(stop, changed, plane)) {
    Say(absl::StrCat("still reading ", Quoted(options.plane.config_directory), " after ",
                     absl::FormatDuration(kLongestFirstReading),
                     "; clients get what is known so far"));
  }
  health.SetServing(plane.Health().is_serving);
  std::printf("listening ads=%s admin=%s\n", options.listen.WithPort(port).c_str(),
              options.admin.WithPort((*admin)->port()).c_str());
  // Whoever waits for the line would wait for ever.
  const ExitCode code = std::fflush(stdout) == 0
                            ? WaitForSignal(stop, changed, plane, health)
                            : Fail(ExitCode::kUnexpected,
                                   absl::ErrnoToStatus(errno, "cannot write to stdout").message());
  health.SetServing(false);
  plane.Drain();
  // Open health watches would keep it waiting.
  server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
  return code;
}

// Every client is an open file. The usual limit of 1024 is for programs that use select(), and gRPC
// 1.51 stops listening, for good, when it cannot accept a connection for lack of a file.
void RaiseLimitOfOpenFiles() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    StderrLog().Log(Severity::kWarning, "control",
                    absl::StrCat("cannot raise the limit of open files: ", std::strerror(errno)));
  }
}

}  // namespace

ExitCode RunServe(const Arguments& arguments) {
  ServeOptions options;
  if (const std::optional<ExitCode> done = ParseOptions(arguments, options)) return *done;
  RaiseLimitOfOpenFiles();

  const StopSignals stop;
  const absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> credentials =
      CredentialsOf(options.tls);
  if (!credentials.ok()) return Fail(ExitCode::kBadConfig, credentials.status().message());
  if (options.tls.client_ca.empty()) {
    StderrLog().Log(Severity::kWarning, "control",
                    "clients show no certificates (--client-ca): anybody who reaches the port may "
                    "read everything, and a node id is what a client claims");
  }
  ChangeEvent changed;
  const auto metrics = std::make_shared<PrometheusMetrics>();
  options.plane.metrics = metrics;
  options.plane.on_change = [&changed](const ControlPlaneHealth&) { changed.Set(); };
  const absl::StatusOr<std::unique_ptr<ControlPlane>> plane = ControlPlane::Create(options.plane);
  if (!plane.ok()) return Fail(ExitCode::kBadConfig, plane.status().message());
  return Serve(options, stop, changed, *metrics, **plane, *credentials);
}

}  // namespace holdfast

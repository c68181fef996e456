#include "control/admin_http.h"

#include <httplib.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace holdfast {
namespace {

// Who holds a connection open without a word holds a thread. The probes and scrapers of one process
// are fewer than the threads, and who forgot a connection does not keep its thread for long.
constexpr size_t kThreads = 16;
constexpr time_t kReadTimeoutSeconds = 2;
constexpr time_t kKeepAliveSeconds = 1;
constexpr size_t kMostBodyBytes = size_t{64} << 10;

constexpr char kText[] = "text/plain; charset=utf-8";
constexpr char kMetricsText[] = "text/plain; version=0.0.4; charset=utf-8";
constexpr int kOk = 200;
constexpr int kNotFound = 404;
constexpr int kUnavailable = 503;

std::string Readiness(const ControlPlaneHealth& health) {
  if (health.is_serving && health.problems.empty()) return "ok\n";
  std::string text;
  if (!health.is_serving) {
    text = "not ready: there is no good configuration yet\n";
  } else {
    text = absl::StrCat("serving, with ", health.problems.size(),
                        health.problems.size() == 1 ? " problem:\n" : " problems:\n");
  }
  for (const std::string& problem : health.problems) absl::StrAppend(&text, "- ", problem, "\n");
  return text;
}

void AddPages(const AdminHttpOptions& options, httplib::Server& server) {
  server.Get("/healthz", [](const httplib::Request&, httplib::Response& response) {
    response.set_content("ok\n", kText);
  });
  server.Get("/readyz",
             [health = options.health](const httplib::Request&, httplib::Response& response) {
               const ControlPlaneHealth now = health();
               response.status = now.is_serving ? kOk : kUnavailable;
               response.set_content(Readiness(now), kText);
             });
  server.Get("/metrics",
             [metrics = options.metrics](const httplib::Request&, httplib::Response& response) {
               response.set_content(metrics(), kMetricsText);
             });
  server.set_error_handler([](const httplib::Request& request, httplib::Response& response) {
    // A 503 of our own is an answer, not an accident.
    if (response.status != kNotFound) return;
    response.set_content(absl::StartsWith(request.path, "/api/v1/")
                             ? "not yet: this version has no API\n"
                             : "not found; there are /healthz, /readyz and /metrics\n",
                         kText);
  });
}

}  // namespace

absl::StatusOr<std::unique_ptr<AdminHttp>> AdminHttp::Start(AdminHttpOptions options) {
  auto server = std::make_unique<httplib::Server>();
  server->new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  server->set_read_timeout(kReadTimeoutSeconds);
  server->set_keep_alive_timeout(kKeepAliveSeconds);
  server->set_payload_max_length(kMostBodyBytes);
  // Its own would let a second process share the port.
  server->set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  });
  AddPages(options, *server);
  errno = 0;
  int port = options.port;
  const bool is_bound = port == 0 ? (port = server->bind_to_any_port(options.host)) > 0
                                  : server->bind_to_port(options.host, port);
  if (!is_bound) {
    return absl::UnavailableError(absl::StrCat("cannot listen on ", options.host, ":", options.port,
                                               ": ", std::strerror(errno)));
  }
  std::unique_ptr<AdminHttp> admin(new AdminHttp(std::move(server), port));
  if (!admin->WaitUntilItRuns()) {
    return absl::UnavailableError(absl::StrCat("cannot listen on ", options.host, ":", port,
                                               ": the HTTP server ended as soon as it began"));
  }
  return admin;
}

AdminHttp::AdminHttp(std::unique_ptr<httplib::Server> server, int port)
    : server_(std::move(server)), port_(port), thread_([this] {
        server_->listen_after_bind();
        has_ended_.Notify();
      }) {}

// One that does not run yet would not hear of its end.
bool AdminHttp::WaitUntilItRuns() const {
  while (!server_->is_running()) {
    if (has_ended_.HasBeenNotified()) return false;
    std::this_thread::yield();
  }
  return true;
}

AdminHttp::~AdminHttp() {
  server_->stop();
  thread_.join();
}

}  // namespace holdfast

#include "control/admin_http.h"

#include <httplib.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/types/span.h"
#include "base/did_you_mean.h"
#include "base/outside_text.h"
#include "control/api_json.h"
#include "control/bounded_http_server.h"

namespace holdfast {
namespace {

constexpr char kText[] = "text/plain; charset=utf-8";
constexpr char kMetricsText[] = "text/plain; version=0.0.4; charset=utf-8";
constexpr char kJson[] = "application/json";
constexpr int kOk = 200;
constexpr int kBadRequest = 400;
constexpr int kNotFound = 404;
constexpr int kMethodNotAllowed = 405;
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

constexpr absl::string_view kPaths[] = {"/healthz",        "/readyz",           "/metrics",
                                        "/api/v1/clients", "/api/v1/resources", "/api/v1/errors"};

std::string NotFoundText(const std::string& path) {
  const std::optional<absl::string_view> meant = DidYouMean(path, kPaths);
  return absl::StrCat(Quoted(path), " is not there",
                      meant.has_value() ? absl::StrCat("; did you mean ", *meant, "?") : "",
                      "\nthere are ", absl::StrJoin(kPaths, ", "), "\n");
}

// Empty if each parameter is one of `known` and comes once.
std::string ProblemOf(const httplib::Params& parameters,
                      absl::Span<const absl::string_view> known) {
  for (const auto& [name, value] : parameters) {
    if (absl::c_linear_search(known, name)) {
      if (parameters.count(name) == 1) continue;
      return absl::StrCat("parameter ", Quoted(name), " comes ", parameters.count(name),
                          " times; give it once\n");
    }
    const std::optional<absl::string_view> meant = DidYouMean(name, known);
    return absl::StrCat("unknown parameter ", Quoted(name),
                        meant.has_value() ? absl::StrCat("; did you mean ", *meant, "?") : "",
                        known.empty()
                            ? "; there are none here\n"
                            : absl::StrCat("; there are ", absl::StrJoin(known, ", "), "\n"));
  }
  return "";
}

std::string ValueOf(const httplib::Request& request, const char* name) {
  return request.has_param(name) ? request.get_param_value(name) : "";
}

// A page that says 400 to parameters it does not know.
void AddApiPage(const char* path, std::vector<absl::string_view> known, httplib::Server& server,
                std::function<absl::StatusOr<std::string>(const httplib::Request&)> page) {
  server.Get(path, [known = std::move(known), page = std::move(page)](
                       const httplib::Request& request, httplib::Response& response) {
    const std::string problem = ProblemOf(request.params, known);
    absl::StatusOr<std::string> text =
        problem.empty() ? page(request) : absl::InvalidArgumentError(problem);
    response.status = text.ok() ? kOk : kBadRequest;
    if (text.ok()) {
      response.set_content(*std::move(text), kJson);
    } else {
      response.set_content(std::string(text.status().message()), kText);
    }
  });
}

// Of each stream of a client that was asked for, and of all clients, if none was.
constexpr size_t kMostResources = 10'000;

void AddApi(const AdminHttpOptions& options, httplib::Server& server) {
  AddApiPage("/api/v1/clients", {"client"}, server, [options](const httplib::Request& request) {
    ClientQuery query;
    query.client = ValueOf(request, "client");
    if (!query.client.empty()) {
      query.with_good = true;
      query.most_resources = kMostResources;
    }
    const size_t most = query.client.empty() ? kMostResources : std::numeric_limits<size_t>::max();
    return ClientsJson(absl::Now(), options.health(), options.clients(query), most);
  });
  AddApiPage("/api/v1/resources", {"type", "name"}, server,
             [options](const httplib::Request& request) -> absl::StatusOr<std::string> {
               ResourceQuery query;
               query.name = ValueOf(request, "name");
               if (request.has_param("type")) {
                 absl::StatusOr<std::string> type = TypeOfApiName(ValueOf(request, "type"));
                 if (!type.ok()) return type.status();
                 query.type = *std::move(type);
               }
               return ResourcesJson(absl::Now(), options.health(), options.resources(query),
                                    /*with_links=*/!query.name.empty());
             });
  AddApiPage("/api/v1/errors", {}, server, [options](const httplib::Request&) {
    return ErrorsJson(absl::Now(), options.health(), options.errors());
  });
}

void AddPages(const AdminHttpOptions& options, httplib::Server& server) {
  using Routing = httplib::Server::HandlerResponse;
  server.set_pre_routing_handler([](const httplib::Request& request, httplib::Response& response) {
    if (request.method == "GET" || request.method == "HEAD") return Routing::Unhandled;
    response.status = kMethodNotAllowed;
    response.set_header("Allow", "GET, HEAD");
    response.set_content("nothing can be changed here: there are GET and HEAD\n", kText);
    return Routing::Handled;
  });
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
  AddApi(options, server);
  server.set_error_handler([](const httplib::Request& request, httplib::Response& response) {
    // A 503 of our own is an answer, not an accident.
    if (response.status != kNotFound) return;
    response.set_content(NotFoundText(request.path), kText);
  });
}

}  // namespace

absl::StatusOr<std::unique_ptr<AdminHttp>> AdminHttp::Start(AdminHttpOptions options) {
  auto server = std::make_unique<BoundedHttpServer>(options.request_patience);
  // Its own would let a second process share the port.
  server->set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  });
  // Head and body of an answer are written one after the other: the second would wait until the
  // client, in no hurry, confirms the first.
  server->set_tcp_nodelay(true);
  AddPages(options, *server);
  errno = 0;
  int port = options.port;
  const bool is_bound = port == 0 ? (port = server->bind_to_any_port(options.host)) > 0
                                  : server->bind_to_port(options.host, port);
  if (!is_bound) {
    return absl::UnavailableError(absl::StrCat("cannot listen on ", options.host, ":", options.port,
                                               ": ", std::strerror(errno)));
  }
  server->WidenBacklog();
  std::unique_ptr<AdminHttp> admin(new AdminHttp(std::move(server), port));
  if (!admin->WaitUntilItRuns()) {
    return absl::UnavailableError(absl::StrCat("cannot listen on ", options.host, ":", port,
                                               ": the HTTP server ended as soon as it began"));
  }
  return admin;
}

AdminHttp::AdminHttp(std::unique_ptr<BoundedHttpServer> server, int port)
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
  server_->End();
  thread_.join();
}

}  // namespace holdfast

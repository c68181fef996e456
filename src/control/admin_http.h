// The HTTP port of a control plane, for people, probes and Prometheus.
//
//   /healthz            200 while the process runs
//   /readyz             200 while something is served, with what is wrong; 503 before that
//   /metrics            Prometheus text
//   /api/v1/clients     JSON: who runs what
//   /api/v1/resources   JSON: what is served, and how far it has come
//   /api/v1/errors      JSON: which names clients get errors for
//
// It only shows; nothing can be changed through it. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "holdfast/control/control_plane.h"

namespace holdfast {

class BoundedHttpServer;

struct AdminHttpOptions {
  std::string host = "127.0.0.1";
  int port = 0;  // 0: any that is free
  // Whoever takes longer to say what he wants is not heard.
  absl::Duration request_patience = absl::Seconds(5);
  // Called from several threads.
  std::function<ControlPlaneHealth()> health;
  std::function<std::string()> metrics;
  std::function<ClientsReport(const ClientQuery&)> clients;
  std::function<ResourcesReport(const ResourceQuery&)> resources;
  std::function<ErrorsReport()> errors;
};

// Serves as long as it lives.
class AdminHttp {
 public:
  // UNAVAILABLE with the reason if it cannot listen there.
  static absl::StatusOr<std::unique_ptr<AdminHttp>> Start(AdminHttpOptions options);
  ~AdminHttp();
  AdminHttp(const AdminHttp&) = delete;
  AdminHttp& operator=(const AdminHttp&) = delete;

  // The one it got.
  int port() const { return port_; }

 private:
  AdminHttp(std::unique_ptr<BoundedHttpServer> server, int port);

  // Until the thread listens, or has given up, which is false.
  bool WaitUntilItRuns() const;

  const std::unique_ptr<BoundedHttpServer> server_;
  const int port_;
  absl::Notification has_ended_;
  std::thread thread_;
};

}  // namespace holdfast

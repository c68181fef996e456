// The port of --admin: CSDS and health of this process.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "app/exit_codes.h"

namespace grpc {
class Server;
}

namespace holdfast {

// Serves as long as it lives. Destroying it waits for nobody.
class AdminServer {
 public:
  // `address` is HOST:PORT; port 0 means any that is free. INVALID_ARGUMENT if it is no such
  // address, UNAVAILABLE with the reason if nobody can listen there.
  static absl::StatusOr<std::unique_ptr<AdminServer>> Start(absl::string_view address);
  ~AdminServer();
  AdminServer(const AdminServer&) = delete;
  AdminServer& operator=(const AdminServer&) = delete;

  // HOST:PORT with the port it got.
  const std::string& address() const { return address_; }

 private:
  AdminServer(std::unique_ptr<grpc::Server> server, std::string address);

  const std::unique_ptr<grpc::Server> server_;
  const std::string address_;
};

// What --admin of a command does: starts it and says where, on stderr; or says why not, and how to
// end. An empty address: nothing was asked for.
std::optional<ExitCode> StartAdmin(absl::string_view command, const std::string& address,
                                   std::unique_ptr<AdminServer>& server);

}  // namespace holdfast

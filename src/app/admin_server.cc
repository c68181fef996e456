#include "app/admin_server.h"

#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "app/command_line.h"
#include "app/listen_address.h"
#include "holdfast/xds/admin.h"

namespace holdfast {

absl::StatusOr<std::unique_ptr<AdminServer>> AdminServer::Start(absl::string_view address) {
  const absl::StatusOr<ListenAddress> parsed = ParseListenAddress(address);
  if (!parsed.ok()) return parsed.status();
  const absl::Status can_listen = TryToListen(*parsed);
  if (!can_listen.ok()) return can_listen;

  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(parsed->Text(), grpc::InsecureServerCredentials(), &port);
  // Without it a second process would share the port, and each would get half of the calls.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  AddAdminServices(&builder);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) return CannotListen(*parsed, "gRPC refuses it");
  return std::unique_ptr<AdminServer>(new AdminServer(std::move(server), parsed->WithPort(port)));
}

AdminServer::AdminServer(std::unique_ptr<grpc::Server> server, std::string address)
    : server_(std::move(server)), address_(std::move(address)) {}

AdminServer::~AdminServer() { server_->Shutdown(gpr_inf_past(GPR_CLOCK_REALTIME)); }

std::optional<ExitCode> StartAdmin(absl::string_view command, const std::string& address,
                                   std::unique_ptr<AdminServer>& server) {
  if (address.empty()) return std::nullopt;
  absl::StatusOr<std::unique_ptr<AdminServer>> started = AdminServer::Start(address);
  if (absl::IsInvalidArgument(started.status())) {
    return UsageError(command, absl::StrCat("--admin ", started.status().message()));
  }
  if (!started.ok()) {
    std::fprintf(
        stderr, "%s\n",
        absl::StrCat("holdfast ", command, ": --admin: ", started.status().message()).c_str());
    return ExitCode::kUnreachable;
  }
  server = *std::move(started);
  std::fprintf(stderr, "admin listening on %s\n", server->address().c_str());
  return std::nullopt;
}

}  // namespace holdfast

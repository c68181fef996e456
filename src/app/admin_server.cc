#include "app/admin_server.h"

#include <grpcpp/grpcpp.h>

#include <utility>

#include "absl/status/status.h"
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

}  // namespace holdfast

// A call that goes where xDS says. The stub is the one that protoc makes; only the channel is
// another.
//
//   $ holdfast serve --config config &
//   $ export GRPC_XDS_BOOTSTRAP=bootstrap.json
//   $ ./client xds:///web
//   SERVING
//   $ ./client xds:///billing
//   14: target "xds:///billing": listener "billing": xds server "127.0.0.1:18000" answered
//   PERMISSION_DENIED: ask #payments; calls fail until it can be had (node "web-1")
//
// config/web.yaml sends calls of "web" to the control plane itself, which answers health checks as
// any server does: this way the example needs no other.
#include <grpcpp/grpcpp.h>
#include <holdfast/grpc/channel.h>

#include <iostream>

#include "health.grpc.pb.h"

using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckResponse;

int main(int argc, char** argv) {
  const auto channel = holdfast::CreateChannel(argc > 1 ? argv[1] : "xds:///web",
                                               grpc::InsecureChannelCredentials());
  const auto stub = Health::NewStub(channel);

  grpc::ClientContext context;
  HealthCheckResponse response;
  const grpc::Status status = stub->Check(&context, {}, &response);
  if (!status.ok()) {
    std::cout << status.error_code() << ": " << status.error_message() << std::endl;
    return 1;
  }
  std::cout << HealthCheckResponse::ServingStatus_Name(response.status()) << std::endl;
}

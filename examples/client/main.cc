// A call that goes where xDS says. The stub is the one that protoc makes; only the channel is
// another.
//
//   $ holdfast serve --config config &
//   $ export GRPC_XDS_BOOTSTRAP=bootstrap.json
//   $ ./client xds:///web
//   OK
//   $ ./client xds:///billing
//   target "xds:///billing": listener "billing": xds server "127.0.0.1:18000" answered
//   PERMISSION_DENIED: ask #payments; calls fail until it can be had (node "web-1")
//
// config/web.yaml sends calls of "web" to the control plane itself, which answers health checks as
// any server does: this way the example needs no other. README.md shows all that follows.
#include <grpcpp/grpcpp.h>
#include <holdfast/grpc/channel.h>

#include <iostream>

#include "health.grpc.pb.h"

int main(int argc, char** argv) {
  const auto channel = holdfast::CreateChannel(argc > 1 ? argv[1] : "xds:///web",
                                               grpc::InsecureChannelCredentials());
  grpc::ClientContext context;
  grpc::health::v1::HealthCheckResponse response;
  const auto status = grpc::health::v1::Health::NewStub(channel)->Check(&context, {}, &response);
  std::cout << (status.ok() ? "OK" : status.error_message()) << std::endl;
  return status.error_code();
}

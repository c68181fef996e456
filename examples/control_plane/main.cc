// A control plane inside a gRPC server of your own. What it serves need not be Envoy's: here it is
// a quota, which you type; every client that watches it has it a moment later.
//
//   $ ./control_plane
//   > 100
//   OK
//   > 0
//   OK
//   > 250
//   OK
//
// Ends with its input. examples/watch_custom_type is such a client. README.md shows all that
// follows.
#include <grpcpp/grpcpp.h>
#include <holdfast/control/control_plane.h>

#include <iostream>

#include "quota.pb.h"

int main(int argc, char** argv) {
  const auto plane = holdfast::ControlPlane::Create({}).value();
  grpc::ServerBuilder builder;
  builder.AddListeningPort(argc > 1 ? argv[1] : "127.0.0.1:18000",
                           grpc::InsecureServerCredentials());
  plane->Register(&builder);
  const auto server = builder.BuildAndStart();
  if (server == nullptr) return 1;
  acme::config::v1::Quota quota;
  quota.set_name("team-web");
  for (unsigned requests = 0; std::cin >> requests;) {
    quota.set_requests_per_second(requests);
    holdfast::Transaction change;
    change.Put({"acme.config.v1.Quota", quota.name(), quota.SerializeAsString(), {}});
    std::cout << plane->Commit(std::move(change)).status() << std::endl;
  }
  plane->Drain();  // clients go elsewhere
}

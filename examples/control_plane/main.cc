// A control plane inside a gRPC server of your own. What it serves need not be Envoy's: here it is
// a quota, which you type; every client that watches it has it a moment later.
//
//   $ ./control_plane
//   > 100
//   commit 1: team-web may make 100 requests a second
//   > 0
//   commit 2: team-web may make 0 requests a second
//   > 250
//   commit 3: team-web may make 250 requests a second
//
// Ends with its input. examples/watch_custom_type is such a client.
#include <grpcpp/grpcpp.h>
#include <holdfast/control/control_plane.h>

#include <cstdint>
#include <iostream>
#include <utility>

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
  for (uint32_t requests = 0; std::cin >> requests;) {
    quota.set_requests_per_second(requests);
    holdfast::Transaction change;
    change.Put({"acme.config.v1.Quota", quota.name(), quota.SerializeAsString(), {}});
    const auto commit = static_cast<uint64_t>(plane->Commit(std::move(change)).value());
    std::cout << "commit " << commit << ": " << quota.name() << " may make " << requests
              << " requests a second" << std::endl;
  }

  plane->Drain();  // clients go elsewhere
  server->Shutdown();
}

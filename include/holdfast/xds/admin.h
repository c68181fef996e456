// Lets others look into this process: CSDS (gRFC A40) for every XdsClient in it, and health.
//
//   grpc::ServerBuilder builder;
//   builder.AddListeningPort("127.0.0.1:50052", grpc::InsecureServerCredentials());
//   holdfast::AddAdminServices(&builder);
//   std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
#pragma once

#include "holdfast/export.h"

namespace grpc {
class ServerBuilder;
}

namespace holdfast {

// Registers envoy.service.status.v3.ClientStatusDiscoveryService and grpc.health.v1.Health, which
// answers SERVING, unless the server has its own. They live as long as the server. What they show
// is the whole configuration: bind them to a port that only operators reach.
//
// An open health Watch or CSDS stream keeps Server::Shutdown() waiting: give it a deadline.
HOLDFAST_EXPORT void AddAdminServices(grpc::ServerBuilder* builder);

}  // namespace holdfast

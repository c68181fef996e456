// How the admin services get into a server, and live as long as it does.
#pragma once

#include "observe/csds_service.h"

namespace grpc {
class ServerBuilder;
}

namespace holdfast {

// Adds CSDS for these clients, and health unless the server already has it: the application's own,
// or gRPC's default one. More than once on a builder is as good as once.
//
// As with any stream, a peer that keeps one open keeps grpc::Server::Shutdown() waiting: give it a
// deadline.
void AddAdminServices(grpc::ServerBuilder* builder, ClientSource clients);

}  // namespace holdfast

#include "holdfast/xds/admin.h"

#include "client/client_registry.h"
#include "observe/admin_services.h"

namespace holdfast {

void AddAdminServices(grpc::ServerBuilder* builder) { AddAdminServices(builder, LiveClients); }

}  // namespace holdfast

#include "observe/admin_services.h"

#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/impl/server_builder_option.h>
#include <grpcpp/impl/server_builder_plugin.h>
#include <grpcpp/impl/server_initializer.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "observe/health_service.h"

namespace holdfast {
namespace {

using envoy::service::status::v3::ClientStatusDiscoveryService;
using grpc::health::v1::Health;

constexpr char kPluginName[] = "holdfast.admin_services";

// A service without methods. A server owns the services that are registered while it is made, so
// what this one holds lives as long as the server.
class Keeper final : public grpc::Service {
 public:
  explicit Keeper(std::shared_ptr<grpc::Service> kept) : kept_(std::move(kept)) {}

 private:
  const std::shared_ptr<grpc::Service> kept_;
};

class AdminPlugin final : public grpc::ServerBuilderPlugin {
 public:
  explicit AdminPlugin(ClientSource clients)
      : csds_(std::make_shared<CsdsService>(std::move(clients))) {}

  std::string name() override { return kPluginName; }

  // The builder must know of CSDS early: a server whose only services come later is refused for
  // having no queue to poll.
  void UpdateServerBuilder(grpc::ServerBuilder* builder) override {
    builder->RegisterService(csds_.get());
  }

  void InitServer(grpc::ServerInitializer* server) override {
    HOLDFAST_CHECK(server->RegisterService(std::make_shared<Keeper>(csds_)));
    const std::vector<std::string>& present = *server->GetServiceList();
    const bool has_health =
        grpc::DefaultHealthCheckServiceEnabled() ||
        std::find(present.begin(), present.end(), Health::service_full_name()) != present.end();
    if (has_health) return;
    const std::set<std::string> names = {ClientStatusDiscoveryService::service_full_name(),
                                         Health::service_full_name()};
    HOLDFAST_CHECK(server->RegisterService(std::make_shared<HealthService>(names)));
  }

  void Finish(grpc::ServerInitializer*) override {}
  void ChangeArguments(const std::string&, void*) override {}

 private:
  const std::shared_ptr<CsdsService> csds_;
};

class AdminOption final : public grpc::ServerBuilderOption {
 public:
  explicit AdminOption(ClientSource clients) : clients_(std::move(clients)) {}

  void UpdateArguments(grpc::ChannelArguments*) override {}

  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override {
    for (const std::unique_ptr<grpc::ServerBuilderPlugin>& plugin : *plugins) {
      if (plugin->name() == kPluginName) return;
    }
    plugins->push_back(std::make_unique<AdminPlugin>(clients_));
  }

 private:
  const ClientSource clients_;
};

}  // namespace

void AddAdminServices(grpc::ServerBuilder* builder, ClientSource clients) {
  builder->SetOption(std::make_unique<AdminOption>(std::move(clients)));
}

}  // namespace holdfast

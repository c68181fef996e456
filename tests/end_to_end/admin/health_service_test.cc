#include "observe/health_service.h"

#include <memory>
#include <string>
#include <vector>

#include "envoy/service/status/v3/csds.grpc.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "gtest/gtest.h"
#include "holdfast/xds/admin.h"
#include "tests/end_to_end/admin/admin_server.h"

namespace holdfast {
namespace {

using envoy::service::status::v3::ClientStatusDiscoveryService;
using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

constexpr char kCsds[] = "envoy.service.status.v3.ClientStatusDiscoveryService";

HealthCheckRequest Of(const char* service) {
  HealthCheckRequest request;
  request.set_service(service);
  return request;
}

// A Watch that stays open, and ends when this goes.
class OpenWatch {
 public:
  OpenWatch(Health::Stub& stub, const char* service)
      : context_(BoundedCall()), reader_(stub.Watch(context_.get(), Of(service))) {}
  ~OpenWatch() { Cancel(); }

  HealthCheckResponse::ServingStatus Next() {
    HealthCheckResponse response;
    EXPECT_TRUE(reader_->Read(&response));
    return response.status();
  }

  grpc::Status Cancel() {
    if (reader_ == nullptr) return grpc::Status::OK;
    context_->TryCancel();
    HealthCheckResponse response;
    EXPECT_FALSE(reader_->Read(&response)) << "more was said than the first status";
    const grpc::Status status = reader_->Finish();
    reader_.reset();
    return status;
  }

 private:
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<grpc::ClientReader<HealthCheckResponse>> reader_;
};

TEST(HealthService, TheServerAndItsAdminServicesServe) {
  const AdminServer server;
  const auto stub = Health::NewStub(server.channel());
  for (const char* service : {"", kCsds, "grpc.health.v1.Health"}) {
    HealthCheckResponse response;
    const grpc::Status status = stub->Check(BoundedCall().get(), Of(service), &response);
    EXPECT_TRUE(status.ok()) << service << ": " << status.error_message();
    EXPECT_EQ(response.status(), HealthCheckResponse::SERVING) << service;
  }
}

TEST(HealthService, DoesNotSpeakForOtherServices) {
  const AdminServer server;
  const auto stub = Health::NewStub(server.channel());
  HealthCheckResponse response;
  const grpc::Status status = stub->Check(BoundedCall().get(), Of("acme.Shop"), &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(),
            "service \"acme.Shop\" is not known here; known are \"\", "
            "envoy.service.status.v3.ClientStatusDiscoveryService, grpc.health.v1.Health");
}

TEST(HealthService, AWatchHearsOnceAndStaysUntilItIsCancelled) {
  const AdminServer server;
  const auto stub = Health::NewStub(server.channel());
  OpenWatch serving(*stub, kCsds);
  OpenWatch unknown(*stub, "acme.Shop");
  EXPECT_EQ(serving.Next(), HealthCheckResponse::SERVING);
  EXPECT_EQ(unknown.Next(), HealthCheckResponse::SERVICE_UNKNOWN);
  EXPECT_EQ(serving.Cancel().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(unknown.Cancel().error_code(), grpc::StatusCode::CANCELLED);
}

// More watches than any pool has threads.
TEST(HealthService, AHundredWatchesDoNotKeepOthersWaiting) {
  const AdminServer server;
  const auto stub = Health::NewStub(server.channel());
  std::vector<std::unique_ptr<OpenWatch>> watches;
  for (int i = 0; i < 100; ++i) {
    watches.push_back(std::make_unique<OpenWatch>(*stub, ""));
    EXPECT_EQ(watches.back()->Next(), HealthCheckResponse::SERVING);
  }
  const auto csds = ClientStatusDiscoveryService::NewStub(server.channel());
  envoy::service::status::v3::ClientStatusResponse response;
  const grpc::Status status = csds->FetchClientStatus(BoundedCall().get(), {}, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST(HealthService, AServerMayEndWhileItIsWatched) {
  auto server = std::make_unique<AdminServer>();
  const auto stub = Health::NewStub(server->channel());
  OpenWatch watch(*stub, "");
  EXPECT_EQ(watch.Next(), HealthCheckResponse::SERVING);
  server.reset();
}

TEST(HealthService, AWatchHearsEveryChange) {
  HealthService health({kCsds}, /*is_serving=*/false);
  grpc::ServerBuilder builder;
  builder.RegisterService(&health);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  ASSERT_NE(server, nullptr);
  const auto stub = Health::NewStub(server->InProcessChannel({}));
  const auto check = [&stub] {
    HealthCheckResponse response;
    EXPECT_TRUE(stub->Check(BoundedCall().get(), Of(""), &response).ok());
    return response.status();
  };
  EXPECT_EQ(check(), HealthCheckResponse::NOT_SERVING);
  OpenWatch server_watch(*stub, "");
  OpenWatch csds_watch(*stub, kCsds);
  OpenWatch unknown(*stub, "acme.Shop");
  EXPECT_EQ(unknown.Next(), HealthCheckResponse::SERVICE_UNKNOWN);
  EXPECT_EQ(server_watch.Next(), HealthCheckResponse::NOT_SERVING);
  EXPECT_EQ(csds_watch.Next(), HealthCheckResponse::NOT_SERVING);
  health.SetServing(true);
  health.SetServing(true);  // is no change
  EXPECT_EQ(check(), HealthCheckResponse::SERVING);
  EXPECT_EQ(server_watch.Next(), HealthCheckResponse::SERVING);
  EXPECT_EQ(csds_watch.Next(), HealthCheckResponse::SERVING);
  // Who is gone is not told.
  EXPECT_EQ(csds_watch.Cancel().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(unknown.Cancel().error_code(), grpc::StatusCode::CANCELLED);
  health.SetServing(false);
  EXPECT_EQ(server_watch.Next(), HealthCheckResponse::NOT_SERVING);
  server_watch.Cancel();
  server->Shutdown();
}

// An application that has a health service of its own.
class OwnHealth final : public Health::Service {
 public:
  grpc::Status Check(grpc::ServerContext*, const HealthCheckRequest*,
                     HealthCheckResponse* response) override {
    response->set_status(HealthCheckResponse::NOT_SERVING);
    return grpc::Status::OK;
  }
};

TEST(AdminServices, LeaveAnApplicationItsOwnHealthService) {
  OwnHealth own;
  grpc::ServerBuilder builder;
  builder.RegisterService(&own);
  const ClientSource none = [] { return std::vector<ClientStatus>(); };
  AddAdminServices(&builder, none);
  AddAdminServices(&builder, none);  // twice is as good as once
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  ASSERT_NE(server, nullptr);
  const auto channel = server->InProcessChannel({});

  HealthCheckResponse health;
  ASSERT_TRUE(Health::NewStub(channel)->Check(BoundedCall().get(), Of(""), &health).ok());
  EXPECT_EQ(health.status(), HealthCheckResponse::NOT_SERVING);
  envoy::service::status::v3::ClientStatusResponse response;
  const grpc::Status status = ClientStatusDiscoveryService::NewStub(channel)->FetchClientStatus(
      BoundedCall().get(), {}, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST(AdminServices, ShowTheClientsOfThisProcess) {  // R9.12, R9.14
  grpc::ServerBuilder builder;
  AddAdminServices(&builder);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  ASSERT_NE(server, nullptr);
  envoy::service::status::v3::ClientStatusResponse response;
  const grpc::Status status = ClientStatusDiscoveryService::NewStub(server->InProcessChannel({}))
                                  ->FetchClientStatus(BoundedCall().get(), {}, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.config_size(), 0);  // there is none yet
}

}  // namespace
}  // namespace holdfast

// CSDS of this process, read over a socket, says what the client itself says.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "envoy/service/status/v3/csds.grpc.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "holdfast/xds/admin.h"
#include "tests/end_to_end/client_under_test.h"

namespace holdfast {
namespace {

using ::envoy::service::status::v3::ClientConfig;
using ::envoy::service::status::v3::ClientStatusDiscoveryService;
using ::envoy::service::status::v3::ClientStatusRequest;
using ::envoy::service::status::v3::ClientStatusResponse;
using ::testing::HasSubstr;

using Entry = ClientConfig::GenericXdsConfig;

class EndToEndCsds : public testing::Test {
 protected:
  EndToEndCsds() {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    AddAdminServices(&builder);
    admin_ = builder.BuildAndStart();
    channel_ =
        grpc::CreateChannel(absl::StrCat("127.0.0.1:", port), grpc::InsecureChannelCredentials());
    stub_ = ClientStatusDiscoveryService::NewStub(channel_);
  }
  ~EndToEndCsds() override { admin_->Shutdown(gpr_inf_past(GPR_CLOCK_REALTIME)); }

  ClientStatusResponse Fetch(const ClientStatusRequest& request = {}) {
    grpc::ClientContext context;
    ClientStatusResponse response;
    const grpc::Status status = stub_->FetchClientStatus(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }

  // What it says of the one client there is.
  std::map<std::string, Entry> Entries() {
    const ClientStatusResponse response = Fetch();
    EXPECT_EQ(response.config_size(), 1);
    std::map<std::string, Entry> entries;
    for (const Entry& entry : response.config(0).generic_xds_configs()) {
      entries[entry.name()] = entry;
    }
    return entries;
  }

  std::unique_ptr<grpc::Server> admin_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<ClientStatusDiscoveryService::Stub> stub_;
};

void ExpectSame(const Entry& entry, const ResourceSnapshot& snapshot) {
  SCOPED_TRACE(snapshot.name);
  EXPECT_EQ(entry.type_url(), snapshot.type_url);
  EXPECT_EQ(static_cast<int>(entry.client_status()), static_cast<int>(snapshot.state));
  EXPECT_EQ(entry.version_info(), snapshot.version);
  EXPECT_EQ(entry.has_xds_config(), snapshot.bytes != nullptr);
  if (snapshot.bytes != nullptr) {
    EXPECT_EQ(entry.xds_config().type_url(), snapshot.type_url);
    EXPECT_EQ(entry.xds_config().value(), *snapshot.bytes);
  }
  EXPECT_EQ(entry.has_error_state(), snapshot.error.has_value());
  if (snapshot.error.has_value()) {
    EXPECT_THAT(entry.error_state().details(), HasSubstr(snapshot.error->text));
    EXPECT_EQ(entry.error_state().version_info(), snapshot.error->version);
  }
}

// One resource in each state, and both that are kept although something is wrong with them.
TEST_F(EndToEndCsds,
       ShowsWhatTheSnapshotShows) {  // R9.01 R9.02 R9.03 R9.05 R9.06 R9.07 R3.08 R6.09
  ScriptedAdsServer server;
  XdsClientOptions options = QuickOptions();
  options.key = "xds:///web";
  options.resource_timeout = std::chrono::milliseconds(50);
  auto client = ClientOf(BootstrapFor(server.address()), options);
  std::map<std::string, Watching> watching;
  for (const char* name : {"good", "nacked", "kept", "denied", "deleted", "missing"}) {
    watching[name] = WatchCluster(*client, name);
  }
  const auto stream = server.NextStream();
  stream->NextRequest([](const auto& request) { return request.resource_names.size() == 6; });
  stream->Send(TestResponse(ClusterType(), "1")
                   .Resource(ClusterBytes("good"))
                   .Resource(ClusterBytes("kept"))
                   .Resource(ClusterBytes("deleted"))
                   .Resource(BadClusterBytes("nacked"))
                   .Error("denied", 7, "ask #payments")
                   .Bytes());
  EXPECT_EQ(watching["missing"].Next().cause(), Cause::kTimeout);
  stream->Send(TestResponse(ClusterType(), "2")
                   .Resource(ClusterBytes("good"))
                   .Resource(BadClusterBytes("kept"))
                   .Resource(BadClusterBytes("nacked"))
                   .Bytes());
  EXPECT_EQ(watching["kept"].Next(Heard::kAmbientError).cause(), Cause::kNack);

  const std::map<std::string, Entry> entries = Entries();
  ASSERT_EQ(entries.size(), 6);
  for (const auto& [name, entry] : entries) ExpectSame(entry, SnapshotOf(*client, name));
  EXPECT_EQ(SnapshotOf(*client, "good").cache_state, "acked");
  EXPECT_EQ(SnapshotOf(*client, "nacked").cache_state, "nacked");
  EXPECT_EQ(SnapshotOf(*client, "kept").cache_state, "nacked_but_cached");
  EXPECT_EQ(SnapshotOf(*client, "denied").cache_state, "received_error");
  EXPECT_EQ(SnapshotOf(*client, "deleted").cache_state, "does_not_exist_but_cached");
  EXPECT_EQ(SnapshotOf(*client, "missing").cache_state, "does_not_exist");
  EXPECT_EQ(entries.at("good").version_info(), "2");
  EXPECT_EQ(entries.at("kept").version_info(), "1");
  EXPECT_EQ(entries.at("kept").error_state().version_info(), "2");

  const ClientConfig config = Fetch().config(0);
  EXPECT_EQ(config.client_scope(), "xds:///web");
  EXPECT_EQ(config.node().id(), "web-1");
  EXPECT_EQ(config.node().user_agent_name(), "holdfast");
  EXPECT_EQ(config.xds_config_size(), 0);  // R9.04
}

TEST_F(EndToEndCsds, ShowsNothingWhenThereIsNoClient) {  // R9.12
  EXPECT_EQ(Fetch().config_size(), 0);
  {
    auto client = ClientOf(BootstrapFor("127.0.0.1:1"));
    EXPECT_EQ(Fetch().config_size(), 1);
  }
  EXPECT_EQ(Fetch().config_size(), 0);
}

TEST_F(EndToEndCsds, HealthAnswersServing) {
  grpc::ClientContext context;
  grpc::health::v1::HealthCheckResponse response;
  const grpc::Status status =
      grpc::health::v1::Health::NewStub(channel_)->Check(&context, {}, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.status(), grpc::health::v1::HealthCheckResponse::SERVING);
}

}  // namespace
}  // namespace holdfast

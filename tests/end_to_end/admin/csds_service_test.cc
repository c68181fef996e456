#include <grpcpp/generic/generic_stub.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "envoy/service/status/v3/csds.grpc.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/end_to_end/admin/admin_server.h"

namespace holdfast {
namespace {

using envoy::service::status::v3::ClientStatusDiscoveryService;
using envoy::service::status::v3::ClientStatusRequest;
using envoy::service::status::v3::ClientStatusResponse;

constexpr char kClusterUrl[] = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
constexpr char kNoMatchers[] =
    "node_matchers: not supported, must be empty; every client of this process is shown";

ClientStatus ClientWith(size_t resources, size_t bytes) {
  ClientStatus client;
  client.snapshot.key = "xds:///web";
  client.node.id = "web-1";
  const auto contents = std::make_shared<const std::string>(bytes, 'x');
  for (size_t i = 0; i < resources; ++i) {
    ResourceSnapshot& resource = client.snapshot.resources.emplace_back();
    resource.type_url = kClusterUrl;
    resource.name = absl::StrCat("cluster-", i);
    resource.state = CacheState::kAcked;
    resource.bytes = contents;
    resource.version = "41";
  }
  return client;
}

grpc::Status Fetch(const AdminServer& server, const ClientStatusRequest& request,
                   ClientStatusResponse& response) {
  return ClientStatusDiscoveryService::NewStub(server.channel())
      ->FetchClientStatus(BoundedCall().get(), request, &response);
}

TEST(CsdsService, ShowsEveryClient) {  // R9.01, R9.02, R9.03, R9.14
  const AdminServer server([] { return std::vector{ClientWith(2, 10), ClientWith(0, 0)}; });
  ClientStatusResponse response;
  const grpc::Status status = Fetch(server, ClientStatusRequest(), response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(response.config_size(), 2);
  EXPECT_EQ(response.config(0).client_scope(), "xds:///web");
  EXPECT_EQ(response.config(0).node().id(), "web-1");
  ASSERT_EQ(response.config(0).generic_xds_configs_size(), 2);
  EXPECT_EQ(response.config(0).generic_xds_configs(1).name(), "cluster-1");
  EXPECT_EQ(response.config(0).generic_xds_configs(1).xds_config().value(), "xxxxxxxxxx");
}

TEST(CsdsService, NoClientIsNoError) {  // R9.12
  const AdminServer server;
  ClientStatusResponse response;
  const grpc::Status status = Fetch(server, ClientStatusRequest(), response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.config_size(), 0);
}

TEST(CsdsService, ARequestThatIsTooLongIsRefusedUnread) {
  const AdminServer server([] { return std::vector{ClientWith(1, 10)}; });
  ClientStatusRequest request;
  // The tag and a length of three bytes, around a tag, a length of three bytes and the id.
  request.mutable_node()->set_id(std::string((1 << 20) - 8, 'n'));
  ASSERT_EQ(request.ByteSizeLong(), 1u << 20);
  ClientStatusResponse response;
  EXPECT_TRUE(Fetch(server, request, response).ok());
  request.mutable_node()->mutable_id()->push_back('n');
  const grpc::Status status = Fetch(server, request, response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(
      status.error_message(),
      "client status request has 1048577 bytes, more than 1048576 (a limit without an option)");
}

TEST(CsdsService, LeavesOutContentsOnRequest) {  // R9.11
  const AdminServer server([] { return std::vector{ClientWith(1, 10)}; });
  ClientStatusRequest request;
  request.set_exclude_resource_contents(true);
  ClientStatusResponse response;
  const grpc::Status status = Fetch(server, request, response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(response.config_size(), 1);
  ASSERT_EQ(response.config(0).generic_xds_configs_size(), 1);
  EXPECT_FALSE(response.config(0).generic_xds_configs(0).has_xds_config());
  EXPECT_EQ(response.config(0).generic_xds_configs(0).version_info(), "41");
}

TEST(CsdsService, RefusesNodeMatchers) {  // R9.10
  const AdminServer server;
  ClientStatusRequest request;
  request.add_node_matchers();
  ClientStatusResponse response;
  const grpc::Status status = Fetch(server, request, response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(), kNoMatchers);
}

TEST(CsdsService, RefusesARequestThatIsNoMessage) {
  const AdminServer server;
  grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer> stub(server.channel());
  const grpc::Slice broken("\x12\x7f", 2);
  const grpc::ByteBuffer request(&broken, 1);
  const auto context = BoundedCall();
  grpc::CompletionQueue queue;
  const auto call = stub.PrepareUnaryCall(
      context.get(), "/envoy.service.status.v3.ClientStatusDiscoveryService/FetchClientStatus",
      request, &queue);
  call->StartCall();
  grpc::ByteBuffer response;
  grpc::Status status;
  call->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  ASSERT_TRUE(queue.Next(&tag, &ok));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(),
            "client status request of 2 bytes cannot be parsed: truncated or not protobuf");
  queue.Shutdown();
}

TEST(CsdsService, AStreamHasOneResponseForEachRequest) {  // R9.01
  std::atomic<size_t> clients = 0;
  const AdminServer server(
      [&clients] { return std::vector<ClientStatus>(clients.fetch_add(1), ClientWith(1, 10)); });
  const auto stub = ClientStatusDiscoveryService::NewStub(server.channel());
  const auto context = BoundedCall();
  const auto stream = stub->StreamClientStatus(context.get());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(stream->Write(ClientStatusRequest()));
    ClientStatusResponse response;
    ASSERT_TRUE(stream->Read(&response));
    EXPECT_EQ(response.config_size(), i);  // as it is now, not as it was
  }
  ASSERT_TRUE(stream->WritesDone());
  ClientStatusResponse none;
  EXPECT_FALSE(stream->Read(&none));
  const grpc::Status status = stream->Finish();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(clients, 3u);
}

TEST(CsdsService, ABadRequestEndsItsStream) {  // R9.10
  const AdminServer server;
  const auto stub = ClientStatusDiscoveryService::NewStub(server.channel());
  const auto context = BoundedCall();
  const auto stream = stub->StreamClientStatus(context.get());
  ASSERT_TRUE(stream->Write(ClientStatusRequest()));
  ClientStatusResponse response;
  ASSERT_TRUE(stream->Read(&response));
  ClientStatusRequest request;
  request.add_node_matchers();
  ASSERT_TRUE(stream->Write(request));
  EXPECT_FALSE(stream->Read(&response));
  const grpc::Status status = stream->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(), kNoMatchers);
}

TEST(CsdsService, ACancelledStreamLeavesTheServerAlone) {
  const AdminServer server([] { return std::vector{ClientWith(1, 10)}; });
  const auto stub = ClientStatusDiscoveryService::NewStub(server.channel());
  for (int i = 0; i < 20; ++i) {
    const auto context = BoundedCall();
    const auto stream = stub->StreamClientStatus(context.get());
    ASSERT_TRUE(stream->Write(ClientStatusRequest()));
    context->TryCancel();
    EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  ClientStatusResponse response;
  EXPECT_TRUE(Fetch(server, ClientStatusRequest(), response).ok());
}

TEST(CsdsService, AnAnswerMayBeLargerThanWhatGrpcTakesByDefault) {
  const AdminServer server([] { return std::vector{ClientWith(10'000, 1024)}; });
  ClientStatusResponse response;
  const grpc::Status status = Fetch(server, ClientStatusRequest(), response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_GT(response.ByteSizeLong(), size_t{10} << 20);
  EXPECT_EQ(response.config(0).generic_xds_configs_size(), 10'000);
}

TEST(CsdsService, ManyMayAskAtOnce) {
  const AdminServer server([] { return std::vector{ClientWith(100, 100)}; });
  std::vector<std::thread> askers;
  std::atomic<int> answers = 0;
  for (int i = 0; i < 8; ++i) {
    askers.emplace_back([&server, &answers] {
      for (int j = 0; j < 20; ++j) {
        ClientStatusResponse response;
        const grpc::Status status = Fetch(server, ClientStatusRequest(), response);
        EXPECT_TRUE(status.ok()) << status.error_message();
        answers += response.config_size();
      }
    });
  }
  for (std::thread& asker : askers) asker.join();
  EXPECT_EQ(answers, 160);
}

}  // namespace
}  // namespace holdfast

#include "wire/csds.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "envoy/service/status/v3/csds.pb.h"
#include "gtest/gtest.h"
#include "tests/support/wire_bytes.h"
#include "xds/cache_state.h"

namespace holdfast {
namespace {

namespace status = ::envoy::service::status::v3;

constexpr char kClusterUrl[] = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
// No message that protobuf would write: what was received is shown, not what was understood.
constexpr char kOddBytes[] = "\x12\x03webx\x01\xff";

ResourceSnapshot Cached(std::string name) {
  ResourceSnapshot resource;
  resource.type_url = kClusterUrl;
  resource.name = std::move(name);
  resource.state = CacheState::kAcked;
  resource.bytes = std::make_shared<const std::string>(kOddBytes);
  resource.version = "41";
  resource.last_updated = absl::ToChronoTime(absl::FromUnixMillis(1'700'000'000'250));
  return resource;
}

ErrorDetail Nack() {
  return {.code = absl::StatusCode::kInvalidArgument,
          .cause = Cause::kNack,
          .text = "eds_cluster_config.eds_config: must be ads or self (got path)",
          .type = "cluster",
          .resource = "pay",
          .version = "42",
          .consequence = "keeping version 41",
          .node_id = "web-1",
          .when = absl::ToChronoTime(absl::FromUnixMillis(1'700'000'001'500))};
}

ClientStatus ClientWith(std::vector<ResourceSnapshot> resources) {
  ClientStatus client;
  client.snapshot.key = "xds:///web";
  client.snapshot.resources = std::move(resources);
  client.node.id = "web-1";
  return client;
}

// The one client of an answer, as protobuf reads it.
status::ClientConfig Shown(const ClientStatus& client,
                           ResourceContents contents = ResourceContents::kIncluded) {
  const absl::StatusOr<std::string> bytes = EncodeClientStatusResponse({client}, contents);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  status::ClientStatusResponse response;
  EXPECT_TRUE(response.ParseFromString(bytes.value_or("not protobuf")));
  EXPECT_EQ(response.config_size(), 1);
  return response.config_size() == 1 ? response.config(0) : status::ClientConfig();
}

status::ClientConfig::GenericXdsConfig ShownEntry(
    ResourceSnapshot resource, ResourceContents contents = ResourceContents::kIncluded) {
  const status::ClientConfig config = Shown(ClientWith({std::move(resource)}), contents);
  EXPECT_EQ(config.generic_xds_configs_size(), 1);
  EXPECT_EQ(config.xds_config_size(), 0) << "the older form of the same";
  if (config.generic_xds_configs_size() != 1) return {};
  return config.generic_xds_configs(0);
}

TEST(Csds, NoClientIsAnEmptyResponse) {  // R9.12
  EXPECT_EQ(*EncodeClientStatusResponse({}, ResourceContents::kIncluded), "");
}

TEST(Csds, ShowsOneConfigForEachClient) {  // R9.02
  std::vector<ClientStatus> clients = {ClientWith({}), ClientWith({Cached("pay")})};
  clients[1].snapshot.key = "#server";
  const auto bytes = EncodeClientStatusResponse(clients, ResourceContents::kIncluded);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  status::ClientStatusResponse response;
  ASSERT_TRUE(response.ParseFromString(*bytes));
  ASSERT_EQ(response.config_size(), 2);
  EXPECT_EQ(response.config(0).client_scope(), "xds:///web");
  EXPECT_EQ(response.config(0).generic_xds_configs_size(), 0);
  EXPECT_EQ(response.config(1).client_scope(), "#server");
  EXPECT_EQ(response.config(1).generic_xds_configs_size(), 1);
}

TEST(Csds, ShowsTheNodeAsServersAreTold) {  // R9.03
  ClientStatus client = ClientWith({});
  client.node.cluster = "web";
  client.node.locality = {"eu", "eu-1", "a"};
  client.node.metadata["team"].value = "payments";
  client.node.user_agent_name = "holdfast";
  client.node.user_agent_version = "0.1.0";
  client.node.client_features = {"xds.config.resource-in-sotw"};
  const envoy::config::core::v3::Node node = Shown(client).node();
  EXPECT_EQ(node.id(), "web-1");
  EXPECT_EQ(node.cluster(), "web");
  EXPECT_EQ(node.locality().sub_zone(), "a");
  EXPECT_EQ(node.metadata().fields().at("team").string_value(), "payments");
  EXPECT_EQ(node.user_agent_name(), "holdfast");
  EXPECT_EQ(node.user_agent_version(), "0.1.0");
  ASSERT_EQ(node.client_features_size(), 1);
  EXPECT_EQ(node.client_features(0), "xds.config.resource-in-sotw");
}

TEST(Csds, ShowsACachedResourceByteForByte) {  // R9.04, R9.05
  const auto entry = ShownEntry(Cached("pay"));
  EXPECT_EQ(entry.type_url(), kClusterUrl);
  EXPECT_EQ(entry.name(), "pay");
  EXPECT_EQ(entry.version_info(), "41");
  EXPECT_EQ(entry.xds_config().type_url(), kClusterUrl);
  EXPECT_EQ(entry.xds_config().value(), kOddBytes);
  EXPECT_EQ(entry.last_updated().seconds(), 1'700'000'000);
  EXPECT_EQ(entry.last_updated().nanos(), 250'000'000);
  EXPECT_EQ(entry.client_status(), envoy::admin::v3::ACKED);
  EXPECT_EQ(entry.config_status(), status::UNKNOWN);
  EXPECT_FALSE(entry.has_error_state());  // R9.06
}

TEST(Csds, ShowsEveryStateWithItsNumber) {  // R9.07
  for (CacheState state : kAllCacheStates) {
    ResourceSnapshot resource = Cached("pay");
    resource.state = state;
    EXPECT_EQ(static_cast<int>(ShownEntry(resource).client_status()), static_cast<int>(state));
  }
  EXPECT_EQ(static_cast<int>(CacheState::kRequested), envoy::admin::v3::REQUESTED);
  EXPECT_EQ(static_cast<int>(CacheState::kDoesNotExist), envoy::admin::v3::DOES_NOT_EXIST);
  EXPECT_EQ(static_cast<int>(CacheState::kNacked), envoy::admin::v3::NACKED);
  EXPECT_EQ(static_cast<int>(CacheState::kReceivedError), envoy::admin::v3::RECEIVED_ERROR);
  EXPECT_EQ(static_cast<int>(CacheState::kTimeout), envoy::admin::v3::TIMEOUT);
}

TEST(Csds, ShowsTheCodeOfWhatAServerReported) {  // R9.06
  ResourceSnapshot resource = Cached("pay");
  resource.state = CacheState::kReceivedError;
  resource.error = Nack();
  resource.error->cause = Cause::kServerError;
  resource.error->code = absl::StatusCode::kPermissionDenied;
  resource.error->text = "ask #payments";
  EXPECT_EQ(ShownEntry(resource).error_state().details(),
            "PERMISSION_DENIED: cluster \"pay\": ask #payments; keeping version 41 (node "
            "\"web-1\")");
}

TEST(Csds, ShowsWhatIsInUseBesideTheVersionThatWasRefused) {  // R9.05, R9.06
  ResourceSnapshot resource = Cached("pay");
  resource.state = CacheState::kNacked;
  resource.error = Nack();
  const auto entry = ShownEntry(resource);
  EXPECT_EQ(entry.version_info(), "41");
  EXPECT_EQ(entry.xds_config().value(), kOddBytes);
  EXPECT_EQ(entry.error_state().details(),
            "cluster \"pay\": eds_cluster_config.eds_config: must be ads or self (got path); "
            "keeping version 41 (node \"web-1\")");
  EXPECT_EQ(entry.error_state().version_info(), "42");
  EXPECT_EQ(entry.error_state().last_update_attempt().seconds(), 1'700'000'001);
  EXPECT_EQ(entry.error_state().last_update_attempt().nanos(), 500'000'000);
  EXPECT_FALSE(entry.error_state().has_failed_configuration());
}

TEST(Csds, AnErrorWithoutAVersionHasNoAttempt) {  // R9.06
  ResourceSnapshot resource = Cached("pay");
  resource.error = Nack();
  resource.error->version = "";
  const auto entry = ShownEntry(resource);
  EXPECT_NE(entry.error_state().details(), "");
  EXPECT_EQ(entry.error_state().version_info(), "");
  EXPECT_FALSE(entry.error_state().has_last_update_attempt());
}

TEST(Csds, ADroppedResourceIsNotShown) {  // R9.09
  ResourceSnapshot resource = Cached("pay");
  resource.state = CacheState::kNacked;
  resource.error = Nack();
  resource.bytes = nullptr;
  resource.version = "";  // of the bytes, and goes with them
  const auto entry = ShownEntry(resource);
  EXPECT_EQ(entry.client_status(), envoy::admin::v3::NACKED);
  EXPECT_FALSE(entry.has_xds_config());
  EXPECT_FALSE(entry.has_last_updated());
  EXPECT_EQ(entry.version_info(), "");
  EXPECT_TRUE(entry.has_error_state());
}

TEST(Csds, LeavesOutContentsOnRequestAndNothingElse) {  // R9.11
  const auto entry = ShownEntry(Cached("pay"), ResourceContents::kExcluded);
  EXPECT_FALSE(entry.has_xds_config());
  EXPECT_EQ(entry.version_info(), "41");
  EXPECT_TRUE(entry.has_last_updated());
}

TEST(Csds, ATimeBeforeTheEpochIsAValidTimestamp) {
  ResourceSnapshot resource = Cached("pay");
  resource.last_updated = absl::ToChronoTime(absl::FromUnixMillis(-250));
  const auto entry = ShownEntry(resource);
  EXPECT_EQ(entry.last_updated().seconds(), -1);
  EXPECT_EQ(entry.last_updated().nanos(), 750'000'000);
}

TEST(Csds, BytesThatAreNotUtf8DoNotSpoilTheAnswer) {
  ClientStatus client = ClientWith({Cached("p\xff"), Cached("web")});
  client.snapshot.key = "k\xfe";
  const status::ClientConfig config = Shown(client);
  EXPECT_EQ(config.client_scope(), "k\\xfe");
  ASSERT_EQ(config.generic_xds_configs_size(), 2);
  EXPECT_EQ(config.generic_xds_configs(0).name(), "p\\xff");
  EXPECT_EQ(config.generic_xds_configs(1).name(), "web");
}

TEST(Csds, WritesEqualBytesForEqualClients) {
  ClientStatus client = ClientWith({Cached("pay"), Cached("web")});
  for (int i = 0; i < 50; ++i) client.node.metadata[absl::StrCat("key", i)].value = 1.0;
  ClientStatus again = ClientWith({Cached("pay"), Cached("web")});
  for (int i = 49; i >= 0; --i) again.node.metadata[absl::StrCat("key", i)].value = 1.0;
  EXPECT_EQ(*EncodeClientStatusResponse({client}, ResourceContents::kIncluded),
            *EncodeClientStatusResponse({again}, ResourceContents::kIncluded));
}

TEST(Csds, AClientConfigIsWhatStandsInTheResponse) {
  const ClientStatus client = ClientWith({Cached("pay")});
  EXPECT_EQ(Field(1, *EncodeClientConfig(client, ResourceContents::kIncluded)),
            *EncodeClientStatusResponse({client}, ResourceContents::kIncluded));
}

// A kibibyte each, and contents of every length around the borders of a varint.
TEST(Csds, ManyResourcesComeBackInTheirOrder) {  // R9.13
  std::vector<ResourceSnapshot> resources;
  for (size_t i = 0; i < 10'000; ++i) {
    resources.push_back(Cached(absl::StrCat("cluster-", i)));
    const size_t length = i < 300 ? i : 1024;
    resources.back().bytes = std::make_shared<const std::string>(length, 'x');
  }
  const status::ClientConfig config = Shown(ClientWith(resources));
  ASSERT_EQ(config.generic_xds_configs_size(), 10'000);
  for (int i = 0; i < 10'000; ++i) {
    EXPECT_EQ(config.generic_xds_configs(i).name(), absl::StrCat("cluster-", i));
    EXPECT_EQ(config.generic_xds_configs(i).xds_config().value(),
              *resources[static_cast<size_t>(i)].bytes);
  }
}

TEST(Csds, RefusesToWriteWhatNobodyCouldRead) {
  ResourceSnapshot large = Cached("pay");
  large.bytes = std::make_shared<const std::string>(size_t{1} << 20, 'x');
  const ClientStatus client = ClientWith(std::vector<ResourceSnapshot>(2048, large));
  EXPECT_EQ(EncodeClientStatusResponse({client}, ResourceContents::kIncluded).status(),
            absl::ResourceExhaustedError(
                "client status is 2147774491 bytes, the most that can be sent is 2147483647; ask "
                "with exclude_resource_contents"));
  EXPECT_TRUE(EncodeClientStatusResponse({client}, ResourceContents::kExcluded).ok());
}

TEST(CsdsRequest, SaysWhatIsAskedFor) {
  EXPECT_EQ(*ParseClientStatusRequest(""), ClientStatusRequest());
  EXPECT_EQ(*ParseClientStatusRequest(NumberField(3, 1)),
            ClientStatusRequest{.exclude_resource_contents = true});
  EXPECT_EQ(*ParseClientStatusRequest(NumberField(3, 1) + NumberField(3, 0)),
            ClientStatusRequest());
  EXPECT_EQ(*ParseClientStatusRequest(Field(3, "1") + Field(2, Field(1, "web-1"))),
            ClientStatusRequest());
}

TEST(CsdsRequest, ShowsThatThereAreNodeMatchers) {  // R9.10
  status::ClientStatusRequest message;
  message.add_node_matchers();
  EXPECT_EQ(*ParseClientStatusRequest(message.SerializeAsString()),
            ClientStatusRequest{.has_node_matchers = true});
}

TEST(CsdsRequest, BrokenBytesAreAClearError) {
  EXPECT_EQ(ParseClientStatusRequest("\x12\x7f").status(),
            absl::InvalidArgumentError("client status request of 2 bytes cannot be parsed: "
                                       "truncated or not protobuf"));
}

}  // namespace
}  // namespace holdfast

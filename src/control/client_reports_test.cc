#include "control/client_reports.h"

#include <gtest/gtest.h>

#include "xds/type_names.h"

namespace holdfast {
namespace {

StreamReport StreamWith(const std::string& type) {
  const auto resource = std::make_shared<const Resource>(type, "pay", "the contents");
  StreamReport stream;
  stream.session.types.push_back(
      {.type = type,
       .names = {{.name = "pay", .version = resource->version(), .runs = HeldOf(resource)}}});
  return stream;
}

TEST(ClientReports, StatusesShowWhatAClientRuns) {
  const std::vector<ClientStatus> statuses =
      ClientStatusesOf({StreamWith(std::string(kClusterTypeName))}, 12);
  ASSERT_EQ(statuses.size(), 1u);
  ASSERT_EQ(statuses[0].snapshot.resources.size(), 1u);
  const ResourceSnapshot& shown = statuses[0].snapshot.resources[0];
  EXPECT_EQ(shown.name, "pay");
  EXPECT_NE(shown.version, "");
  ASSERT_NE(shown.bytes, nullptr);
  EXPECT_EQ(*shown.bytes, "the contents");
}

TEST(ClientReports, StatusesNeverShowTheContentsOfSecrets) {
  const std::vector<ClientStatus> statuses =
      ClientStatusesOf({StreamWith("envoy.extensions.transport_sockets.tls.v3.Secret")}, 12);
  ASSERT_EQ(statuses.size(), 1u);
  ASSERT_EQ(statuses[0].snapshot.resources.size(), 1u);
  const ResourceSnapshot& shown = statuses[0].snapshot.resources[0];
  EXPECT_EQ(shown.name, "pay");
  EXPECT_NE(shown.version, "");
  EXPECT_EQ(shown.bytes, nullptr);
}

TEST(ClientReports, StatusesBoundTheContentsOfAllClientsTogether) {
  const StreamReport stream = StreamWith(std::string(kClusterTypeName));
  const std::vector<ClientStatus> statuses = ClientStatusesOf({stream, stream, stream}, 35);
  ASSERT_EQ(statuses.size(), 3u);
  for (const ClientStatus& status : statuses) {
    ASSERT_EQ(status.snapshot.resources.size(), 1u);
    EXPECT_NE(status.snapshot.resources[0].version, "");
  }
  EXPECT_NE(statuses[0].snapshot.resources[0].bytes, nullptr);
  EXPECT_NE(statuses[1].snapshot.resources[0].bytes, nullptr);
  EXPECT_EQ(statuses[2].snapshot.resources[0].bytes, nullptr);
}

// It runs what it acknowledged, and says nothing of what it was sent since.
TEST(ClientReports, StatusesShowThatAClientDoesNotAnswer) {
  StreamReport stream = StreamWith(std::string(kClusterTypeName));
  NameReport& pay = stream.session.types[0].names[0];
  EXPECT_EQ(ClientStatusesOf({stream}, 12)[0].config_status,
            std::vector<ConfigStatus>{ConfigStatus::kSynced});
  pay.version = "newer";
  pay.state = DeliveryState::kWaiting;
  const std::vector<ClientStatus> statuses = ClientStatusesOf({stream}, 12);
  EXPECT_EQ(statuses[0].snapshot.resources[0].state, CacheState::kAcked);
  EXPECT_EQ(statuses[0].config_status, std::vector<ConfigStatus>{ConfigStatus::kStale});
  pay.state = DeliveryState::kHeldBack;
  pay.error = NameError{3, "no"};
  EXPECT_EQ(ClientStatusesOf({stream}, 12)[0].config_status,
            std::vector<ConfigStatus>{ConfigStatus::kUnknown});
  pay.rejected_version = "7";
  EXPECT_EQ(ClientStatusesOf({stream}, 12)[0].config_status,
            std::vector<ConfigStatus>{ConfigStatus::kError});
}

}  // namespace
}  // namespace holdfast

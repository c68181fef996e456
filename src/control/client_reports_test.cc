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

NameReport Rejected(const std::string& name, const std::string& why) {
  return {.name = name,
          .state = DeliveryState::kHeldBack,
          .version = "2",
          .runs = std::make_shared<const Held>(Held{"1", nullptr}),
          .error = NameError{3, why},
          .rejected_version = "2"};
}

TEST(ClientReports, EachResourceHasItsOwnError) {
  StreamReport stream;
  const NameReport good = {.name = "d", .version = "2"};
  stream.session.types.push_back({.type = std::string(kClusterTypeName),
                                  .counts = {.held_back = 4},
                                  .names = {Rejected("a", "no"), Rejected("b", "no"),
                                            Rejected("c", "never"), good, Rejected("e", "never")}});
  const ClientReport report = ClientReportOf(stream, 10);
  EXPECT_EQ(report.state, DeliveryState::kHeldBack);
  ASSERT_EQ(report.resources.size(), 5u);
  const absl::Status no = absl::InvalidArgumentError("no");
  const absl::Status never = absl::InvalidArgumentError("never");
  const absl::Status expected[] = {no, no, never, absl::OkStatus(), never};
  const std::string names = "abcde";
  for (size_t i = 0; i < 5; ++i) {
    const ClientResource& resource = report.resources[i];
    EXPECT_EQ(resource.name, names.substr(i, 1));
    EXPECT_EQ(resource.version, "2");
    EXPECT_EQ(resource.error, expected[i]) << resource.name;
  }
  EXPECT_EQ(report.resources[0].client_version, "1");
  EXPECT_EQ(report.resources[3].client_version, std::nullopt);
}

TEST(ClientReports, CountWhatIsTooMuch) {
  StreamReport stream;
  for (const absl::string_view type : {kListenerTypeName, kClusterTypeName}) {
    stream.session.types.push_back({.type = std::string(type),
                                    .names = {Rejected("a", "no"), Rejected("b", "no")},
                                    .more_names = 5});
  }
  const ClientReport report = ClientReportOf(stream, 3);
  ASSERT_EQ(report.resources.size(), 3u);
  EXPECT_EQ(report.resources[2].type, kClusterTypeName);
  EXPECT_EQ(report.more_resources, 11u);
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

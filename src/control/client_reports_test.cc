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
      ClientStatusesOf({StreamWith(std::string(kClusterTypeName))});
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
      ClientStatusesOf({StreamWith("envoy.extensions.transport_sockets.tls.v3.Secret")});
  ASSERT_EQ(statuses.size(), 1u);
  ASSERT_EQ(statuses[0].snapshot.resources.size(), 1u);
  const ResourceSnapshot& shown = statuses[0].snapshot.resources[0];
  EXPECT_EQ(shown.name, "pay");
  EXPECT_NE(shown.version, "");
  EXPECT_EQ(shown.bytes, nullptr);
}

}  // namespace
}  // namespace holdfast

#include "demo/story/world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast {
namespace {

constexpr char kGood[] =
    "services:\n- name: web\n  lb: round_robin\n  endpoints: [\"127.0.0.1:1\", \"127.0.0.1:2\"]\n";
constexpr char kBad[] =
    "services:\n- name: web\n  lb: maglev\n  endpoints: [\"127.0.0.1:1\", \"127.0.0.1:2\"]\n";
constexpr char kRule[] =
    "errors:\n- {type: lds, name: web, code: PERMISSION_DENIED,\n"
    "   message: \"team shop may not read web; ask #platform\"}\n";

TEST(World, IsWhatTheTroubleSays) {
  struct Row {
    Mishap trouble;
    World world;
  };
  const World good = {.files = {{"web.yaml", kGood}}};
  const Row rows[] = {
      {Mishap::kNone, good},
      {Mishap::kBadCluster, {.files = {{"web.yaml", kBad}}}},
      {Mishap::kListenerDeleted, {.files = {}}},
      {Mishap::kDenied, {.files = {{"rule.yaml", kRule}, {"web.yaml", kGood}}}},
      {Mishap::kMissingName, good},
      {Mishap::kControlPlaneDead, {.files = good.files, .has_control_plane = false}},
      {Mishap::kAllDead, {.files = good.files, .has_control_plane = false, .has_backends = false}},
      {Mishap::kRepaired, good},
  };
  for (const Row& row : rows) {
    const World world = WorldIn(row.trouble, {"127.0.0.1:1", "127.0.0.1:2"});
    EXPECT_EQ(world.files, row.world.files) << static_cast<int>(row.trouble);
    EXPECT_TRUE(world == row.world) << static_cast<int>(row.trouble);
  }
}

TEST(Bootstrap, NamesTheControlPlaneAndTheNode) {
  EXPECT_EQ(BootstrapText("127.0.0.1:5", "holdfast-1"),
            "{\"xds_servers\": [{\"server_uri\": \"127.0.0.1:5\", \"channel_creds\": "
            "[{\"type\": \"insecure\"}], \"server_features\": [\"xds_v3\"]}], "
            "\"node\": {\"id\": \"holdfast-1\"}}\n");
}

TEST(Environment, KeepsSwitchesAndDropsWhatLeadsElsewhere) {
  EXPECT_THAT(ChildEnvironment(
                  {"PATH=/bin", "https_proxy=http://proxy:3128", "HTTP_PROXY=http://proxy:3128",
                   "GRPC_XDS_BOOTSTRAP=/etc/bootstrap.json", "GRPC_XDS_BOOTSTRAP_CONFIG={}",
                   "GRPC_EXPERIMENTAL_XDS_DATA_ERROR_HANDLING=false", "HOLDFAST_LOG=debug",
                   "HOLDFAST_LOG_FORMAT=json", "GRPC_VERBOSITY=DEBUG", "GRPC_TRACE=all", "EMPTY="},
                  {"HOLDFAST_LOG=warning"}),
              testing::ElementsAre("PATH=/bin", "GRPC_EXPERIMENTAL_XDS_DATA_ERROR_HANDLING=false",
                                   "EMPTY=", "HOLDFAST_LOG=warning"));
}

}  // namespace
}  // namespace holdfast

#include "app/xds_server_address.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace holdfast {
namespace {

TEST(XdsServerAddress, IsReadInAllWaysThatGrpcHas) {
  struct Row {
    const char* uri;
    std::optional<std::string> address;
  };
  const Row rows[] = {
      {"cp:18000", "cp:18000"},
      {"127.0.0.1:18000", "127.0.0.1:18000"},
      {"[::1]:18000", "[::1]:18000"},
      {"dns:cp:18000", "cp:18000"},
      {"dns:///cp:18000", "cp:18000"},
      {"dns://8.8.8.8/cp:18000", "cp:18000"},
      {"dns:///cp", "cp:443"},
      {"cp", "cp:443"},
      {"ipv4:10.0.0.1:18000", "10.0.0.1:18000"},
      {"ipv6:[::1]:18000", "[::1]:18000"},
      {"ipv4:10.0.0.1:1,10.0.0.2:1", std::nullopt},
      {"unix:/run/cp.sock", std::nullopt},
      {"unix:cp.sock", std::nullopt},
      {"unix-abstract:cp", std::nullopt},
      {"unix:cp.sock:1", std::nullopt},
      {"vsock:2:18000", std::nullopt},
      {"vsock:18000", std::nullopt},
      {"xds:///cp", std::nullopt},
      {"dns://8.8.8.8", std::nullopt},
      {"cp:0", std::nullopt},
      {"cp:nowhere", std::nullopt},
      {"", std::nullopt},
  };
  for (const Row& row : rows) EXPECT_EQ(AddressOfServer(row.uri), row.address) << row.uri;
}

TEST(XdsServerAddress, AnAuthorityMayHaveServersOfItsOwn) {
  BootstrapConfig bootstrap;
  bootstrap.servers.emplace_back().server_uri = "everybody:1";
  bootstrap.authorities["a"].servers.emplace_back().server_uri = "own:1";
  bootstrap.authorities["b"] = {};
  const auto first = [&bootstrap](Question::Kind kind, std::string text) {
    return ServersFor({.kind = kind, .text = std::move(text)}, bootstrap).front().server_uri;
  };
  EXPECT_EQ(first(Question::Kind::kTarget, "xds:///web"), "everybody:1");
  EXPECT_EQ(first(Question::Kind::kTarget, "xds://a/web"), "own:1");
  EXPECT_EQ(first(Question::Kind::kTarget, "xds://b/web"), "everybody:1");
  EXPECT_EQ(first(Question::Kind::kTarget, "xds://c/web"), "everybody:1");
  EXPECT_EQ(first(Question::Kind::kResource, "cds/pay"), "everybody:1");
  EXPECT_EQ(first(Question::Kind::kResource, "cds/xdstp://a/envoy.config.cluster.v3.Cluster/pay"),
            "own:1");
  EXPECT_EQ(first(Question::Kind::kClient, "spiffe://a/web"), "everybody:1");
}

}  // namespace
}  // namespace holdfast

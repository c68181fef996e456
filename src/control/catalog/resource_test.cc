// A resource is framed once; what clients read of it is what was put in.
#include "control/catalog/resource.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "wire/envelope.h"
#include "wire/wire_writer.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

const std::string kType(kClusterTypeName);
const std::string kTypeUrl = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
// A cluster has its name in field 1.
const std::string kBody("\x0a\x05paris", 7);
constexpr auto kNameIsFieldOne = [](absl::string_view) { return 1u; };

// The response around a field.
std::string Response(absl::string_view field) {
  std::string response;
  AppendField(response, 4, kTypeUrl);
  return response.append(field.data(), field.size());
}

TEST(Resource, ItsSotwFieldIsAResponseOfOne) {
  const Resource resource(kType, "paris", kBody);
  const std::string response = Response(resource.sotw_field());
  const auto read = ScanResponse(response, kNameIsFieldOne);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->resources.size(), 1u);
  EXPECT_EQ(
      read->resources[0],
      (ResourceEntry{.name = "paris", .type_url = kTypeUrl, .body = kBody, .has_body = true}));
}

TEST(Resource, ItsDeltaFieldIsAResponseOfOne) {  // R1.66
  const Resource resource(kType, "paris", kBody, absl::Seconds(5));
  const std::string response = Response(resource.delta_field());
  const auto read = ScanDeltaResponse(response);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->resources.size(), 1u);
  EXPECT_EQ(read->resources[0].name, "paris");
  EXPECT_EQ(read->resources[0].version, resource.version());
  EXPECT_EQ(read->resources[0].type_url, kTypeUrl);
  EXPECT_EQ(read->resources[0].body, kBody);
  EXPECT_EQ(read->resources[0].ttl, std::nullopt);
}

TEST(Resource, FieldsOfAnySizeParseBack) {
  for (const size_t size : {0u, 1u, 20u, 60u, 70u, 127u, 128u, 16'000u, 16'383u, 3'000'000u}) {
    const std::string body(size, 'x');
    const Resource resource(kType, "paris", body, absl::Nanoseconds(1'000'000'001));
    EXPECT_EQ(resource.body(), body);
    const std::string both =
        Response(absl::StrCat(resource.delta_field(), resource.DeltaFieldWithTtl()));
    const auto read = ScanDeltaResponse(both);
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_EQ(read->resources.size(), 2u);
    EXPECT_EQ(read->resources[0].body, body) << size;
    EXPECT_EQ(read->resources[1].body, body) << size;
    EXPECT_EQ(read->resources[1].ttl, absl::Nanoseconds(1'000'000'001));
  }
}

TEST(Resource, WithATtlItsSotwFieldIsWrapped) {  // R1.80, R1.82
  const Resource resource(kType, "paris", kBody, absl::Milliseconds(2500));
  const std::string response = Response(resource.SotwFieldWithTtl());
  const auto read = ScanResponse(response, kNameIsFieldOne);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->resources.size(), 1u);
  EXPECT_TRUE(read->resources[0].is_wrapped);
  EXPECT_EQ(read->resources[0].name, "paris");
  EXPECT_EQ(read->resources[0].body, kBody);
  EXPECT_EQ(read->resources[0].version, resource.version());
  EXPECT_EQ(read->resources[0].ttl, absl::Milliseconds(2500));
}

// Clients keep versions over upgrades of the control plane, and replicas compare them.
TEST(Resource, ItsVersionIsTheSameInEveryRelease) {
  EXPECT_EQ(Resource(kType, "paris", kBody).version(), "ae16a6c00c958a592d7888e0ee066d2d");
  EXPECT_EQ(Resource(kType, "paris", kBody, absl::Seconds(5)).version(),
            "c2260d20a51443934fd88d36ed7093bf");
}

TEST(Resource, ItsVersionIsOfEverythingAClientCanSee) {
  const ContentHash hash = Resource("a.Type", "paris", "v1").hash();
  EXPECT_EQ(Resource("a.Type", "paris", "v1", std::nullopt, {{"b.Type", "x"}}).hash(), hash);
  EXPECT_NE(Resource("a.Type", "paris", "v2").hash(), hash);
  EXPECT_NE(Resource("a.Type", "rome", "v1").hash(), hash);
  EXPECT_NE(Resource("b.Type", "paris", "v1").hash(), hash);
  EXPECT_NE(Resource("a.Type", "paris", "v1", absl::Seconds(1)).hash(), hash);
  // Where one ends and the next begins counts.
  EXPECT_NE(Resource("a.Typ", "eparis", "v1").hash(), hash);
}

}  // namespace
}  // namespace holdfast

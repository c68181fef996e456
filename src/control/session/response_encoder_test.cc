// The bytes of a response say what the session said, and are shared by those who are sent the same.
#include "control/session/response_encoder.h"

#include <gtest/gtest.h>

#include "control/session/session_conversation_test.h"
#include "wire/envelope.h"

namespace holdfast {
namespace {

std::string BytesOf(const EncodedResponse& encoded) {
  return encoded.body == nullptr ? encoded.head : encoded.head + *encoded.body;
}

// Bodies of tests are no messages, so that the type has no field for a name.
constexpr auto kNoName = [](absl::string_view) { return 0u; };

SendResponse Sample() {
  SendResponse response;
  response.type = LongType("CDS");
  response.version = "7";
  response.nonce = "12";
  response.resources = {MakeResource("CDS/paris", "v1", absl::Milliseconds(1500)),
                        MakeResource("CDS/rome", "")};
  response.errors = {{"oslo", {5, "not here"}}, {"bern", {13, ""}}};
  return response;
}

TEST(ResponseEncoder, SotwParsesBack) {  // R2.01, R2.02
  ResponseEncoder encoder(Variant::kSotw, "cp-1");
  const std::string bytes = BytesOf(encoder.Encode(Sample()));
  const auto read = ScanResponse(bytes, kNoName);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->version_info, "7");
  EXPECT_EQ(read->nonce, "12");
  EXPECT_EQ(read->control_plane, "cp-1");
  EXPECT_EQ(read->type_url, absl::StrCat(kTypeUrlPrefix, kClusterTypeName));
  ASSERT_EQ(read->resources.size(), 2u);
  EXPECT_EQ(read->resources[0].body, "v1");
  EXPECT_FALSE(read->resources[0].is_wrapped);
  EXPECT_EQ(read->resources[1].body, "");
  ASSERT_EQ(read->resource_errors.size(), 2u);
  EXPECT_EQ(read->resource_errors[0],
            (ResourceError{.name = "oslo", .code = 5, .message = "not here"}));
  EXPECT_EQ(read->resource_errors[1], (ResourceError{.name = "bern", .code = 13}));
}

TEST(ResponseEncoder, DeltaParsesBack) {  // R1.66, R2.01, R2.02
  ResponseEncoder encoder(Variant::kDelta, "cp-1");
  SendResponse response = Sample();
  response.removed = {"oslo", "bern"};
  const std::string bytes = BytesOf(encoder.Encode(response));
  const auto read = ScanDeltaResponse(bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->version_info, "7");
  EXPECT_EQ(read->nonce, "12");
  EXPECT_EQ(read->control_plane, "cp-1");
  ASSERT_EQ(read->resources.size(), 2u);
  EXPECT_EQ(read->resources[0].name, "paris");
  EXPECT_EQ(read->resources[0].version, response.resources[0]->version());
  EXPECT_EQ(read->resources[0].body, "v1");
  EXPECT_EQ(read->resources[0].ttl, std::nullopt);
  EXPECT_EQ(read->removed_resources, std::vector<absl::string_view>({"oslo", "bern"}));
  ASSERT_EQ(read->resource_errors.size(), 2u);
  EXPECT_EQ(read->resource_errors[0].name, "oslo");
}

TEST(ResponseEncoder, WithATtlOnlyThatResourceIsWrapped) {  // R1.80, R1.82
  SendResponse response = Sample();
  response.with_ttl = true;
  ResponseEncoder sotw(Variant::kSotw, "cp-1");
  const std::string sotw_bytes = BytesOf(sotw.Encode(response));
  const auto read = ScanResponse(sotw_bytes, kNoName);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->resources[0].is_wrapped);
  EXPECT_EQ(read->resources[0].name, "paris");
  EXPECT_EQ(read->resources[0].body, "v1");
  EXPECT_EQ(read->resources[0].ttl, absl::Milliseconds(1500));
  EXPECT_FALSE(read->resources[1].is_wrapped);
  ResponseEncoder delta(Variant::kDelta, "cp-1");
  const std::string delta_bytes = BytesOf(delta.Encode(response));
  const auto read_delta = ScanDeltaResponse(delta_bytes);
  ASSERT_TRUE(read_delta.ok()) << read_delta.status();
  EXPECT_EQ(read_delta->resources[0].ttl, absl::Milliseconds(1500));
  EXPECT_EQ(read_delta->resources[1].ttl, std::nullopt);
}

TEST(ResponseEncoder, NothingHasNoBody) {
  ResponseEncoder encoder(Variant::kSotw, "cp-1");
  SendResponse response;
  response.type = LongType("CDS");
  const EncodedResponse encoded = encoder.Encode(response);
  EXPECT_EQ(encoded.body, nullptr);
  EXPECT_EQ(encoded.size(), encoded.head.size());
  EXPECT_EQ(encoder.bodies_made(), 0u);
}

TEST(ResponseEncoder, EqualResourcesShareABody) {
  ResponseEncoder encoder(Variant::kSotw, "cp-1");
  const EncodedResponse first = encoder.Encode(Sample());
  SendResponse another = Sample();  // other pointers, the same content
  another.nonce = "99";
  another.errors.clear();
  const EncodedResponse second = encoder.Encode(another);
  EXPECT_EQ(first.body, second.body);
  EXPECT_NE(first.head, second.head);
  EXPECT_EQ(encoder.bodies_made(), 1u);
  another.with_ttl = true;
  EXPECT_NE(encoder.Encode(another).body, first.body);
  EXPECT_EQ(encoder.bodies_made(), 2u);
}

TEST(ResponseEncoder, AllOfATypeIsTheSameBodyAsItsResources) {
  ResponseEncoder encoder(Variant::kDelta, "cp-1");
  const std::vector<ResourcePtr> resources = Sample().resources;
  SendResponse one_by_one = Sample();
  SendResponse all = Sample();
  all.resources.clear();
  all.all = std::make_shared<const TypeView>(resources, "");
  EXPECT_EQ(encoder.Encode(one_by_one).body, encoder.Encode(all).body);
  EXPECT_EQ(encoder.bodies_made(), 1u);
}

TEST(ResponseEncoder, OnlyTheLastFewAreKeptForOthers) {
  ResponseEncoder encoder(Variant::kSotw, "cp-1");
  std::vector<std::weak_ptr<const std::string>> bodies;
  SendResponse response = Sample();
  const EncodedResponse held = encoder.Encode(response);
  for (int i = 0; i < 200; ++i) {
    response.resources = {MakeResource("CDS/paris", absl::StrCat("v", i))};
    bodies.push_back(encoder.Encode(response).body);
  }
  EXPECT_EQ(std::count_if(bodies.begin(), bodies.end(), [](auto& one) { return !one.expired(); }),
            16);
  // What somebody holds is found, however old it is.
  const size_t made = encoder.bodies_made();
  EXPECT_EQ(encoder.Encode(Sample()).body, held.body);
  EXPECT_EQ(encoder.bodies_made(), made);
}

TEST(ResponseEncoder, BigBodiesAreNotKeptForOthers) {
  ResponseEncoder encoder(Variant::kSotw, "cp-1");
  std::vector<std::weak_ptr<const std::string>> bodies;
  SendResponse response = Sample();
  for (int i = 0; i < 4; ++i) {
    response.resources = {MakeResource(absl::StrCat("CDS/", i), std::string(12 << 20, 'x'))};
    bodies.push_back(encoder.Encode(response).body);
  }
  EXPECT_TRUE(bodies[0].expired());
  EXPECT_TRUE(bodies[1].expired());
  EXPECT_FALSE(bodies[3].expired());
}

}  // namespace
}  // namespace holdfast

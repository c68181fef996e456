#include "wire/ads.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/wire_bytes.h"
#include "wire/envelope.h"

namespace holdfast {
namespace {

constexpr char kClusterUrl[] = "type.googleapis.com/envoy.config.cluster.v3.Cluster";

Node FullNode() {
  Node node;
  node.id = "web-1";
  node.cluster = "web";
  node.locality = {"eu", "eu-1", "a"};
  node.metadata["team"].value = "payments";
  node.metadata["canary"].value = true;
  node.metadata["weight"].value = 2.5;
  node.metadata["none"];
  JsonValue::Array list(2);
  list[1].value = JsonValue::Object{{"deep", JsonValue{"er", {}}}};
  node.metadata["list"].value = list;
  node.user_agent_name = "holdfast";
  node.user_agent_version = "0.1.0";
  node.client_features = {"envoy.lb.does_not_support_overprovisioning",
                          "xds.config.resource-in-sotw"};
  return node;
}

TEST(Ads, ASotwRequestComesBackAsItWas) {
  const DiscoveryRequest request = {.version_info = "7",
                                    .node = FullNode(),
                                    .resource_names = {"pay", "web"},
                                    .type_url = kClusterUrl,
                                    .response_nonce = "n1",
                                    .error_detail = WireStatus{3, "cluster \"pay\": bad"}};
  const absl::StatusOr<DiscoveryRequest> again = ParseRequest(Encode(request));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, request);
}

TEST(Ads, ADeltaRequestComesBackAsItWas) {
  const DeltaDiscoveryRequest request = {.node = FullNode(),
                                         .type_url = kClusterUrl,
                                         .subscribe = {"pay", "*"},
                                         .unsubscribe = {"web"},
                                         .initial_resource_versions = {{"a", "1"}, {"b", "2"}},
                                         .response_nonce = "n1",
                                         .error_detail = WireStatus{-1, "odd code"}};
  const absl::StatusOr<DeltaDiscoveryRequest> again = ParseDeltaRequest(Encode(request));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, request);
}

TEST(Ads, AnEmptyRequestIsNoBytesAtAll) {
  EXPECT_EQ(Encode(DiscoveryRequest()), "");
  EXPECT_EQ(*ParseRequest(""), DiscoveryRequest());
}

// An ACK and a NACK differ by the presence of error_detail, even an empty one (R1.36).
TEST(Ads, AnEmptyErrorDetailIsStillThere) {
  const DiscoveryRequest request = {.error_detail = WireStatus{}};
  EXPECT_EQ(*ParseRequest(Encode(request)), request);
}

TEST(Ads, GarbageIsAClearError) {
  const std::string reason =
      "bytes cannot be parsed: truncated, not protobuf, nested deeper than 100 levels, or a "
      "string that is not UTF-8";
  EXPECT_EQ(ParseRequest("\x0a\x7f").status(),
            absl::InvalidArgumentError("discovery request of 2 " + reason));
  EXPECT_EQ(ParseDeltaRequest("\x12\x01\xff").status(),
            absl::InvalidArgumentError("delta discovery request of 3 " + reason));
}

TEST(Ads, ARequestIsMeasuredBeforeItIsParsed) {
  std::string names;
  for (int i = 0; i < 200'001; ++i) names += Field(3, "");
  const std::string reason =
      "discovery request has more than 200000 names, repeated ones included (4 times --max-names)";
  EXPECT_EQ(ParseRequest(names).status(), absl::ResourceExhaustedError(reason));
  EXPECT_EQ(ParseDeltaRequest(names).status(), absl::ResourceExhaustedError("delta " + reason));
  EXPECT_TRUE(ParseRequest(names, {.most_names = 50'001}).ok());

  const std::string large(100'000, 'x');
  EXPECT_EQ(ParseRequest(Field(2, large)).status(),
            absl::ResourceExhaustedError(
                "discovery request has more than 65536 bytes of node (--max-node-bytes)"));
  EXPECT_EQ(ParseDeltaRequest(Field(1, large)).status(),
            absl::ResourceExhaustedError(
                "delta discovery request has more than 65536 bytes of node (--max-node-bytes)"));
  EXPECT_EQ(
      ParseRequest(Field(6, large), {.most_error_bytes = 99'999}).status(),
      absl::ResourceExhaustedError("discovery request has more than 99999 bytes of error_detail "
                                   "(a limit without an option)"));
  EXPECT_EQ(ParseDeltaRequest(Field(7, large), {.most_error_bytes = 99'999}).status(),
            absl::ResourceExhaustedError(
                "delta discovery request has more than 99999 bytes of error_detail "
                "(a limit without an option)"));
}

// Who follows everything returns with more than anybody may ask for by name.
TEST(Ads, TheVersionsOfAReturningClientAreNoNames) {
  DeltaDiscoveryRequest returning = {.subscribe = {"a", "b"}, .unsubscribe = {"c", "d"}};
  for (int i = 0; i < 100; ++i) returning.initial_resource_versions[absl::StrCat(i)] = "1";
  const std::string bytes = Encode(returning);
  const absl::StatusOr<DeltaDiscoveryRequest> parsed = ParseDeltaRequest(bytes, {.most_names = 1});
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, returning);
  EXPECT_EQ(ParseDeltaRequest(bytes, {.most_initial_versions = 99}).status(),
            absl::ResourceExhaustedError("delta discovery request has more than 99 "
                                         "initial_resource_versions (a limit without an option)"));
}

TEST(Ads, EqualRequestsAreEqualBytes) {
  DeltaDiscoveryRequest request = {.node = FullNode()};
  for (int i = 0; i < 20; ++i) {
    request.initial_resource_versions[absl::StrCat("name-", i)] = "1";
    request.node->metadata[absl::StrCat("key-", i)].value = true;
  }
  const std::string bytes = Encode(request);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(Encode(request), bytes);
}

DiscoveryResponse FullResponse() {
  DiscoveryResponse response;
  response.version_info = "v7";
  response.type_url = kClusterUrl;
  response.nonce = "n3";
  response.control_plane = "cp-1";
  response.resource_errors = {{.name = "lost", .code = 5, .message = "no such cluster"},
                              {.name = "odd", .code = -1, .message = ""}};
  return response;
}

ResourceEntry Pay() {
  ResourceEntry entry;
  entry.name = "pay";
  entry.type_url = kClusterUrl;
  entry.body = "\x0a\x03pay";
  entry.has_body = true;
  return entry;
}

TEST(Ads, ASotwResponseComesBackAsItWas) {
  DiscoveryResponse response = FullResponse();
  ResourceEntry wrapped = Pay();
  wrapped.name = "alias for pay";
  wrapped.is_wrapped = true;
  wrapped.version = "v1";
  wrapped.ttl = absl::Milliseconds(1500);
  response.resources = {Pay(), wrapped};
  const std::string bytes = EncodeResponse(response);
  const absl::StatusOr<DiscoveryResponse> again =
      ScanResponse(bytes, [](absl::string_view) { return 1u; });
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, response);
}

TEST(Ads, ADeltaResponseComesBackAsItWas) {
  DiscoveryResponse response = FullResponse();
  ResourceEntry entry = Pay();
  entry.version = "v1";
  ResourceEntry heartbeat;
  heartbeat.name = "beating";
  heartbeat.ttl = absl::Seconds(3);
  response.resources = {entry, heartbeat};
  response.removed_resources = {"gone", "away"};
  const std::string bytes = EncodeDeltaResponse(response);
  const absl::StatusOr<DiscoveryResponse> again = ScanDeltaResponse(bytes);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, response);
}

TEST(AdsDeathTest, RefusesToWriteANameInBothLists) {
  DiscoveryResponse response = FullResponse();
  response.resources = {Pay()};
  response.resource_errors[0].name = "pay";
  EXPECT_DEATH(EncodeResponse(response), "check failed");
  EXPECT_DEATH(EncodeDeltaResponse(response), "check failed");
}

}  // namespace
}  // namespace holdfast

// What full_discovery.py's requests and responses are to us.
#include <gmock/gmock.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "resources/decode/registry.h"
#include "tests/interop/foreign_cases.h"
#include "tests/support/wire_bytes.h"
#include "wire/ads.h"
#include "wire/envelope.h"

namespace holdfast {
namespace {

constexpr char kListenerType[] = "type.googleapis.com/envoy.config.listener.v3.Listener";
constexpr char kClusterType[] = "type.googleapis.com/envoy.config.cluster.v3.Cluster";

// The bytes of the only case of a type.
std::string TheCase(const std::string& type) { return ForeignCases(type, {"full"})["full"]; }

template <class T>
void ExpectParsed(const absl::StatusOr<T>& found, const T& expected) {
  ASSERT_TRUE(found.ok()) << found.status();
  ExpectSame(*found, expected);
}

JsonValue Json(const char* text) { return {.value = std::string(text)}; }

Node TheNode() {
  const JsonValue::Object nested = {{"deep", {.value = true}}};
  return {
      .id = "node-id",
      .cluster = "node-cluster",
      .locality = {.region = "node-region", .zone = "node-zone", .sub_zone = "node-sub-zone"},
      .metadata = {{"role", Json("tester")},
                   {"replicas", {.value = 61.0}},
                   {"nested", {.value = nested}},
                   {"list", {.value = JsonValue::Array{Json("a"), Json("b")}}}},
      .user_agent_name = "holdfast",
      .user_agent_version = "0.1.0-test",
      .client_features = {"envoy.lb.does_not_support_overprovisioning",
                          "xds.config.resource-in-sotw"},
  };
}

// The constraints of the first one, which belong to dynamic parameters, are ignored, and so are the
// details of both.
std::vector<ResourceError> TheResourceErrors() {
  return {{.name = "listener-gone", .code = 5, .message = "no such listener"},
          {.name = "listener-secret", .code = 7, .message = "not for you"}};
}

// resource_locators, which are for dynamic parameters, are ignored in both kinds of request.
TEST(FullDiscovery, SotwRequestIsReadWhole) {
  const DiscoveryRequest expected = {
      .version_info = "version-1",
      .node = TheNode(),
      .resource_names = {"listener-a", "listener-b"},
      .type_url = kListenerType,
      .response_nonce = "nonce-1",
      .error_detail = WireStatus{.code = 3, .message = "listener-b: no"},
  };
  ExpectParsed(ParseRequest(TheCase("sotw_request")), expected);
}

TEST(FullDiscovery, DeltaRequestIsReadWhole) {
  const DeltaDiscoveryRequest expected = {
      .node = TheNode(),
      .type_url = kClusterType,
      .subscribe = {"cluster-a", "cluster-b"},
      .unsubscribe = {"cluster-c"},
      .initial_resource_versions = {{"cluster-f", "version-f"}, {"cluster-g", "version-g"}},
      .response_nonce = "nonce-3",
      .error_detail = WireStatus{.code = 3, .message = "cluster-a: no"},
  };
  ExpectParsed(ParseDeltaRequest(TheCase("delta_request")), expected);
}

TEST(FullDiscovery, SotwResponseIsReadWhole) {
  const std::string listener_a = Field(1, "listener-a");
  const std::string listener_b = Field(1, "listener-b");
  const DiscoveryResponse expected = {
      .version_info = "version-2",
      .resources =
          {{.name = "listener-a", .type_url = kListenerType, .body = listener_a, .has_body = true},
           {.name = "listener-b", .type_url = kListenerType, .body = listener_b, .has_body = true}},
      .type_url = kListenerType,
      .nonce = "nonce-2",
      .control_plane = "control-plane-sotw",
      .resource_errors = TheResourceErrors(),
  };
  const std::string bytes = TheCase("sotw_response");
  const auto name_field_of = [](absl::string_view type) {
    const AnyResourceType* known = FindResourceType(type);
    return known == nullptr ? 0 : known->name_field();
  };
  ExpectParsed(ScanResponse(bytes, name_field_of), expected);
}

// The builder sets name and resource_name, although only one of them may be: the entry says so. A
// removal by resource_name is as good as one by name.
TEST(FullDiscovery, DeltaResponseIsReadWhole) {
  const std::string cluster_a = Field(1, "cluster-a");
  const DiscoveryResponse expected = {
      .version_info = "version-5",
      .resources = {{.name = "cluster-a",
                     .type_url = kClusterType,
                     .body = cluster_a,
                     .version = "version-4",
                     .has_body = true,
                     .ttl = absl::Milliseconds(62'500),
                     .problem = "has both name and resource_name, only one may be set"}},
      .removed_resources = {"cluster-x", "cluster-y", "cluster-z"},
      .type_url = kClusterType,
      .nonce = "nonce-5",
      .control_plane = "control-plane-delta",
      .resource_errors = TheResourceErrors(),
  };
  const std::string bytes = TheCase("delta_response");
  ExpectParsed(ScanDeltaResponse(bytes), expected);
}

}  // namespace
}  // namespace holdfast

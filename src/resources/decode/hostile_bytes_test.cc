// Bytes that no honest control plane sends: cut, mangled, invented, huge. They end in a resource
// or in errors, never in a crash, and never in an endless list.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <random>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "resources/decode/decode.h"
#include "resources/decode/registry.h"
#include "tests/support/bad_resource.h"
#include "tests/support/text_resource.h"
#include "tests/support/wire_bytes.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::ValuesIn;

// A cluster that uses nearly every field we read.
std::string FullCluster() {
  const std::string socket =
      absl::StrCat("transport_socket { name: \"tls\" typed_config { ",
                   AnyText("envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
                           R"(sni: "pay.example" common_tls_context { validation_context {
                   ca_certificate_provider_instance { instance_name: "roots" }
                   match_subject_alt_names { safe_regex { regex: "pay[0-9]+" } } } })"),
                   " } } ");
  return FromText(
      "envoy.config.cluster.v3.Cluster",
      absl::StrCat(
          R"(name: "payments" type: EDS
             eds_cluster_config { eds_config { ads {} } service_name: "pay" }
             connect_timeout { seconds: 5 } lrs_server { self {} }
             circuit_breakers { thresholds { max_requests { value: 9 } } }
             outlier_detection { interval { seconds: 1 } max_ejection_percent { value: 20 } }
             common_lb_config { override_host_status { statuses: [ HEALTHY, DRAINING ] } }
             lrs_report_endpoint_metrics: "named_metrics.queue"
             metadata { filter_metadata { key: "a" value { fields { key: "b" value {
               list_value { values { number_value: 1 } values { string_value: "c" } } } } } } } )",
          "transport_socket { name: \"proxy\" typed_config { ",
          AnyText(
              "envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport",
              socket),
          " } } upstream_config { typed_config { ",
          AnyText("envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
                  "common_http_protocol_options { idle_timeout { seconds: 60 } }"),
          " } } load_balancing_policy { policies { typed_extension_config { typed_config { ",
          AnyText(
              "envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality",
              absl::StrCat("endpoint_picking_policy { policies { typed_extension_config { "
                           "typed_config { ",
                           AnyText("envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash",
                                   "minimum_ring_size { value: 7 }"),
                           " } } } }")),
          " } } } }"));
}

std::string FullEndpoints() {
  return FromText("envoy.config.endpoint.v3.ClusterLoadAssignment",
                  absl::StrCat(R"(cluster_name: "payments"
                    endpoints {
                      locality { region: "eu" zone: "eu-1" }
                      load_balancing_weight { value: 3 }
                      lb_endpoints {
                        health_status: DRAINING load_balancing_weight { value: 4 }
                        endpoint { hostname: "a.example"
                          address { socket_address { address: "10.0.0.1" port_value: 80 } }
                          additional_addresses {
                            address { socket_address { address: "fd00::1" port_value: 80 } } } }
                        metadata { typed_filter_metadata {
                          key: "envoy.http11_proxy_transport_socket.proxy_address" value { )",
                               AnyText("envoy.config.core.v3.Address",
                                       R"(socket_address { address: "::2" port_value: 3128 })"),
                               R"( } } } } }
                    endpoints { locality {} load_balancing_weight { value: 1 } priority: 1 }
                    policy { drop_overloads { category: "spare"
                                              drop_percentage { numerator: 5 } } })"));
}

std::string Unparsable(const AnyResourceType& type) {
  return absl::StrCat("cannot be parsed as ", type.type_name(),
                      ": truncated, not protobuf, nested deeper than 100 levels, or a string that "
                      "is not UTF-8");
}

uint64_t ReadVarint(absl::string_view bytes, size_t& at) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.at(at++));
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
}

// Where a field of the outermost message ends, and 0: cut there, the rest is a whole message.
std::set<size_t> FieldBorders(absl::string_view bytes) {
  std::set<size_t> borders = {0};
  for (size_t at = 0; at < bytes.size();) {
    const uint64_t tag = ReadVarint(bytes, at);
    const uint64_t number = ReadVarint(bytes, at);
    if ((tag & 7) == 2) at += number;
    borders.insert(at);
  }
  return borders;
}

struct Subject {
  const char* name;
  const AnyResourceType& (*type)();
  std::string (*full)();

  friend void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.name; }
};

class HostileBytes : public ::testing::TestWithParam<Subject> {
 protected:
  const AnyResourceType& type() const { return GetParam().type(); }

  // Decodes, and checks what holds for any bytes.
  DecodedResource Decode(absl::string_view bytes) const {
    DecodedResource decoded = type().Decode(bytes, {});
    EXPECT_EQ(decoded.value != nullptr, decoded.errors.ok());
    EXPECT_LE(decoded.errors.Sorted().size(), ValidationErrors::kMostKept);
    return decoded;
  }

  // The only error that can be: these bytes are no message.
  void ExpectUnparsable(absl::string_view bytes) const {
    EXPECT_THAT(Decode(bytes).errors.Sorted(), ElementsAre(FieldError{"", Unparsable(type())}));
  }
};

TEST_P(HostileBytes, CutAnywhere) {
  const std::string full = GetParam().full();
  ASSERT_EQ(Decode(full).errors.Text(), "");
  const std::set<size_t> borders = FieldBorders(full);
  ASSERT_GT(borders.size(), 3u);
  for (size_t length = 0; length < full.size(); ++length) {
    SCOPED_TRACE(length);
    const absl::string_view cut = absl::string_view(full).substr(0, length);
    if (borders.contains(length)) {
      Decode(cut);
    } else {
      ExpectUnparsable(cut);
    }
  }
}

TEST_P(HostileBytes, MangledAnywhere) {
  const std::string full = GetParam().full();
  std::mt19937_64 random(88);
  for (int i = 0; i < 20000; ++i) {
    SCOPED_TRACE(i);
    std::string mangled = full;
    for (uint64_t flips = 1 + random() % 4; flips > 0; --flips) {
      mangled[random() % mangled.size()] = static_cast<char>(random());
    }
    Decode(mangled);
  }
}

TEST_P(HostileBytes, Invented) {
  std::mt19937_64 random(54);
  for (int i = 0; i < 20000; ++i) {
    SCOPED_TRACE(i);
    std::string invented(random() % 200, '\0');
    for (char& byte : invented) byte = static_cast<char>(random());
    Decode(invented);
  }
}

TEST_P(HostileBytes, WithANameThatIsNotUtf8) {
  ::testing::internal::CaptureStderr();
  ExpectUnparsable(Field(1, "\xff\xfe"));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_P(HostileBytes, NestedTenThousandLevels) {
  // A list in a list in ... as metadata of the resource or of a locality: google.protobuf.Value.
  std::string value = NumberField(4, 1);
  for (int i = 0; i < 10000; ++i) value = Field(6, Field(1, value));
  const std::string structure = Field(1, Field(1, "k") + Field(2, value));
  const std::string metadata = Field(1, Field(1, "k") + Field(2, structure));
  const bool is_cluster = &type() == &ClusterType();
  ExpectUnparsable(is_cluster ? Field(25, metadata) : Field(2, Field(9, metadata)));
}

TEST_P(HostileBytes, NestedGroups) {
  ExpectUnparsable(std::string(10000, '\x7b'));  // field 15, start of a group, never ended
  ExpectUnparsable(std::string(10000, '\x7b') + std::string(10000, '\x7c'));
}

TEST_P(HostileBytes, MoreThanTheLimit) {
  const std::string large(size_t{50} << 20, '\0');
  EXPECT_EQ(Decode(large).errors.Text(), "is 52428800 bytes, the most accepted is 16777216");
  const std::string just_over = Field(1, std::string(kMostResourceBytes - 4, 'a'));
  ASSERT_EQ(just_over.size(), kMostResourceBytes + 1);
  EXPECT_EQ(Decode(just_over).errors.Text(), "is 16777217 bytes, the most accepted is 16777216");
  const std::string just_in = Field(1, std::string(kMostResourceBytes - 5, 'a'));
  EXPECT_EQ(Decode(just_in).value != nullptr, &type() == &EndpointsType());
}

INSTANTIATE_TEST_SUITE_P(Types, HostileBytes,
                         ValuesIn<Subject>({{"Cluster", ClusterType, FullCluster},
                                            {"Endpoints", EndpointsType, FullEndpoints}}),
                         [](const auto& row) { return row.param.name; });

std::string Repeat(absl::string_view bytes, int times) {
  std::string repeated;
  for (int i = 0; i < times; ++i) absl::StrAppend(&repeated, bytes);
  return repeated;
}

constexpr int kMany = 1000000;

TEST(HostileEndpoints, AMillionEmptyLocalitiesAreSkipped) {  // R12.80
  const Decoded<Endpoints> decoded = DecodeEndpoints(Repeat(Field(2, ""), kMany), {});
  EXPECT_EQ(decoded.errors.Text(), "");
  EXPECT_EQ(decoded.resource, Endpoints{});
}

TEST(HostileEndpoints, AMillionEmptyEndpointsAreAThousandErrors) {
  const std::string weight = Field(3, NumberField(1, 1));
  const Decoded<Endpoints> decoded =
      DecodeEndpoints(Field(2, Field(1, "") + weight + Repeat(Field(2, ""), kMany)), {});
  EXPECT_EQ(decoded.errors.count(), static_cast<size_t>(kMany));
  EXPECT_EQ(decoded.errors.Sorted().size(), ValidationErrors::kMostKept);
  EXPECT_EQ(decoded.errors.Text(1),
            "endpoints[0].lb_endpoints[0].endpoint: must be set; and 999999 more");
}

TEST(HostileEndpoints, ManyPrioritiesAreOneGap) {  // R12.82
  std::string localities;
  for (uint64_t i = 0; i < 100000; ++i) {
    localities +=
        Field(2, Field(1, "") + Field(3, NumberField(1, 1)) + NumberField(5, UINT32_MAX - 2 * i));
  }
  EXPECT_EQ(DecodeEndpoints(localities, {}).errors.Text(),
            "endpoints: priority 0 has no localities although priority 4294767297 has");
}

TEST(HostileClusters, AMillionEmptyPoliciesAreOneError) {
  const std::string bytes = FromText("envoy.config.cluster.v3.Cluster",
                                     R"(name: "payments" type: EDS
                                        eds_cluster_config { eds_config { ads {} } })") +
                            Field(41, Repeat(Field(1, ""), kMany));
  EXPECT_EQ(DecodeCluster(bytes, {}).errors.Text(),
            "load_balancing_policy.policies[0].typed_extension_config: must be set");
}

TEST(HostileClusters, StrangeTextsFitOnOneLine) {
  const std::string bytes = FromText("envoy.config.cluster.v3.Cluster",
                                     absl::StrCat(R"(name: "payments" type: EDS
    eds_cluster_config { eds_config { ads {} } }
    metadata { typed_filter_metadata { key: "a\nb\033[31m)",
                                                  std::string(300, 'x'), R"(" value {} } }
    upstream_config { typed_config { type_url: "x/\r\n)",
                                                  std::string(5000, 'y'), "\" } }"));
  EXPECT_EQ(
      DecodeCluster(bytes, {}).errors.Text(),
      absl::StrCat(
          "metadata.typed_filter_metadata[a b [31m", std::string(192, 'x'),
          "… (308 bytes in all)].type_url: is empty, so the type of what is inside is unknown; "
          "upstream_config.typed_config: must be of type "
          "envoy.extensions.upstreams.http.v3.HttpProtocolOptions (got \"  ",
          std::string(198, 'y'), "… (5002 bytes in all)\")"));
}

}  // namespace
}  // namespace holdfast

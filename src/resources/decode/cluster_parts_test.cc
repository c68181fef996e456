// The larger parts of valid clusters: outlier detection and transport sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "resources/decode/decode.h"
#include "tests/support/bad_resource.h"
#include "tests/support/text_resource.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;

constexpr char kType[] = "envoy.config.cluster.v3.Cluster";
constexpr char kTls[] = "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext";
constexpr char kProxy[] =
    "envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport";
constexpr char kSystemRoots[] =
    "common_tls_context { validation_context { system_root_certs {} } }";

Decoded<Cluster> EdsAnd(absl::string_view more) {
  Decoded<Cluster> decoded =
      DecodeCluster(FromText(kType, absl::StrCat("name: \"payments\" type: EDS "
                                                 "eds_cluster_config { eds_config { ads {} } } ",
                                                 more)),
                    {});
  EXPECT_EQ(decoded.errors.Text(), "");
  return decoded;
}

OutlierDetection OutlierDetectionOf(absl::string_view body) {
  return EdsAnd(absl::StrCat("outlier_detection { ", body, " }"))
      .resource.outlier_detection.value();
}

Decoded<Cluster> SocketOf(absl::string_view any) {
  return EdsAnd(absl::StrCat("transport_socket { typed_config { ", any, " } }"));
}

UpstreamTls TlsOf(absl::string_view body) {
  return SocketOf(AnyText(kTls, body)).resource.tls.value();
}

TEST(OutlierDetectionDecoding, SuccessRateIsOnByDefault) {  // R12.70, DEC-22
  OutlierDetection expected;
  expected.success_rate.emplace();
  EXPECT_EQ(OutlierDetectionOf(""), expected);
  EXPECT_EQ(OutlierDetectionOf("enforcing_failure_percentage {}"), expected);
}

TEST(OutlierDetectionDecoding, ZeroTurnsSuccessRateOff) {  // R12.70, DEC-22
  EXPECT_EQ(OutlierDetectionOf("enforcing_success_rate {}"), OutlierDetection{});
}

TEST(OutlierDetectionDecoding, FailurePercentageIsOnIfItSaysSo) {  // R12.70
  OutlierDetection expected;
  expected.failure_percentage = {.threshold = 85, .enforcement_percent = 1};
  EXPECT_EQ(OutlierDetectionOf(R"(enforcing_success_rate {}
                                  enforcing_failure_percentage { value: 1 })"),
            expected);
}

TEST(OutlierDetectionDecoding, ReadsEverything) {  // R12.70
  OutlierDetection expected;
  expected.interval = absl::Seconds(1);
  expected.base_ejection_time = absl::Milliseconds(2500);
  expected.max_ejection_time = absl::Seconds(3);
  expected.max_ejection_percent = 100;
  expected.success_rate = {
      .stdev_factor = 4, .enforcement_percent = 5, .minimum_hosts = 6, .request_volume = 7};
  expected.failure_percentage = {
      .threshold = 8, .enforcement_percent = 9, .minimum_hosts = 10, .request_volume = 11};
  EXPECT_EQ(OutlierDetectionOf(R"(
              interval { seconds: 1 }
              base_ejection_time { seconds: 2 nanos: 500000000 }
              max_ejection_time { seconds: 3 }
              max_ejection_percent { value: 100 }
              success_rate_stdev_factor { value: 4 }
              enforcing_success_rate { value: 5 }
              success_rate_minimum_hosts { value: 6 }
              success_rate_request_volume { value: 7 }
              failure_percentage_threshold { value: 8 }
              enforcing_failure_percentage { value: 9 }
              failure_percentage_minimum_hosts { value: 10 }
              failure_percentage_request_volume { value: 11 })"),
            expected);
}

TEST(OutlierDetectionDecoding, MaxTimeIsNoShorterThanBaseTimeByDefault) {  // R12.70
  EXPECT_EQ(OutlierDetectionOf("base_ejection_time { seconds: 400 }").max_ejection_time,
            absl::Seconds(400));
  EXPECT_EQ(OutlierDetectionOf("base_ejection_time { seconds: 200 }").max_ejection_time,
            absl::Seconds(300));
  EXPECT_EQ(
      OutlierDetectionOf("base_ejection_time { seconds: 400 } max_ejection_time { seconds: 10 }")
          .max_ejection_time,
      absl::Seconds(10));
}

TEST(TransportSocketDecoding, ReadsTls) {  // R12.71
  UpstreamTls expected;
  expected.ca = {"roots", "root"};
  expected.identity = {"mine", "leaf"};
  expected.subject_alt_names = {{StringMatcher::Kind::kExact, "pay.example", true},
                                {StringMatcher::Kind::kSuffix, ".pay.example", false}};
  expected.sni = "pay.example";
  expected.auto_host_sni = true;
  expected.auto_sni_san_validation = true;
  EXPECT_EQ(TlsOf(R"(
              sni: "pay.example" auto_host_sni: true auto_sni_san_validation: true
              common_tls_context {
                alpn_protocols: "h2"
                tls_certificates {}
                tls_certificate_provider_instance { instance_name: "mine" certificate_name: "leaf" }
                validation_context {
                  trusted_ca {}
                  ca_certificate_provider_instance {
                    instance_name: "roots" certificate_name: "root" }
                  system_root_certs {}
                  match_subject_alt_names { exact: "pay.example" ignore_case: true }
                  match_subject_alt_names { suffix: ".pay.example" }
                } })"),
            expected);
}

TEST(TransportSocketDecoding, ReadsSystemRoots) {  // R12.71
  UpstreamTls expected;
  expected.system_root_certs = true;
  EXPECT_EQ(TlsOf(kSystemRoots), expected);
}

TEST(TransportSocketDecoding, ReadsTheDefaultOfACombinedContext) {  // R12.71
  UpstreamTls expected;
  expected.ca = {"roots", ""};
  EXPECT_EQ(TlsOf(R"(common_tls_context { combined_validation_context {
                       default_validation_context {
                         ca_certificate_provider_instance { instance_name: "roots" } }
                       validation_context_certificate_provider_instance {
                         instance_name: "older" } } })"),
            expected);
}

TEST(TransportSocketDecoding, ReadsTheOlderProviderFields) {  // R12.71
  UpstreamTls expected;
  expected.ca = {"roots", ""};
  expected.identity = {"mine", ""};
  EXPECT_EQ(TlsOf(R"(common_tls_context {
                       tls_certificate_certificate_provider_instance { instance_name: "mine" }
                       combined_validation_context {
                         validation_context_certificate_provider_instance {
                           instance_name: "roots" } } })"),
            expected);
}

TEST(TransportSocketDecoding, TakesAnSniOf255Bytes) {  // R12.76
  const std::string sni(255, 'a');
  EXPECT_EQ(TlsOf(absl::StrCat(kSystemRoots, " sni: \"", sni, "\"")).sni, sni);
}

TEST(TransportSocketDecoding, ReadsAProxyAroundNothing) {  // R12.71
  const Decoded<Cluster> decoded = SocketOf(AnyText(kProxy, ""));
  EXPECT_TRUE(decoded.resource.uses_http11_proxy);
  EXPECT_EQ(decoded.resource.tls, std::nullopt);
  EXPECT_THAT(decoded.not_enforced, ElementsAre("transport_socket"));
}

TEST(TransportSocketDecoding, ReadsAProxyAroundTls) {  // R12.71
  const Decoded<Cluster> decoded =
      SocketOf(AnyText(kProxy, absl::StrCat("transport_socket { typed_config { ",
                                            AnyText(kTls, kSystemRoots), " } }")));
  EXPECT_TRUE(decoded.resource.uses_http11_proxy);
  EXPECT_TRUE(decoded.resource.tls.value().system_root_certs);
  EXPECT_THAT(decoded.not_enforced,
              ElementsAre("transport_socket", "transport_socket.typed_config.transport_socket"));
}

TEST(TransportSocketDecoding, DoesNotLookAtTheName) {  // R12.71
  const Cluster cluster = EdsAnd(absl::StrCat(R"(transport_socket { name: "raw" typed_config { )",
                                              AnyText(kTls, kSystemRoots), " } }"))
                              .resource;
  EXPECT_TRUE(cluster.tls.has_value());
}

}  // namespace
}  // namespace holdfast

// Encrypted xDS channels: the right certificate, and the wrong ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/end_to_end/client_under_test.h"
#include "tests/support/certificate.h"

namespace holdfast {
namespace {

using ::testing::HasSubstr;

Certificate ForLoopback(absl::string_view name) { return Certificate(name, "IP:127.0.0.1"); }

ScriptedAdsServer::Options ForServer(const Certificate& certificate) {
  return {certificate.certificate(), certificate.key()};
}

// As channel_creds of a bootstrap that trusts it.
std::string CredentialsWith(const Certificate& certificate) {
  return absl::StrCat(R"({"type":"tls","config":{"ca_certificate_file":")", certificate.path(),
                      R"("}})");
}

TEST(EndToEndTls, ATrustedServerIsAsked) {  // R7.21
  const Certificate certificate = ForLoopback("right");
  ScriptedAdsServer server(ForServer(certificate));
  auto client = ClientOf(BootstrapFor(server.address(), {}, CredentialsWith(certificate)));
  Watching alice = WatchCluster(*client, "pay");
  const auto stream = server.NextStream();
  stream->NextRequest();
  stream->Send(TestResponse(ClusterType(), "1").Resource(ClusterBytes("pay")).Bytes());
  EXPECT_THAT(alice.Next(), OfKind(Heard::kValue));
}

TEST(EndToEndTls, AnUntrustedServerIsHeardWithTheReason) {  // R4.33
  const Certificate right = ForLoopback("right");
  const Certificate wrong = ForLoopback("wrong");
  ScriptedAdsServer server(ForServer(wrong));
  auto client = ClientOf(BootstrapFor(server.address(), {}, CredentialsWith(right)));
  Watching alice = WatchCluster(*client, "pay");
  const Heard heard = alice.Next();
  EXPECT_EQ(heard.kind, Heard::kError);
  EXPECT_EQ(heard.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(heard.cause(), Cause::kConnectivity);
  EXPECT_THAT(heard.text(), HasSubstr(server.address()));
  EXPECT_THAT(heard.text(), HasSubstr("certificate verify failed"));
}

TEST(EndToEndTls, APlainServerIsHeardWithTheReason) {  // R4.33
  const Certificate certificate = ForLoopback("right");
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address(), {}, CredentialsWith(certificate)));
  Watching alice = WatchCluster(*client, "pay");
  const Heard heard = alice.Next();
  EXPECT_EQ(heard.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(heard.text(), HasSubstr("wrong version number"));
}

TEST(EndToEndTls, AMissingFileIsAnErrorAtTheStart) {
  const absl::StatusOr<std::shared_ptr<XdsClient>> client = XdsClient::Create(
      BootstrapFor("127.0.0.1:1", {},
                   R"({"type":"tls","config":{"ca_certificate_file":"/nonexistent/ca.pem"}})"),
      QuickOptions());
  ASSERT_FALSE(client.ok());
  EXPECT_THAT(std::string(client.status().message()), HasSubstr("/nonexistent/ca.pem"));
}

}  // namespace
}  // namespace holdfast

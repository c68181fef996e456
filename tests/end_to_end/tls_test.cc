// Encrypted xDS channels: the right certificate, and the wrong ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/end_to_end/client_under_test.h"

namespace holdfast {
namespace {

using ::testing::HasSubstr;

// A certificate of its own authority for 127.0.0.1, made by the openssl command.
class Certificate {
 public:
  explicit Certificate(absl::string_view name)
      : folder_(std::filesystem::path(testing::TempDir()) /
                absl::StrCat("holdfast-tls-", ::getpid(), "-", name)) {
    std::filesystem::create_directories(folder_);
    const std::string command = absl::StrCat(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "
        "/CN=",
        name, " -addext subjectAltName=IP:127.0.0.1 -keyout ", Path("key.pem"), " -out ",
        Path("cert.pem"), " >", Path("openssl.log"), " 2>&1");
    EXPECT_EQ(std::system(command.c_str()), 0) << command << "\n" << Text("openssl.log");
  }
  ~Certificate() { std::filesystem::remove_all(folder_); }
  Certificate(const Certificate&) = delete;
  Certificate& operator=(const Certificate&) = delete;

  std::string path() const { return Path("cert.pem"); }
  ScriptedAdsServer::Options ForServer() const { return {Text("cert.pem"), Text("key.pem")}; }
  // As channel_creds of a bootstrap that trusts it.
  std::string Credentials() const {
    return absl::StrCat(R"({"type":"tls","config":{"ca_certificate_file":")", path(), R"("}})");
  }

 private:
  std::string Path(absl::string_view file) const { return (folder_ / std::string(file)).string(); }
  std::string Text(absl::string_view file) const {
    std::ifstream in(Path(file));
    return std::string(std::istreambuf_iterator<char>(in), {});
  }

  const std::filesystem::path folder_;
};

TEST(EndToEndTls, ATrustedServerIsAsked) {  // R7.21
  const Certificate certificate("right");
  ScriptedAdsServer server(certificate.ForServer());
  auto client = ClientOf(BootstrapFor(server.address(), {}, certificate.Credentials()));
  Watching alice = WatchCluster(*client, "pay");
  const auto stream = server.NextStream();
  stream->NextRequest();
  stream->Send(TestResponse(ClusterType(), "1").Resource(ClusterBytes("pay")).Bytes());
  EXPECT_EQ(alice.Next().kind, Heard::kValue);
}

TEST(EndToEndTls, AnUntrustedServerIsHeardWithTheReason) {  // R4.33
  const Certificate right("right");
  const Certificate wrong("wrong");
  ScriptedAdsServer server(wrong.ForServer());
  auto client = ClientOf(BootstrapFor(server.address(), {}, right.Credentials()));
  Watching alice = WatchCluster(*client, "pay");
  const Heard heard = alice.Next();
  EXPECT_EQ(heard.kind, Heard::kError);
  EXPECT_EQ(heard.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(heard.cause(), Cause::kConnectivity);
  EXPECT_THAT(heard.text(), HasSubstr(server.address()));
  EXPECT_THAT(heard.text(), HasSubstr("certificate verify failed"));
}

TEST(EndToEndTls, APlainServerIsHeardWithTheReason) {  // R4.33
  const Certificate certificate("right");
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address(), {}, certificate.Credentials()));
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

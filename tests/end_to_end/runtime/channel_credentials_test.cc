#include "runtime/channel_credentials.h"

#include <grpcpp/security/server_credentials.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/end_to_end/runtime/obedient_server.h"
#include "tests/end_to_end/runtime/transport_session.h"

namespace holdfast {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr StreamId kFirst(1);

std::string Contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Two authorities and what the first one signed, made by openssl for this process.
class Certificates {
 public:
  Certificates() {
    std::string name = testing::TempDir() + "/channel_credentials_XXXXXX";
    folder_ = mkdtemp(name.data());
    MakeAuthority("ca");
    MakeAuthority("other-ca");
    MakeLeaf("server", "IP:127.0.0.1");
    MakeLeaf("elsewhere", "IP:127.0.0.2");
    MakeLeaf("client", "DNS:client");
    std::ofstream(File("empty.pem")).flush();
  }
  ~Certificates() { std::filesystem::remove_all(folder_); }

  std::string File(absl::string_view name) const { return absl::StrCat(folder_, "/", name); }

 private:
  void MakeAuthority(const std::string& name) {
    Run(absl::StrCat("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes ",
                     "-days 2 -subj /CN=", name, " -keyout ", File(name), ".key -out ", File(name),
                     ".pem"));
  }
  void MakeLeaf(const std::string& name, const std::string& alternative_name) {
    std::ofstream(File("extensions")) << "subjectAltName=" << alternative_name << "\n";
    Run(absl::StrCat("openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes ",
                     "-subj /CN=", name, " -keyout ", File(name), ".key -out ", File("request")));
    Run(absl::StrCat("openssl x509 -req -days 2 -in ", File("request"), " -CA ", File("ca.pem"),
                     " -CAkey ", File("ca.key"), " -set_serial 1 -extfile ", File("extensions"),
                     " -out ", File(name), ".pem"));
  }
  void Run(const std::string& command) {
    const std::string log = File("openssl.log");
    ASSERT_EQ(std::system(absl::StrCat(command, " >", log, " 2>&1").c_str()), 0) << command << "\n"
                                                                                 << Contents(log);
  }

  std::string folder_;
};

class ChannelCredentialsTest : public testing::Test {
 protected:
  // gRPC takes this file for the system's roots; it reads it once.
  static void SetUpTestSuite() {
    setenv("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", File("ca.pem").c_str(), 1);
  }

  static std::string File(absl::string_view name) {
    static const Certificates certificates;
    return certificates.File(name);
  }

  static std::shared_ptr<grpc::ServerCredentials> ServerWith(
      const std::string& name, grpc_ssl_client_certificate_request_type client_certificate) {
    grpc::SslServerCredentialsOptions options(client_certificate);
    options.pem_root_certs = Contents(File("ca.pem"));
    options.pem_key_cert_pairs.push_back(
        {Contents(File(name + ".key")), Contents(File(name + ".pem"))});
    return grpc::SslServerCredentials(options);
  }
  static std::shared_ptr<grpc::ServerCredentials> TlsServer() {
    return ServerWith("server", GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  }
  static std::shared_ptr<grpc::ServerCredentials> MutualTlsServer() {
    return ServerWith("server", GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  }

  // What an xDS server at `address` says to `order`, or how the stream ended.
  static std::string Ask(const std::string& address, const ChannelCredentialsConfig& config,
                         const std::string& order) {
    XdsServerConfig server;
    server.server_uri = address;
    server.channel_credentials = config;
    absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> credentials =
        MakeChannelCredentials(server);
    if (!credentials.ok()) return credentials.status().ToString();
    GrpcAdsTransportOptions options;
    options.server_uri = address;
    options.credentials = *credentials;
    TransportSession session(options);
    session.Ask(kFirst, order);
    return session.NextAnswer();
  }

  // The error of credentials for server "cp:1".
  static absl::Status ErrorOf(CertificateFiles files) {
    XdsServerConfig server;
    server.server_uri = "cp:1";
    server.channel_credentials = TlsChannelCredentials{std::move(files)};
    return MakeChannelCredentials(server).status();
  }
};

TEST_F(ChannelCredentialsTest, InsecureIsPlainText) {
  ObedientServer server;
  server.Start();
  EXPECT_EQ(Ask(server.address(), InsecureChannelCredentials{}, "say hello"), "message #1: hello");
}

TEST_F(ChannelCredentialsTest, TrustsTheAuthorityInTheFile) {
  ObedientServer server(TlsServer());
  server.Start();
  const TlsChannelCredentials tls{{.ca_certificate_file = File("ca.pem")}};
  EXPECT_EQ(Ask(server.address(), tls, "say hello"), "message #1: hello");
}

TEST_F(ChannelCredentialsTest, TrustsTheSystemWithoutAFile) {
  ObedientServer server(TlsServer());
  server.Start();
  EXPECT_EQ(Ask(server.address(), TlsChannelCredentials{}, "say hello"), "message #1: hello");
}

TEST_F(ChannelCredentialsTest, TrustsNoOtherAuthority) {
  ObedientServer server(TlsServer());
  server.Start();
  const TlsChannelCredentials tls{{.ca_certificate_file = File("other-ca.pem")}};
  EXPECT_THAT(Ask(server.address(), tls, "say hello"),
              AllOf(StartsWith("closed #1: UNAVAILABLE: "), HasSubstr("certificate verify failed"),
                    EndsWith("(channel failing)")));
}

TEST_F(ChannelCredentialsTest, TrustsNoCertificateOfAnotherHost) {
  ObedientServer server(ServerWith("elsewhere", GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE));
  server.Start();
  const TlsChannelCredentials tls{{.ca_certificate_file = File("ca.pem")}};
  EXPECT_THAT(Ask(server.address(), tls, "say hello"),
              AllOf(StartsWith("closed #1: UNAVAILABLE: "), HasSubstr("Hostname Verification"),
                    EndsWith("(channel failing)")));
}

TEST_F(ChannelCredentialsTest, SpeaksNoPlainText) {
  ObedientServer server;
  server.Start();
  const TlsChannelCredentials tls{{.ca_certificate_file = File("ca.pem")}};
  EXPECT_THAT(Ask(server.address(), tls, "say hello"),
              AllOf(StartsWith("closed #1: UNAVAILABLE: "), HasSubstr("SSL"),
                    EndsWith("(channel failing)")));
}

TEST_F(ChannelCredentialsTest, ShowsItsOwnCertificate) {
  ObedientServer server(MutualTlsServer());
  server.Start();
  TlsChannelCredentials tls{{.ca_certificate_file = File("ca.pem"),
                             .certificate_file = File("client.pem"),
                             .private_key_file = File("client.key")}};
  EXPECT_EQ(Ask(server.address(), tls, "client-name"), "message #1: client");
  tls.files.ca_certificate_file.clear();  // the system's roots
  EXPECT_EQ(Ask(server.address(), tls, "client-name"), "message #1: client");
}

TEST_F(ChannelCredentialsTest, IsRefusedWithoutACertificateWhereOneIsRequired) {
  ObedientServer server(MutualTlsServer());
  server.Start();
  const TlsChannelCredentials tls{{.ca_certificate_file = File("ca.pem")}};
  EXPECT_THAT(Ask(server.address(), tls, "client-name"), StartsWith("closed #1: UNAVAILABLE: "));
}

TEST_F(ChannelCredentialsTest, ReadsItsFilesAgain) {
  ObedientServer server(TlsServer());
  server.Start();
  XdsServerConfig config;
  config.server_uri = server.address();
  config.channel_credentials = TlsChannelCredentials{
      {.ca_certificate_file = File("changing.pem"), .refresh_interval = absl::Seconds(1)}};
  std::filesystem::copy_file(File("other-ca.pem"), File("changing.pem"),
                             std::filesystem::copy_options::overwrite_existing);
  GrpcAdsTransportOptions options;
  options.server_uri = server.address();
  options.credentials = *MakeChannelCredentials(config);
  TransportSession session(options);
  session.Open(kFirst);
  EXPECT_THAT(session.NextAnswer(), HasSubstr("certificate verify failed"));

  std::filesystem::copy_file(File("ca.pem"), File("next.pem"));
  std::filesystem::rename(File("next.pem"), File("changing.pem"));
  EXPECT_EQ(session.NextAnswer(), "channel ready");
}

TEST_F(ChannelCredentialsTest, NamesAFileThatIsNotThere) {
  const absl::Status status = ErrorOf({.ca_certificate_file = "/nonexistent/ca.pem"});
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(),
            "xds server \"cp:1\": channel_creds: ca_certificate_file: \"/nonexistent/ca.pem\": "
            "cannot be opened: No such file or directory");
}

TEST_F(ChannelCredentialsTest, NamesAFileThatIsEmpty) {
  const absl::Status status = ErrorOf({.ca_certificate_file = File("ca.pem"),
                                       .certificate_file = File("client.pem"),
                                       .private_key_file = File("empty.pem")});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            absl::StrCat("xds server \"cp:1\": channel_creds: private_key_file: \"",
                         File("empty.pem"), "\": empty"));
}

TEST_F(ChannelCredentialsTest, NamesAFileThatIsAFolder) {
  const absl::Status status =
      ErrorOf({.certificate_file = testing::TempDir(), .private_key_file = File("client.key")});
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(),
            absl::StrCat("xds server \"cp:1\": channel_creds: certificate_file: \"",
                         testing::TempDir(), "\": cannot be read: Is a directory"));
}

TEST_F(ChannelCredentialsTest, RefusesCallCredentials) {
  XdsServerConfig server;
  server.server_uri = "cp:1";
  server.call_credentials.push_back({.jwt_token_file = "/run/token"});
  const absl::Status status = MakeChannelCredentials(server).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(status.message(),
            "xds server \"cp:1\": call_creds: jwt_token_file is not supported yet");
}

}  // namespace
}  // namespace holdfast

// Credentials of calls, and encrypted endpoints.
#include <gmock/gmock.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include <map>
#include <memory>
#include <string>

#include "tests/end_to_end/channel/channel_under_test.h"
#include "tests/support/certificate.h"

namespace holdfast {
namespace {

using ::testing::HasSubstr;

class Plugin final : public grpc::MetadataCredentialsPlugin {
 public:
  explicit Plugin(grpc::Status status) : status_(std::move(status)) {}
  grpc::Status GetMetadata(grpc::string_ref, grpc::string_ref, const grpc::AuthContext&,
                           std::multimap<std::string, std::string>*) override {
    return status_;
  }

 private:
  const grpc::Status status_;
};

std::function<void(grpc::ClientContext&)> WithCredentials(const grpc::Status& status) {
  return [status](grpc::ClientContext& context) {
    context.set_credentials(grpc::experimental::MetadataCredentialsFromPlugin(
        std::make_unique<Plugin>(status), GRPC_SECURITY_NONE));
  };
}

// All that a failure can have.
constexpr grpc::StatusCode kCodes[] = {
    grpc::StatusCode::CANCELLED,
    grpc::StatusCode::UNKNOWN,
    grpc::StatusCode::INVALID_ARGUMENT,
    grpc::StatusCode::DEADLINE_EXCEEDED,
    grpc::StatusCode::NOT_FOUND,
    grpc::StatusCode::ALREADY_EXISTS,
    grpc::StatusCode::PERMISSION_DENIED,
    grpc::StatusCode::RESOURCE_EXHAUSTED,
    grpc::StatusCode::FAILED_PRECONDITION,
    grpc::StatusCode::ABORTED,
    grpc::StatusCode::OUT_OF_RANGE,
    grpc::StatusCode::UNIMPLEMENTED,
    grpc::StatusCode::INTERNAL,
    grpc::StatusCode::UNAVAILABLE,
    grpc::StatusCode::DATA_LOSS,
    grpc::StatusCode::UNAUTHENTICATED,
};

// gRPC takes the words of a plugin and never its code; so none can reach the application.
constexpr char kFailed[] = "UNAVAILABLE: Getting metadata from plugin failed with error: no token";

class CallCredentialsDoor : public testing::Test {
 protected:
  CallCredentialsDoor() { PutPay(xds_, {backend_.address()}); }

  std::unique_ptr<ChannelUnderTest> NewChannel() const {
    // gRPC asks for credentials of calls only on channels that are secure in some way.
    return std::make_unique<ChannelUnderTest>(xds_.address(), std::vector<std::string>(),
                                              QuickOptions(), "xds:///pay", ChannelOptions(),
                                              grpc::experimental::LocalCredentials(LOCAL_TCP));
  }
  Backend backend_{grpc::experimental::LocalServerCredentials(LOCAL_TCP)};
  ObligingXdsServer xds_;
};

// R15.03
TEST_F(CallCredentialsDoor, LetsNoCodeOfTheApplicationThroughAtOnce) {
  const auto channel = NewChannel();
  ASSERT_EQ(Words(channel->CallUntilOk().status), "OK");
  for (const grpc::StatusCode code : kCodes) {
    EXPECT_EQ(Words(channel->Call(WithCredentials(grpc::Status(code, "no token"))).status), kFailed)
        << code;
  }
}

// R15.03
TEST_F(CallCredentialsDoor, LetsNoCodeOfTheApplicationThroughAfterAWait) {
  for (const grpc::StatusCode code : kCodes) {
    EXPECT_EQ(Words(NewChannel()->Call(WithCredentials(grpc::Status(code, "no token"))).status),
              kFailed)
        << code;
  }
}

// R15.03: a plugin that says OK has succeeded.
TEST_F(CallCredentialsDoor, LetsACallWithGoodCredentialsThrough) {
  const auto channel = NewChannel();
  for (int lane = 0; lane < 2; ++lane) {
    EXPECT_EQ(Words(channel->Call(WithCredentials(grpc::Status::OK)).status), "OK");
  }
}

TEST_F(CallCredentialsDoor, IsNotReachedByACallThatHasNowhereToGo) {
  xds_.PutError("lds", "pay", 5, "ask #payments");
  const auto channel = NewChannel();
  for (int lane = 0; lane < 2; ++lane) {
    const grpc::Status status =
        channel->Call(WithCredentials(grpc::Status(grpc::StatusCode::ABORTED, "no token"))).status;
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_THAT(status.error_message(), HasSubstr("ask #payments"));
  }
}

std::shared_ptr<grpc::ServerCredentials> ForServer(const Certificate& certificate) {
  grpc::SslServerCredentialsOptions options;
  options.pem_key_cert_pairs.push_back({certificate.key(), certificate.certificate()});
  return grpc::SslServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> Trusting(const Certificate& certificate) {
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = certificate.certificate();
  return grpc::SslCredentials(options);
}

class EncryptedEndpoints : public testing::Test {
 protected:
  CallResult CallWith(const Backend& backend, std::shared_ptr<grpc::ChannelCredentials> credentials,
                      const ChannelOptions& options = {}) {
    ObligingXdsServer xds;
    PutPay(xds, {backend.address()});
    ChannelUnderTest channel(xds.address(), {}, QuickOptions(), "xds:///pay", options,
                             std::move(credentials));
    return channel.Call();
  }
};

TEST_F(EncryptedEndpoints, AreCalledIfTheirCertificateHasTheNameOfTheService) {
  const Certificate certificate("pay", "DNS:pay");
  Backend backend(ForServer(certificate));
  const CallResult result = CallWith(backend, Trusting(certificate));
  EXPECT_EQ(Words(result.status), "OK");
  EXPECT_EQ(result.peer, backend.peer());
}

// After a wait and at once, waiting for readiness or not, with credentials of their own.
TEST_F(EncryptedEndpoints, TakeCallsAndStreamsOnEveryLane) {
  const Certificate certificate("pay", "DNS:pay");
  Backend backend(ForServer(certificate));
  ObligingXdsServer xds;
  PutPay(xds, {backend.address()});
  ChannelUnderTest channel(xds.address(), {}, QuickOptions(), "xds:///pay", {},
                           Trusting(certificate));
  for (const bool waits_for_ready : {true, false, true, false}) {
    SCOPED_TRACE(waits_for_ready);
    const auto with_all = [&](grpc::ClientContext& context) {
      WithCredentials(grpc::Status::OK)(context);
      context.set_wait_for_ready(waits_for_ready);
    };
    const CallResult result = channel.Call(with_all);
    EXPECT_EQ(Words(result.status), "OK");
    EXPECT_EQ(result.peer, backend.peer());
    grpc::ClientContext context;
    with_all(context);
    const auto reader = channel.stub().Watch(&context, {});
    grpc::health::v1::HealthCheckResponse response;
    EXPECT_TRUE(reader->Read(&response));
    EXPECT_EQ(context.peer(), backend.peer());
    context.TryCancel();
    EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
}

TEST_F(EncryptedEndpoints, MayHaveANameThatTheArgumentsSay) {
  const Certificate certificate("elsewhere", "DNS:elsewhere");
  Backend backend(ForServer(certificate));
  ChannelOptions options;
  options.arguments.SetSslTargetNameOverride("elsewhere");
  EXPECT_EQ(Words(CallWith(backend, Trusting(certificate), options).status), "OK");
}

TEST_F(EncryptedEndpoints, OfAnotherNameAreNotCalled) {
  const Certificate certificate("elsewhere", "DNS:elsewhere");
  Backend backend(ForServer(certificate));
  const grpc::Status status = CallWith(backend, Trusting(certificate)).status;
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr("Peer name pay is not in peer certificate"));
}

TEST_F(EncryptedEndpoints, OfAnUnknownAuthorityFailWithTheReason) {
  const Certificate right("pay", "DNS:pay");
  const Certificate wrong("wrong", "DNS:wrong");
  Backend backend(ForServer(right));
  const grpc::Status status = CallWith(backend, Trusting(wrong)).status;
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr("cluster \"pay\": no endpoint can be reached"));
  EXPECT_THAT(status.error_message(), HasSubstr(backend.address()));
  EXPECT_THAT(status.error_message(), HasSubstr("certificate verify failed"));
}

TEST_F(EncryptedEndpoints, AreNotBlamedForCredentialsThatCannotBeUsed) {
  const Certificate certificate("pay", "DNS:pay");
  Backend backend(ForServer(certificate));
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = "garbage";
  const grpc::Status status = CallWith(backend, grpc::SslCredentials(options)).status;
  EXPECT_EQ(
      Words(status),
      absl::StrCat("UNAVAILABLE: cluster \"pay\": no endpoint can be reached; last error: ipv4:",
                   backend.address(),
                   ": the channel credentials cannot be used: a root certificate, certificate "
                   "or key of theirs is no valid PEM (gRPC's own log has more) (xDS node ID: "
                   "web-1)"));
}

TEST_F(EncryptedEndpoints, ThatAreNotEncryptedFailWithTheReason) {
  const Certificate certificate("pay", "DNS:pay");
  Backend backend;
  const grpc::Status status = CallWith(backend, Trusting(certificate)).status;
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr("wrong version number"));
}

}  // namespace
}  // namespace holdfast

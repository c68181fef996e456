// The credentials of a call belong to the real call, on every lane.
#include <gmock/gmock.h>
#include <grpcpp/security/auth_context.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/channel/call_shapes.h"
#include "tests/channel/lane_under_test.h"

namespace holdfast {
namespace {

using ::testing::Combine;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::ValuesIn;

class Plugin final : public grpc::MetadataCredentialsPlugin {
 public:
  explicit Plugin(grpc::Status status) : status_(std::move(status)) {}
  grpc::Status GetMetadata(grpc::string_ref, grpc::string_ref, const grpc::AuthContext&,
                           std::multimap<std::string, std::string>* metadata) override {
    metadata->emplace("x-token", "secret");
    return status_;
  }

 private:
  const grpc::Status status_;
};

std::shared_ptr<grpc::CallCredentials> CredentialsOf(grpc::Status status) {
  return grpc::experimental::MetadataCredentialsFromPlugin(
      std::make_unique<Plugin>(std::move(status)), GRPC_SECURITY_NONE);
}

class CallCredentialsOfEveryCall : public testing::TestWithParam<std::tuple<Lane, Shape>> {
 protected:
  Lane lane() const { return std::get<0>(GetParam()); }
  Shape shape() const { return std::get<1>(GetParam()); }

  // gRPC asks for credentials of calls only on channels that are secure in some way.
  const std::string path_ = absl::StrCat(testing::TempDir(), "holdfast-echo-", ::getpid());
  EchoServer server_{absl::StrCat("unix:", path_), grpc::experimental::LocalServerCredentials(UDS)};
};

INSTANTIATE_TEST_SUITE_P(, CallCredentialsOfEveryCall,
                         Combine(ValuesIn(kLanes), ValuesIn(AllShapes())), [](const auto& given) {
                           return NameOf(std::get<0>(given.param)) +
                                  NameOf(std::get<1>(given.param));
                         });

TEST_P(CallCredentialsOfEveryCall, ReachTheServer) {
  LaneUnderTest lane(this->lane(), server_.Connect(grpc::experimental::LocalCredentials(UDS), {}));
  grpc::ClientContext context;
  context.set_credentials(CredentialsOf(grpc::Status::OK));
  const Outcome outcome = MakeCall(shape(), lane.stub(), context, RequestOf("hi"));
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.error_message();
  EXPECT_THAT(server_.metadata(), Contains(Pair("x-token", "secret")));
  EXPECT_TRUE(context.auth_context()->IsPeerAuthenticated());
}

// gRPC's own gate for their statuses is inside the connection's channel, so no lane goes round it.
TEST_P(CallCredentialsOfEveryCall, FailItAsTheyDoOnAPlainChannel) {
  const auto connection = server_.Connect(grpc::experimental::LocalCredentials(UDS), {});
  const auto fail_on = [&](Lane one, grpc::StatusCode code) {
    LaneUnderTest lane(one, connection);
    grpc::ClientContext context;
    context.set_credentials(CredentialsOf(grpc::Status(code, "no token")));
    return MakeCall(shape(), lane.stub(), context, RequestOf("hi")).status;
  };
  for (const grpc::StatusCode code :
       {grpc::StatusCode::PERMISSION_DENIED, grpc::StatusCode::NOT_FOUND}) {
    const grpc::Status plain = fail_on(Lane::kPlain, code);
    const grpc::Status seen = fail_on(lane(), code);
    EXPECT_FALSE(plain.ok());
    EXPECT_EQ(seen.error_code(), plain.error_code());
    EXPECT_EQ(seen.error_message(), plain.error_message());
    EXPECT_THAT(seen.error_message(), HasSubstr("no token"));
  }
}

}  // namespace
}  // namespace holdfast

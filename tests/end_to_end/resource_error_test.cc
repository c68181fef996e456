// What a server says about a resource instead of sending it (xRFC TP3), code by code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/end_to_end/client_under_test.h"

namespace holdfast {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr absl::string_view kText = "ask #payments";

// A code on the wire, what a watcher hears of it, and whether it says something about the data.
struct WireCode {
  std::string name;
  int32_t on_wire;
  absl::StatusCode heard;
  bool is_data_error = false;
};
void PrintTo(const WireCode& row, std::ostream* out) { *out << row.name; }

const WireCode kCodes[] = {
    {"Cancelled", 1, absl::StatusCode::kCancelled},
    {"Unknown", 2, absl::StatusCode::kUnknown},
    {"InvalidArgument", 3, absl::StatusCode::kInvalidArgument},
    {"DeadlineExceeded", 4, absl::StatusCode::kDeadlineExceeded},
    {"NotFound", 5, absl::StatusCode::kNotFound, true},
    {"AlreadyExists", 6, absl::StatusCode::kAlreadyExists},
    {"PermissionDenied", 7, absl::StatusCode::kPermissionDenied, true},
    {"ResourceExhausted", 8, absl::StatusCode::kResourceExhausted},
    {"FailedPrecondition", 9, absl::StatusCode::kFailedPrecondition},
    {"Aborted", 10, absl::StatusCode::kAborted},
    {"OutOfRange", 11, absl::StatusCode::kOutOfRange},
    {"Unimplemented", 12, absl::StatusCode::kUnimplemented},
    {"Internal", 13, absl::StatusCode::kInternal},
    {"Unavailable", 14, absl::StatusCode::kUnavailable},
    {"DataLoss", 15, absl::StatusCode::kDataLoss},
    {"Unauthenticated", 16, absl::StatusCode::kUnauthenticated},
    {"Seventeen", 17, absl::StatusCode::kUnknown},
    {"MinusOne", -1, absl::StatusCode::kUnknown},
};

class EndToEndResourceError : public testing::TestWithParam<WireCode> {
 protected:
  void ExpectReported(const Heard& heard) {
    EXPECT_EQ(heard.code(), GetParam().heard);
    EXPECT_EQ(heard.cause(), Cause::kServerError);
    EXPECT_THAT(heard.text(), AllOf(HasSubstr("cluster \"pay\""), HasSubstr(std::string(kText))));
    const bool is_known = GetParam().on_wire > 0 && GetParam().on_wire <= 16;
    if (!is_known) {
      EXPECT_THAT(heard.text(), HasSubstr(absl::StrCat("code ", GetParam().on_wire)));
    }
  }
  std::string ErrorResponse(absl::string_view version) {
    return TestResponse(ClusterType(), version)
        .Error("pay", GetParam().on_wire, kText)
        .Resource(ClusterBytes("ship"))
        .Bytes();
  }
};

// Nothing cached: the error is all there is, at once and for those who come later.
TEST_P(EndToEndResourceError, IsHeardInsteadOfSilence) {  // R2.11 R2.14 R2.24 R3-T11 R3-T14 R3-T28
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  Watching alice = WatchCluster(*client, "pay");
  const auto stream = server.NextStream();
  stream->NextRequest();
  stream->Send(ErrorResponse("1"));
  const Heard heard = alice.Next();
  EXPECT_EQ(heard.kind, Heard::kError);
  ExpectReported(heard);
  // It is a response like any other: acknowledged, and the stream stays open (R2.19, R2.26).
  const DiscoveryRequest ack = stream->NextRequest();
  EXPECT_EQ(ack.version_info, "1");
  EXPECT_EQ(ack.error_detail, std::nullopt);
  const ResourceSnapshot snapshot = SnapshotOf(*client, "pay");
  EXPECT_EQ(snapshot.cache_state, "received_error");
  EXPECT_EQ(snapshot.error->code, GetParam().heard);

  Watching bob = WatchCluster(*client, "pay");
  const Heard later = bob.Next();
  EXPECT_EQ(later.kind, Heard::kError);
  ExpectReported(later);
  // The resource clears it (R2.17, R2.40).
  stream->Send(TestResponse(ClusterType(), "2").Resource(ClusterBytes("pay")).Bytes());
  EXPECT_THAT(alice.Next(), OfKind(Heard::kValue));
  EXPECT_THAT(bob.Next(), OfKind(Heard::kValue));
  EXPECT_EQ(SnapshotOf(*client, "pay").error, std::nullopt);
}

// Cached: it stays in use, except for data errors where the server has fail_on_data_errors.
TEST_P(EndToEndResourceError, JudgesWhatIsCached) {  // R2.12 R2.13 R3-T12 R3-T13 R3-T15
  for (const bool is_strict : {false, true}) {
    SCOPED_TRACE(is_strict ? "fail_on_data_errors" : "tolerant");
    ScriptedAdsServer server;
    const std::vector<std::string> features =
        is_strict ? std::vector<std::string>{"fail_on_data_errors"} : std::vector<std::string>{};
    auto client = ClientOf(BootstrapFor(server.address(), features));
    Watching alice = WatchCluster(*client, "pay");
    const auto stream = server.NextStream();
    stream->NextRequest();
    stream->Send(TestResponse(ClusterType(), "1").Resource(ClusterBytes("pay")).Bytes());
    EXPECT_THAT(alice.Next(), OfKind(Heard::kValue));
    stream->Send(ErrorResponse("2"));
    const bool is_dropped = is_strict && GetParam().is_data_error;
    const Heard heard = alice.Next();
    EXPECT_EQ(heard.kind, is_dropped ? Heard::kError : Heard::kAmbientError);
    ExpectReported(heard);
    const ResourceSnapshot snapshot = SnapshotOf(*client, "pay");
    EXPECT_EQ(snapshot.bytes == nullptr, is_dropped);
    EXPECT_EQ(snapshot.cache_state, is_dropped ? "received_error" : "received_error_but_cached");
  }
}

INSTANTIATE_TEST_SUITE_P(Codes, EndToEndResourceError, testing::ValuesIn(kCodes),
                         [](const auto& row) { return row.param.name; });

// With the guard off the field is not read (R2.18): the cluster is simply absent.
TEST(EndToEndResourceErrors, AreNotReadWithTheGuardOff) {  // R2.18 R7.60
  const ScopedEnvironment guard("GRPC_EXPERIMENTAL_XDS_DATA_ERROR_HANDLING", "0");
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  Watching alice = WatchCluster(*client, "pay");
  const auto stream = server.NextStream();
  stream->NextRequest();
  stream->Send(TestResponse(ClusterType(), "1").Resource(ClusterBytes("pay")).Bytes());
  EXPECT_THAT(alice.Next(), OfKind(Heard::kValue));
  stream->Send(TestResponse(ClusterType(), "2").Error("pay", 14, kText).Bytes());
  const Heard heard = alice.Next();
  EXPECT_EQ(heard.kind, Heard::kError);
  EXPECT_EQ(heard.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(heard.cause(), Cause::kDeleted);
}

// An error that means success says nothing; the rest of the response counts (R2.20, DEC-07).
TEST(EndToEndResourceErrors, ACodeOfZeroIsRejected) {  // R2.20
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  Watching alice = WatchCluster(*client, "pay");
  Watching bob = WatchCluster(*client, "ship");
  const auto stream = server.NextStream();
  stream->NextRequest([](const auto& request) { return request.resource_names.size() == 2; });
  stream->Send(TestResponse(ClusterType(), "1")
                   .Error("pay", 0, "fine")
                   .Resource(ClusterBytes("ship"))
                   .Bytes());
  EXPECT_THAT(bob.Next(), OfKind(Heard::kValue));
  const DiscoveryRequest nack = stream->NextRequest();
  ASSERT_TRUE(nack.error_detail.has_value());
  EXPECT_EQ(nack.error_detail->code, 3);
  EXPECT_THAT(nack.error_detail->message, HasSubstr("resource_errors[0] cluster \"pay\""));
  EXPECT_EQ(nack.version_info, "");
  EXPECT_EQ(SnapshotOf(*client, "pay").state, CacheState::kRequested);
}

// Remembered until there is news of that name, also over responses that name others (R2.16), and
// over a new stream (DEC-10).
TEST(EndToEndResourceErrors, IsRememberedUntilThereIsNews) {  // R2.16 R3-T19
  ScriptedAdsServer server;
  XdsClientOptions options = QuickOptions();
  options.resource_timeout = std::chrono::milliseconds(100);
  auto client = ClientOf(BootstrapFor(server.address()), options);
  Watching alice = WatchCluster(*client, "pay");
  Watching bob = WatchCluster(*client, "ship");
  const auto stream = server.NextStream();
  stream->NextRequest([](const auto& request) { return request.resource_names.size() == 2; });
  stream->Send(TestResponse(ClusterType(), "1")
                   .Error("pay", 7, kText)
                   .Resource(ClusterBytes("ship"))
                   .Bytes());
  EXPECT_EQ(alice.Next().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(bob.Next(), OfKind(Heard::kValue));
  stream->Send(TestResponse(ClusterType(), "2")
                   .Resource(ClusterBytes("ship", "lb_policy: RING_HASH"))
                   .Bytes());
  EXPECT_THAT(bob.Next(), OfKind(Heard::kValue));
  EXPECT_EQ(SnapshotOf(*client, "pay").state, CacheState::kReceivedError);
  stream->Finish(absl::OkStatus());

  const auto after = server.NextStream();
  after->NextRequest();
  Watching carol = WatchCluster(*client, "third");
  EXPECT_EQ(carol.Next().cause(), Cause::kTimeout);  // Pay's timer, if it had one, was earlier.
  EXPECT_EQ(SnapshotOf(*client, "pay").state, CacheState::kReceivedError);
  EXPECT_EQ(alice.watcher->All().size(), 1);
}

}  // namespace
}  // namespace holdfast

#include "client/protocol/client_errors.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error_detail.h"
#include "client/protocol/conversation_test.h"

namespace holdfast {
namespace {

using absl::StatusCode;

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);
const ClientErrors kErrors(kServerUri, kNodeId);
constexpr Consequence kNothing;

TEST(ClientErrors, HaveAllThatIsKnown) {  // R2.25, R3.32
  const SharedError error =
      kErrors.Rejected(kCluster, "paris", "word: no", "8",
                       {.is_cached = true, .drop_cached = false, .version = "7"}, kNow);
  EXPECT_EQ(*error, (ErrorDetail{.code = StatusCode::kInvalidArgument,
                                 .cause = Cause::kNack,
                                 .text = "word: no",
                                 .type = "cluster",
                                 .resource = "paris",
                                 .server = kServerUri,
                                 .version = "8",
                                 .consequence = "keeping version 7",
                                 .node_id = kNodeId,
                                 .when = absl::ToChronoTime(kNow)}));
}

TEST(ClientErrors, SayWhatCausedThem) {
  EXPECT_EQ(kErrors.Deleted(kCluster, "paris", "8", kNothing, kNow)->cause, Cause::kDeleted);
  EXPECT_EQ(kErrors.Reported(kCluster, {.name = "paris", .code = 7}, "8", kNothing, kNow)->cause,
            Cause::kServerError);
  EXPECT_EQ(
      kErrors.TimedOut(kCluster, "paris", StatusCode::kNotFound, absl::Seconds(15), kNow)->cause,
      Cause::kTimeout);
  EXPECT_EQ(kErrors.BadName(kCluster, "*", absl::InvalidArgumentError("no"), kNow)->cause,
            Cause::kBadName);
  EXPECT_EQ(kErrors.Unreachable(absl::UnavailableError("no"), true, false, kNow)->cause,
            Cause::kConnectivity);
}

// An error of a server is about no resource.
TEST(ClientErrors, OfAServerNameTheServer) {
  const SharedError error =
      kErrors.Unreachable(absl::UnavailableError("refused"), true, false, kNow);
  EXPECT_EQ(error->type, "");
  EXPECT_EQ(error->resource, "");
  EXPECT_EQ(error->server, kServerUri);
  EXPECT_EQ(TextOf(*error),
            "xds server \"cp:18000\": cannot be reached: UNAVAILABLE: refused (node \"web-1\")");
}

TEST(ClientErrors, TakeAnyNumberForACode) {  // R2.14
  for (int32_t number = 1; number <= 16; ++number) {
    EXPECT_EQ(CodeOnWire(number), static_cast<StatusCode>(number));
  }
  for (const int32_t number : {0, 17, -1, 1 << 30, -(1 << 30)}) {
    EXPECT_EQ(CodeOnWire(number), StatusCode::kUnknown);
  }
}

TEST(ClientErrors, KeepTheNumberOfACodeThatIsNone) {  // R2.14
  const SharedError error = kErrors.Reported(
      kCluster, {.name = "paris", .code = -1, .message = "?"}, "8", kNothing, kNow);
  EXPECT_EQ(error->code, StatusCode::kUnknown);
  EXPECT_EQ(error->text, "status code -1: ?");
}

TEST(ClientErrors, MakeOutsideTextsHarmless) {
  const SharedError error =
      kErrors.Reported(kCluster, {.name = "paris", .code = 5, .message = "two\nlines \x1b[31m"},
                       "8", kNothing, kNow);
  EXPECT_EQ(error->text, "two lines  [31m");
}

}  // namespace
}  // namespace holdfast

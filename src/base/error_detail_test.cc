#include "base/error_detail.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

ErrorDetail RejectedCluster() {
  ErrorDetail detail;
  detail.code = absl::StatusCode::kInvalidArgument;
  detail.cause = Cause::kNack;
  detail.text = "eds_cluster_config.eds_config: must be ads or self (got path)";
  detail.type = "cluster";
  detail.resource = "payments";
  detail.server = "cp-1:18000";
  detail.version = "42";
  detail.consequence = "keeping version 41";
  detail.node_id = "web-1";
  detail.when = absl::ToChronoTime(absl::FromUnixNanos(1700000000123456789));
  return detail;
}

TEST(ErrorDetail, SaysWhereWhatGotConsequenceAndWhose) {
  EXPECT_EQ(TextOf(RejectedCluster()),
            "cluster \"payments\": eds_cluster_config.eds_config: must be ads or self (got path); "
            "keeping version 41 (node \"web-1\")");
}

TEST(ErrorDetail, NamesTheServerWhenItIsAboutNoResource) {
  ErrorDetail detail;
  detail.server = "cp-1:18000";
  detail.text = "stream closed before any response: connection refused";
  detail.consequence = "using cached resources";
  EXPECT_EQ(TextOf(detail),
            "xds server \"cp-1:18000\": stream closed before any response: connection refused; "
            "using cached resources");
}

TEST(ErrorDetail, IsOneBoundedLineWhateverOthersWrote) {
  ErrorDetail detail = RejectedCluster();
  detail.resource = "a\nFAKE \x1b[31m\"";
  detail.text = std::string(1 << 20, 'x');
  EXPECT_THAT(TextOf(detail), ::testing::StartsWith("cluster \"a FAKE  [31m\\\"\": xxx"));
  EXPECT_LT(TextOf(detail).size(), 20'000u);
}

TEST(ErrorDetail, SurvivesTheWayThroughAStatus) {
  const absl::Status status = ToStatus(RejectedCluster());
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), TextOf(RejectedCluster()));
  EXPECT_EQ(DetailOf(status), RejectedCluster());
}

TEST(ErrorDetail, SurvivesWithEmptyPartsAndColonsAndNulsInside) {
  ErrorDetail detail;
  detail.code = absl::StatusCode::kUnknown;
  detail.cause = Cause::kBadName;
  detail.text = std::string("3:a\0b", 5);
  EXPECT_EQ(DetailOf(ToStatus(detail)), detail);
}

TEST(ErrorDetail, IsNotFoundInAForeignStatus) {
  EXPECT_EQ(DetailOf(absl::InternalError("no detail")), std::nullopt);
  absl::Status broken = absl::InternalError("broken payload");
  broken.SetPayload("holdfast/error_detail", absl::Cord("99:short"));
  EXPECT_EQ(DetailOf(broken), std::nullopt);
}

TEST(ErrorDetail, CausesAreNamedAsWatchPrintsThem) {
  EXPECT_EQ(NameOf(Cause::kNack), "nack");
  EXPECT_EQ(NameOf(Cause::kDeleted), "deleted");
  EXPECT_EQ(NameOf(Cause::kServerError), "server_error");
  EXPECT_EQ(NameOf(Cause::kTimeout), "timeout");
  EXPECT_EQ(NameOf(Cause::kConnectivity), "connectivity");
  EXPECT_EQ(NameOf(Cause::kBadName), "bad_name");
}

}  // namespace
}  // namespace holdfast

#include "channel/call/data_plane_status.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/str_cat.h"

namespace holdfast {
namespace {

using grpc::StatusCode;

constexpr Door kDoors[] = {Door::kResolver, Door::kConfigSelector, Door::kPick};
constexpr const char* kDoorNames[] = {"the resolver", "the config selector", "the load balancer"};

struct Row {
  absl::StatusCode said;
  const char* name;
  StatusCode got;
};

// All seventeen codes there are, in their order.
constexpr Row kTable[] = {
    {absl::StatusCode::kOk, "OK", StatusCode::INTERNAL},  // R15.10
    {absl::StatusCode::kCancelled, "CANCELLED", StatusCode::CANCELLED},
    {absl::StatusCode::kUnknown, "UNKNOWN", StatusCode::UNKNOWN},
    {absl::StatusCode::kInvalidArgument, "INVALID_ARGUMENT", StatusCode::INTERNAL},
    {absl::StatusCode::kDeadlineExceeded, "DEADLINE_EXCEEDED", StatusCode::DEADLINE_EXCEEDED},
    {absl::StatusCode::kNotFound, "NOT_FOUND", StatusCode::INTERNAL},
    {absl::StatusCode::kAlreadyExists, "ALREADY_EXISTS", StatusCode::INTERNAL},
    {absl::StatusCode::kPermissionDenied, "PERMISSION_DENIED", StatusCode::PERMISSION_DENIED},
    {absl::StatusCode::kResourceExhausted, "RESOURCE_EXHAUSTED", StatusCode::RESOURCE_EXHAUSTED},
    {absl::StatusCode::kFailedPrecondition, "FAILED_PRECONDITION", StatusCode::INTERNAL},
    {absl::StatusCode::kAborted, "ABORTED", StatusCode::INTERNAL},
    {absl::StatusCode::kOutOfRange, "OUT_OF_RANGE", StatusCode::INTERNAL},
    {absl::StatusCode::kUnimplemented, "UNIMPLEMENTED", StatusCode::UNIMPLEMENTED},
    {absl::StatusCode::kInternal, "INTERNAL", StatusCode::INTERNAL},
    {absl::StatusCode::kUnavailable, "UNAVAILABLE", StatusCode::UNAVAILABLE},
    {absl::StatusCode::kDataLoss, "DATA_LOSS", StatusCode::INTERNAL},
    {absl::StatusCode::kUnauthenticated, "UNAUTHENTICATED", StatusCode::UNAUTHENTICATED},
};

// R15.01, R15.02, R15.03, R15.04, R15.11
TEST(DataPlaneStatus, LetsNoCodeOfTheApplicationThroughAnyDoor) {
  for (size_t door = 0; door < std::size(kDoors); ++door) {
    for (const Row& row : kTable) {
      const absl::Status said(row.said, "no \"pay\" here");
      const grpc::Status got = DataPlaneStatus(kDoors[door], said);
      EXPECT_EQ(got.error_code(), row.got) << kDoorNames[door] << ": " << row.name;
      const bool is_unchanged = static_cast<int>(row.said) == static_cast<int>(row.got);
      // absl keeps no message with OK.
      const std::string quoted =
          row.said == absl::StatusCode::kOk ? R"("")" : R"("no \"pay\" here")";
      EXPECT_EQ(got.error_message(),
                is_unchanged
                    ? "no \"pay\" here"
                    : absl::StrCat("bug in the control plane: ", kDoorNames[door],
                                   " failed the call with ", row.name,
                                   ", a code for the application's own answers; its message was ",
                                   quoted));
    }
  }
}

// What a retry policy is compared with is what came through the door.
// R15.05, R15.06
TEST(DataPlaneStatus, IsWhatARetryPolicySees) {
  const std::set<StatusCode> retries_aborted = {StatusCode::ABORTED};
  const std::set<StatusCode> retries_internal = {StatusCode::INTERNAL};
  const StatusCode seen = DataPlaneStatus(Door::kPick, absl::AbortedError("lost")).error_code();
  EXPECT_FALSE(retries_aborted.contains(seen));
  EXPECT_TRUE(retries_internal.contains(seen));
}

TEST(DataPlaneStatus, BoundsAMessageThatItQuotes) {
  const grpc::Status got =
      DataPlaneStatus(Door::kPick, absl::NotFoundError(std::string(100000, 'x')));
  EXPECT_LT(got.error_message().size(), 1000u);
}

}  // namespace
}  // namespace holdfast

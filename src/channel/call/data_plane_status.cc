#include "channel/call/data_plane_status.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

// What only the server of an application, or nobody, may say of a call that fails.
bool BelongsToTheApplication(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kOk:
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kDataLoss:
      return true;
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kUnknown:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kDoNotUseReservedForFutureExpansionUseDefaultInSwitchInstead_:
      return false;
  }
  return false;
}

absl::string_view NameOf(Door door) {
  switch (door) {
    case Door::kResolver:
      return "the resolver";
    case Door::kConfigSelector:
      return "the config selector";
    case Door::kPick:
      return "the load balancer";
  }
  return "";
}

}  // namespace

grpc::Status DataPlaneStatus(Door door, const absl::Status& status) {
  if (!BelongsToTheApplication(status.code())) {
    return grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                        std::string(status.message()));
  }
  return grpc::Status(
      grpc::StatusCode::INTERNAL,
      absl::StrCat("bug in the control plane: ", NameOf(door), " failed the call with ",
                   absl::StatusCodeToString(status.code()),
                   ", a code for the application's own answers; its message was ",
                   Quoted(status.message())));
}

}  // namespace holdfast

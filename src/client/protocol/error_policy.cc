#include "client/protocol/error_policy.h"

namespace holdfast {
namespace {

bool IsDataError(Failure failure) {
  switch (failure) {
    case Failure::kNacked:
    case Failure::kDeleted:
    case Failure::kServerReportedDataError:
      return true;
    case Failure::kChannelFailed:
    case Failure::kStreamFailedWithoutResponse:
    case Failure::kTimedOut:
    case Failure::kServerReportedTransientError:
      return false;
  }
  return false;
}

bool DropsCached(Failure failure, const Circumstances& given) {
  if (!given.is_cached || !IsDataError(failure)) return false;
  if (given.data_error_handling) return given.fail_on_data_errors;
  // Before A88 a rejected update never took away what was in use, and a deletion always did.
  return failure == Failure::kDeleted;
}

std::optional<CacheState> StateAfter(Failure failure, bool timer_is_transient_error) {
  switch (failure) {
    case Failure::kChannelFailed:
    case Failure::kStreamFailedWithoutResponse:
      return std::nullopt;
    case Failure::kNacked:
      return CacheState::kNacked;
    case Failure::kTimedOut:
      return timer_is_transient_error ? CacheState::kTimeout : CacheState::kDoesNotExist;
    case Failure::kDeleted:
      return CacheState::kDoesNotExist;
    case Failure::kServerReportedDataError:
    case Failure::kServerReportedTransientError:
      return CacheState::kReceivedError;
  }
  return std::nullopt;
}

absl::StatusCode CodeOf(Failure failure, bool timer_is_transient_error) {
  switch (failure) {
    case Failure::kNacked:
      return absl::StatusCode::kInvalidArgument;
    case Failure::kDeleted:
      return absl::StatusCode::kNotFound;
    case Failure::kTimedOut:
      return timer_is_transient_error ? absl::StatusCode::kUnavailable
                                      : absl::StatusCode::kNotFound;
    case Failure::kChannelFailed:
    case Failure::kStreamFailedWithoutResponse:
    case Failure::kServerReportedDataError:
    case Failure::kServerReportedTransientError:
      return absl::StatusCode::kUnavailable;
  }
  return absl::StatusCode::kUnavailable;
}

}  // namespace

Failure FailureOfServerError(absl::StatusCode code) {
  const bool is_data_error =
      code == absl::StatusCode::kNotFound || code == absl::StatusCode::kPermissionDenied;
  return is_data_error ? Failure::kServerReportedDataError : Failure::kServerReportedTransientError;
}

Verdict Judge(Failure failure, const Circumstances& given) {
  const bool is_deletion_ignored = failure == Failure::kDeleted && given.is_cached &&
                                   !given.data_error_handling && given.ignore_resource_deletion;
  if (is_deletion_ignored) {
    return {.delivery = Delivery::kNothing, .code = absl::StatusCode::kNotFound};
  }
  const bool timer_is_transient_error =
      given.data_error_handling && given.resource_timer_is_transient_error;
  const bool drops = DropsCached(failure, given);
  const bool is_still_cached = given.is_cached && !drops;
  return {.delivery = is_still_cached ? Delivery::kAmbientError : Delivery::kResourceChanged,
          .drop_cached = drops,
          .state = StateAfter(failure, timer_is_transient_error),
          .code = CodeOf(failure, timer_is_transient_error)};
}

std::ostream& operator<<(std::ostream& out, Delivery delivery) {
  switch (delivery) {
    case Delivery::kNothing:
      return out << "nothing";
    case Delivery::kResourceChanged:
      return out << "OnResourceChanged";
    case Delivery::kAmbientError:
      return out << "OnAmbientError";
  }
  return out;
}

}  // namespace holdfast

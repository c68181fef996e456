// gRFC A88, "Summary of Behavior Changes": one line for each row, in its order, and what the switch
// of A88 takes back (its column "Old Behavior", as A53 had it).
#include "client/protocol/error_policy.h"

#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace holdfast {
namespace {

using absl::StatusCode;

enum class FailOnDataErrors { kAny, kAbsent, kPresent };
constexpr FailOnDataErrors kAny = FailOnDataErrors::kAny;
constexpr FailOnDataErrors kAbsent = FailOnDataErrors::kAbsent;
constexpr FailOnDataErrors kPresent = FailOnDataErrors::kPresent;

constexpr bool kCached = true;
constexpr bool kNotCached = false;

// OnResourceChanged(error), and there was nothing to lose.
constexpr Verdict Fails(std::optional<CacheState> state, StatusCode code) {
  return {.delivery = Delivery::kResourceChanged, .state = state, .code = code};
}
// OnResourceChanged(error), and what was cached goes.
constexpr Verdict Drops(CacheState state, StatusCode code) {
  return {
      .delivery = Delivery::kResourceChanged, .drop_cached = true, .state = state, .code = code};
}
// OnAmbientError(error), and what is cached stays.
constexpr Verdict Keeps(std::optional<CacheState> state, StatusCode code) {
  return {.delivery = Delivery::kAmbientError, .state = state, .code = code};
}
// A53: a WARNING, and nobody else knows.
constexpr Verdict kIgnores = {.delivery = Delivery::kNothing, .code = StatusCode::kNotFound};

constexpr auto kUnchanged = std::nullopt;
constexpr Verdict kFailsUnreachable = Fails(kUnchanged, StatusCode::kUnavailable);
constexpr Verdict kKeepsUnreachable = Keeps(kUnchanged, StatusCode::kUnavailable);
constexpr Verdict kFailsInvalid = Fails(CacheState::kNacked, StatusCode::kInvalidArgument);
constexpr Verdict kKeepsInvalid = Keeps(CacheState::kNacked, StatusCode::kInvalidArgument);
constexpr Verdict kDropsInvalid = Drops(CacheState::kNacked, StatusCode::kInvalidArgument);
constexpr Verdict kFailsAbsent = Fails(CacheState::kDoesNotExist, StatusCode::kNotFound);
constexpr Verdict kKeepsDeleted = Keeps(CacheState::kDoesNotExist, StatusCode::kNotFound);
constexpr Verdict kDropsDeleted = Drops(CacheState::kDoesNotExist, StatusCode::kNotFound);
constexpr Verdict kFailsSlow = Fails(CacheState::kTimeout, StatusCode::kUnavailable);
// The code of a server's error is the server's; the one of the verdict is not used.
constexpr Verdict kFailsReported = Fails(CacheState::kReceivedError, StatusCode::kUnavailable);
constexpr Verdict kKeepsReported = Keeps(CacheState::kReceivedError, StatusCode::kUnavailable);
constexpr Verdict kDropsReported = Drops(CacheState::kReceivedError, StatusCode::kUnavailable);

struct A88Row {
  const char* name;
  Failure failure;
  bool is_cached;
  FailOnDataErrors fail_on_data_errors;
  Verdict verdict;
  // The switch off: without and with ignore_resource_deletion. Nobody asks for a verdict on a
  // server's error then: resource_errors is not read.
  std::optional<Verdict> legacy;
  std::optional<Verdict> legacy_ignoring;
  bool resource_timer_is_transient_error = false;  // matters only where it is true
};

// clang-format off
constexpr A88Row kRows[] = {
    {"ChannelFails_NotCached", Failure::kChannelFailed, kNotCached, kAny,
     kFailsUnreachable, kFailsUnreachable, kFailsUnreachable},  // R3-T01
    {"ChannelFails_Cached", Failure::kChannelFailed, kCached, kAny,
     kKeepsUnreachable, kKeepsUnreachable, kKeepsUnreachable},  // R3-T02
    {"StreamFails_NotCached", Failure::kStreamFailedWithoutResponse, kNotCached, kAny,
     kFailsUnreachable, kFailsUnreachable, kFailsUnreachable},  // R3-T03
    {"StreamFails_Cached", Failure::kStreamFailedWithoutResponse, kCached, kAny,
     kKeepsUnreachable, kKeepsUnreachable, kKeepsUnreachable},  // R3-T04
    {"Nack_NotCached", Failure::kNacked, kNotCached, kAny,
     kFailsInvalid, kFailsInvalid, kFailsInvalid},  // R3-T05, R3.32
    {"Nack_Cached_Tolerant", Failure::kNacked, kCached, kAbsent,
     kKeepsInvalid, kKeepsInvalid, kKeepsInvalid},  // R3-T06, R3.32
    {"Nack_Cached_Strict", Failure::kNacked, kCached, kPresent,
     kDropsInvalid, kKeepsInvalid, kKeepsInvalid},  // R3-T07, R3.32, R3.33
    {"Timeout", Failure::kTimedOut, kNotCached, kAny,
     kFailsAbsent, kFailsAbsent, kFailsAbsent},  // R3-T08a
    {"Timeout_Transient", Failure::kTimedOut, kNotCached, kAny,
     kFailsSlow, kFailsAbsent, kFailsAbsent, true},  // R3-T08b, R3.33, R4.21
    {"Deleted_Tolerant", Failure::kDeleted, kCached, kAbsent,
     kKeepsDeleted, kDropsDeleted, kIgnores},  // R3-T09, R6.01, R6.02, R6.04, DEC-35
    {"Deleted_Strict", Failure::kDeleted, kCached, kPresent,
     kDropsDeleted, kDropsDeleted, kIgnores},  // R3-T10, R6.01, R6.02, R6.04, DEC-35
    {"DataError_NotCached", Failure::kServerReportedDataError, kNotCached, kAny,
     kFailsReported, std::nullopt, std::nullopt},  // R3-T11
    {"DataError_Cached_Tolerant", Failure::kServerReportedDataError, kCached, kAbsent,
     kKeepsReported, std::nullopt, std::nullopt},  // R3-T12, R2.13
    {"DataError_Cached_Strict", Failure::kServerReportedDataError, kCached, kPresent,
     kDropsReported, std::nullopt, std::nullopt},  // R3-T13, R2.13
    {"OtherError_NotCached", Failure::kServerReportedTransientError, kNotCached, kAny,
     kFailsReported, std::nullopt, std::nullopt},  // R3-T14
    {"OtherError_Cached", Failure::kServerReportedTransientError, kCached, kAny,
     kKeepsReported, std::nullopt, std::nullopt},  // R3-T15, R2.12, DEC-25
};
// clang-format on

class A88Table : public testing::TestWithParam<A88Row> {
 protected:
  // The circumstances that the row is about: whatever it leaves open is tried both ways.
  std::vector<Circumstances> AllCircumstances(bool data_error_handling) const {
    const A88Row& row = GetParam();
    std::vector<Circumstances> all;
    for (const bool strict : {false, true}) {
      if (row.fail_on_data_errors == kAbsent && strict) continue;
      if (row.fail_on_data_errors == kPresent && !strict) continue;
      for (const bool transient : {false, true}) {
        if (row.failure == Failure::kTimedOut &&
            transient != row.resource_timer_is_transient_error) {
          continue;
        }
        for (const bool ignore : {false, true}) {
          all.push_back({.is_cached = row.is_cached,
                         .fail_on_data_errors = strict,
                         .resource_timer_is_transient_error = transient,
                         .ignore_resource_deletion = ignore,
                         .data_error_handling = data_error_handling});
        }
      }
    }
    return all;
  }
};

// All of it.
std::string Words(const Verdict& verdict) {
  std::ostringstream out;
  out << verdict.delivery << (verdict.drop_cached ? ", drops" : "") << ", state "
      << (verdict.state.has_value() ? std::to_string(static_cast<int>(*verdict.state)) : "same")
      << ", " << verdict.code;
  return out.str();
}

TEST_P(A88Table, WithDataErrorHandling) {
  for (const Circumstances& given : AllCircumstances(/*data_error_handling=*/true)) {
    EXPECT_EQ(Words(Judge(GetParam().failure, given)), Words(GetParam().verdict))
        << "fail_on_data_errors " << given.fail_on_data_errors
        << ", resource_timer_is_transient_error " << given.resource_timer_is_transient_error
        << ", ignore_resource_deletion " << given.ignore_resource_deletion;
  }
}

TEST_P(A88Table, AsItWasBefore) {
  for (const Circumstances& given : AllCircumstances(/*data_error_handling=*/false)) {
    const std::optional<Verdict>& verdict =
        given.ignore_resource_deletion ? GetParam().legacy_ignoring : GetParam().legacy;
    if (!verdict.has_value()) continue;
    EXPECT_EQ(Words(Judge(GetParam().failure, given)), Words(*verdict))
        << "fail_on_data_errors " << given.fail_on_data_errors
        << ", resource_timer_is_transient_error " << given.resource_timer_is_transient_error
        << ", ignore_resource_deletion " << given.ignore_resource_deletion;
  }
}

INSTANTIATE_TEST_SUITE_P(Summary, A88Table, testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(ErrorPolicy, TakesTwoCodesOfAServerForDataErrors) {  // R2.12, R2.13, R2.14, DEC-27
  for (int code = 1; code <= 16; ++code) {
    const bool is_data_error = code == 5 || code == 7;  // NOT_FOUND, PERMISSION_DENIED
    EXPECT_EQ(
        FailureOfServerError(static_cast<StatusCode>(code)),
        is_data_error ? Failure::kServerReportedDataError : Failure::kServerReportedTransientError)
        << code;
  }
}

TEST(ErrorPolicy, LeavesTheStateAloneOnlyWhereTheConnectionFailed) {  // R3.09, DEC-36
  for (const A88Row& row : kRows) {
    const bool is_connectivity = row.failure == Failure::kChannelFailed ||
                                 row.failure == Failure::kStreamFailedWithoutResponse;
    EXPECT_EQ(row.verdict.state.has_value(), !is_connectivity) << row.name;
  }
}

}  // namespace
}  // namespace holdfast

// gRFC A88, "Summary of Behavior Changes", as people see it: each row for every type of resource,
// at the four surfaces where it shows:
//
//   calls   what a watcher is told
//   csds    status, version of the resource that is kept, and whether there is an error
//   label   grpc.xds.cache_state of the gauge grpc.xds_client.resources
//   wire    the request that answers
//
// That the surfaces agree in all else (text, bytes, what a second watcher hears) is checked by
// Play.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/spec/a88_play.h"

namespace holdfast {
namespace {

struct Surfaces {
  const char* calls;
  const char* csds;
  const char* label;
  const char* wire;
};

enum class Cached { kNo, kYes };
enum class Strict { kAny, kNo, kYes };  // fail_on_data_errors
enum class For { kEveryType, kFullState };

// What the errors of a server look like before A88: as if the name were missing. That deletes only
// where responses list everything.
constexpr Surfaces kAsIfAbsent = {"error NOT_FOUND", "DOES_NOT_EXIST, error of 2", "does_not_exist",
                                  "ACK 2"};
constexpr Surfaces kIgnored = {"", "ACKED, has 1", "acked", "ACK 2"};
constexpr Surfaces kStillRequested = {"", "REQUESTED", "requested", "ACK 2"};

constexpr Surfaces kUnreachable = {"error UNAVAILABLE", "REQUESTED", "requested", ""};
constexpr Surfaces kUnreachableCached = {"ambient UNAVAILABLE", "ACKED, has 1", "acked", ""};
constexpr Surfaces kRejectedFirst = {"error INVALID_ARGUMENT", "NACKED, error of 2", "nacked",
                                     "NACK 2, keeping nothing"};
constexpr Surfaces kRejectedKept = {"ambient INVALID_ARGUMENT", "NACKED, has 1, error of 2",
                                    "nacked_but_cached", "NACK 2, keeping 1"};
constexpr Surfaces kRejectedDropped = {"error INVALID_ARGUMENT", "NACKED, error of 2", "nacked",
                                       "NACK 2, keeping 1"};
constexpr Surfaces kTimedOut = {"error NOT_FOUND", "DOES_NOT_EXIST, error", "does_not_exist", ""};
constexpr Surfaces kSlow = {"error UNAVAILABLE", "TIMEOUT, error", "timeout", ""};
constexpr Surfaces kDeletedKept = {"ambient NOT_FOUND", "DOES_NOT_EXIST, has 1, error of 2",
                                   "does_not_exist_but_cached", "ACK 2"};
constexpr Surfaces kUsed = {"a resource of version 2", "ACKED, has 2", "acked", "ACK 2"};

constexpr Surfaces Reported(const char* calls) {
  return {calls, "RECEIVED_ERROR, error of 2", "received_error", "ACK 2"};
}
constexpr Surfaces ReportedKept(const char* calls) {
  return {calls, "RECEIVED_ERROR, has 1, error of 2", "received_error_but_cached", "ACK 2"};
}

struct Row {
  const char* name;
  Happens happens;
  Cached cached;
  Strict strict;
  Surfaces shown;
  // A88's switch off: without and with ignore_resource_deletion; nullopt: there is no such thing.
  std::optional<Surfaces> legacy;
  std::optional<Surfaces> legacy_ignoring;
  For types = For::kEveryType;
  bool transient_timer = false;
};

constexpr Row kRows[] = {
    {"ChannelFails_NotCached", Happens::kChannelFails, Cached::kNo, Strict::kAny,  // R3-T01
     kUnreachable, kUnreachable, kUnreachable},
    {"ChannelFails_Cached", Happens::kChannelFails, Cached::kYes, Strict::kAny,  // R3-T02
     kUnreachableCached, kUnreachableCached, kUnreachableCached},
    {"StreamFails_NotCached", Happens::kStreamFails, Cached::kNo, Strict::kAny,  // R3-T03
     kUnreachable, kUnreachable, kUnreachable},
    {"StreamFails_Cached", Happens::kStreamFails, Cached::kYes, Strict::kAny,  // R3-T04
     kUnreachableCached, kUnreachableCached, kUnreachableCached},
    {"Nack_NotCached", Happens::kInvalid, Cached::kNo, Strict::kAny,  // R3-T05, R5.14
     kRejectedFirst, kRejectedFirst, kRejectedFirst},
    {"Nack_Cached_Tolerant", Happens::kInvalid, Cached::kYes, Strict::kNo,  // R3-T06
     kRejectedKept, kRejectedKept, kRejectedKept},
    {"Nack_Cached_Strict", Happens::kInvalid, Cached::kYes, Strict::kYes,  // R3-T07, R9.09
     kRejectedDropped, kRejectedKept, kRejectedKept},
    {"Timeout", Happens::kTime, Cached::kNo, Strict::kAny,  // R3-T08a
     kTimedOut, kTimedOut, kTimedOut},
    {"Timeout_Transient", Happens::kTime, Cached::kNo, Strict::kAny,  // R3-T08b
     kSlow, kTimedOut, kTimedOut, For::kEveryType, true},
    {"Deleted_Tolerant", Happens::kAbsent, Cached::kYes, Strict::kNo,  // R3-T09, R6.03, R6.09
     kDeletedKept, kAsIfAbsent, kIgnored, For::kFullState},
    {"Deleted_Strict", Happens::kAbsent, Cached::kYes, Strict::kYes,  // R3-T10, R9.09
     kAsIfAbsent, kAsIfAbsent, kIgnored, For::kFullState},
    {"NotFound_NotCached", Happens::kNotFound, Cached::kNo, Strict::kAny,  // R3-T11
     Reported("error NOT_FOUND"), kStillRequested, kStillRequested},
    {"PermissionDenied_NotCached", Happens::kPermissionDenied, Cached::kNo, Strict::kAny,  // R3-T11
     Reported("error PERMISSION_DENIED"), kStillRequested, kStillRequested},
    {"NotFound_Cached_Tolerant", Happens::kNotFound, Cached::kYes, Strict::kNo,  // R3-T12
     ReportedKept("ambient NOT_FOUND"), kAsIfAbsent, kIgnored},
    {"PermissionDenied_Cached_Tolerant", Happens::kPermissionDenied, Cached::kYes,
     Strict::kNo,  // R3-T12
     ReportedKept("ambient PERMISSION_DENIED"), kAsIfAbsent, kIgnored},
    {"NotFound_Cached_Strict", Happens::kNotFound, Cached::kYes, Strict::kYes,  // R3-T13, R9.09
     Reported("error NOT_FOUND"), kAsIfAbsent, kIgnored},
    {"PermissionDenied_Cached_Strict", Happens::kPermissionDenied, Cached::kYes,
     Strict::kYes,  // R3-T13, R9.09
     Reported("error PERMISSION_DENIED"), kAsIfAbsent, kIgnored},
    {"OtherCode_NotCached", Happens::kUnavailable, Cached::kNo, Strict::kAny,  // R3-T14
     Reported("error UNAVAILABLE"), kStillRequested, kStillRequested},
    {"OtherCode_Cached", Happens::kUnavailable, Cached::kYes, Strict::kAny,  // R3-T15, R10.03
     ReportedKept("ambient UNAVAILABLE"), kAsIfAbsent, kIgnored},

    // What A88's table takes for granted.
    {"Valid_NotCached", Happens::kChanged, Cached::kNo, Strict::kAny,  // R3-T16
     kUsed, kUsed, kUsed},
    {"Valid_Changed", Happens::kChanged, Cached::kYes, Strict::kAny,  // R3-T16
     kUsed, kUsed, kUsed},
    {"Valid_Same",
     Happens::kSame,
     Cached::kYes,
     Strict::kAny,  // R3-T17
     {"", "ACKED, has 2", "acked", "ACK 2"},
     Surfaces{"", "ACKED, has 2", "acked", "ACK 2"},
     Surfaces{"", "ACKED, has 2", "acked", "ACK 2"}},
    {"Absent_NeverReceived", Happens::kAbsent, Cached::kNo, Strict::kAny,  // R3-T18
     kStillRequested, kStillRequested, kStillRequested},
    {"Absent_AfterAnError",
     Happens::kAbsentAfterUnavailable,
     Cached::kYes,
     Strict::kAny,  // R3-T19
     {"", "RECEIVED_ERROR, has 1, error of 2", "received_error_but_cached", "ACK 3"},
     std::nullopt,
     std::nullopt},
};

class A88Shown : public testing::TestWithParam<Row> {
 protected:
  // With whatever the row leaves open, both ways.
  void ExpectShown(bool data_error_handling, bool ignore, const Surfaces& full_state,
                   const Surfaces& partial) {
    const Row& row = GetParam();
    for (const ParisResources& resources : ParisOfEveryType()) {
      if (row.types == For::kFullState && !resources.type.is_full_state()) continue;
      const Surfaces& shown = resources.type.is_full_state() ? full_state : partial;
      for (const bool strict : {false, true}) {
        if (row.strict != Strict::kAny && strict != (row.strict == Strict::kYes)) continue;
        SCOPED_TRACE(absl::StrCat(resources.type.noun(), strict ? ", strict" : ", tolerant",
                                  ignore ? ", ignore_resource_deletion" : ""));
        Play play(resources,
                  {.fail_on_data_errors = strict,
                   .resource_timer_is_transient_error = row.transient_timer,
                   .ignore_resource_deletion = ignore},
                  data_error_handling);
        play.Perform(row.cached == Cached::kYes, row.happens);
        EXPECT_EQ(play.Calls(), shown.calls);
        EXPECT_EQ(play.Csds(), shown.csds);
        EXPECT_EQ(play.Label(), shown.label);
        EXPECT_EQ(play.Wire(), shown.wire);
        play.ExpectThatBobHearsWhatIsShown();
      }
    }
  }
};

// R3.08, R3.20, R3.30, R6.02, R9.06, R9.07, R10.02, R10.03
TEST_P(A88Shown, WithDataErrorHandling) {
  for (const bool ignore : {false, true}) {
    ExpectShown(/*data_error_handling=*/true, ignore, GetParam().shown, GetParam().shown);
  }
}

// R2.18, R3.33, R6.04, R7.60
TEST_P(A88Shown, AsItWasBefore) {
  for (const bool ignore : {false, true}) {
    const std::optional<Surfaces>& legacy = ignore ? GetParam().legacy_ignoring : GetParam().legacy;
    if (!legacy.has_value()) continue;
    const bool is_reported_and_cached =
        GetParam().cached == Cached::kYes && (GetParam().happens == Happens::kNotFound ||
                                              GetParam().happens == Happens::kPermissionDenied ||
                                              GetParam().happens == Happens::kUnavailable);
    ExpectShown(/*data_error_handling=*/false, ignore, *legacy,
                is_reported_and_cached ? kIgnored : *legacy);
  }
}

INSTANTIATE_TEST_SUITE_P(Summary, A88Shown, testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace holdfast

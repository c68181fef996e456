#include "xds/cache_state.h"

#include "gtest/gtest.h"

namespace holdfast {
namespace {

struct Row {
  CacheState state;
  int number;  // of envoy.admin.v3.ClientResourceStatus
  absl::string_view label;
  absl::string_view label_if_cached;
};

// REQUESTED and TIMEOUT never have a version, ACKED always has: their labels do not say so.
constexpr Row kTable[] = {
    {CacheState::kRequested, 1, "requested", "requested"},
    {CacheState::kDoesNotExist, 2, "does_not_exist", "does_not_exist_but_cached"},
    {CacheState::kAcked, 3, "acked", "acked"},
    {CacheState::kNacked, 4, "nacked", "nacked_but_cached"},
    {CacheState::kReceivedError, 5, "received_error", "received_error_but_cached"},
    {CacheState::kTimeout, 6, "timeout", "timeout"},
};

TEST(CacheState, HasTheNineLabelsOfTheMetric) {  // R10.02
  for (const Row& row : kTable) {
    EXPECT_EQ(CacheStateLabel(row.state, false), row.label);
    EXPECT_EQ(CacheStateLabel(row.state, true), row.label_if_cached);
  }
}

TEST(CacheState, HasTheNumbersOfTheStatusService) {
  ASSERT_EQ(std::size(kAllCacheStates), std::size(kTable));
  for (size_t i = 0; i < std::size(kTable); ++i) {
    EXPECT_EQ(kAllCacheStates[i], kTable[i].state);
    EXPECT_EQ(static_cast<int>(kTable[i].state), kTable[i].number);
  }
}

}  // namespace
}  // namespace holdfast

#include "xds/cache_state.h"

#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

using ::testing::UnorderedElementsAre;

std::set<std::string> AllLabels() {
  std::set<std::string> labels;
  for (CacheState state : kAllCacheStates) {
    for (bool is_cached : {false, true}) labels.emplace(CacheStateLabel(state, is_cached));
  }
  return labels;
}

TEST(CacheState, HasTheNineLabelsOfTheMetric) {  // R10.02
  EXPECT_THAT(AllLabels(),
              UnorderedElementsAre("requested", "does_not_exist", "acked", "nacked",
                                   "nacked_but_cached", "timeout", "does_not_exist_but_cached",
                                   "received_error", "received_error_but_cached"));
}

TEST(CacheState, SaysButCachedOnlyWhereAnErrorMayLeaveAVersion) {
  for (CacheState state :
       {CacheState::kDoesNotExist, CacheState::kNacked, CacheState::kReceivedError}) {
    EXPECT_EQ(std::string(CacheStateLabel(state, true)),
              std::string(CacheStateLabel(state, false)) + "_but_cached");
  }
}

}  // namespace
}  // namespace holdfast

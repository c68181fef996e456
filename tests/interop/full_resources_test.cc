// Bytes that somebody else's code wrote, read by ours. The program needs the directory that
// `full_resources.py write DIR` fills, so ctest knows it only as a part of interop.foreign_bytes.
//
// Expected values are derived from the builders (full_listeners.py, …), whose functions have the
// same names as the ones here. This file asks only whether every type has a test; the others, one
// a type, compare.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/interop/foreign_cases.h"

namespace holdfast {
namespace {

using ::testing::UnorderedElementsAre;

TEST(FullResources, EveryTypeHasATest) {
  std::vector<std::string> types;
  for (const auto& [type, cases] : AllForeignCases()) types.push_back(type);
  EXPECT_THAT(types,
              UnorderedElementsAre("listener", "route", "cluster", "endpoints", "sotw_request",
                                   "sotw_response", "delta_request", "delta_response"));
}

}  // namespace
}  // namespace holdfast

#include "client/protocol/resource_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace holdfast {
namespace {

std::vector<std::string> NamesIn(const ResourceTable& table) {
  std::vector<std::string> names;
  for (const auto& [name, entry] : table) names.emplace_back(name);
  return names;
}

TEST(ResourceTable, FindsWhatWasAdded) {
  ResourceTable table;
  EXPECT_EQ(table.Find("paris"), nullptr);
  CacheEntry& paris = table.Add("paris", absl::UnixEpoch());
  CacheEntry& lyon = table.Add("lyon", absl::UnixEpoch());
  EXPECT_EQ(table.Find("paris"), &paris);
  EXPECT_EQ(table.Find("lyon"), &lyon);
  EXPECT_EQ(NamesIn(table), (std::vector<std::string>{"lyon", "paris"}));  // in order
  table.Remove(paris);
  EXPECT_EQ(table.Find("paris"), nullptr);
  EXPECT_EQ(table.size(), size_t{1});
}

TEST(ResourceTable, FollowsTheOrderOfResponses) {
  ResourceTable table;
  const std::vector<std::string> order = {"rome", "lyon", "paris"};
  for (const std::string& name : order) table.Add(name, absl::UnixEpoch());
  for (int response = 0; response < 3; ++response) {
    CacheEntry* previous = nullptr;
    for (const std::string& name : order) {
      CacheEntry* found = table.FindNext(previous, name);
      ASSERT_NE(found, nullptr);
      EXPECT_EQ(found->name(), name);
      previous = found;
    }
    EXPECT_EQ(table.FindNext(previous, "oslo"), nullptr);
  }
}

// Places that were remembered are not used for what was removed and added again.
TEST(ResourceTable, FollowsNoOrderOfThePast) {
  ResourceTable table;
  CacheEntry* rome = &table.Add("rome", absl::UnixEpoch());
  CacheEntry* paris = &table.Add("paris", absl::UnixEpoch());
  EXPECT_EQ(table.FindNext(nullptr, "rome"), rome);
  EXPECT_EQ(table.FindNext(rome, "paris"), paris);
  table.Remove(*paris);
  EXPECT_EQ(table.FindNext(rome, "paris"), nullptr);
  paris = &table.Add("paris", absl::UnixEpoch());
  EXPECT_EQ(table.FindNext(rome, "paris"), paris);
  EXPECT_EQ(table.FindNext(paris, "paris"), paris);  // twice in one response
  table.Remove(*rome);
  EXPECT_EQ(table.FindNext(nullptr, "rome"), nullptr);
}

}  // namespace
}  // namespace holdfast

#include "control/catalog/sorted_chunks.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "absl/strings/str_format.h"

namespace holdfast {
namespace {

struct Word {
  std::string name;
  int value = 0;
  friend bool operator==(const Word&, const Word&) = default;
};
const std::string& EntryName(const Word& word) { return word.name; }

using Words = SortedChunks<Word>;

std::string Numbered(size_t number) { return absl::StrFormat("w%05d", number); }

Words Many(size_t count) {
  std::vector<Word> all;
  for (size_t i = 0; i < count; ++i) all.push_back({Numbered(i), 0});
  return Words(std::move(all));
}

bool Differ(const Word& a, const Word& b) { return a.value != b.value; }

// How many chunks of `after` are not those of `before`.
size_t NewChunks(const Words& before, const Words& after) {
  const std::set<std::shared_ptr<const Words::Chunk>> old(before.chunks().begin(),
                                                          before.chunks().end());
  size_t count = 0;
  for (const auto& chunk : after.chunks()) count += old.contains(chunk) ? 0 : 1;
  return count;
}

TEST(SortedChunks, OfNothingHaveNothing) {
  const Words nothing;
  EXPECT_TRUE(nothing.empty());
  EXPECT_EQ(nothing.begin(), nothing.end());
  EXPECT_EQ(nothing.Find("a"), nullptr);
  EXPECT_TRUE(nothing.Changed({}).empty());
  EXPECT_TRUE(nothing.Changed({{"a", std::nullopt}}).empty());
  EXPECT_EQ(nothing.Changed({{"a", Word{"a", 1}}}).Find("a")->value, 1);
}

TEST(SortedChunks, OneChangeOfTenThousandMakesOneChunk) {
  const Words before = Many(10'000);
  struct Row {
    Words::Change change;
    size_t most_new_chunks;
  };
  const Row rows[] = {
      {{Numbered(0), Word{Numbered(0), 1}}, 1},
      {{Numbered(5000), Word{Numbered(5000), 1}}, 1},
      {{Numbered(9999), Word{Numbered(9999), 1}}, 1},
      {{Numbered(5000), std::nullopt}, 1},
      {{"a new first", Word{"a new first", 1}}, 2},
      {{"w05000b", Word{"w05000b", 1}}, 2},
      {{"x the last", Word{"x the last", 1}}, 2},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.change.name);
    const Words after = before.Changed({row.change});
    EXPECT_LE(NewChunks(before, after), row.most_new_chunks);
    EXPECT_EQ(Words::DifferingNames(before, after, Differ), std::vector{row.change.name});
    EXPECT_EQ(after.Find(row.change.name) != nullptr, row.change.entry.has_value());
  }
}

TEST(SortedChunks, ThatAreSharedAreNotLookedAt) {
  const Words before = Many(10'000);
  const Words after = before.Changed({{Numbered(777), Word{Numbered(777), 1}}});
  size_t looks = 0;
  const auto differ = [&looks](const Word& a, const Word& b) {
    ++looks;
    return Differ(a, b);
  };
  EXPECT_EQ(Words::DifferingNames(before, after, differ), std::vector{Numbered(777)});
  EXPECT_LE(looks, Words::kMost);
}

class SortedChunksModel : public testing::TestWithParam<uint64_t> {};

TEST_P(SortedChunksModel, AreTheMapTheyWouldBeIfMadeAtOnce) {
  std::mt19937_64 random(GetParam());
  std::map<std::string, int> model;
  Words words;
  for (int step = 0; step < 200; ++step) {
    std::map<std::string, std::optional<int>> wanted;
    // Mostly a few, now and then very many; phases in which more is taken away than put.
    const size_t count = random() % 20 == 0 ? 1000 : random() % 8;
    const bool shrinks = step / 50 % 2 == 1;
    for (size_t i = 0; i < count; ++i) {
      const bool is_put = random() % 4 < (shrinks ? 1 : 3);
      wanted[Numbered(random() % 2000)] = is_put ? std::optional(step) : std::nullopt;
    }
    std::vector<Words::Change> changes;
    const auto before_model = model;
    for (const auto& [name, value] : wanted) {
      changes.push_back(
          {name, value.has_value() ? std::optional(Word{name, *value}) : std::nullopt});
      model.erase(name);
      if (value.has_value()) model[name] = *value;
    }
    const Words before = words;
    words = before.Changed(std::move(changes));

    std::map<std::string, int> seen;
    for (const Word& word : words) seen[word.name] = word.value;
    ASSERT_EQ(seen, model) << "step " << step;
    ASSERT_EQ(words.size(), model.size());
    for (size_t i = 0; i < words.chunks().size(); ++i) {
      const size_t size = words.chunks()[i]->size();
      ASSERT_TRUE(size <= Words::kMost && size >= (i == 0 ? 1 : Words::kLeast)) << size;
    }
    std::vector<std::string> differing;
    for (const auto& [name, value] : wanted) {
      const auto had = before_model.find(name);
      const bool is_same = value.has_value() ? had != before_model.end() && had->second == *value
                                             : had == before_model.end();
      if (!is_same) differing.push_back(name);
    }
    ASSERT_EQ(Words::DifferingNames(before, words, Differ), differing) << "step " << step;
    const std::string any = Numbered(random() % 2000);
    ASSERT_EQ(words.Find(any) != nullptr, model.contains(any));
    const auto bound = words.LowerBound(any);
    const auto expected = model.lower_bound(any);
    ASSERT_EQ(bound == words.end(), expected == model.end());
    if (bound != words.end()) {
      ASSERT_EQ(bound->name, expected->first);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SortedChunksModel, testing::Range<uint64_t>(1, 5));

}  // namespace
}  // namespace holdfast

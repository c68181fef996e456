#include "channel/lb/weighted_list.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace holdfast {
namespace {

using List = WeightedList<int>;
using Places = std::vector<List::Place>;

List::Place Put(uint32_t weight, int item) { return {weight, std::make_shared<const int>(item)}; }

// What At says for each point, as a word: "aab".
std::string Turns(const List& list) {
  std::string turns;
  for (uint32_t at = 0; at < list.weight(); ++at) {
    turns += static_cast<char>('a' + *list.At(at));
  }
  return turns;
}

TEST(WeightedList, WithoutPlacesHasNoWeight) {
  EXPECT_EQ(List().weight(), 0u);
  EXPECT_EQ(List(Places()).size(), 0u);
  EXPECT_EQ(List().Weighted(), Places());
}

TEST(WeightedList, GivesEachPlaceItsWeight) {
  const List list(Places{Put(2, 0), {}, Put(1, 2)});
  EXPECT_EQ(list.size(), 3u);
  EXPECT_EQ(list.weight(), 3u);
  EXPECT_EQ(Turns(list), "aac");
  EXPECT_EQ(*list.Item(0), 0);
  EXPECT_EQ(list.Item(1), nullptr);
}

TEST(WeightedList, ACopyDoesNotNoticeAChange) {
  List list(Places{Put(1, 0), {}, Put(1, 2)});
  const List kept = list;
  list.Set(1, Put(2, 1));
  EXPECT_EQ(Turns(list), "abbc");
  EXPECT_EQ(Turns(kept), "ac");
  list.Set(0, {});
  EXPECT_EQ(Turns(list), "bbc");
}

TEST(WeightedList, EqualsAnotherWithTheSameTurns) {
  const Places places = {Put(1, 0), Put(1, 1)};
  const List list(places);
  EXPECT_EQ(list, List(places));
  EXPECT_EQ(list, List(Places{{}, places[0], {}, places[1]}));
  EXPECT_NE(list, List(Places{places[1], places[0]}));
  EXPECT_NE(list, List(Places{places[0]}));
  EXPECT_NE(list, List(Places{places[0], Put(1, 1)}));  // Another thing that looks alike.
}

TEST(WeightedList, MayBeComparedByWhatItsItemsSay) {
  const auto says_the_same = [](int a, int b) { return a == b; };
  const List list(Places{Put(1, 0), Put(2, 1)});
  EXPECT_TRUE(list.Equals(List(Places{Put(1, 0), Put(2, 1)}), says_the_same));
  EXPECT_TRUE(list.Equals(List(Places{Put(1, 0), {}, Put(2, 1)}), says_the_same));
  EXPECT_FALSE(list.Equals(List(Places{Put(2, 0), Put(1, 1)}), says_the_same));
  EXPECT_FALSE(list.Equals(List(Places{Put(1, 0), Put(2, 2)}), says_the_same));
}

TEST(WeightedList, WeightsMayAddUpToTheMostThereIs) {
  List list(Places{Put(4294967294, 0), Put(1, 1)});
  EXPECT_EQ(*list.At(4294967293), 0);
  EXPECT_EQ(*list.At(4294967294), 1);
  list.Set(0, Put(1, 0));
  list.Set(1, Put(4294967294, 1));
  EXPECT_EQ(*list.At(0), 0);
  EXPECT_EQ(*list.At(1), 1);
}

// Sizes around the widths of nodes, against a plain list.
TEST(WeightedList, AgreesWithAPlainListAfterAnyChanges) {
  std::mt19937 dice(1);
  for (const size_t size : {1, 2, 31, 32, 33, 1023, 1024, 1025, 2000}) {
    SCOPED_TRACE(size);
    Places plain(size);
    List list(plain);
    for (int change = 0; change < 300; ++change) {
      const size_t place = dice() % size;
      plain[place] =
          dice() % 3 == 0 ? List::Place() : Put(static_cast<uint32_t>(dice() % 5) + 1, change);
      list.Set(place, plain[place]);
      ASSERT_EQ(list.Item(place), plain[place].item);
    }
    EXPECT_EQ(list, List(plain));
    uint32_t at = 0;
    for (const List::Place& place : plain) {
      for (uint32_t i = 0; i < place.weight; ++i) ASSERT_EQ(list.At(at++), place.item);
    }
    EXPECT_EQ(list.weight(), at);
  }
}

}  // namespace
}  // namespace holdfast

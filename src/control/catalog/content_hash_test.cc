#include "control/catalog/content_hash.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

// Versions are compared between replicas, and kept by clients over upgrades: these values are for
// ever.
TEST(ContentHash, IsTheSameInEveryRelease) {
  EXPECT_EQ(HashOf("").Hex(), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(HashOf("paris").Hex(), "37a4b11770e7206adffb6ce3742b3b39");
  EXPECT_EQ(HashOf(std::string(1000, 'x')).Hex(), "50a1af5a5f2dcf01c0a4877b962cba82");
}

TEST(ContentHash, HexHasAllDigits) {
  EXPECT_EQ((ContentHash{0, 0xab}).Hex(), "000000000000000000000000000000ab");
  EXPECT_EQ(ContentHash().Hex(), std::string(32, '0'));
}

TEST(ContentHash, OfASetKnowsNoOrder) {
  ContentHash forth;
  ContentHash back;
  const ContentHash members[] = {HashOf("a"), HashOf("b"), HashOf("c")};
  for (int i = 0; i < 3; ++i) {
    forth += members[i];
    back += members[2 - i];
  }
  EXPECT_EQ(forth, back);
  forth -= members[1];
  ContentHash rest = members[0];
  rest += members[2];
  EXPECT_EQ(forth, rest);
  EXPECT_NE(forth, back);
}

}  // namespace
}  // namespace holdfast

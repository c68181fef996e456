#include "base/text_width.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(TextWidth, IsCountedInCharacters) {
  EXPECT_EQ(WidthOf("✔ grün"), 6U);
  EXPECT_EQ(CutTo("✔ grün", 6), "✔ grün");
  EXPECT_EQ(CutTo("✔ grün", 5), "✔ gr…");
  EXPECT_EQ(CutTo("ab", 1), "…");
  EXPECT_EQ(CutTo("ab", 0), "");
  EXPECT_EQ(Padded("✔", 3), "✔  ");
}

}  // namespace
}  // namespace holdfast

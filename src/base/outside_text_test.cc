#include "base/outside_text.h"

#include <string>

#include "gtest/gtest.h"

namespace holdfast {
namespace {

TEST(BoundedText, LeavesShortTextsAlone) { EXPECT_EQ(BoundedText("héllo", 10), "héllo"); }

TEST(BoundedText, CutsAtAWholeCharacterAndSaysHowMuchThereWas) {
  EXPECT_EQ(BoundedText("ab\xC3\xA9z", 3), "ab… (5 bytes in all)");
  EXPECT_EQ(BoundedText(std::string(1 << 20, 'x'), 4), "xxxx… (1048576 bytes in all)");
}

TEST(BoundedText, KeepsALogLineOneLine) { EXPECT_EQ(BoundedText("a\nb\x1b[31m", 99), "a b [31m"); }

TEST(BoundedText, ShowsBytesThatAreNoText) { EXPECT_EQ(BoundedText("a\xff\xc3"), "a\\xff\\xc3"); }

TEST(BoundedText, TakesNoCommandsForTerminals) {
  EXPECT_EQ(BoundedText("a\xc2\x9b"
                        "31m\xc2\xa0"),
            "a  31m\xc2\xa0");
}

TEST(BoundedText, TurnsNoTextAround) {
  EXPECT_EQ(BoundedText("a\u202eb\u2066c\u200fd\ufeff\u2029"), "a   b   c   d      ");
  EXPECT_EQ(BoundedText("\u2020\u2065\u00e9\u05d0"), "\u2020\u2065\u00e9\u05d0");
}

TEST(HasUnseenCharacters, AreThoseThatNobodyIsShown) {
  EXPECT_TRUE(HasUnseenCharacters("pay\u202e"));
  EXPECT_TRUE(HasUnseenCharacters("pay\n"));
  EXPECT_TRUE(HasUnseenCharacters("pay\xc2\x9b"));
  EXPECT_FALSE(HasUnseenCharacters("p\u00e4y"));
  EXPECT_FALSE(HasUnseenCharacters(std::string(1000, 'x')));
}

TEST(Quoted, StandsInQuotesThatNobodyCanEnd) {
  EXPECT_EQ(Quoted("pay"), "\"pay\"");
  EXPECT_EQ(Quoted("pay\": fine"), "\"pay\\\": fine\"");
}

}  // namespace
}  // namespace holdfast

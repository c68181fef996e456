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

TEST(Quoted, StandsInQuotesThatNobodyCanEnd) {
  EXPECT_EQ(Quoted("pay"), "\"pay\"");
  EXPECT_EQ(Quoted("pay\": fine"), "\"pay\\\": fine\"");
}

}  // namespace
}  // namespace holdfast

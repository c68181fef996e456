#include "base/utf8.h"

#include <string>

#include "gtest/gtest.h"

namespace holdfast {
namespace {

TEST(Utf8, AcceptsWhatIsWellFormed) {
  for (const char* text : {"", "plain", "eight88!", "é", "longer than eight é", "€", "\U0001F600",
                           "\xed\x9f\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(IsUtf8(text)) << text;
  }
}

TEST(Utf8, RefusesEverythingElse) {
  for (const char* text : {"\x80", "\xff", "\xc0\xaf", "\xc1\xbf", "\xc3", "\xc3(", "\xe0\x80\x80",
                           "\xe2\x82", "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80",
                           "\xf5\x80\x80\x80", "12345678\xff", "\xf0\x9f\x98"}) {
    EXPECT_FALSE(IsUtf8(text));
  }
}

}  // namespace
}  // namespace holdfast

#include "base/json_text.h"

#include <gtest/gtest.h>

#include <string>

namespace holdfast {
namespace {

TEST(JsonText, LeavesOrdinaryTextAlone) {
  EXPECT_EQ(JsonText(""), R"("")");
  EXPECT_EQ(JsonText("cluster pay: größer, 世界 🙂 /"),
            R"("cluster pay: größer, 世界 🙂 /")");
}

TEST(JsonText, EscapesWhatJsonForbids) {
  EXPECT_EQ(JsonText("say \"no\"\\\n\r\t"), R"("say \"no\"\\\n\r\t")");
  EXPECT_EQ(JsonText(std::string("\0\x1b\x7f", 3)), "\"\\u0000\\u001b\\u007f\"");
}

TEST(JsonText, EscapesControlCharactersBeyondAscii) {
  EXPECT_EQ(JsonText("\u0080\u009b2J\u009f\u00a0"), "\"\\u0080\\u009b2J\\u009f\u00a0\"");
}

TEST(JsonText, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(JsonText("a\xFF\xC3"), "\"a\uFFFD\uFFFD\"");
  EXPECT_EQ(JsonText("\xED\xA0\x80"), "\"\uFFFD\uFFFD\uFFFD\"");  // a surrogate
}

}  // namespace
}  // namespace holdfast

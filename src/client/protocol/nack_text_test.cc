#include "client/protocol/nack_text.h"

#include <gtest/gtest.h>

#include <string>

namespace holdfast {
namespace {

TEST(NackText, IsEmptyWithoutAnything) {
  EXPECT_TRUE(NackText().empty());
  EXPECT_EQ(NackText().Text(), "");
}

TEST(NackText, NamesEachPartByPlaceAndName) {  // R5.04, R1.33
  NackText nack;
  nack.Add("resources", 3, "cluster", "pay", "type: unknown");
  nack.Add("resources", 7, "cluster", "", "cannot be parsed");
  nack.Add("resource_errors", 0, "cluster", "quote\"d", "has no error_detail");
  nack.Add("the response is too long");
  EXPECT_EQ(nack.Text(),
            "resources[3] cluster \"pay\": type: unknown; resources[7]: cannot be parsed; "
            "resource_errors[0] cluster \"quote\\\"d\": has no error_detail; the response is too "
            "long");
  EXPECT_EQ(nack.count(), size_t{4});
}

TEST(NackText, BoundsEachPart) {
  NackText nack;
  nack.Add("resources", 0, "cluster", "pay", std::string(1 << 20, 'x'));
  EXPECT_LT(nack.Text().size(), NackText::kMostBytesEach + 100);
  EXPECT_NE(nack.Text().find("(1048576 bytes in all)"), std::string::npos);
}

TEST(NackText, CountsWhatItLeavesOut) {
  NackText nack;
  for (size_t i = 0; i < 10'000; ++i) {
    nack.Add("resources", i, "cluster", "pay", std::string(1000, 'x'));
  }
  EXPECT_EQ(nack.count(), size_t{10'000});
  EXPECT_LT(nack.Text().size(), NackText::kMostBytes + 50);
  EXPECT_GT(nack.Text().size(), NackText::kMostBytes - 2000);
  const std::string text = nack.Text();
  const size_t kept = [&] {
    size_t count = 0;
    for (size_t at = text.find("resources["); at != std::string::npos;
         at = text.find("resources[", at + 1)) {
      ++count;
    }
    return count;
  }();
  EXPECT_EQ(text.substr(text.rfind("; and ")), "; and " + std::to_string(10'000 - kept) + " more");
}

}  // namespace
}  // namespace holdfast

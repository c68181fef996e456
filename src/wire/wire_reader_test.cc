#include "wire/wire_reader.h"

#include <string>

#include "gtest/gtest.h"

namespace holdfast {
namespace {

TEST(WireReader, StopsForGoodOnceBroken) {
  WireReader reader("\x0a\x7f\x08\x01");
  WireField field;
  EXPECT_FALSE(reader.Next(field));
  EXPECT_TRUE(reader.is_broken());
  EXPECT_FALSE(reader.Next(field));
}

}  // namespace
}  // namespace holdfast

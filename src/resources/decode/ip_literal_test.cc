#include "resources/decode/ip_literal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace holdfast {
namespace {

using ::testing::Optional;
using ::testing::ValuesIn;

struct Row {
  const char* name;
  const char* text;
  const char* canonical;  // nullptr: no IP literal
};

constexpr Row kRows[] = {
    {"V4", "10.0.0.7", "10.0.0.7"},
    {"V4Lowest", "0.0.0.0", "0.0.0.0"},
    {"V4Highest", "255.255.255.255", "255.255.255.255"},
    {"V4TooLarge", "10.0.0.256", nullptr},
    {"V4FourDigits", "10.0.0.0007", nullptr},
    {"V4LeadingZero", "010.0.0.7", nullptr},
    {"V4DoubleZero", "10.0.0.00", nullptr},
    {"V4ThreeParts", "10.0.7", nullptr},
    {"V4FiveParts", "10.0.0.0.7", nullptr},
    {"V4EmptyPart", "10..0.7", nullptr},
    {"V4TrailingDot", "10.0.0.7.", nullptr},
    {"V4Hex", "0x0a.0.0.7", nullptr},
    {"V4Signed", "10.0.0.+7", nullptr},
    {"V4Negative", "10.0.0.-7", nullptr},
    {"V4SpaceBefore", " 10.0.0.7", nullptr},
    {"V4SpaceAfter", "10.0.0.7 ", nullptr},
    {"V4WithPort", "10.0.0.7:80", nullptr},
    {"V4AsNumber", "167772167", nullptr},

    {"V6Any", "::", "::"},
    {"V6Loopback", "::1", "::1"},
    {"V6LoopbackInFull", "0:0:0:0:0:0:0:1", "::1"},
    {"V6LoopbackPadded", "0000:0000:0000:0000:0000:0000:0000:0001", "::1"},
    {"V6UpperCase", "2001:DB8::A", "2001:db8::a"},
    {"V6LeadingZeros", "2001:0db8::000a", "2001:db8::a"},
    {"V6NoZeros", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"},
    {"V6GapAtEnd", "fd00::", "fd00::"},
    {"V6GapOfOneIsWrittenOut", "1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
    {"V6OneZeroStays", "1:0:3:4:5:6:7:8", "1:0:3:4:5:6:7:8"},
    {"V6LongestRunWins", "1:0:0:4:0:0:0:8", "1:0:0:4::8"},
    {"V6FirstOfEqualRunsWins", "1:0:0:4:5:0:0:8", "1::4:5:0:0:8"},
    {"V6RunAtStart", "0:0:3:4:5:6:7:8", "::3:4:5:6:7:8"},
    {"V6EndsInV4", "64:ff9b::10.0.0.7", "64:ff9b::a00:7"},
    {"V6EndsInV4InFull", "1:2:3:4:5:6:10.0.0.7", "1:2:3:4:5:6:a00:7"},
    {"V6Longest", "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255",
     "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
    {"MappedDotted", "::ffff:10.0.0.7", "10.0.0.7"},
    {"MappedHex", "::ffff:a00:7", "10.0.0.7"},
    {"MappedInFull", "0:0:0:0:0:FFFF:0a00:0007", "10.0.0.7"},
    {"NotMappedWithoutFfff", "::10.0.0.7", "::a00:7"},
    {"NotMappedElsewhere", "::ffff:0:10.0.0.7", "::ffff:0:a00:7"},

    {"V6SevenGroups", "1:2:3:4:5:6:7", nullptr},
    {"V6NineGroups", "1:2:3:4:5:6:7:8:9", nullptr},
    {"V6GapInEightGroups", "1:2:3:4::5:6:7:8", nullptr},
    {"V6TwoGaps", "1::2::3", nullptr},
    {"V6ThreeColons", ":::", nullptr},
    {"V6FourColons", "::::", nullptr},
    {"V6LeadingColon", ":1:2:3:4:5:6:7:8", nullptr},
    {"V6TrailingColon", "1:2:3:4:5:6:7:", nullptr},
    {"V6TrailingColonAfterGap", "1::2:", nullptr},
    {"V6FiveDigits", "12345::1", nullptr},
    {"V6NotHex", "fg00::1", nullptr},
    {"V6V4InFront", "10.0.0.7::1", nullptr},
    {"V6V4InTheMiddle", "::10.0.0.7:1", nullptr},
    {"V6V4TooMany", "1:2:3:4:5:6:7:10.0.0.7", nullptr},
    {"V6V4TooFew", "1:2:3:4:5:10.0.0.7", nullptr},
    {"V6BadV4", "::ffff:10.0.0.256", nullptr},
    {"V6Brackets", "[::1]", nullptr},
    {"V6Zone", "fe80::1%eth0", nullptr},
    {"V6ZoneNumber", "fe80::1%2", nullptr},
    {"V6Prefix", "fd00::/8", nullptr},

    {"Empty", "", nullptr},
    {"Dot", ".", nullptr},
    {"Colon", ":", nullptr},
    {"Name", "backend.example.com", nullptr},
    {"Localhost", "localhost", nullptr},
    {"HexWord", "beef", nullptr},
    {"TooLong", "ffff:ffff:ffff:ffff:ffff:ffff:0255.255.255.255", nullptr},
};

class IpLiteral : public ::testing::TestWithParam<Row> {};

TEST_P(IpLiteral, HasOneSpellingOrIsNone) {
  const Row& row = GetParam();
  if (row.canonical == nullptr) {
    EXPECT_EQ(CanonicalIp(row.text), std::nullopt);
    return;
  }
  EXPECT_THAT(CanonicalIp(row.text), Optional(std::string(row.canonical)));
  // And the spelling is its own.
  EXPECT_THAT(CanonicalIp(row.canonical), Optional(std::string(row.canonical)));
}

INSTANTIATE_TEST_SUITE_P(Table, IpLiteral, ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

TEST(IpLiteralText, WithAZeroByteIsNone) {
  EXPECT_EQ(CanonicalIp(absl::string_view("10.0.0.7\0", 9)), std::nullopt);
  EXPECT_EQ(CanonicalIp(absl::string_view("::1\0", 4)), std::nullopt);
}

}  // namespace
}  // namespace holdfast

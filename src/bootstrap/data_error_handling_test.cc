#include "bootstrap/data_error_handling.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

TEST(DataErrorHandling, IsOnUnlessSwitchedOff) {
  EXPECT_EQ(ReadDataErrorHandling(std::nullopt), (DataErrorHandling{true, std::nullopt}));
  for (const absl::string_view text : {"true", "TRUE", "True", "1", "yes", "Yes"}) {
    EXPECT_EQ(ReadDataErrorHandling(text), (DataErrorHandling{true, std::nullopt})) << text;
  }
  for (const absl::string_view text : {"false", "FALSE", "fAlse", "0", "no", "NO"}) {
    EXPECT_EQ(ReadDataErrorHandling(text), (DataErrorHandling{false, std::nullopt})) << text;
  }
}

TEST(DataErrorHandling, WarnsOfAnythingElseAndStaysOn) {
  for (const absl::string_view text : {"", " ", "off", "on", "2", "false ", "nope", "00"}) {
    const DataErrorHandling expected = {
        true,
        absl::StrCat("GRPC_EXPERIMENTAL_XDS_DATA_ERROR_HANDLING: must be true or false (got \"",
                     text, "\"); treated as unset, which means true")};
    EXPECT_EQ(ReadDataErrorHandling(text), expected) << text;
  }
}

TEST(DataErrorHandling, QuotesBytesThatAreNoText) {
  EXPECT_EQ(ReadDataErrorHandling("a\xFF").warning,
            "GRPC_EXPERIMENTAL_XDS_DATA_ERROR_HANDLING: must be true or false (got \"a\\xff\"); "
            "treated as unset, which means true");
}

TEST(DataErrorHandling, QuotesOnlyTheBeginningOfALongText) {
  const std::string warning = *ReadDataErrorHandling(std::string(5000, 'x')).warning;
  EXPECT_LT(warning.size(), 400u);
}

}  // namespace
}  // namespace holdfast

#include "base/did_you_mean.h"

#include <string>

#include "gtest/gtest.h"

namespace holdfast {
namespace {

constexpr absl::string_view kKnown[] = {"node", "authorities", "xds_servers", "serve", "lint"};

struct Row {
  absl::string_view word;
  absl::string_view meant;  // empty: no suggestion
};

constexpr Row kTable[] = {
    {"xds_server", "xds_servers"},    // one letter too few
    {"xds_serverss", "xds_servers"},  // one too many
    {"xds_servets", "xds_servers"},   // one wrong
    {"xds_sevrers", "xds_servers"},   // two swapped: one slip
    {"xd_server", "xds_servers"},     // two slips
    {"XDS-Servers", "xds_servers"},   // spelling habits are no slips
    {"lnit", "lint"},                 // a short word, one slip
    {"nodes", "node"},                //
    {"xds", ""},                      // too far
    {"lynx", ""},                     // two slips of four letters
    {"xds_servers", ""},              // is known
    {"", ""},                         //
    {"channel_credentials", ""},      //
};

TEST(DidYouMean, FindsTheNearestWordOrNone) {
  for (const Row& row : kTable) {
    EXPECT_EQ(DidYouMean(row.word, kKnown).value_or(""), row.meant) << row.word;
  }
}

TEST(DidYouMean, TakesTheFirstOfEquallyNearWords) {
  EXPECT_EQ(DidYouMean("cat_", {"cats", "cat5"}), "cats");
  EXPECT_EQ(DidYouMean("server", {"serves", "servers", "Server"}), "Server");
}

TEST(DidYouMean, IsQuickForAHugeWord) {
  EXPECT_EQ(DidYouMean(std::string(size_t{10} << 20, 'x'), kKnown), std::nullopt);
  // Of the same length: no table of 10^12 cells.
  const std::string other(size_t{1} << 20, 'y');
  EXPECT_EQ(DidYouMean(std::string(other.size(), 'x'), {other}), std::nullopt);
}

}  // namespace
}  // namespace holdfast

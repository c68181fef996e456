#include "app/watch_order.h"

#include <gtest/gtest.h>

#include <string>

namespace holdfast {
namespace {

std::string ErrorOf(absl::string_view line) {
  const absl::Status status = ParseWatchOrder(line).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(WatchOrder, ReadsBothVerbs) {
  const WatchOrder watch = ParseWatchOrder("watch cds/pay").value().value();
  EXPECT_EQ(watch.verb, WatchOrder::Verb::kWatch);
  EXPECT_EQ(watch.resource.Text(), "cds/pay");
  const WatchOrder cancel = ParseWatchOrder("  cancel \t lds/a name \r").value().value();
  EXPECT_EQ(cancel.verb, WatchOrder::Verb::kCancel);
  EXPECT_EQ(cancel.resource.Text(), "lds/a name");
}

TEST(WatchOrder, AnEmptyLineIsNoOrder) {
  EXPECT_EQ(ParseWatchOrder("").value(), std::nullopt);
  EXPECT_EQ(ParseWatchOrder(" \r").value(), std::nullopt);
}

TEST(WatchOrder, SuggestsWhatWasMeant) {
  EXPECT_EQ(ErrorOf("wacth cds/pay"),
            "unknown order \"wacth\": write watch TYPE/NAME or cancel TYPE/NAME; did you mean "
            "watch?");
  EXPECT_EQ(ErrorOf("frobnicate"),
            "unknown order \"frobnicate\": write watch TYPE/NAME or cancel TYPE/NAME");
  EXPECT_EQ(ErrorOf("cancel"), "cancel what? write cancel TYPE/NAME, as in cancel cds/pay");
  EXPECT_EQ(ErrorOf("watch cdss/pay"),
            "unknown type \"cdss\": it is lds, rds, cds or eds; did you mean cds/pay?");
}

}  // namespace
}  // namespace holdfast

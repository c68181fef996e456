#include "app/probe_order.h"

#include "gtest/gtest.h"

namespace holdfast {
namespace {

TEST(ParseProbeOrder, TakesATimeoutAndAChannel) {
  EXPECT_EQ(*ParseProbeOrder("call"), (ProbeOrder{std::nullopt, 1}));
  EXPECT_EQ(*ParseProbeOrder(" call 250ms\r"), (ProbeOrder{absl::Milliseconds(250), 1}));
  EXPECT_EQ(*ParseProbeOrder("call 3s 2"), (ProbeOrder{absl::Seconds(3), 2}));
}

TEST(ParseProbeOrder, FindsNothingInAnEmptyLine) {
  EXPECT_EQ(*ParseProbeOrder(""), std::nullopt);
  EXPECT_EQ(*ParseProbeOrder(" \t"), std::nullopt);
}

TEST(ParseProbeOrder, SaysHowItIsWritten) {
  EXPECT_EQ(ParseProbeOrder("cal").status(),
            absl::InvalidArgumentError("not an order: \"cal\"; write call, call 3s or call 3s 2 "
                                       "(timeout, channel)"));
  EXPECT_EQ(ParseProbeOrder("call soon").status(),
            absl::InvalidArgumentError("\"soon\" is no duration above 0; write a number and a "
                                       "unit, as in 3s or 250ms"));
  EXPECT_EQ(ParseProbeOrder("call 1s 0").status(),
            absl::InvalidArgumentError("\"0\" is no channel; write a number from 1"));
  EXPECT_EQ(ParseProbeOrder("call 1s 2 3").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace holdfast

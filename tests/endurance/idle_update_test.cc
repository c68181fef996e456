// A channel that nobody calls hears of an update all the same.
#include <algorithm>
#include <cstdio>

#include "absl/strings/str_join.h"
#include "tests/end_to_end/channel/channel_under_test.h"
#include "tests/endurance/caller_process.h"

namespace holdfast {
namespace {

constexpr int kRounds = 5;
constexpr absl::Duration kIdle = absl::Seconds(2);
// A channel for which nobody polls hears nothing for five seconds.
constexpr absl::Duration kAtMost = absl::Seconds(3);

std::string MedianAndAll(std::vector<absl::Duration> times) {
  std::sort(times.begin(), times.end());
  return absl::StrCat(absl::FormatDuration(times[times.size() / 2]), " of ",
                      absl::StrJoin(times, ", ", [](std::string* out, absl::Duration time) {
                        absl::StrAppend(out, absl::FormatDuration(time));
                      }));
}

TEST(Endurance, AnIdleChannelHearsOfNewEndpoints) {
  Backend backends[2];
  ObligingXdsServer xds;
  PutPay(xds, {backends[1].address()});
  CallerProcess caller("holdfast", xds.address(), /*threads=*/0);
  ASSERT_EQ(caller.CallOnce(), backends[1].peer());

  std::vector<absl::Duration> heard;
  std::vector<absl::Duration> used;
  for (int round = 0; round < kRounds; ++round) {
    const Backend& next = backends[round % 2];
    absl::SleepFor(kIdle);
    const absl::Time start = absl::Now();
    xds.Put("eds", "pay", EndpointsBytes("pay", {next.address()}));
    // Nobody calls meanwhile.
    xds.WaitForAck("eds");
    heard.push_back(absl::Now() - start);
    ASSERT_TRUE(Eventually([&] { return caller.CallOnce() == next.peer(); }));
    used.push_back(absl::Now() - start);
  }
  std::printf("from the update to its ACK, nobody calling: median %s\n",
              MedianAndAll(heard).c_str());
  std::printf("from the update to a call on the new endpoint: median %s\n",
              MedianAndAll(used).c_str());
  EXPECT_LT(*std::max_element(heard.begin(), heard.end()), kAtMost);
  EXPECT_LT(*std::max_element(used.begin(), used.end()), kAtMost);
  EXPECT_EQ(caller.Finish(), "exit 0");
}

}  // namespace
}  // namespace holdfast

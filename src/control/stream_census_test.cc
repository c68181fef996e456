#include "control/stream_census.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/patience.h"

namespace holdfast {
namespace {

TEST(StreamCensus, EachConnectionHasALimitOfItsOwn) {
  StreamCensus census(2);
  EXPECT_TRUE(census.Enter("ipv4:10.0.0.7:1"));
  EXPECT_TRUE(census.Enter("ipv4:10.0.0.7:1"));
  EXPECT_FALSE(census.Enter("ipv4:10.0.0.7:1"));
  EXPECT_TRUE(census.Enter("ipv4:10.0.0.7:2"));
  EXPECT_TRUE(census.Enter("ipv6:%5B::1%5D:1"));
}

TEST(StreamCensus, AStreamThatEndedMakesRoomAndOneThatWasRefusedDoesNot) {
  StreamCensus census(1);
  ASSERT_TRUE(census.Enter("ipv4:10.0.0.7:1"));
  ASSERT_FALSE(census.Enter("ipv4:10.0.0.7:1"));
  census.Leave("ipv4:10.0.0.7:1", false);
  EXPECT_FALSE(census.Enter("ipv4:10.0.0.7:1"));
  census.Leave("ipv4:10.0.0.7:1", false);
  census.Leave("ipv4:10.0.0.7:1", true);
  EXPECT_TRUE(census.Enter("ipv4:10.0.0.7:1"));
}

TEST(StreamCensus, PeersOfAUnixSocketAreNotOneConnection) {
  StreamCensus census(1);
  EXPECT_TRUE(census.Enter("unix:"));
  EXPECT_TRUE(census.Enter("unix:"));
}

TEST(StreamCensus, WaitsForTheLastStream) {
  StreamCensus census(1);
  EXPECT_TRUE(census.WaitUntilEmpty(absl::ZeroDuration()));
  ASSERT_TRUE(census.Enter("ipv4:10.0.0.7:1"));
  ASSERT_FALSE(census.Enter("ipv4:10.0.0.7:1"));
  EXPECT_FALSE(census.WaitUntilEmpty(absl::ZeroDuration()));
  std::thread leaving([&census] {
    census.Leave("ipv4:10.0.0.7:1", true);
    census.Leave("ipv4:10.0.0.7:1", false);
  });
  EXPECT_TRUE(census.WaitUntilEmpty(kPatience));
  leaving.join();
}

}  // namespace
}  // namespace holdfast

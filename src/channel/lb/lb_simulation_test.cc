// What nobody thought of: trees in worlds of chance, with invariants after every event.
#include "channel/lb/simulated_lb_world_test.h"

namespace holdfast {
namespace {

void Simulate(uint64_t seed, WorldKind kind, int steps) {
  SCOPED_TRACE(absl::StrCat("seed ", seed));
  SimulatedLbWorld world(seed, kind);
  for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
    world.Step();
    if (i % 500 == 499) world.LetEverythingConnect();
  }
  if (!testing::Test::HasFailure()) world.EndWithoutConfiguration();
}

TEST(LbSimulation, PrioritiesOfRoundRobinServeTheBestThatIsReady) {
  for (uint64_t seed = 1; seed <= 30 && !HasFailure(); ++seed) {
    Simulate(seed, WorldKind::kPlain, 2000);
  }
}

TEST(LbSimulation, AnyPolicyInAnyClusterKeepsItsPromises) {
  for (uint64_t seed = 101; seed <= 130 && !HasFailure(); ++seed) {
    Simulate(seed, WorldKind::kAnything, 2000);
  }
}

}  // namespace
}  // namespace holdfast

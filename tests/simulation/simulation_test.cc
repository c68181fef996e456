// A million events of the client protocol, in every mode: gRFC A88 on and off, and the server
// features of A88 and A53.
//
// A failure prints the seed and the end of its story. To run that story alone, in every mode:
//   HOLDFAST_SIM_SEED=17 ./dev test -R Simulation
// To run more of them, here a billion events:
//   HOLDFAST_SIM_EVENTS=1000000000 build/dev/tests/simulation/simulation_test
#include "tests/simulation/simulation.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

constexpr size_t kModes = 16;
constexpr size_t kEventsTold = 60;

uint64_t FromEnvironment(const char* variable, uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

Mode ModeAt(size_t number) {
  return {.data_error_handling = (number & 1) == 0,
          .fail_on_data_errors = (number & 2) != 0,
          .resource_timer_is_transient_error = (number & 4) != 0,
          .ignore_resource_deletion = (number & 8) != 0};
}

std::string NameOfMode(size_t number) {
  const Mode mode = ModeAt(number);
  return absl::StrCat(mode.data_error_handling ? "Guarded" : "Legacy",
                      mode.fail_on_data_errors ? "_FailOnDataErrors" : "",
                      mode.resource_timer_is_transient_error ? "_TimerIsTransient" : "",
                      mode.ignore_resource_deletion ? "_IgnoreDeletion" : "");
}

// The same seed again, this time in words.
std::string StoryOf(uint64_t seed, const Mode& mode, size_t events) {
  Simulation again(seed, mode, {.told_from = events > kEventsTold ? events - kEventsTold : 0});
  again.Run();
  return absl::StrJoin(again.story(), "\n");
}

// A HOLDFAST_CHECK that fails ends the program: the seed is said all the same.
char last_words[64];

void SayLastWords(int) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, last_words, sizeof(last_words));
}

class SimulationTest : public testing::TestWithParam<size_t> {
 protected:
  void SetUp() override { std::signal(SIGABRT, SayLastWords); }
  void TearDown() override { std::signal(SIGABRT, SIG_DFL); }
};

TEST_P(SimulationTest, EveryPromiseHoldsAfterEveryEvent) {  // R3.03, R3.04, R3.08, R3.33
  const Mode mode = ModeAt(GetParam());
  const uint64_t chosen = FromEnvironment("HOLDFAST_SIM_SEED", 0);
  const size_t enough = FromEnvironment("HOLDFAST_SIM_EVENTS", HOLDFAST_SIM_EVENTS) / kModes;
  size_t events = 0;
  // Each mode has stories of its own.
  for (uint64_t seed = chosen != 0 ? chosen : GetParam() * 1'000'000'000 + 1; events < enough;
       ++seed) {
    std::snprintf(last_words, sizeof(last_words), "HOLDFAST_SIM_SEED=%-40llu\n",
                  static_cast<unsigned long long>(seed));
    Simulation simulation(seed, mode);
    simulation.Run();
    events += simulation.events();
    ASSERT_TRUE(simulation.findings().ok())
        << "HOLDFAST_SIM_SEED=" << seed << ", after event " << simulation.events() << ": "
        << simulation.findings().first() << "\n"
        << StoryOf(seed, mode, simulation.events());
    if (chosen != 0) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, SimulationTest, testing::Range<size_t>(0, kModes),
                         [](const auto& row) { return NameOfMode(row.param); });

}  // namespace
}  // namespace holdfast

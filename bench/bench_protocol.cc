// How many events a second the client protocol handles.
//
// protocol:   the events of a few thousand simulated stories, played again to fresh protocols: what
//             an event costs, decoding aside, which the fake types of the simulation make cheap
// simulation: the same stories as they are made up, with a server, a network and every check
//
// Prints a table and fails if a budget of docs/reference/performance.md is missed.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "bench/stopwatch.h"
#include "tests/simulation/simulation.h"

namespace holdfast {
namespace {

constexpr int kRuns = 7;
constexpr uint64_t kSeeds = 2'000;
constexpr double kBudgetOfEvents = 1e6;  // a second

struct PastStory {
  uint64_t seed;
  Mode mode;
  std::vector<PastEvent> events;
};

Mode ModeOf(uint64_t seed) {
  return {.data_error_handling = seed % 4 != 0, .fail_on_data_errors = seed % 2 != 0};
}

std::vector<PastStory> Stories() {
  std::vector<PastStory> stories;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Simulation simulation(seed, ModeOf(seed), {.keep_events = true});
    simulation.Run();
    if (!simulation.findings().ok()) {
      std::fprintf(stderr, "bench_protocol: seed %llu: %s\n", static_cast<unsigned long long>(seed),
                   simulation.findings().first().c_str());
      std::exit(1);
    }
    stories.push_back({seed, ModeOf(seed), simulation.TakeEvents()});
  }
  return stories;
}

// How many effects they had.
size_t PlayAgain(const std::vector<PastStory>& stories) {
  size_t effects = 0;
  for (const PastStory& story : stories) {
    Protocol protocol(Simulation::OptionsOf(story.seed, story.mode));
    for (const PastEvent& past : story.events) {
      effects += protocol.Handle(past.when, past.event).size();
    }
  }
  return effects;
}

size_t Simulate() {
  size_t events = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Simulation simulation(seed, ModeOf(seed));
    simulation.Run();
    events += simulation.events();
  }
  return events;
}

void Row(const char* what, double seconds, size_t events) {
  const double count = static_cast<double>(events);
  std::printf("| %-36s | %12.0f | %9.0f |\n", what, count / seconds, seconds * 1e9 / count);
}

bool Run() {
  const std::vector<PastStory> stories = Stories();
  size_t events = 0;
  for (const PastStory& story : stories) events += story.events.size();
  size_t effects = 0;
  const double alone = BestSeconds(kRuns, [&] { effects = PlayAgain(stories); });
  const double all = BestSeconds(kRuns, [] { Simulate(); });

  std::printf("%zu events of %zu stories, %zu effects\n\n", events, stories.size(), effects);
  std::printf("| %-36s | %12s | %9s |\n|---|--:|--:|\n", "what", "events/s", "ns/event");
  Row("protocol", alone, events);
  Row("simulation: protocol and all checks", all, events);
  const double rate = static_cast<double>(events) / alone;
  const bool is_met = rate >= kBudgetOfEvents;
  std::printf("\nthe protocol takes %.0f %% of the simulation\n", 100 * alone / all);
  std::printf("%.2f million events a second (budget 1.00 million): %s\n", rate / 1e6,
              is_met ? "met" : "MISSED");
  return is_met;
}

}  // namespace
}  // namespace holdfast

int main() { return holdfast::Run() ? 0 : 1; }

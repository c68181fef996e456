#include "bench/control/contest.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "bench/control/bench_failure.h"
#include "bench/control/load_client.h"
#include "bench/control/server_process.h"

namespace holdfast {
namespace {

// Longer than the time in which a control plane may merge commits.
constexpr absl::Duration kBetweenCommits = absl::Milliseconds(120);

std::unique_ptr<ServerProcess> Start(const Contestant& contestant, const Load& load) {
  auto server = std::make_unique<ServerProcess>(contestant.command);
  server->Do(absl::StrCat("load ", WordOf(load.kind), " ", load.resources, " ", load.size));
  return server;
}

std::unique_ptr<LoadClient> Connect(const ServerProcess& server, const Load& load) {
  return std::make_unique<LoadClient>(LoadOptions{.address = server.address(),
                                                  .variant = load.variant,
                                                  .type_url = TypeUrlOf(load.kind),
                                                  .streams = load.streams,
                                                  .names_of = load.names_of});
}

// A server with all its streams, served and idle.
struct Side {
  std::unique_ptr<ServerProcess> server;
  std::unique_ptr<LoadClient> client;  // goes first
  int64_t responses = 0;
};

std::vector<Side> StartAll(const std::vector<Contestant>& contestants, const Load& load) {
  std::vector<Side> sides;
  for (const Contestant& contestant : contestants) {
    Side& side = sides.emplace_back();
    side.server = Start(contestant, load);
    side.client = Connect(*side.server, load);
    side.responses = load.streams;
    side.client->AwaitResponses(side.responses);
  }
  return sides;
}

// CPU of one round, a response. Adds the latencies of its commits.
double PushOnce(const PushPlan& plan, Side& side, std::vector<double>& latency_ms) {
  side.server->Do(absl::StrCat("prepare ",
                               plan.changed.has_value() ? absl::StrCat(*plan.changed) : "all", " ",
                               plan.commits));
  const int64_t before = side.server->SettledCpu();
  for (int i = 0; i < plan.commits; ++i) {
    if (i > 0) absl::SleepFor(kBetweenCommits);
    const absl::Time start = absl::Now();
    side.server->Do("commit");
    side.responses += plan.affected;
    side.client->AwaitResponses(side.responses);
    latency_ms.push_back(absl::ToDoubleMilliseconds(side.client->newest() - start));
  }
  const int64_t after = side.server->SettledCpu();
  if (side.client->responses() != side.responses) {
    FailBench("a server sent more responses than are due");
  }
  return static_cast<double>(after - before) / static_cast<double>(plan.affected * plan.commits);
}

}  // namespace

Pushes MeasurePushes(const std::vector<Contestant>& contestants, const PushPlan& plan) {
  std::vector<Side> sides = StartAll(contestants, plan.load);
  Pushes measured{.cpu_us = Measured(sides.size()), .latency_ms = Measured(sides.size())};
  // The first round warms up.
  for (int round = 0; round <= plan.rounds; ++round) {
    for (size_t i = 0; i < sides.size(); ++i) {
      absl::SleepFor(kBetweenCommits);
      std::vector<double> warming_up;
      const double cpu_us =
          PushOnce(plan, sides[i], round > 0 ? measured.latency_ms[i] : warming_up);
      if (round > 0) measured.cpu_us[i].push_back(cpu_us);
    }
  }
  return measured;
}

Measured MeasureIdleMemory(const std::vector<Contestant>& contestants, const Load& load,
                           int rounds) {
  Measured measured(contestants.size());
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < contestants.size(); ++i) {
      const std::unique_ptr<ServerProcess> server = Start(contestants[i], load);
      server->SettledCpu();
      server->Do("trim");
      const int64_t before_kb = server->Memory().rss_kb;
      const std::unique_ptr<LoadClient> client = Connect(*server, load);
      client->AwaitResponses(load.streams);
      server->SettledCpu();
      server->Do("trim");
      const int64_t growth_kb = server->Memory().rss_kb - before_kb;
      measured[i].push_back(static_cast<double>(growth_kb) / load.streams);
    }
  }
  return measured;
}

Storm MeasureStorm(const std::vector<Contestant>& contestants, const Load& load, int rounds) {
  Storm storm{.cpu_us = Measured(contestants.size()), .growth_mb = Measured(contestants.size())};
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < contestants.size(); ++i) {
      const std::unique_ptr<ServerProcess> server = Start(contestants[i], load);
      server->Do("trim");
      const int64_t before_us = server->SettledCpu();
      const int64_t before_kb = server->Memory().rss_kb;
      const std::unique_ptr<LoadClient> client = Connect(*server, load);
      client->AwaitResponses(load.streams);
      const int64_t cpu_us = server->SettledCpu() - before_us;
      const int64_t growth_kb = server->Memory().peak_rss_kb - before_kb;
      storm.cpu_us[i].push_back(static_cast<double>(cpu_us) / load.streams);
      storm.growth_mb[i].push_back(static_cast<double>(growth_kb) / 1024);
    }
  }
  return storm;
}

std::vector<int64_t> CountResends(const std::vector<Contestant>& contestants, const Load& load,
                                  absl::Duration time) {
  std::vector<int64_t> resends;
  for (Side& side : StartAll(contestants, load)) {
    side.client->Reject();
    side.server->Do("prepare all 1");
    side.server->Do("commit");
    side.responses += load.streams;
    side.client->AwaitResponses(side.responses);
    absl::SleepFor(time);
    resends.push_back(side.client->responses() - side.responses);
  }
  return resends;
}

}  // namespace holdfast

// What a channel costs beside gRPC's own, and how soon it does what it is told.
//
//   bench_channel [--quick | --smoke] [--only PART]...
//
// The parts: calls, deferred, startup, idle, moves.
//
// floor: a plain grpc::Channel to the endpoint, without any control plane
// ours:  holdfast::CreateChannel("xds:///bench")
// peer:  grpc::CreateChannel("xds:///bench"), of the gRPC this is linked to
//
// Each client is a process of its own (channel/caller.h), and so is what they talk to
// (channel/world.h). Prints tables and fails if a budget of docs/reference/performance.md is
// missed. Instructions are counted with callgrind; --smoke counts none, does everything else on a
// small scale, and fails only if something does not work.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "bench/channel/bench_failure.h"
#include "bench/channel/caller.h"
#include "bench/channel/child_process.h"
#include "bench/channel/instructions.h"
#include "bench/channel/world.h"
#include "bench/spread.h"

namespace holdfast {
namespace {

struct Scale {
  int few_calls = 300;
  int many_calls = 1300;
  int many_routes = 1000;
  std::vector<int> clusters = {500, 1000, 2000};
  int rounds = 3;
  int startup_rounds = 2;
  int updates = 5;
  absl::Duration silence = absl::Seconds(5);
  bool is_judged = true;
};

Scale QuickScale() {
  Scale scale;
  scale.rounds = 1;
  scale.startup_rounds = 1;
  scale.updates = 2;
  return scale;
}

Scale SmokeScale() {
  Scale scale;
  scale.clusters = {5, 10, 20};
  scale.startup_rounds = 1;
  scale.updates = 1;
  scale.silence = absl::Milliseconds(200);
  scale.is_judged = false;
  return scale;
}

// The servers, and how to start a client of theirs.
class World {
 public:
  explicit World(const std::string& serve) : process_({ThisProgram(), "--world"}) {
    process_.Do(serve);
    ports_ = process_.Ask("ports");
  }

  ChildProcess& process() { return process_; }
  int64_t backend_port(int backend) const { return ports_[static_cast<size_t>(backend) + 1]; }
  std::vector<std::string> CallerCommand(const std::string& who) const {
    return {ThisProgram(), "--caller", who, absl::StrCat(ports_[0]), absl::StrCat(ports_[1])};
  }

 private:
  ChildProcess process_;
  std::vector<int64_t> ports_;
};

// What a client has spent when it has been idle for a second.
int64_t SettledCpuUs(ChildProcess& client) {
  constexpr absl::Duration kMoment = absl::Milliseconds(250);
  constexpr int64_t kIdleCpuUs = 3000;  // the questions, and whoever waits for a change of state
  int64_t before = client.AskOne("cpu");
  for (int quiet = 0; quiet < 4;) {
    absl::SleepFor(kMoment);
    const int64_t now = client.AskOne("cpu");
    quiet = now - before <= kIdleCpuUs ? quiet + 1 : 0;
    before = now;
  }
  return before;
}

constexpr const char* kXdsClients[] = {"ours", "debian"};

class ChannelBench {
 public:
  // `parts` empty: all.
  ChannelBench(Scale scale, std::set<std::string> parts)
      : scale_(std::move(scale)), parts_(std::move(parts)) {}

  // Whether all budgets are met.
  bool Run() {
    if (scale_.is_judged && (Wants("calls") || Wants("deferred"))) Instructions();
    if (Wants("startup")) StartUp();
    if (Wants("idle")) Idle();
    if (Wants("moves")) Moves();
    return is_met_;
  }

 private:
  bool Wants(const std::string& part) const { return parts_.empty() || parts_.contains(part); }

  // Instructions.

  struct Row {
    CallCost plain;
    CallCost ours;
    CallCost peer;
    double ours_ratio() const { return ours.callers() / plain.all; }
    double peer_ratio() const { return peer.all / plain.all; }
  };

  CallCost Count(const World& world, const std::string& who, const std::string& kind,
                 bool wait_once = false) {
    return CountInstructions({.caller = world.CallerCommand(who),
                              .kind = kind,
                              .wait_once = wait_once,
                              .few = scale_.few_calls,
                              .many = scale_.many_calls,
                              .rounds = scale_.rounds});
  }

  void Instructions() {
    std::printf(
        "Instructions of a unary call in the client's process, least of %d\n\n"
        "| %-28s | %9s | %9s | %9s | %11s | %10s | %6s |  |\n"
        "|---|--:|--:|--:|--:|--:|--:|---|\n",
        scale_.rounds, "a call", "plain", "ours", "peer", "ours/plain", "peer/plain", "budget");
    World one("serve 1 1 round_robin");
    World many(absl::StrCat("serve ", scale_.many_routes, " 1 round_robin"));
    World waiting("serve 1 1 wait_once");
    for (const std::string kind : {"sync", "callback"}) {
      Row row;
      row.plain = Count(one, "plain", kind);
      if (Wants("calls")) {
        row.ours = Count(one, "ours", kind);
        row.peer = Count(one, "debian", kind);
        PrintRow(absl::StrCat(kind, ", 1 route"), row, 1.02, NoiseOf(kind));
        const double budget = row.ours_ratio() + 0.03;
        loop_costs_[kind] = row.ours.loop;
        row.ours = Count(one, "ours", kind + "-ready");
        row.peer = Count(one, "debian", kind + "-ready");
        PrintRow(absl::StrCat(kind, ", waits for ready"), row, 1.07, NoiseOf(kind));
        row.ours = Count(many, "ours", kind);
        row.peer = Count(many, "debian", kind);
        PrintRow(absl::StrFormat("%s, last of %d routes", kind, scale_.many_routes), row, budget,
                 NoiseOf(kind));
      }
      if (Wants("deferred")) {
        CallCost deferred = Count(waiting, "ours", kind, /*wait_once=*/true);
        deferred.loop = 0;  // There it works for the call.
        PrintDeferred(kind, row.plain, deferred);
      }
    }
    std::printf("\n");
    for (const auto& [kind, loop] : loop_costs_) {
      std::printf("%s: beside that the loop thread takes %.0f a call, as slow as callgrind is\n",
                  kind.c_str(), loop);
    }
    std::printf("\n");
  }

  // How far the floor itself moves between runs: the sync rows are the budget, a callback row is
  // judged only beyond that (docs/adr/0016).
  static double NoiseOf(const std::string& kind) { return kind == "callback" ? 0.07 : 0; }
  static const char* VerdictOf(double ratio, double budget, double noise) {
    if (ratio <= budget) return "met";
    return ratio <= budget * (1 + noise) ? "within the noise" : "MISSED";
  }

  void PrintRow(const std::string& what, const Row& row, double budget, double noise) {
    std::printf("| %-28s | %9.0f | %9.0f | %9.0f | %11.3f | %10.3f | %6.3f | %s |\n", what.c_str(),
                row.plain.all, row.ours.callers(), row.peer.all, row.ours_ratio(), row.peer_ratio(),
                budget, VerdictOf(row.ours_ratio(), budget, noise));
    std::fflush(stdout);
    is_met_ &= row.ours_ratio() <= budget * (1 + noise);
  }
  void PrintDeferred(const std::string& kind, const CallCost& plain, const CallCost& deferred) {
    constexpr double kBudget = 2.1;
    const double ratio = deferred.all / plain.all;
    std::printf("| %-28s | %9.0f | %9.0f | %9s | %11.3f | %10s | %6.3f | %s |\n",
                absl::StrCat(kind, ", has to wait first").c_str(), plain.all, deferred.all, "-",
                ratio, "-", kBudget, VerdictOf(ratio, kBudget, NoiseOf(kind)));
    std::fflush(stdout);
    is_met_ &= ratio <= kBudget * (1 + NoiseOf(kind));
  }

  // Start-up.

  struct Start {
    double cpu_s = 0;
    double memory_kb = 0;
  };

  Start StartOnce(const World& world, const std::string& who) {
    ChildProcess client(world.CallerCommand(who));
    client.Do("watch");
    client.Do("calls sync 1");
    const auto cpu_us = static_cast<double>(SettledCpuUs(client));
    return {cpu_us / 1e6, static_cast<double>(client.AskOne("memory"))};
  }

  void StartUp() {
    std::vector<int> sizes = {1};
    sizes.insert(sizes.end(), scale_.clusters.begin(), scale_.clusters.end());
    std::map<std::string, std::vector<Start>> starts;
    for (const int size : sizes) {
      World world(absl::StrCat("serve ", size, " ", size, " round_robin"));
      for (const char* who : kXdsClients) {
        std::vector<double> cpu_s;
        std::vector<double> memory_kb;
        // Ours takes so little that the clock's own grain shows.
        const int rounds = scale_.startup_rounds * (std::string(who) == "ours" ? 5 : 1);
        for (int i = 0; i < rounds; ++i) {
          const Start start = StartOnce(world, who);
          cpu_s.push_back(start.cpu_s);
          memory_kb.push_back(start.memory_kb);
        }
        starts[who].push_back({Least(cpu_s), Least(memory_kb)});
      }
    }
    std::printf(
        "From nothing until the first call is done and all clusters are known, least of %d, of "
        "ours %d; beside one cluster\n\n| %8s | %10s | %10s | %18s | %18s "
        "|\n|--:|--:|--:|--:|--:|\n",
        scale_.startup_rounds, scale_.startup_rounds * 5, "clusters", "ours, CPU s", "peer, CPU s",
        "ours, KB a cluster", "peer, KB a cluster");
    for (size_t i = 0; i < sizes.size(); ++i) {
      const auto kb = [&](const char* who) {
        if (i == 0) return std::string("-");
        return absl::StrFormat(
            "%.1f", (starts[who][i].memory_kb - starts[who][0].memory_kb) / (sizes[i] - 1));
      };
      std::printf("| %8d | %10.3f | %10.3f | %18s | %18s |\n", sizes[i], starts["ours"][i].cpu_s,
                  starts["debian"][i].cpu_s, kb("ours").c_str(), kb("debian").c_str());
    }
    std::printf("\n");
    const std::vector<Start>& ours = starts["ours"];
    Judge(absl::StrFormat("%d clusters take %.2f s (budget 1 s)", sizes.back(), ours.back().cpu_s),
          ours.back().cpu_s <= 1);
    const double growth = (ours.back().cpu_s - ours[0].cpu_s) / (ours[1].cpu_s - ours[0].cpu_s);
    const double linear = static_cast<double>(sizes.back() - 1) / (sizes[1] - 1);
    Judge(absl::StrFormat("%d clusters take %.1f times as much as %d (budget: linear, %.1f, and a "
                          "fourth)",
                          sizes.back(), growth, sizes[1], linear),
          growth <= linear * 1.25);
    std::printf("\n");
  }

  // What an idle channel notices, and what it does meanwhile.

  struct IdleFacts {
    std::vector<double> wakes_per_second;
    std::vector<double> notice_ms;
  };

  IdleFacts WatchIdle(const std::string& who) {
    World world("serve 1 1 round_robin");
    ChildProcess client(world.CallerCommand(who));
    client.Do("calls sync 100");
    IdleFacts facts;
    for (int i = 0; i < scale_.updates; ++i) {
      // What calls before made it do is over.
      absl::SleepFor(scale_.silence);
      const int64_t before = VoluntarySwitches(client.pid());
      absl::SleepFor(scale_.silence);
      const int64_t after = VoluntarySwitches(client.pid());
      facts.wakes_per_second.push_back(static_cast<double>(after - before) /
                                       absl::ToDoubleSeconds(scale_.silence));
      const int64_t us = world.process().AskOne(absl::StrCat("notice ", (i + 1) % 2));
      facts.notice_ms.push_back(static_cast<double>(us) / 1000);
      client.Do("calls sync 100");
    }
    return facts;
  }

  void Idle() {
    std::map<std::string, IdleFacts> facts;
    for (const char* who : kXdsClients) facts[who] = WatchIdle(who);
    std::printf(
        "A channel without calls for %s, %d updates of its endpoints\n\n| %-44s | %7s | %7s | %6s "
        "|  |\n|---|--:|--:|--:|---|\n",
        absl::FormatDuration(scale_.silence * 2).c_str(), scale_.updates, "", "ours", "peer",
        "budget");
    PrintIdle("until it connects to the new one, ms, median", facts, &IdleFacts::notice_ms, Median,
              50);
    PrintIdle("the same, most", facts, &IdleFacts::notice_ms, Most, 0);
    PrintIdle("wake-ups of all threads a second, median", facts, &IdleFacts::wakes_per_second,
              Median, 10);
    std::printf("\n");
  }

  template <class Summary>
  void PrintIdle(const char* what, const std::map<std::string, IdleFacts>& facts,
                 std::vector<double> IdleFacts::*values, Summary summary, double budget) {
    const double ours = summary(facts.at("ours").*values);
    const bool is_within = budget == 0 || ours <= budget;
    std::printf("| %-44s | %7.1f | %7.1f | %6s | %s |\n", what, ours,
                summary(facts.at("debian").*values),
                budget == 0 ? "" : absl::StrCat(budget).c_str(),
                budget == 0 ? ""
                : is_within ? "met"
                            : "MISSED");
    if (scale_.is_judged) is_met_ &= is_within;
  }

  // While calls are made.

  void Moves() {
    std::printf(
        "A call every ms; from a change of the endpoints to the first call on the new one, %d "
        "changes\n\n| %-6s | %10s | %8s |\n|---|--:|--:|\n",
        scale_.updates * 2, "", "median, ms", "most, ms");
    for (const char* who : kXdsClients) {
      World world("serve 1 1 round_robin");
      ChildProcess client(world.CallerCommand(who));
      client.Do("calls sync 100");
      std::vector<double> ms;
      for (int i = 0; i < scale_.updates * 2; ++i) {
        const int backend = (i + 1) % 2;
        const std::string question = absl::StrCat("until ", world.backend_port(backend));
        client.BeginAsk(question);
        absl::SleepFor(absl::Milliseconds(500));
        const int64_t moved = world.process().AskOne(absl::StrCat("move ", backend));
        ms.push_back(static_cast<double>(client.EndAsk(question) - moved) / 1e6);
      }
      std::printf("| %-6s | %10.1f | %8.1f |\n", who == std::string("ours") ? "ours" : "peer",
                  Median(ms), Most(ms));
    }
    std::printf("\n");
  }

  void Judge(const std::string& what, bool is_within) {
    std::printf("%s: %s\n", what.c_str(), is_within ? "met" : "MISSED");
    std::fflush(stdout);
    if (scale_.is_judged) is_met_ &= is_within;
  }

  const Scale scale_;
  const std::set<std::string> parts_;
  std::map<std::string, double> loop_costs_;  // by kind of call
  bool is_met_ = true;
};

int RunBench(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments[0] == "--world") return RunWorld();
  if (!arguments.empty() && arguments[0] == "--caller") {
    return RunCaller({arguments.begin() + 1, arguments.end()});
  }
  Scale scale;
  std::set<std::string> parts;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--quick") {
      scale = QuickScale();
    } else if (arguments[i] == "--smoke") {
      scale = SmokeScale();
    } else if (arguments[i] == "--only" && i + 1 < arguments.size()) {
      parts.insert(arguments[++i]);
    } else {
      std::fprintf(stderr, "usage: bench_channel [--quick | --smoke] [--only PART]...\n");
      return 64;
    }
  }
  return ChannelBench(std::move(scale), std::move(parts)).Run() ? 0 : 1;
}

}  // namespace
}  // namespace holdfast

int main(int argc, char** argv) {
  return holdfast::RunBench(std::vector<std::string>(argv + 1, argv + argc));
}

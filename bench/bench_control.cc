// What a control plane costs that serves a thousand streams, and what its clients wait for.
//
//   bench_control [--quick | --smoke] [--peer PROGRAM] [--holdfast PROGRAM] [--only PART]...
//
// The parts: sotw, delta, named, alone, storm, memory, sessions, nacks, missing, reports.
//
// ours:  a control plane embedded in a server, in a process of its own
// floor: a server that sends bytes of the same size on the same occasions, and has no control plane
// peer:  go-control-plane's linear cache (bench/go_peer), if there is one
//
// Part reports runs the program holdfast, which is looked for where it is built.
//
// CPU and memory are those of the server's process. Prints tables and fails if a budget of
// docs/reference/performance.md is missed; --smoke runs everything on a small scale, and fails only
// if something is sent too often or not at all.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/control/bench_failure.h"
#include "bench/control/bench_scale.h"
#include "bench/control/contest.h"
#include "bench/control/floor_server.h"
#include "bench/control/missing_names.h"
#include "bench/control/our_server.h"
#include "bench/control/report_cost.h"
#include "bench/control/server_process.h"
#include "bench/control/session_cost.h"
#include "bench/spread.h"

namespace holdfast {
namespace {

class ControlBench {
 public:
  // `parts` empty: all.
  ControlBench(Scale scale, std::vector<Contestant> contestants, std::string holdfast,
               std::set<std::string> parts)
      : scale_(scale),
        contestants_(std::move(contestants)),
        holdfast_(std::move(holdfast)),
        parts_(std::move(parts)) {}

  // Whether all budgets are met.
  bool Run() {
    std::printf("A server with %d streams, 10 a connection, on %ld cores; CPU in us a response\n\n",
                scale_.streams, sysconf(_SC_NPROCESSORS_ONLN));
    PrintHead("least of rounds, ratios by round", "us");
    for (const Variant variant : {Variant::kSotw, Variant::kDelta}) PushAll(variant);
    PushNamed();
    PushAlone();
    if (Wants("storm")) Storms();
    PrintHead("memory", "");
    if (Wants("memory")) Memory();
    if (Wants("storm")) StormMemory();
    std::printf("\n");
    PrintLatencies();
    if (Wants("sessions")) Sessions();
    if (Wants("nacks")) Resends();
    if (Wants("missing")) MissingNames();
    if (Wants("reports")) Reports();
    return is_met_;
  }

 private:
  static constexpr size_t kFloor = 0;
  static constexpr size_t kOurs = 1;
  static constexpr size_t kPeer = 2;

  Load Clusters(Variant variant, int streams, size_t size) const {
    return {.kind = ServedKind::kClusters,
            .resources = scale_.resources,
            .size = size,
            .variant = variant,
            .streams = streams};
  }
  Load Endpoints(int resources, int streams) const {
    return {.kind = ServedKind::kEndpoints,
            .resources = resources,
            .size = 600,
            .variant = Variant::kDelta,
            .streams = streams};
  }

  bool Wants(const std::string& part) const { return parts_.empty() || parts_.contains(part); }

  void PushAll(Variant variant) {
    const bool is_sotw = variant == Variant::kSotw;
    if (!Wants(is_sotw ? "sotw" : "delta")) return;
    const PushPlan plan{.load = Clusters(variant, scale_.streams, 600),
                        .affected = scale_.streams,
                        .rounds = scale_.rounds};
    Push(absl::StrFormat("%d clusters changed, %s", scale_.resources, is_sotw ? "SotW" : "delta"),
         plan, is_sotw ? 1.25 : 1.3);
  }

  void PushNamed() {
    if (!Wants("named")) return;
    PushPlan one{.load = Endpoints(scale_.resources, scale_.streams),
                 .changed = 0,
                 .affected = scale_.streams,
                 .rounds = scale_.rounds};
    one.load.names_of = [](int) { return std::vector<std::string>{ServedName(0)}; };
    Push("1 of EDS changed, all asked for it, delta", one, 1.3);
  }

  // The last stream alone asked for what changes.
  void PushAlone() {
    if (!Wants("alone")) return;
    const int others = scale_.streams;
    const int last = scale_.many_resources - 1;
    PushPlan alone{.load = Endpoints(scale_.many_resources, others + 1),
                   .changed = last,
                   .affected = 1,
                   .rounds = scale_.rounds,
                   .commits = scale_.commits};
    alone.load.names_of = [others, last](int stream) {
      return std::vector<std::string>{ServedName(stream == others ? last : stream % last)};
    };
    Push(absl::StrFormat("1 of %d changed, 1 of %d streams asked", scale_.many_resources,
                         others + 1),
         alone, 1.5);
  }

  void Push(const std::string& what, const PushPlan& plan, double budget) {
    Pushes pushes = MeasurePushes(contestants_, plan);
    PrintRow(what, pushes.cpu_us, budget);
    latencies_.emplace_back(what, std::move(pushes.latency_ms));
  }

  // Without a verdict: the clients of the bench take most of the time, on the same cores.
  void PrintLatencies() const {
    if (latencies_.empty()) return;
    std::printf("| %-46s | %-5s | %8s | %8s | %8s |\n|---|---|--:|--:|--:|\n",
                "from a commit until its last client has it", "who", "p50, ms", "p99, ms",
                "max, ms");
    for (const auto& [what, latency_ms] : latencies_) {
      for (size_t i = 0; i < contestants_.size(); ++i) {
        std::printf("| %-46s | %-5s | %8.2f | %8.2f | %8.2f |\n", what.c_str(),
                    contestants_[i].name.c_str(), Quantile(latency_ms[i], 0.5),
                    Quantile(latency_ms[i], 0.99), Most(latency_ms[i]));
      }
    }
    std::printf("\n");
  }

  void Storms() {
    const Storm storm = MeasureStorm(
        contestants_, Clusters(Variant::kSotw, scale_.storm_streams, 700), scale_.few_rounds);
    PrintRow(absl::StrFormat("storm: %d streams at once, %.1f MB each", scale_.storm_streams,
                             scale_.resources * 700 / 1e6),
             storm.cpu_us, 1.3);
    storm_growth_ = storm.growth_mb;
  }

  void Memory() {
    Load load = Clusters(Variant::kDelta, scale_.streams, 600);
    PrintRow(absl::StrFormat("KB an idle stream, all of %d clusters", scale_.resources),
             MeasureIdleMemory(contestants_, load, scale_.few_rounds), 1.3);
    const int resources = scale_.resources;
    load.names_of = [resources](int) {
      std::vector<std::string> names;
      for (int number = 0; number < resources; ++number) names.push_back(ServedName(number));
      return names;
    };
    PrintRow("the same, each asked for by name",
             MeasureIdleMemory(contestants_, load, scale_.few_rounds), 0);
  }

  void StormMemory() {
    PrintRow("MB more in the storm, at the peak", storm_growth_, 0);
    Judge(absl::StrFormat("the storm takes %.0f MB more (budget 100 MB)",
                          Median(storm_growth_[kOurs])),
          Median(storm_growth_[kOurs]) <= 100);
  }

  void Sessions() {
    for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
      const SessionCost cost =
          MeasureSessions(variant, scale_.streams, scale_.resources, 600, scale_.rounds);
      const char* const name = variant == Variant::kSotw ? "SotW" : "delta";
      Judge(absl::StrFormat("%s: encoding takes %.2f us a stream (budget 1 us)", name,
                            cost.encode_us),
            cost.encode_us <= 1);
      std::printf("%s: sessions take %.1f us a stream and push\n", name, cost.session_us);
      Require(absl::StrFormat("%s: %d bodies were made for %d versions on %d streams", name,
                              cost.bodies_made, cost.versions, scale_.streams),
              cost.bodies_made == cost.versions);
    }
  }

  void Resends() {
    const std::vector<int64_t> resends = CountResends(
        contestants_, Clusters(Variant::kSotw, scale_.streams, 600), scale_.after_nack);
    std::string others = absl::StrFormat("floor %d", resends[kFloor]);
    if (resends.size() > kPeer) absl::StrAppendFormat(&others, ", peer %d", resends[kPeer]);
    Require(absl::StrFormat("%d streams reject a response: %d are sent again within %s (%s)",
                            scale_.streams, resends[kOurs], absl::FormatDuration(scale_.after_nack),
                            others),
            resends[kOurs] == 0);
  }

  void Reports() {
    const ReportCost cost = MeasureReports({.ours = contestants_[kOurs].command,
                                            .floor = contestants_[kFloor].command,
                                            .program = holdfast_,
                                            .streams = scale_.streams,
                                            .resources = scale_.resources});
    std::printf(
        "\n| %-58s | %7s | %7s | %9s | %6s |  |\n|---|--:|--:|--:|--:|---|\n",
        absl::StrFormat("%d clients, %d resources each", scale_.streams, scale_.resources).c_str(),
        "ms", "CPU, ms", "answer KB", "budget");
    PrintAnswers("all good", cost.good, 250);
    PrintAnswers("all held back", cost.held_back, 0);
    const double kb_a_stream = 1024.0 / scale_.streams;
    const double ledger_kb = (cost.held_back.memory_mb - cost.good.memory_mb) * kb_a_stream;
    std::printf(
        "\nledger memory: all good, %.1f KB a stream and type, of which %.1f are a stream of "
        "gRPC (the floor's)\n"
        "ledger memory: all held back, %.1f KB more a stream and type, %.0f bytes a resource; %.0f "
        "MB in all\n",
        cost.good.memory_mb * kb_a_stream, cost.floor_mb * kb_a_stream, ledger_kb,
        ledger_kb * 1024 / scale_.resources, cost.held_back.memory_mb);
  }

  // `clients_budget_ms`: of the answer that ps is made of; 0: none.
  void PrintAnswers(const std::string& state, const FleetCost& cost, double clients_budget_ms) {
    constexpr double kPsBudgetMs = 1000;
    for (const AnswerCost& answer : cost.answers) {
      const double budget = answer.question == "holdfast ps"           ? kPsBudgetMs
                            : answer.question == "GET /api/v1/clients" ? clients_budget_ms
                                                                       : 0;
      const bool is_within = budget == 0 || answer.wall_ms <= budget;
      std::printf("| %-58s | %7.0f | %7s | %9.1f | %6s | %s |\n",
                  absl::StrCat(answer.question, ", ", state).c_str(), answer.wall_ms,
                  answer.cpu_ms == 0 ? "-" : absl::StrFormat("%.0f", answer.cpu_ms).c_str(),
                  static_cast<double>(answer.bytes) / 1024,
                  budget == 0 ? "" : absl::StrFormat("%.0f", budget).c_str(),
                  budget == 0 ? ""
                  : is_within ? "met"
                              : "MISSED");
      if (scale_.is_judged) is_met_ &= is_within;
    }
  }

  void MissingNames() {
    std::printf("\n| %-46s | %-5s | %8s | %7s | %7s | %7s |\n|---|---|--:|--:|--:|--:|\n",
                "a missing name is asked for", "who", "answered", "p50, ms", "p99, ms", "max, ms");
    for (size_t i = 0; i < contestants_.size(); ++i) {
      MissingNamesOf(i, ServedKind::kEndpoints);
      MissingNamesOf(i, ServedKind::kClusters);
    }
    std::printf("\n");
    Judge(absl::StrFormat("a missing name is answered within %.2f ms, p99 (budget 10 ms)",
                          absl::ToDoubleMilliseconds(slowest_p99_)),
          slowest_p99_ <= absl::Milliseconds(10));
  }

  void MissingNamesOf(size_t who, ServedKind kind) {
    ServerProcess server(contestants_[who].command);
    server.Do(absl::StrCat("load ", WordOf(kind), " ", scale_.silent_streams, " 600"));
    for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
      const MissingNameAsker asker(
          {.address = server.address(),
           .variant = variant,
           .kind = kind,
           .due = who == kOurs ? DueAnswer::kErrorOfTheName : DueAnswer::kAny,
           .patience = kPatience});
      const std::string name = absl::StrCat(kind == ServedKind::kClusters ? "CDS" : "EDS",
                                            variant == Variant::kSotw ? ", SotW" : ", delta");
      PrintWaits(absl::StrFormat("%s: %d, one after another", name, scale_.asks), who,
                 asker.AskBackToBack(scale_.asks));
      PrintWaits(absl::StrFormat("%s: on %d streams, after %s of silence", name,
                                 scale_.silent_streams, absl::FormatDuration(scale_.silence)),
                 who, asker.AskAfterSilence(scale_.silent_streams, scale_.silence));
    }
  }

  void PrintWaits(const std::string& what, size_t who, const Waits& waits) {
    const auto ms = [&](double of) {
      if (waits.answered.empty()) return std::string("-");
      return absl::StrFormat("%.2f", absl::ToDoubleMilliseconds(waits.Quantile(of)));
    };
    std::printf("| %-46s | %-5s | %8s | %7s | %7s | %7s |\n", what.c_str(),
                contestants_[who].name.c_str(),
                absl::StrCat(waits.answered.size(), "/", waits.asked).c_str(), ms(0.5).c_str(),
                ms(0.99).c_str(), ms(1).c_str());
    if (who != kOurs) return;
    if (waits.answered.size() != static_cast<size_t>(waits.asked)) {
      Require("a missing name was not answered", false);
      return;
    }
    slowest_p99_ = std::max(slowest_p99_, waits.Quantile(0.99));
  }

  static void PrintHead(const char* what, const char* unit) {
    std::printf(
        "\n| %-44s | %8s | %8s | %8s | %9s | %12s | %6s |  |\n|---|--:|--:|--:|--:|--:|--:|---|\n",
        what, absl::StrCat("floor ", unit).c_str(), absl::StrCat("ours ", unit).c_str(),
        absl::StrCat("peer ", unit).c_str(), "ours/fl.", "peer/fl.", "budget");
  }

  // A budget of 0: none.
  void PrintRow(const std::string& what, const Measured& measured, double budget) {
    const std::vector<double> ratios = Ratios(measured, kOurs);
    const bool has_peer = measured.size() > kPeer;
    const bool is_within = budget == 0 || Median(ratios) <= budget;
    std::printf("| %-44s | %8.1f | %8.1f | %8s | %4.2f %4.2f | %5s %6s | %6s | %s |\n",
                what.c_str(), Least(measured[kFloor]), Least(measured[kOurs]),
                has_peer ? absl::StrFormat("%.1f", Least(measured[kPeer])).c_str() : "-",
                Least(ratios), Median(ratios),
                has_peer ? absl::StrFormat("%.2f", Least(Ratios(measured, kPeer))).c_str() : "-",
                has_peer ? absl::StrFormat("%.2f", Median(Ratios(measured, kPeer))).c_str() : "-",
                budget == 0 ? "" : absl::StrFormat("%.2f", budget).c_str(),
                budget == 0 ? ""
                : is_within ? "met"
                            : "MISSED");
    std::fflush(stdout);
    if (scale_.is_judged) is_met_ &= is_within;
  }

  // To the floor, round by round.
  static std::vector<double> Ratios(const Measured& measured, size_t who) {
    std::vector<double> ratios;
    for (size_t i = 0; i < measured[who].size(); ++i) {
      ratios.push_back(measured[who][i] / measured[kFloor][i]);
    }
    return ratios;
  }

  // A budget of time or memory.
  void Judge(const std::string& what, bool is_within) {
    std::printf("%s: %s\n", what.c_str(), is_within ? "met" : "MISSED");
    std::fflush(stdout);
    if (scale_.is_judged) is_met_ &= is_within;
  }
  // What must hold at any scale and speed.
  void Require(const std::string& what, bool is_so) {
    std::printf("%s: %s\n", what.c_str(), is_so ? "met" : "MISSED");
    std::fflush(stdout);
    is_met_ &= is_so;
  }

  static constexpr absl::Duration kPatience = absl::Seconds(5);

  const Scale scale_;
  const std::vector<Contestant> contestants_;
  const std::string holdfast_;
  const std::set<std::string> parts_;
  Measured storm_growth_;
  std::vector<std::pair<std::string, Measured>> latencies_;
  absl::Duration slowest_p99_;
  bool is_met_ = true;
};

std::string ThisProgram() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  if (length <= 0) FailBench("cannot find this program");
  return std::string(path, static_cast<size_t>(length));
}

int RunBench(const std::vector<std::string>& arguments) {
  if (arguments.size() == 2 && arguments[0] == "--serve") {
    if (arguments[1] == "floor") RunFloorServer();
    return RunOurServer();
  }
  Scale scale;
  std::set<std::string> parts;
  const std::string self = ThisProgram();
  std::string holdfast =
      (std::filesystem::path(self).parent_path().parent_path() / "bin" / "holdfast").string();
  std::vector<Contestant> contestants = {{"floor", {self, "--serve", "floor"}},
                                         {"ours", {self, "--serve", "ours"}}};
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--quick") {
      scale = QuickScale();
    } else if (arguments[i] == "--smoke") {
      scale = SmokeScale();
    } else if (arguments[i] == "--peer" && i + 1 < arguments.size()) {
      contestants.push_back({"peer", {arguments[++i]}});
    } else if (arguments[i] == "--holdfast" && i + 1 < arguments.size()) {
      holdfast = arguments[++i];
    } else if (arguments[i] == "--only" && i + 1 < arguments.size()) {
      parts.insert(arguments[++i]);
    } else {
      std::fprintf(stderr,
                   "usage: bench_control [--quick | --smoke] [--peer PROGRAM] "
                   "[--holdfast PROGRAM] [--only PART]...\n");
      return 64;
    }
  }
  ControlBench bench(scale, std::move(contestants), std::move(holdfast), std::move(parts));
  return bench.Run() ? 0 : 1;
}

}  // namespace
}  // namespace holdfast

int main(int argc, char** argv) {
  return holdfast::RunBench(std::vector<std::string>(argv + 1, argv + argc));
}

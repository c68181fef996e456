// What a control plane costs that serves a thousand streams, and what its clients wait for.
//
//   bench_control [--quick | --smoke] [--peer PROGRAM] [--only PART]...
//
// The parts: sotw, delta, named, alone, storm, memory, sessions, nacks, missing, reports.
//
// ours:  a control plane embedded in a server, in a process of its own
// floor: a server that sends bytes of the same size on the same occasions, and has no control plane
// peer:  go-control-plane's linear cache (bench/go_peer), if there is one
//
// CPU and memory are those of the server's process. Prints tables and fails if a budget of
// docs/reference/performance.md is missed; --smoke runs everything on a small scale, and fails only
// if something is sent too often or not at all.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/control/bench_failure.h"
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

struct Scale {
  int streams = 1000;
  int resources = 1000;
  int many_resources = 10'000;
  int storm_streams = 2000;
  int rounds = 10;
  int few_rounds = 5;
  int commits = 20;
  int asks = 1000;
  int silent_streams = 20;
  absl::Duration silence = absl::Seconds(5);
  absl::Duration after_nack = absl::Seconds(3);
  bool is_judged = true;  // by time and memory
};

constexpr Scale QuickScale() {
  Scale scale;
  scale.streams = 200;
  scale.storm_streams = 400;
  scale.rounds = 3;
  scale.few_rounds = 1;
  scale.commits = 5;
  return scale;
}

Scale SmokeScale() {
  Scale scale;
  scale.streams = 10;
  scale.resources = 20;
  scale.many_resources = 40;
  scale.storm_streams = 20;
  scale.rounds = 1;
  scale.few_rounds = 1;
  scale.commits = 1;
  scale.asks = 20;
  scale.silent_streams = 4;
  scale.silence = absl::Milliseconds(200);
  scale.after_nack = absl::Milliseconds(300);
  scale.is_judged = false;
  return scale;
}

class ControlBench {
 public:
  // `parts` empty: all.
  ControlBench(Scale scale, std::vector<Contestant> contestants, std::set<std::string> parts)
      : scale_(scale), contestants_(std::move(contestants)), parts_(std::move(parts)) {}

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
    PrintRow(
        absl::StrFormat("%d clusters changed, %s", scale_.resources, is_sotw ? "SotW" : "delta"),
        MeasurePushes(contestants_, plan), is_sotw ? 1.25 : 1.3);
  }

  void PushNamed() {
    if (!Wants("named")) return;
    PushPlan one{.load = Endpoints(scale_.resources, scale_.streams),
                 .changed = 0,
                 .affected = scale_.streams,
                 .rounds = scale_.rounds};
    one.load.names_of = [](int) { return std::vector<std::string>{ServedName(0)}; };
    PrintRow("1 of EDS changed, all asked for it, delta", MeasurePushes(contestants_, one), 1.3);
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
    PrintRow(absl::StrFormat("1 of %d changed, 1 of %d streams asked", scale_.many_resources,
                             others + 1),
             MeasurePushes(contestants_, alone), 1.5);
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
    const ReportCost cost = MeasureReports(scale_.streams, scale_.resources);
    std::printf("the ledger takes %zu bytes of a synced stream and type\n", cost.ledger_bytes);
    Judge(absl::StrFormat("who runs what of %d clients and %d resources: %.0f ms (budget 250 ms)",
                          scale_.streams, scale_.resources, cost.synced_ms),
          cost.synced_ms <= 250);
    std::printf(
        "the same, each client rejected everything: %.0f ms; one client, all of it: %.0f "
        "ms; all resources: %.0f ms\n",
        cost.held_back_ms, cost.one_client_ms, cost.resources_ms);
  }

  void MissingNames() {
    std::printf("\n| %-44s | %-5s | %8s | %7s | %7s | %7s |\n|---|---|--:|--:|--:|--:|\n",
                "a missing name is asked for", "who", "answered", "p50, ms", "p99, ms", "max, ms");
    for (size_t i = 0; i < contestants_.size(); ++i) {
      ServerProcess server(contestants_[i].command);
      server.Do(absl::StrCat("load endpoints ", scale_.silent_streams, " 600"));
      const std::string type_url = TypeUrlOf(ServedKind::kEndpoints);
      for (const Variant variant : {Variant::kSotw, Variant::kDelta}) {
        const std::string name = variant == Variant::kSotw ? "SotW" : "delta";
        PrintWaits(absl::StrFormat("%s: %d, one after another", name, scale_.asks), i,
                   AskBackToBack(server.address(), variant, type_url, scale_.asks, kPatience));
        PrintWaits(absl::StrFormat("%s: on %d streams, after %s of silence", name,
                                   scale_.silent_streams, absl::FormatDuration(scale_.silence)),
                   i,
                   AskAfterSilence(server.address(), variant, type_url, scale_.silent_streams,
                                   scale_.silence, kPatience));
      }
    }
    std::printf("\n");
    Judge(absl::StrFormat("a missing name is answered within %.2f ms, p99 (budget 10 ms)",
                          absl::ToDoubleMilliseconds(slowest_p99_)),
          slowest_p99_ <= absl::Milliseconds(10));
  }

  void PrintWaits(const std::string& what, size_t who, const Waits& waits) {
    const auto ms = [&](double of) {
      if (waits.answered.empty()) return std::string("-");
      return absl::StrFormat("%.2f", absl::ToDoubleMilliseconds(waits.Quantile(of)));
    };
    std::printf("| %-44s | %-5s | %8s | %7s | %7s | %7s |\n", what.c_str(),
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
  const std::set<std::string> parts_;
  Measured storm_growth_;
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
  std::vector<Contestant> contestants = {{"floor", {self, "--serve", "floor"}},
                                         {"ours", {self, "--serve", "ours"}}};
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--quick") {
      scale = QuickScale();
    } else if (arguments[i] == "--smoke") {
      scale = SmokeScale();
    } else if (arguments[i] == "--peer" && i + 1 < arguments.size()) {
      contestants.push_back({"peer", {arguments[++i]}});
    } else if (arguments[i] == "--only" && i + 1 < arguments.size()) {
      parts.insert(arguments[++i]);
    } else {
      std::fprintf(stderr,
                   "usage: bench_control [--quick | --smoke] [--peer PROGRAM] [--only PART]...\n");
      return 64;
    }
  }
  return ControlBench(scale, std::move(contestants), std::move(parts)).Run() ? 0 : 1;
}

}  // namespace
}  // namespace holdfast

int main(int argc, char** argv) {
  return holdfast::RunBench(std::vector<std::string>(argv + 1, argv + argc));
}

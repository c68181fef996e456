#include "bench/control/report_cost.h"

#include <httplib.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "bench/control/bench_failure.h"
#include "bench/control/load_client.h"
#include "bench/control/program_run.h"
#include "bench/control/served_resources.h"
#include "bench/control/server_process.h"
#include "bench/spread.h"

namespace holdfast {
namespace {

constexpr int kAnswers = 5;
constexpr size_t kResourceBytes = 600;
constexpr absl::Duration kPatience = absl::Seconds(60);
// Of holdfast: nothing is wrong, and something is.
constexpr int kFine = 0;
constexpr int kProblemsFound = 79;

// A server with all its clients, which asked for everything there is.
class ServedFleet {
 public:
  ServedFleet(const std::vector<std::string>& command, int streams, int resources)
      : server_(command), streams_(streams) {
    server_.Do(
        absl::StrCat("load ", WordOf(ServedKind::kClusters), " ", resources, " ", kResourceBytes));
    empty_kb_ = SettledKb();
    clients_ =
        std::make_unique<LoadClient>(LoadOptions{.address = server_.address(),
                                                 .type_url = TypeUrlOf(ServedKind::kClusters),
                                                 .streams = streams,
                                                 .has_own_nodes = true});
    clients_->AwaitResponses(streams);
  }

  void RejectNext() {
    clients_->Reject();
    server_.Do("prepare all 1");
    server_.Do("commit");
    clients_->AwaitResponses(2 * streams_);
  }

  // More than without clients.
  double GrowthMb() { return static_cast<double>(SettledKb() - empty_kb_) / 1024; }
  int AdminPort() { return server_.AdminPort(); }

 private:
  int64_t SettledKb() {
    server_.SettledCpu();
    server_.Do("trim");
    return server_.Memory().rss_kb;
  }

  ServerProcess server_;
  const int streams_;
  int64_t empty_kb_ = 0;
  std::unique_ptr<LoadClient> clients_;  // goes first
};

// Asks over and over.
class Questioner {
 public:
  Questioner(int port, std::string program, int streams)
      : port_(port), program_(std::move(program)), streams_(streams) {}

  // As soon as all clients stand so with the first resource; with the others they stand alike.
  void Await(const std::string& state) const {
    const std::string path = absl::StrCat("/api/v1/resources?type=cds&name=", ServedName(0));
    const std::string due = absl::StrCat("\"", state, "\":", streams_, ",");
    const absl::Time end = absl::Now() + kPatience;
    while (!absl::StrContains(Get(path), due)) {
      if (absl::Now() > end) FailBench("clients do not come to the state that is due");
      absl::SleepFor(absl::Milliseconds(20));
    }
  }

  // `ps_code`: what ps is to end with.
  std::vector<AnswerCost> AskAll(int ps_code, const std::string& state) const {
    const std::string client = NodeOfStream(streams_ / 2);
    const std::string resource = ServedName(0);
    std::vector<AnswerCost> costs;
    costs.push_back(Run({"ps"}, [&](const ProgramRun& run) {
      // A head, and a line for each client.
      return run.exit_code == ps_code &&
             std::count(run.output.begin(), run.output.end(), '\n') > streams_;
    }));
    costs.push_back(Run({"ps", "-o", "json"}, [&](const ProgramRun& run) {
      return run.exit_code == ps_code && absl::StrContains(run.output, client);
    }));
    const auto is_verdict = [](const ProgramRun& run) {
      return (run.exit_code == kFine || run.exit_code == kProblemsFound) && !run.output.empty();
    };
    costs.push_back(Run({"why", client}, is_verdict));
    costs.push_back(Run({"why", absl::StrCat("cds/", resource)}, is_verdict));
    const std::string in_state = absl::StrCat("\"state\":\"", state, "\"");
    costs.push_back(GetMany("/api/v1/clients", in_state));
    costs.push_back(GetMany(absl::StrCat("/api/v1/clients?client=", client), in_state));
    costs.push_back(GetMany("/api/v1/resources", resource));
    return costs;
  }

 private:
  AnswerCost Run(const std::vector<std::string>& arguments,
                 const std::function<bool(const ProgramRun&)>& is_as_due) const {
    AnswerCost cost{.question = "holdfast"};
    std::vector<std::string> command = {program_};
    for (const std::string& argument : arguments) {
      absl::StrAppend(&cost.question, " ", argument);
      command.push_back(argument);
    }
    command.push_back("--server");
    command.push_back(absl::StrCat("127.0.0.1:", port_));
    std::vector<double> wall_ms;
    std::vector<double> cpu_ms;
    for (int i = 0; i < kAnswers; ++i) {
      const ProgramRun run = RunProgram(command);
      if (!is_as_due(run)) {
        FailBench(absl::StrCat(cost.question, " ended with ", run.exit_code, " and said:\n",
                               run.output.substr(0, 1000)));
      }
      wall_ms.push_back(run.wall_ms);
      cpu_ms.push_back(run.cpu_ms);
      cost.bytes = run.output.size();
    }
    cost.wall_ms = Median(wall_ms);
    cost.cpu_ms = Median(cpu_ms);
    return cost;
  }

  AnswerCost GetMany(const std::string& path, const std::string& part) const {
    AnswerCost cost{.question = absl::StrCat("GET ", path.substr(0, path.find('=')))};
    std::vector<double> wall_ms;
    for (int i = 0; i < kAnswers; ++i) {
      const absl::Time start = absl::Now();
      const std::string answer = Get(path);
      wall_ms.push_back(absl::ToDoubleMilliseconds(absl::Now() - start));
      if (!absl::StrContains(answer, part)) {
        FailBench(absl::StrCat("the answer to ", cost.question, " is not what it should be"));
      }
      cost.bytes = answer.size();
    }
    cost.wall_ms = Median(wall_ms);
    return cost;
  }

  std::string Get(const std::string& path) const {
    httplib::Client http("127.0.0.1", port_);
    http.set_read_timeout(60);
    http.set_tcp_nodelay(true);
    const auto answer = http.Get(path);
    if (!answer || answer->status != 200) FailBench("the admin port does not answer");
    return answer->body;
  }

  const int port_;
  const std::string program_;
  const int streams_;
};

}  // namespace

ReportCost MeasureReports(const ReportPlan& plan) {
  ReportCost cost;
  cost.floor_mb = ServedFleet(plan.floor, plan.streams, plan.resources).GrowthMb();
  ServedFleet fleet(plan.ours, plan.streams, plan.resources);
  const Questioner questioner(fleet.AdminPort(), plan.program, plan.streams);
  questioner.Await("good");
  cost.good.memory_mb = fleet.GrowthMb();
  cost.good.answers = questioner.AskAll(kFine, "good");
  fleet.RejectNext();
  questioner.Await("held_back");
  cost.held_back.memory_mb = fleet.GrowthMb();
  cost.held_back.answers = questioner.AskAll(kProblemsFound, "held_back");
  return cost;
}

}  // namespace holdfast

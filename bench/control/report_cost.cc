#include "bench/control/report_cost.h"

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <httplib.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "bench/control/bench_failure.h"
#include "bench/control/load_client.h"
#include "bench/control/served_resources.h"
#include "bench/spread.h"
#include "control/admin_http.h"
#include "control/session/type_state.h"
#include "holdfast/control/control_plane.h"

namespace holdfast {
namespace {

constexpr int kAnswers = 5;
constexpr absl::Duration kPatience = absl::Seconds(60);

class Fleet {
 public:
  Fleet(int streams, int resources) : streams_(streams), resources_(resources) {
    absl::StatusOr<std::unique_ptr<ControlPlane>> plane = ControlPlane::Create({});
    if (!plane.ok()) FailBench("no control plane");
    plane_ = *std::move(plane);
    Commit(0);
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    plane_->Register(&builder);
    server_ = builder.BuildAndStart();
    absl::StatusOr<std::unique_ptr<AdminHttp>> admin = AdminHttp::Start(
        {.health = [this] { return plane_->Health(); },
         .metrics = [] { return std::string(); },
         .clients = [this](const ClientQuery& query) { return plane_->Clients(query); },
         .resources = [this](const ResourceQuery& query) { return plane_->Resources(query); },
         .errors = [this] { return plane_->Errors(); }});
    if (!admin.ok()) FailBench("no admin port");
    admin_ = *std::move(admin);
    clients_ =
        std::make_unique<LoadClient>(LoadOptions{.address = absl::StrCat("127.0.0.1:", port),
                                                 .type_url = TypeUrlOf(ServedKind::kClusters),
                                                 .streams = streams});
    clients_->AwaitResponses(streams);
  }

  ~Fleet() {
    clients_.reset();
    plane_->Drain();
    server_->Shutdown();
  }

  void Commit(int revision) {
    Transaction change;
    for (int number = 0; number < resources_; ++number) {
      OpaqueResource resource;
      resource.type_url = TypeUrlOf(ServedKind::kClusters);
      resource.name = ServedName(number);
      resource.body = ServedBody(ServedKind::kClusters, number, revision, 600);
      change.Put(std::move(resource));
    }
    if (!plane_->Commit(std::move(change)).ok()) FailBench("a commit failed");
  }

  void RejectNext() {
    clients_->Reject();
    Commit(1);
    clients_->AwaitResponses(2 * streams_);
  }

  // As soon as all clients are in this state.
  void Await(DeliveryState state) {
    const absl::Time end = absl::Now() + kPatience;
    while (absl::Now() < end) {
      int in_state = 0;
      for (const ClientReport& client : plane_->Clients().clients)
        in_state += client.state == state;
      if (in_state == streams_) return;
      absl::SleepFor(absl::Milliseconds(20));
    }
    FailBench("clients do not come to the state that is due");
  }

  double MedianMs(const std::string& path, const std::string& part) {
    std::vector<double> took;
    for (int i = 0; i < kAnswers; ++i) {
      httplib::Client http("127.0.0.1", admin_->port());
      http.set_read_timeout(60);
      const absl::Time start = absl::Now();
      const auto answer = http.Get(path);
      took.push_back(absl::ToDoubleMilliseconds(absl::Now() - start));
      if (!answer || answer->status != 200 || !absl::StrContains(answer->body, part)) {
        FailBench("an answer of the admin port is not what it should be");
      }
    }
    return Median(took);
  }

  std::string AnyStream() { return plane_->Clients().clients.front().stream; }

 private:
  const int streams_;
  const int resources_;
  std::unique_ptr<ControlPlane> plane_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<AdminHttp> admin_;
  std::unique_ptr<LoadClient> clients_;
};

}  // namespace

ReportCost MeasureReports(int streams, int resources) {
  ReportCost cost;
  // What a response on its way remembers stays reserved when it was answered.
  cost.ledger_bytes = sizeof(TypeLedger) + sizeof(Offer);
  Fleet fleet(streams, resources);
  fleet.Await(DeliveryState::kGood);
  cost.synced_ms = fleet.MedianMs("/api/v1/clients", "\"state\":\"good\"");
  cost.one_client_ms =
      fleet.MedianMs(absl::StrCat("/api/v1/clients?client=", fleet.AnyStream()), ServedName(0));
  cost.resources_ms = fleet.MedianMs("/api/v1/resources", ServedName(0));
  fleet.RejectNext();
  fleet.Await(DeliveryState::kHeldBack);
  cost.held_back_ms = fleet.MedianMs("/api/v1/clients", "\"state\":\"held_back\"");
  return cost;
}

}  // namespace holdfast

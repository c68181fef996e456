#include "bench/control/our_server.h"

#include <grpcpp/grpcpp.h>

#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "bench/control/line_protocol.h"
#include "control/admin_http.h"
#include "holdfast/control/control_plane.h"

namespace holdfast {
namespace {

// A thousand clients that reject something need not be read of.
class Silence final : public LogSink {
 public:
  void Log(Severity, absl::string_view, absl::string_view) override {}
};

class OurServer final : public DrivenServer {
 public:
  explicit OurServer(ControlPlane& plane) : plane_(plane) {}

  void Load(ServedKind kind, int count, size_t size) override {
    kind_ = kind;
    count_ = count;
    size_ = size;
    Prepare(std::nullopt, 1);
    Commit();
  }

  void Prepare(std::optional<int> number, int times) override {
    for (int i = 0; i < times; ++i) {
      ++revision_;
      Transaction change;
      if (number.has_value()) {
        Put(*number, change);
      } else {
        for (int one = 0; one < count_; ++one) Put(one, change);
      }
      prepared_.push_back(std::move(change));
    }
  }

  void Commit() override {
    HOLDFAST_CHECK(!prepared_.empty());
    Transaction change = std::move(prepared_.front());
    prepared_.pop_front();
    HOLDFAST_CHECK(plane_.Commit(std::move(change)).ok());
  }

  // Opened when somebody asks: whoever measures something else does not pay for it.
  int AdminPort() override {
    if (admin_ == nullptr) {
      absl::StatusOr<std::unique_ptr<AdminHttp>> admin = AdminHttp::Start(
          {.health = [this] { return plane_.Health(); },
           .metrics = [] { return std::string(); },
           .clients = [this](const ClientQuery& query) { return plane_.Clients(query); },
           .resources = [this](const ResourceQuery& query) { return plane_.Resources(query); },
           .errors = [this] { return plane_.Errors(); }});
      HOLDFAST_CHECK(admin.ok());
      admin_ = *std::move(admin);
    }
    return admin_->port();
  }

 private:
  void Put(int number, Transaction& change) const {
    change.Put({TypeUrlOf(kind_), ServedName(number), ServedBody(kind_, number, revision_, size_),
                std::nullopt});
  }

  ControlPlane& plane_;
  ServedKind kind_ = ServedKind::kClusters;
  int count_ = 0;
  size_t size_ = 0;
  int revision_ = 0;
  std::deque<Transaction> prepared_;
  std::unique_ptr<AdminHttp> admin_;
};

}  // namespace

int RunOurServer() {
  Silence log;
  ControlPlaneOptions options;
  options.log = &log;
  const auto plane = ControlPlane::Create(std::move(options));
  HOLDFAST_CHECK(plane.ok());
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  (*plane)->Register(&builder);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  OurServer driven(**plane);
  ServeLines(port, driven);
  (*plane)->Drain(std::chrono::milliseconds(0));
  server->Shutdown();
  return 0;
}

}  // namespace holdfast

// All of Holdfast in one process, through its installed headers and both libraries: a control plane
// that serves a directory, a client that watches it, a channel whose calls it leads, admin
// services.
//
//   consumer EMPTY-DIRECTORY
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <holdfast/control/control_plane.h>
#include <holdfast/grpc/channel.h>
#include <holdfast/version.h>
#include <holdfast/xds/admin.h>
#include <holdfast/xds/client.h>
#include <holdfast/xds/envoy_types.h>
#include <holdfast/xds/prometheus.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <typeinfo>

namespace {

// Until the cluster is there: before, the client may hear that it is not.
class Arrival : public holdfast::Watcher<holdfast::EnvoyResource> {
 public:
  void OnResourceChanged(
      absl::StatusOr<std::shared_ptr<const holdfast::EnvoyResource>> cluster) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    has_come_ = cluster.ok();
    changed_.notify_all();
  }
  void OnAmbientError(absl::Status) override {}

  bool Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [this] { return has_come_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_come_ = false;
};

// An empty message to gRPC's health service is the question after the whole server.
grpc::Status CheckHealth(const std::shared_ptr<grpc::ChannelInterface>& channel) {
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  grpc::CompletionQueue queue;
  const grpc::Slice nothing;
  const grpc::ByteBuffer request(&nothing, 1);
  grpc::ByteBuffer response;
  grpc::Status status;
  const auto call =
      stub.PrepareUnaryCall(&context, "/grpc.health.v1.Health/Check", request, &queue);
  call->StartCall();
  call->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  return status;
}

void Expect(bool is_so, const char* what) {
  if (is_so) return;
  std::cerr << "consumer: not so: " << what << std::endl;
  std::exit(1);
}

}  // namespace

int main(int, char** arguments) {
  const std::string directory = arguments[1];
  const auto metrics = std::make_shared<holdfast::PrometheusMetrics>();

  holdfast::ControlPlaneOptions options;
  options.config_directory = directory;
  options.metrics = metrics;
  options.serve_client_status = false;  // AddAdminServices() has it
  auto plane = holdfast::ControlPlane::Create(options).value();
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  plane->Register(&builder);
  holdfast::AddAdminServices(&builder);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  Expect(server != nullptr, "all services are on one server");
  const std::string address = "127.0.0.1:" + std::to_string(port);

  const std::string file = directory + "/web.yaml";
  std::ofstream(file + ".new") << "services:\n- name: web\n  endpoints: [\"" << address << "\"]\n";
  std::filesystem::rename(file + ".new", file);

  const std::string bootstrap = R"({"xds_servers": [{"server_uri": ")" + address +
                                R"(", "channel_creds": [{"type": "insecure"}]}],
                                   "node": {"id": "consumer"}})";
  ::setenv("GRPC_XDS_BOOTSTRAP_CONFIG", bootstrap.c_str(), 1);

  holdfast::XdsClientOptions client_options;
  client_options.metrics = metrics;
  auto client =
      holdfast::XdsClient::Create(holdfast::Bootstrap::FromEnvironment().value(), client_options)
          .value();
  const auto arrival = std::make_shared<Arrival>();
  holdfast::Watch watch = client->StartWatch(holdfast::EnvoyClusterType(), "web", arrival);
  Expect(arrival->Wait(), "the client has the cluster");

  auto channel = holdfast::CreateChannel("xds:///web", grpc::InsecureChannelCredentials());
  const grpc::Status status = CheckHealth(channel);
  Expect(status.ok(), status.error_message().c_str());

  // Of both libraries, as one.
  const std::string text = metrics->Text();
  Expect(text.find("grpc_xds_client_connected{") != std::string::npos, text.c_str());
  Expect(text.find("holdfast_pushes_total") != std::string::npos, text.c_str());
  const holdfast::LogSink* const log = &holdfast::StderrLog();
  Expect(dynamic_cast<const holdfast::MetricSink*>(metrics.get()) != nullptr, "a MetricSink");
  Expect(typeid(*log) != typeid(holdfast::LogSink), "the log is a class of its own");

  watch.Cancel();
  channel.reset();
  plane->Drain();
  server->Shutdown();
  std::cout << "OK " << HOLDFAST_VERSION_MAJOR << "." << HOLDFAST_VERSION_MINOR << std::endl;
}

// Why a resource is not to be had, from the one who knows to the one who asks (xRFC TP3): a control
// plane that says so and a client that hears it, both in this program.
//
//   $ ./tp3_errors
//   cluster "billing": PERMISSION_DENIED (server_error): team web may not read it; ask #payments
//
// Without TP3 the client would wait for 15 seconds, and then know only that nothing came.
#include <grpcpp/grpcpp.h>
#include <holdfast/control/control_plane.h>
#include <holdfast/xds/client.h>
#include <holdfast/xds/envoy_types.h>

#include <future>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

using holdfast::EnvoyResource;

struct FirstError : holdfast::Watcher<EnvoyResource> {
  void OnResourceChanged(absl::StatusOr<std::shared_ptr<const EnvoyResource>> cluster) override {
    heard.set_value(holdfast::DetailOf(cluster.status()).value());
  }
  void OnAmbientError(absl::Status) override {}
  std::promise<holdfast::ErrorDetail> heard;
};

int main() {
  const auto plane = holdfast::ControlPlane::Create({}).value();
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  plane->Register(&builder);
  const auto server = builder.BuildAndStart();

  holdfast::Transaction change;
  change.SetError("envoy.config.cluster.v3.Cluster", "billing",
                  absl::PermissionDeniedError("team web may not read it; ask #payments"));
  if (!plane->Commit(std::move(change)).ok()) return 1;

  const std::string address = "127.0.0.1:" + std::to_string(port);
  const auto bootstrap =
      holdfast::Bootstrap::Parse(R"({"xds_servers": [{"server_uri": ")" + address + R"(",
                           "channel_creds": [{"type": "insecure"}]}], "node": {"id": "web-1"}})");
  const auto client = holdfast::XdsClient::Create(bootstrap.value()).value();
  const auto watcher = std::make_shared<FirstError>();
  auto watch = client->StartWatch(holdfast::EnvoyClusterType(), "billing", watcher);
  const holdfast::ErrorDetail error = watcher->heard.get_future().get();
  std::cout << error.type << " \"" << error.resource
            << "\": " << absl::StatusCodeToString(error.code) << " (" << error.cause
            << "): " << error.text << std::endl;

  watch.Cancel();
  plane->Drain();
  server->Shutdown();
}

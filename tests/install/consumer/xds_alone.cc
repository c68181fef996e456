// Somebody else's program that needs no channel and no control plane: a watch hears that nobody
// serves.
//
//   xds_alone EMPTY-DIRECTORY
#include <holdfast/version.h>
#include <holdfast/xds/client.h>
#include <holdfast/xds/envoy_types.h>

#include <future>
#include <iostream>
#include <memory>
#include <string>

struct FirstError : holdfast::Watcher<holdfast::EnvoyResource> {
  void OnResourceChanged(
      absl::StatusOr<std::shared_ptr<const holdfast::EnvoyResource>> cluster) override {
    if (is_heard) return;
    is_heard = true;
    heard.set_value(cluster.status());
  }
  void OnAmbientError(absl::Status) override {}
  bool is_heard = false;
  std::promise<absl::Status> heard;
};

int main(int, char** arguments) {
  const auto bootstrap = holdfast::Bootstrap::Parse(
      R"({"xds_servers": [{"server_uri": "unix:)" + std::string(arguments[1]) +
      R"(/nobody", "channel_creds": [{"type": "insecure"}]}], "node": {"id": "alone"}})");
  const auto client = holdfast::XdsClient::Create(bootstrap.value()).value();
  const auto watcher = std::make_shared<FirstError>();
  const auto watch = client->StartWatch(holdfast::EnvoyClusterType(), "web", watcher);
  const absl::Status heard = watcher->heard.get_future().get();
  const auto detail = holdfast::DetailOf(heard);
  if (!detail.has_value() || detail->cause != holdfast::Cause::kConnectivity) {
    std::cerr << "xds_alone: heard " << heard << std::endl;
    return 1;
  }
  std::cout << "OK " << HOLDFAST_VERSION_MAJOR << "." << HOLDFAST_VERSION_MINOR << std::endl;
}

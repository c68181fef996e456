// A program that ends while its client, its watches and its threads are alive.
//
//   exit_program HOW ADDRESS
//
// HOW: return    from main, with the client in a static object
//      leak      from main, with the client in an object that is never destroyed
//      watcher   by exit() inside a watcher's call
//      busy      from main, while a watcher's call sleeps
//      early     from main, before anything happened
// Exits with 0. Unless it is early, the server at ADDRESS has answered before.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "holdfast/xds/bootstrap.h"
#include "holdfast/xds/client.h"
#include "holdfast/xds/envoy_types.h"

namespace {

using Client = std::shared_ptr<holdfast::XdsClient>;

// Destroyed while the process takes itself apart.
Client& StaticClient() {
  static Client client;
  return client;
}

// Never destroyed.
Client& LeakedClient() {
  static auto& client = *new Client;
  return client;
}

class Watcher final : public holdfast::Watcher<holdfast::EnvoyResource> {
 public:
  Watcher(std::string how, std::promise<void> heard)
      : how_(std::move(how)), heard_(std::move(heard)) {}

  void OnResourceChanged(absl::StatusOr<std::shared_ptr<const holdfast::EnvoyResource>>) override {
    if (how_ == "watcher") std::exit(0);
    heard_.set_value();
    if (how_ == "busy") std::this_thread::sleep_for(std::chrono::hours(1));
  }
  void OnAmbientError(absl::Status) override {}

 private:
  const std::string how_;
  std::promise<void> heard_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 64;
  const std::string how = argv[1];
  const auto bootstrap = holdfast::Bootstrap::Parse(
      absl::StrCat(R"({"xds_servers":[{"server_uri":")", argv[2],
                   R"(","channel_creds":[{"type":"insecure"}]}],"node":{"id":"exit"}})"));
  if (!bootstrap.ok()) return 1;
  auto client = holdfast::XdsClient::Create(*bootstrap);
  if (!client.ok()) return 1;

  std::promise<void> promise;
  std::future<void> heard = promise.get_future();
  static holdfast::Watch watch = (*client)->StartWatch(
      holdfast::EnvoyClusterType(), "pay", std::make_shared<Watcher>(how, std::move(promise)));
  if (how == "return" || how == "watcher") StaticClient() = *client;
  if (how == "leak" || how == "busy") LeakedClient() = *client;
  if (how != "early") heard.wait();
  return 0;
}

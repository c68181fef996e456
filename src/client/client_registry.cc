#include "client/client_registry.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "client/client_core.h"

namespace holdfast {
namespace {

// Never destroyed: clients may end after everything else.
struct Registry {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<XdsClient>> by_key;
  std::vector<std::weak_ptr<const ClientCore>> live;
};

Registry& TheRegistry() {
  static Registry& registry = *new Registry();
  return registry;
}

}  // namespace

const absl::StatusOr<Bootstrap>& BootstrapOfTheProcess() {
  static const auto& bootstrap = *new absl::StatusOr<Bootstrap>(Bootstrap::FromEnvironment());
  return bootstrap;
}

absl::StatusOr<std::shared_ptr<XdsClient>> SharedXdsClient(const std::string& key,
                                                           XdsClientOptions options) {
  const absl::StatusOr<Bootstrap>& bootstrap = BootstrapOfTheProcess();
  if (!bootstrap.ok()) return bootstrap.status();
  Registry& registry = TheRegistry();
  {
    const std::lock_guard lock(registry.mutex);
    const auto known = registry.by_key.find(key);
    if (known != registry.by_key.end()) {
      if (auto found = known->second.lock(); found != nullptr) return found;
    }
  }
  // Made without the lock, because making one registers it; whoever comes second uses the first.
  options.key = key;
  absl::StatusOr<std::shared_ptr<XdsClient>> made = XdsClient::Create(*bootstrap, options);
  if (!made.ok()) return made.status();
  const std::lock_guard lock(registry.mutex);
  std::weak_ptr<XdsClient>& place = registry.by_key[key];
  if (auto found = place.lock(); found != nullptr) return found;
  place = *made;
  std::erase_if(registry.by_key, [](const auto& client) { return client.second.expired(); });
  return made;
}

std::vector<ClientStatus> LiveClients() {
  std::vector<std::shared_ptr<const ClientCore>> clients;
  {
    Registry& registry = TheRegistry();
    const std::lock_guard lock(registry.mutex);
    for (const auto& client : registry.live) {
      if (auto alive = client.lock(); alive != nullptr) clients.push_back(std::move(alive));
    }
  }
  std::vector<ClientStatus> reports;
  for (const auto& client : clients) {
    if (!client->is_shut_down()) reports.push_back(client->Report());
  }
  std::stable_sort(reports.begin(), reports.end(),
                   [](const auto& a, const auto& b) { return a.snapshot.key < b.snapshot.key; });
  return reports;
}

void AddLiveClient(const std::shared_ptr<const ClientCore>& client) {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  std::erase_if(registry.live, [](const auto& old) { return old.expired(); });
  registry.live.push_back(client);
}

}  // namespace holdfast

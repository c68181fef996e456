// An xDS client: keeps the resources you watch fresh, keeps using the last good version, and says
// what is wrong (gRFC A88, xRFC TP3).
//
//   auto bootstrap = holdfast::Bootstrap::FromEnvironment();
//   auto client = holdfast::XdsClient::Create(*bootstrap);
//   holdfast::Watch watch = (*client)->StartWatch(quota_type, "team-web", watcher);
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "holdfast/export.h"
#include "holdfast/xds/bootstrap.h"
#include "holdfast/xds/log.h"
#include "holdfast/xds/metrics.h"
#include "holdfast/xds/resource_type.h"
#include "holdfast/xds/snapshot.h"
#include "holdfast/xds/watcher.h"

namespace holdfast {

class ClientCore;

struct XdsClientOptions {
  // Names this client in CSDS (client_scope) and metrics (grpc.target).
  std::string key = "xds_client";

  // How long the server may be silent about a resource; the second where it has the feature
  // resource_timer_is_transient_error.
  std::chrono::milliseconds resource_timeout = std::chrono::seconds(15);
  std::chrono::milliseconds transient_resource_timeout = std::chrono::seconds(30);

  // Between attempts to reach the server: the first, times 1.6 each time, up to the longest.
  std::chrono::milliseconds first_backoff = std::chrono::seconds(1);
  std::chrono::milliseconds longest_backoff = std::chrono::seconds(120);

  // A response above it ends the stream with RESOURCE_EXHAUSTED. 4 MiB, gRPC's default, is too
  // little for real fleets.
  size_t most_response_bytes = size_t{256} << 20;
  std::chrono::milliseconds keepalive = std::chrono::minutes(5);

  // Must outlive the client and what is left of its work on its threads; null: StderrLog().
  LogSink* log = nullptr;
  std::shared_ptr<MetricSink> metrics;
};

// Watcher<T>, where T is known already: a shared_ptr to a class derived from it fits as well.
template <class T>
struct WatcherOf {
  using type = Watcher<T>;
};

// Thread-safe. Destroying the last handle closes its streams without waiting; no watcher is called
// afterwards, except that a call which runs may still be running.
class XdsClient {
 public:
  // FAILED_PRECONDITION or INVALID_ARGUMENT if this bootstrap or these options cannot work,
  // UNIMPLEMENTED for what is not there yet. An unreachable server is no error here: watchers hear
  // of it.
  HOLDFAST_EXPORT static absl::StatusOr<std::shared_ptr<XdsClient>> Create(
      Bootstrap bootstrap, XdsClientOptions options = {});
  HOLDFAST_EXPORT ~XdsClient();
  XdsClient(const XdsClient&) = delete;
  XdsClient& operator=(const XdsClient&) = delete;

  // Keep the Watch: destroying it cancels. `type` must live until the process ends; the same type
  // name means the same type object for the life of a client: through another one the watcher hears
  // INVALID_ARGUMENT, and nothing else happens.
  template <class T>
  [[nodiscard]] Watch StartWatch(const ResourceType<T>& type, std::string name,
                                 std::shared_ptr<typename WatcherOf<T>::type> watcher) {
    return StartErasedWatch(type, std::move(name),
                            std::make_shared<TypedWatcher<T>>(std::move(watcher)));
  }

  HOLDFAST_EXPORT ClientSnapshot Snapshot() const;

 private:
  friend class ClientCore;

  class HOLDFAST_EXPORT ErasedWatcher {
   public:
    virtual ~ErasedWatcher() = default;
    virtual void OnResourceChanged(absl::StatusOr<std::shared_ptr<const void>> resource) = 0;
    virtual void OnAmbientError(absl::Status status) = 0;
  };

  template <class T>
  class TypedWatcher final : public ErasedWatcher {
   public:
    explicit TypedWatcher(std::shared_ptr<Watcher<T>> watcher) : watcher_(std::move(watcher)) {}
    void OnResourceChanged(absl::StatusOr<std::shared_ptr<const void>> resource) override {
      if (resource.ok()) {
        watcher_->OnResourceChanged(std::static_pointer_cast<const T>(*std::move(resource)));
      } else {
        watcher_->OnResourceChanged(resource.status());
      }
    }
    void OnAmbientError(absl::Status status) override {
      watcher_->OnAmbientError(std::move(status));
    }

   private:
    std::shared_ptr<Watcher<T>> watcher_;
  };

  explicit XdsClient(std::shared_ptr<ClientCore> core);
  HOLDFAST_EXPORT Watch StartErasedWatch(const ErasedResourceType& type, std::string name,
                                         std::shared_ptr<ErasedWatcher> watcher);

  std::shared_ptr<ClientCore> core_;
};

}  // namespace holdfast

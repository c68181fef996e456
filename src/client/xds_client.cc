// The public client: handles around ClientCore.
#include <utility>

#include "client/client_core.h"
#include "client/erased_type.h"
#include "holdfast/xds/client.h"

namespace holdfast {

class Watch::State {
 public:
  State(std::weak_ptr<ClientCore> core, WatchId watch) : core_(std::move(core)), watch_(watch) {}

  void Cancel() {
    if (const std::shared_ptr<ClientCore> core = core_.lock(); core != nullptr) {
      core->CancelWatch(watch_);
    }
  }

 private:
  const std::weak_ptr<ClientCore> core_;
  const WatchId watch_;
};

Watch::Watch(std::shared_ptr<State> state) : state_(std::move(state)) {}
Watch::Watch(Watch&&) noexcept = default;

Watch& Watch::operator=(Watch&& other) noexcept {
  if (this != &other) {
    Cancel();
    state_ = std::move(other.state_);
  }
  return *this;
}

Watch::~Watch() { Cancel(); }

void Watch::Cancel() {
  if (state_ != nullptr) state_->Cancel();
}

absl::StatusOr<std::shared_ptr<XdsClient>> XdsClient::Create(Bootstrap bootstrap,
                                                             XdsClientOptions options) {
  absl::StatusOr<std::shared_ptr<ClientCore>> core = ClientCore::Create(bootstrap, options);
  if (!core.ok()) return core.status();
  return std::shared_ptr<XdsClient>(new XdsClient(*std::move(core)));
}

XdsClient::XdsClient(std::shared_ptr<ClientCore> core) : core_(std::move(core)) {}

XdsClient::~XdsClient() { core_->Shutdown(); }

ClientSnapshot XdsClient::Snapshot() const { return core_->Snapshot(); }

Watch XdsClient::StartErasedWatch(const ErasedResourceType& type, std::string name,
                                  std::shared_ptr<ErasedWatcher> watcher) {
  class Adapter final : public AnyWatcher {
   public:
    explicit Adapter(std::shared_ptr<ErasedWatcher> erased) : watcher_(std::move(erased)) {}
    void OnResourceChanged(absl::StatusOr<ResourceUpdate> update) override {
      if (update.ok()) {
        watcher_->OnResourceChanged(static_cast<const ErasedValue&>(*update->value).value());
      } else {
        watcher_->OnResourceChanged(update.status());
      }
    }
    void OnAmbientError(absl::Status status, const std::string&) override {
      watcher_->OnAmbientError(std::move(status));
    }

   private:
    const std::shared_ptr<ErasedWatcher> watcher_;
  };

  const WatchId watch = core_->StartWatch(core_->Adapt(type), std::move(name),
                                          std::make_shared<Adapter>(std::move(watcher)));
  return Watch(std::make_shared<Watch::State>(core_, watch));
}

}  // namespace holdfast

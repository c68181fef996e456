#include "control/ads_service.h"

#include <grpcpp/impl/server_builder_option.h>
#include <grpcpp/impl/server_builder_plugin.h>
#include <grpcpp/impl/server_initializer.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <climits>
#include <string>
#include <utility>

#include "base/check.h"

namespace holdfast {
namespace {

// A client that vanished without a word is noticed after a minute and a half.
constexpr int kKeepaliveTimeMs = 60'000;
constexpr int kKeepaliveTimeoutMs = 30'000;
// Clients may do the same, and an idle ADS stream is the rule.
constexpr int kLeastPingIntervalMs = 10'000;

// A service without methods. A server owns the services that are registered while it is made, so
// what this one holds lives as long as the server, and hears of its end.
class Keeper final : public grpc::Service {
 public:
  explicit Keeper(std::shared_ptr<AdsService> kept) : kept_(std::move(kept)) {}
  ~Keeper() override { kept_->ServerEnded(); }

 private:
  const std::shared_ptr<AdsService> kept_;
};

class AdsPlugin final : public grpc::ServerBuilderPlugin {
 public:
  explicit AdsPlugin(std::shared_ptr<AdsService> service) : service_(std::move(service)) {}

  std::string name() override { return "holdfast.ads"; }
  void InitServer(grpc::ServerInitializer* server) override {
    HOLDFAST_CHECK(server->RegisterService(std::make_shared<Keeper>(service_)));
  }
  // Comes when the server was started, and only if it was.
  void Finish(grpc::ServerInitializer*) override { service_->Accept(); }
  void ChangeArguments(const std::string&, void*) override {}

 private:
  const std::shared_ptr<AdsService> service_;
};

class AdsOption final : public grpc::ServerBuilderOption {
 public:
  explicit AdsOption(std::shared_ptr<AdsService> service) : service_(std::move(service)) {}

  void UpdateArguments(grpc::ChannelArguments* arguments) override {
    arguments->SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveTimeMs);
    arguments->SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
    arguments->SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    arguments->SetInt(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kLeastPingIntervalMs);
  }
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override {
    plugins->push_back(std::make_unique<AdsPlugin>(service_));
  }

 private:
  const std::shared_ptr<AdsService> service_;
};

}  // namespace

AdsService::AdsService(ServingOptions options)
    : options_(std::move(options)), census_(options_.most_streams_per_connection) {}

std::shared_ptr<AdsService> AdsService::AddTo(grpc::ServerBuilder& builder, ServingOptions options,
                                              const Transport& transport, ViewPtr view) {
  const auto service = std::make_shared<AdsService>(std::move(options));
  const absl::MutexLock lock(&service->mutex_);
  for (size_t i = 0; i < transport.workers; ++i) {
    service->workers_.push_back(
        std::make_unique<SessionWorker>(builder.AddCompletionQueue(), service->options_,
                                        service->methods_, service->census_, view));
  }
  builder.RegisterService(&service->methods_);
  builder.SetMaxReceiveMessageSize(
      static_cast<int>(std::min(transport.most_message_bytes, size_t{INT_MAX})));
  builder.SetMaxSendMessageSize(-1);
  builder.SetOption(std::make_unique<AdsOption>(service));
  return service;
}

void AdsService::Publish(const ViewPtr& view, const std::shared_ptr<const Changes>& changes) {
  const absl::ReaderMutexLock lock(&mutex_);
  for (const std::unique_ptr<SessionWorker>& worker : workers_) worker->Publish(view, changes);
}

void AdsService::Drain(const absl::Status& why, absl::Duration patience) {
  const absl::ReaderMutexLock lock(&mutex_);
  for (const std::unique_ptr<SessionWorker>& worker : workers_) worker->EndAll(why);
  if (census_.WaitUntilEmpty(patience)) return;
  for (const std::unique_ptr<SessionWorker>& worker : workers_) worker->CutAll();
}

void AdsService::Accept() {
  const absl::ReaderMutexLock lock(&mutex_);
  for (const std::unique_ptr<SessionWorker>& worker : workers_) worker->Accept();
}

void AdsService::ServerEnded() {
  const absl::MutexLock lock(&mutex_);
  workers_.clear();
}

}  // namespace holdfast

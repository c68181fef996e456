#include "control/ads_service.h"

#include <grpcpp/impl/server_builder_option.h>
#include <grpcpp/impl/server_builder_plugin.h>
#include <grpcpp/impl/server_initializer.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace holdfast {
namespace {

// A client that vanished without a word is noticed after a minute and a half.
constexpr int kKeepaliveTimeMs = 60'000;
constexpr int kKeepaliveTimeoutMs = 30'000;
// Clients may do the same, and an idle ADS stream is the rule.
constexpr int kLeastPingIntervalMs = 10'000;
// Resources of all clients that CSDS shows at once, and the bytes of their contents.
constexpr size_t kMostStatuses = 200'000;
constexpr size_t kMostContentBytes = size_t{64} << 20;

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

bool Has(const grpc::ChannelArguments& arguments, absl::string_view name) {
  const grpc_channel_args all = arguments.c_channel_args();
  return std::any_of(all.args, all.args + all.num_args,
                     [name](const grpc_arg& one) { return one.key == name; });
}

class AdsOption final : public grpc::ServerBuilderOption {
 public:
  explicit AdsOption(std::shared_ptr<AdsService> service) : service_(std::move(service)) {}

  void UpdateArguments(grpc::ChannelArguments* arguments) override {
    // gRPC looks at the length of a message when all of it is there, so its limit saves nothing,
    // and its words do not name ours (AdsStream). What the owner of the builder says is so.
    if (!Has(*arguments, GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH)) {
      arguments->SetInt(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, -1);
    }
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
    : options_(std::move(options)),
      census_(options_.most_streams_per_connection),
      status_([this] { return Statuses(); }, CsdsService::AtATime::kOne) {}

std::shared_ptr<AdsService> AdsService::AddTo(grpc::ServerBuilder& builder, ServingOptions options,
                                              size_t workers, ViewPtr view) {
  const auto service = std::make_shared<AdsService>(std::move(options));
  const absl::MutexLock lock(&service->mutex_);
  for (size_t i = 0; i < workers; ++i) {
    service->workers_.push_back(std::make_unique<SessionWorker>(
        absl::StrCat("w", i), builder.AddCompletionQueue(), service->options_, service->methods_,
        service->census_, view));
  }
  builder.RegisterService(&service->methods_);
  if (service->options_.serve_client_status) builder.RegisterService(&service->status_);
  builder.SetMaxSendMessageSize(-1);
  builder.SetOption(std::make_unique<AdsOption>(service));
  return service;
}

void AdsService::Publish(const ViewPtr& view, const std::shared_ptr<const Changes>& changes,
                         absl::Time committed_at) {
  const absl::ReaderMutexLock lock(&mutex_);
  for (const std::unique_ptr<SessionWorker>& worker : workers_) {
    worker->Publish(view, changes, committed_at);
  }
}

namespace {

// Answers of several workers on their way; outlives whoever gave up waiting.
struct Gathering {
  std::mutex mutex;
  std::condition_variable progress;
  size_t missing = 0;
  SessionWorker::Answer sum;
  const std::shared_ptr<std::atomic<bool>> is_over = std::make_shared<std::atomic<bool>>(false);

  void Add(SessionWorker::Answer answer) {
    const std::lock_guard lock(mutex);
    if (*is_over) return;
    std::move(answer.streams.begin(), answer.streams.end(), std::back_inserter(sum.streams));
    for (size_t i = 0; i < answer.followers.size(); ++i) {
      sum.followers[i] += answer.followers[i];
      sum.not_good[i].waiting += answer.not_good[i].waiting;
      sum.not_good[i].held_back += answer.not_good[i].held_back;
      sum.not_good[i].failed += answer.not_good[i].failed;
    }
    sum.has_left_out |= answer.has_left_out;
    if (--missing == 0) progress.notify_all();
  }
};

}  // namespace

SessionWorker::Answer AdsService::Ask(SessionWorker::Question question, absl::Duration patience) {
  const auto gathering = std::make_shared<Gathering>();
  gathering->sum.followers.resize(question.followed.size());
  gathering->sum.not_good.resize(question.followed.size());
  if (SessionWorker::IsThreadOf(census_)) {
    gathering->sum.incomplete =
        "asked by a thread that serves clients, which cannot wait for what they run: they are "
        "missing here; ask from another thread";
    return std::move(gathering->sum);
  }
  const auto shared = std::make_shared<const SessionWorker::Question>(std::move(question));
  size_t workers = 0;
  {
    const absl::ReaderMutexLock lock(&mutex_);
    workers = workers_.size();
    gathering->missing = workers;
    for (const std::unique_ptr<SessionWorker>& worker : workers_) {
      worker->Ask(shared, gathering->is_over,
                  [gathering](SessionWorker::Answer answer) { gathering->Add(std::move(answer)); });
    }
  }
  std::unique_lock lock(gathering->mutex);
  gathering->progress.wait_for(lock, absl::ToChronoMilliseconds(patience),
                               [&] { return gathering->missing == 0; });
  *gathering->is_over = true;
  SessionWorker::Answer sum = std::move(gathering->sum);
  if (gathering->missing > 0) {
    sum.incomplete =
        absl::StrCat(gathering->missing, " of ", workers, " workers had no answer within ",
                     absl::FormatDuration(patience),
                     gathering->missing == 1 ? ": its clients are" : ": their clients are",
                     " missing here; ask again");
  }
  lock.unlock();
  absl::c_sort(sum.streams, [](const StreamReport& a, const StreamReport& b) {
    return std::tie(a.session.node.id, a.opened_at, a.stream) <
           std::tie(b.session.node.id, b.opened_at, b.stream);
  });
  return sum;
}

absl::StatusOr<std::vector<ClientStatus>> AdsService::Statuses() {
  size_t resources = 0;
  const SessionWorker::Answer counted = Ask({.options = {.most_names = 0}});
  if (!counted.incomplete.empty()) return absl::UnavailableError(counted.incomplete);
  for (const StreamReport& stream : counted.streams) {
    for (const TypeReport& type : stream.session.types) resources += type.counts.good;
  }
  // Of a fleet too big for one message, what is not good.
  const bool with_good = resources <= kMostStatuses;
  const SessionWorker::Answer shown =
      Ask({.options = {.with_good = with_good}, .most_names_in_all = kMostStatuses});
  if (!shown.incomplete.empty()) return absl::UnavailableError(shown.incomplete);
  return ClientStatusesOf(shown.streams, kMostContentBytes);
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
  std::vector<std::unique_ptr<SessionWorker>> ending;
  {
    const absl::MutexLock lock(&mutex_);
    ending.swap(workers_);
  }
  // A worker may be in the middle of something of a user's that asks for one of us.
  ending.clear();
}

}  // namespace holdfast

#include "holdfast/control/control_plane.h"

#include <grpcpp/server_builder.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/check.h"
#include "base/outside_text.h"
#include "control/ads_service.h"
#include "control/catalog/view.h"
#include "control/inventory.h"
#include "control/source/file_source.h"
#include "control/source/memory_source.h"
#include "control/steady_clock.h"

namespace holdfast {
namespace {

Tp3Mode ModeOf(ResourceErrors errors) {
  switch (errors) {
    case ResourceErrors::kOn:
      return Tp3Mode::kOn;
    case ResourceErrors::kOnce:
      return Tp3Mode::kOnce;
    case ResourceErrors::kOff:
      return Tp3Mode::kOff;
  }
  return Tp3Mode::kOn;
}

// Of a stream, where all that are not good are counted.
constexpr size_t kMostNamesCounted = 100'000;

bool HasResources(const View& view) {
  return std::any_of(view.types.begin(), view.types.end(),
                     [](const auto& type) { return !type.second->resources().empty(); });
}

class ServingControlPlane final : public ControlPlane {
 public:
  ServingControlPlane(ControlPlaneOptions options, std::unique_ptr<Source> source,
                      MemorySource* memory)
      : options_(std::move(options)), memory_(memory), source_(std::move(source)) {
    if (options_.metrics != nullptr) options_.metrics->AddGauges(gauges_);
    source_->Start([this](Published published) { Publish(std::move(published)); });
  }

  ~ServingControlPlane() override {
    source_->Stop();
    Drain(std::chrono::seconds(1));  // as long as it takes to say UNAVAILABLE to all
  }

  void Register(grpc::ServerBuilder* builder) override {
    const absl::MutexLock lock(&mutex_);
    HOLDFAST_CHECK(service_ == nullptr);
    const size_t cores = std::max(std::thread::hardware_concurrency(), 1u);
    service_ = AdsService::AddTo(*builder, Serving(),
                                 options_.workers == 0 ? cores : options_.workers, view_);
  }

  absl::StatusOr<CommitId> Commit(Transaction change, std::optional<CommitId> expected) override {
    if (memory_ == nullptr) {
      return absl::FailedPreconditionError(
          absl::StrCat("the directory ", Quoted(options_.config_directory),
                       " is served: change its files instead; nothing has changed"));
    }
    return memory_->Commit(std::move(change), expected);
  }

  ControlPlaneHealth Health() const override {
    const absl::MutexLock lock(&mutex_);
    return health_;
  }

  ClientsReport Clients(const ClientQuery& query) const override {
    ClientsReport report;
    SessionWorker::Answer answer =
        Ask({.client = query.client,
             .options = {.with_good = query.with_good, .most_names = query.most_resources},
             .most_names_in_all = std::max(query.most_resources, SessionWorker::kMostNamesInAll)});
    report.clients.reserve(answer.streams.size());
    for (StreamReport& stream : answer.streams) {
      report.clients.push_back(ClientReportOf(std::move(stream), query.most_resources));
    }
    report.incomplete = answer.incomplete;
    return report;
  }

  ResourcesReport Resources(const ResourceQuery& query) const override {
    const auto [view, notes] = Served();
    const Selection selection = Select(*view, query);
    if (selection.resources.empty()) return {};
    SessionWorker::Question question{.options = {.most_names = kMostNamesCounted},
                                     .has_few = !query.name.empty()};
    for (const ResourcePtr& resource : selection.resources) {
      question.followed.push_back(resource->key());
    }
    SessionWorker::Answer answer = Ask(std::move(question));
    if (answer.has_left_out && answer.incomplete.empty()) {
      answer.incomplete = absl::StrCat("a client has more than ", kMostNamesCounted,
                                       " resources that are not good, and the rest of them is "
                                       "counted as good; ask for one by its name");
    }
    return ResourcesOf(selection, query, *notes, answer);
  }

  ErrorsReport Errors() const override {
    const auto [view, notes] = Served();
    SessionWorker::Answer answer =
        Ask({.options = {.most_names = SessionWorker::kMostNamesInAll, .only_errors = true}});
    if (answer.has_left_out && answer.incomplete.empty()) {
      answer.incomplete =
          absl::StrCat("clients were told more than ", SessionWorker::kMostNamesInAll,
                       " errors; some of them, or of the clients, are not here");
    }
    return ErrorsOf(*view, *notes, answer);
  }

  void Drain(std::chrono::milliseconds patience) override {
    const std::shared_ptr<AdsService> serving = service();
    if (serving == nullptr) return;
    serving->Drain(
        absl::UnavailableError("the control plane is going away; connect again to reach another"),
        absl::FromChrono(patience));
  }

 private:
  SessionWorker::Answer Ask(SessionWorker::Question question) const {
    const std::shared_ptr<AdsService> serving = service();
    if (serving == nullptr) {
      return {.followers = std::vector<size_t>(question.followed.size()),
              .not_good = std::vector<DeliveryCounts>(question.followed.size())};
    }
    return serving->Ask(std::move(question));
  }

  std::pair<ViewPtr, std::shared_ptr<const ResourceNotes>> Served() const {
    const absl::MutexLock lock(&mutex_);
    return {view_, notes_};
  }

  // Null before Register().
  std::shared_ptr<AdsService> service() const {
    const absl::MutexLock lock(&mutex_);
    return service_;
  }

  ServingOptions Serving() const {
    return {
        .session = {.tp3 = ModeOf(options_.resource_errors),
                    .hold = absl::FromChrono(options_.hold),
                    .most_names = options_.most_names},
        .limits = {.most_names = options_.most_names, .most_node_bytes = options_.most_node_bytes},
        .most_message_bytes = options_.most_message_bytes,
        .most_streams_per_connection = options_.most_streams_per_connection,
        .serve_client_status = options_.serve_client_status,
        .identifier = options_.identifier.empty() ? "holdfast" : options_.identifier,
        .log = options_.log,
        .metrics = options_.metrics,
        .gauges = gauges_};
  }

  // Never twice at once: the view and what changed are worked out once, for all workers.
  void Publish(Published published) {
    const absl::Time committed_at = SteadyNow();
    ViewPtr before;
    {
      const absl::MutexLock lock(&mutex_);
      before = view_;
    }
    const ViewPtr after = NextView(*before, std::move(published.contents));
    const auto changes = std::make_shared<const Changes>(ChangesBetween(*before, *after));
    std::shared_ptr<AdsService> serving;
    ControlPlaneHealth health;
    {
      const absl::MutexLock lock(&mutex_);
      view_ = after;
      notes_ = std::make_shared<const ResourceNotes>(std::move(published.notes));
      const bool has_resources = HasResources(*after);
      // Before its first commit a program has said nothing.
      if (has_resources || after->is_synced) {
        health_.commit = CommitId{static_cast<uint64_t>(health_.commit) + 1};
      }
      // Nothing is a configuration too, unless it is what mistakes have left. Once there was a good
      // one, it stays.
      health_.is_serving |= published.has_good_configuration;
      health_.is_synced = after->is_synced;
      health_.problems = std::move(published.problems);
      health = health_;
      serving = service_;
    }
    if (serving != nullptr) serving->Publish(after, changes, committed_at);
    if (options_.on_change) options_.on_change(health);
  }

  const ControlPlaneOptions options_;
  const std::shared_ptr<ControlGauges> gauges_ = std::make_shared<ControlGauges>();

  mutable absl::Mutex mutex_;
  ViewPtr view_ ABSL_GUARDED_BY(mutex_) = std::make_shared<const View>();
  std::shared_ptr<const ResourceNotes> notes_ ABSL_GUARDED_BY(mutex_) =
      std::make_shared<const ResourceNotes>();
  ControlPlaneHealth health_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<AdsService> service_ ABSL_GUARDED_BY(mutex_);

  MemorySource* const memory_;  // null: files
  const std::unique_ptr<Source> source_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ControlPlane>> ControlPlane::Create(ControlPlaneOptions options) {
  if (options.log == nullptr) options.log = &StderrLog();
  if (options.config_directory.empty()) {
    auto source = std::make_unique<MemorySource>();
    MemorySource* const memory = source.get();
    return std::make_unique<ServingControlPlane>(std::move(options), std::move(source), memory);
  }
  absl::StatusOr<std::unique_ptr<FileSource>> source =
      FileSource::Open({.directory = options.config_directory,
                        .state_directory = options.state_directory,
                        .protoset = options.protoset,
                        .log = options.log});
  if (!source.ok()) return source.status();
  return std::make_unique<ServingControlPlane>(std::move(options), *std::move(source), nullptr);
}

}  // namespace holdfast

#include "control/session_worker.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "control/steady_clock.h"

namespace holdfast {
namespace {

// How many streams of each variant may be opened before the worker has looked at the first.
constexpr int kAwaitedStreams = 8;

// How long a worker puts an answer together before it looks at its streams again.
constexpr absl::Duration kSlice = absl::Milliseconds(1);

// Of the worker whose thread it is.
thread_local const StreamCensus* census_of_thread = nullptr;

// The names of both.
std::shared_ptr<const Changes> Merge(const Changes& earlier, const Changes& later) {
  Changes all = earlier;
  for (const auto& [type, names] : later) {
    std::vector<std::string>& merged = all[type];
    std::vector<std::string> both;
    both.reserve(merged.size() + names.size());
    std::set_union(merged.begin(), merged.end(), names.begin(), names.end(),
                   std::back_inserter(both));
    merged = std::move(both);
  }
  return std::make_shared<const Changes>(std::move(all));
}

// REQUIRES: sorted.
void Count(const SessionReport& report, const std::vector<ResourceKey>& followed,
           std::vector<DeliveryCounts>& counts) {
  for (const TypeReport& type : report.types) {
    for (const NameReport& name : type.names) {
      const auto found =
          absl::c_lower_bound(followed, name.name, [&](const auto& key, auto& wanted) {
            return std::tie(key.type, key.name) < std::tie(type.type, wanted);
          });
      if (found == followed.end() || found->type != type.type || found->name != name.name) continue;
      DeliveryCounts& of_name = counts[static_cast<size_t>(found - followed.begin())];
      of_name.waiting += name.state == DeliveryState::kWaiting ? 1 : 0;
      of_name.held_back += name.state == DeliveryState::kHeldBack ? 1 : 0;
      of_name.failed += name.state == DeliveryState::kFailed ? 1 : 0;
    }
  }
}

}  // namespace

struct SessionWorker::Asking {
  std::shared_ptr<const Question> question;
  std::shared_ptr<const std::atomic<bool>> is_over;
  std::function<void(Answer)> done;
  Answer answer;
  size_t names_left = 0;
  SessionId last;  // the one that was asked last
};

SessionWorker::SessionWorker(std::string name, std::unique_ptr<grpc::ServerCompletionQueue> queue,
                             const ServingOptions& options, AdsMethods& methods,
                             StreamCensus& census, ViewPtr view)
    : options_(options),
      methods_(methods),
      census_(census),
      queue_(queue.get()),
      loop_(std::make_unique<ControlLoop>(std::move(queue), "holdfast-serve")),
      state_{.loop = loop_.get(),
             .name = std::move(name),
             .session_options = options.session,
             .limits = options.limits,
             .most_message_bytes = options.most_message_bytes,
             .log = options.log,
             .view = std::move(view),
             .counters = SessionCounters(options.metrics, options.gauges),
             .sotw_encoder = ResponseEncoder(Variant::kSotw, options.identifier),
             .delta_encoder = ResponseEncoder(Variant::kDelta, options.identifier)} {
  loop_->Post([this] { census_of_thread = &census_; });
}

bool SessionWorker::IsThreadOf(const StreamCensus& census) { return census_of_thread == &census; }

SessionWorker::~SessionWorker() {
  RunOnLoop([this] {
    is_closing_ = true;
    streams_.clear();
  });
  // What gRPC still has pending ends here; nobody starts anything new.
  loop_.reset();
}

void SessionWorker::RunOnLoop(const std::function<void()>& task) {
  absl::Notification done;
  loop_->Post([&task, &done] {
    task();
    done.Notify();
  });
  done.WaitForNotification();
}

void SessionWorker::Accept() {
  loop_->Post([this] {
    for (int i = 0; i < kAwaitedStreams; ++i) {
      AwaitStream(Variant::kSotw);
      AwaitStream(Variant::kDelta);
    }
  });
}

void SessionWorker::AwaitStream(Variant variant) {
  AdsServerCall::Await(methods_, variant, queue_,
                       [this, variant](const std::shared_ptr<AdsServerCall>& call) {
                         // Null: the server shuts down.
                         if (call == nullptr || is_closing_) return;
                         AwaitStream(variant);
                         TakeStream(variant, call);
                       });
}

void SessionWorker::TakeStream(Variant variant, const std::shared_ptr<AdsServerCall>& call) {
  const SessionId id = ids_.Next();
  const std::string peer = call->peer();
  const bool is_within = census_.Enter(peer);
  auto stream = std::make_unique<AdsStream>(id, variant, call, state_, [this, id, peer, is_within] {
    streams_.erase(id);
    census_.Leave(peer, is_within);
  });
  AdsStream& taken = *streams_.emplace(id, std::move(stream)).first->second;
  if (!why_ended_.ok()) {
    taken.End(why_ended_);
  } else if (!is_within) {
    taken.Refuse(absl::ResourceExhaustedError(absl::StrCat(
        "this connection has ", options_.most_streams_per_connection,
        " streams already (--max-streams-per-connection); close one, or open another connection")));
  } else {
    taken.Serve();
  }
}

void SessionWorker::Publish(ViewPtr view, std::shared_ptr<const Changes> changes,
                            absl::Time committed_at) {
  {
    const absl::MutexLock lock(&mutex_);
    const bool is_task_on_its_way = news_.has_value();
    if (is_task_on_its_way) {
      changes = Merge(*news_->changes, *changes);
      committed_at = news_->committed_at;
    }
    news_ = News{std::move(view), std::move(changes), committed_at};
    if (is_task_on_its_way) return;
  }
  loop_->Post([this] { TellNews(); });
}

void SessionWorker::TellNews() {
  News news;
  {
    const absl::MutexLock lock(&mutex_);
    news = *std::exchange(news_, std::nullopt);
  }
  const bool absence_is_another = news.view->is_synced != state_.view->is_synced ||
                                  news.view->never_read != state_.view->never_read;
  state_.view = std::move(news.view);
  // Nobody leaves streams_ meanwhile: the end of a stream is a completion, and this is a task.
  if (absence_is_another) {
    for (const auto& [id, stream] : streams_) {
      stream->OnViewChanged(news.changes, news.committed_at);
    }
    return;
  }
  for (const SessionId id : state_.interests.FollowersOf(*news.changes)) {
    streams_.at(id)->OnViewChanged(news.changes, news.committed_at);
  }
}

void SessionWorker::Ask(std::shared_ptr<const Question> question,
                        std::shared_ptr<const std::atomic<bool>> is_over,
                        std::function<void(Answer)> done) {
  auto asking =
      std::make_shared<Asking>(Asking{std::move(question), std::move(is_over), std::move(done)});
  asking->names_left = asking->question->most_names_in_all;
  asking->answer.not_good.resize(asking->question->followed.size());
  loop_->Post([this, asking] { GoOn(asking); });
}

void SessionWorker::GoOn(const std::shared_ptr<Asking>& asking) {
  const Question& question = *asking->question;
  Answer& answer = asking->answer;
  const absl::Time end = SteadyNow() + kSlice;
  for (auto at = streams_.upper_bound(asking->last); at != streams_.end(); ++at) {
    if (asking->is_over->load(std::memory_order_relaxed)) return;
    if (SteadyNow() > end) {
      loop_->Post([this, asking] { GoOn(asking); });
      return;
    }
    asking->last = at->first;
    ReportOptions options = question.options;
    options.most_names = std::min(options.most_names, asking->names_left);
    if (question.has_few) options.only = &question.followed;
    std::optional<StreamReport> report = at->second->Report(question.client, options);
    if (!report.has_value()) continue;
    for (const TypeReport& type : report->session.types) answer.has_left_out |= type.more_names > 0;
    if (!question.followed.empty()) {
      Count(report->session, question.followed, answer.not_good);
      continue;
    }
    for (const TypeReport& type : report->session.types) asking->names_left -= type.names.size();
    answer.streams.push_back(*std::move(report));
  }
  answer.followers.reserve(question.followed.size());
  for (const auto& [type, name] : question.followed) {
    answer.followers.push_back(state_.interests.CountFollowers(type, name));
  }
  asking->done(std::move(answer));
}

void SessionWorker::EndAll(absl::Status why) {
  RunOnLoop([this, &why] {
    why_ended_ = why;
    for (const auto& [id, stream] : streams_) stream->End(why);
  });
}

void SessionWorker::CutAll() {
  RunOnLoop([this] {
    for (const auto& [id, stream] : streams_) stream->Cut(why_ended_);
  });
}

}  // namespace holdfast

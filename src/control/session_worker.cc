#include "control/session_worker.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"

namespace holdfast {
namespace {

// How many streams of each variant may be opened before the worker has looked at the first.
constexpr int kAwaitedStreams = 8;

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

}  // namespace

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
             .log = options.log,
             .view = std::move(view),
             .counters = SessionCounters(options.metrics, options.gauges),
             .sotw_encoder = ResponseEncoder(Variant::kSotw, options.identifier),
             .delta_encoder = ResponseEncoder(Variant::kDelta, options.identifier)} {}

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
  loop_->Post(
      [this, question = std::move(question), is_over = std::move(is_over), done = std::move(done)] {
        Answer answer;
        for (const auto& [id, stream] : streams_) {
          if (is_over->load(std::memory_order_relaxed)) return;
          std::optional<StreamReport> report = stream->Report(question->client, question->options);
          if (report.has_value()) answer.streams.push_back(*std::move(report));
        }
        answer.followers.reserve(question->followed.size());
        for (const auto& [type, name] : question->followed) {
          answer.followers.push_back(state_.interests.CountFollowers(type, name));
        }
        done(std::move(answer));
      });
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

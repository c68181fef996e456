// A thread that serves ADS streams: each stream lives on one worker and is touched only there.
//
// A commit reaches only the streams that follow what changed; to all others it costs nothing, they
// see the new view when they next ask for something. Commits that come while the worker is busy are
// told as one.
//
// Thread-safe.
#pragma once

#include <grpcpp/completion_queue.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "control/ads_stream.h"
#include "control/stream_census.h"

namespace holdfast {

// How a control plane serves streams; the same for all its workers.
struct ServingOptions {
  SessionOptions session;
  RequestLimits limits;
  size_t most_message_bytes = size_t{256} << 20;
  size_t most_streams_per_connection = 100;
  bool serve_client_status = true;
  std::string identifier;
  LogSink* log = nullptr;
  std::shared_ptr<MetricSink> metrics;  // may be null
  std::shared_ptr<ControlGauges> gauges;
};

class SessionWorker {
 public:
  // All must outlive the worker, which no other has the name of. `view` is what is served now.
  SessionWorker(std::string name, std::unique_ptr<grpc::ServerCompletionQueue> queue,
                const ServingOptions& options, AdsMethods& methods, StreamCensus& census,
                ViewPtr view);
  // REQUIRES: the server of the queue is gone.
  ~SessionWorker();
  SessionWorker(const SessionWorker&) = delete;
  SessionWorker& operator=(const SessionWorker&) = delete;

  // Begins to take streams. REQUIRES: the server was started.
  void Accept();

  // `changes` are those between the view before and this one, which was made at `committed_at`.
  // REQUIRES: newer than those before.
  void Publish(ViewPtr view, std::shared_ptr<const Changes> changes, absl::Time committed_at);

  // What somebody wants to know of the streams.
  struct Question {
    std::string client;  // as in ClientQuery
    ReportOptions options;
    size_t most_names_in_all = kMostNamesInAll;  // of all streams of a worker
    // How many streams follow each of these, and how they fare. Sorted. If there are any, no
    // streams are reported: what they say of these is counted.
    std::vector<ResourceKey> followed;
    bool has_few = false;  // of those: each is looked up, instead of all that is not good
  };
  static constexpr size_t kMostNamesInAll = 100'000;
  struct Answer {
    std::vector<StreamReport> streams;
    std::vector<size_t>
        followers;  // as many as `followed`, and so are these; `good` is not counted
    std::vector<DeliveryCounts> not_good;
    // Why something is missing, as a sentence; empty: nothing is.
    std::string incomplete;
    // Names that a question has no room for.
    bool has_left_out = false;
  };
  // Calls `done` on the loop thread; never, if the worker goes before, or if nobody waits for it
  // any more: `is_over`. The streams are served meanwhile: the answer is put together piece by
  // piece.
  void Ask(std::shared_ptr<const Question> question,
           std::shared_ptr<const std::atomic<bool>> is_over, std::function<void(Answer)> done);

  // Whether this thread is one of a worker with this census, which cannot wait for itself.
  static bool IsThreadOf(const StreamCensus& census);

  // Ends every stream, and from now on each new one at once. Returns when no session is left, which
  // is before the clients have heard of it.
  void EndAll(absl::Status why);
  // Waits for no client any more.
  void CutAll();

 private:
  struct News {
    ViewPtr view;
    std::shared_ptr<const Changes> changes;
    absl::Time committed_at;  // of the first
  };

  void AwaitStream(Variant variant);
  void TakeStream(Variant variant, const std::shared_ptr<AdsServerCall>& call);
  void TellNews();
  // An answer that is being put together.
  struct Asking;
  void GoOn(const std::shared_ptr<Asking>& asking);
  // Runs it on the loop thread and returns when it is done.
  void RunOnLoop(const std::function<void()>& task);

  const ServingOptions& options_;
  AdsMethods& methods_;
  StreamCensus& census_;
  grpc::ServerCompletionQueue* const queue_;  // the loop's

  absl::Mutex mutex_;
  // Not told yet; a task that tells it is on its way.
  std::optional<News> news_ ABSL_GUARDED_BY(mutex_);

  // The loop thread's own.
  bool is_closing_ = false;
  absl::Status why_ended_;  // not OK: no streams are taken
  IdSource<SessionId> ids_;
  std::unique_ptr<ControlLoop> loop_;  // outlives what is below, which uses its timers
  WorkerState state_;
  std::map<SessionId, std::unique_ptr<AdsStream>> streams_;
};

}  // namespace holdfast

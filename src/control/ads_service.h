// The ADS service of a control plane on a gRPC server: its workers, and how they come and go with
// the server.
//
//   builder ──AddTo──▶ queues, methods, plugin ──server started──▶ workers take streams
//
// Control plane and server may go in any order: the workers go with the server. Thread-safe.
#pragma once

#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "control/ads_server_call.h"
#include "control/session_worker.h"
#include "control/stream_census.h"
#include "observe/csds_service.h"

namespace grpc {
class ServerBuilder;
}

namespace holdfast {

class AdsService : public std::enable_shared_from_this<AdsService> {
 public:
  // Adds the service to `builder`, which is to be built while this object lives.
  static std::shared_ptr<AdsService> AddTo(grpc::ServerBuilder& builder, ServingOptions options,
                                           size_t workers, ViewPtr view);

  explicit AdsService(ServingOptions options);

  // REQUIRES: one at a time, each newer than the one before.
  void Publish(const ViewPtr& view, const std::shared_ptr<const Changes>& changes,
               absl::Time committed_at);

  // What the workers say, all together, by stream. Of a worker that has not answered within
  // `patience` nothing, and the answer is incomplete. Whoever asks over HTTP waits longer. A worker
  // that asks, from somebody's LogSink, is not waited for: it would be waiting for itself.
  SessionWorker::Answer Ask(SessionWorker::Question question,
                            absl::Duration patience = absl::Seconds(2));

  // Ends every stream with this status, and new ones too. When it returns there are no sessions any
  // more; the streams have ended, or `patience` is over and they were cut off.
  void Drain(const absl::Status& why, absl::Duration patience);

  // The server was started.
  void Accept();
  // The server is at its end: all its calls are over, and its memory is still there, which what it
  // left in the queues of the workers refers to.
  void ServerEnded();

 private:
  // What CSDS shows of the clients. UNAVAILABLE if some cannot be asked: CSDS has no field to say
  // so.
  absl::StatusOr<std::vector<ClientStatus>> Statuses();

  const ServingOptions options_;
  StreamCensus census_;
  AdsMethods methods_;
  CsdsService status_;
  // Held by readers for as long as they use a worker.
  absl::Mutex mutex_;
  std::vector<std::unique_ptr<SessionWorker>> workers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace holdfast

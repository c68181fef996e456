// One ADS stream with its session: turns messages into events, and does what the effects say.
//
// Lives on one worker and is touched only on its loop thread.
#pragma once

#include <grpcpp/support/slice.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "control/ads_server_call.h"
#include "control/client_reports.h"
#include "control/control_instruments.h"
#include "control/session/interest_index.h"
#include "control/session/response_encoder.h"
#include "control/session/session.h"
#include "holdfast/xds/log.h"
#include "runtime/control_loop.h"
#include "wire/ads.h"

namespace holdfast {

// What the streams of one worker share. Touched on its loop thread only.
struct WorkerState {
  ControlLoop* loop;
  std::string name;  // "w0": of no other worker of the control plane
  SessionOptions session_options;
  RequestLimits limits;
  size_t most_message_bytes;
  LogSink* log;
  ViewPtr view;  // the newest this worker heard of
  SessionCounters counters;
  ResponseEncoder sotw_encoder;
  ResponseEncoder delta_encoder;
  InterestIndex interests;
  // The body that was sent last, in the rule to many streams one after another, and as gRPC has it.
  std::shared_ptr<const std::string> last_body;
  grpc::Slice last_slice;
};

class AdsStream final : private AdsServerCall::Owner {
 public:
  // `worker` outlives the stream. `on_gone` is called once, when the stream has ended, and destroys
  // it; not if the stream is destroyed before.
  AdsStream(SessionId id, Variant variant, std::shared_ptr<AdsServerCall> call, WorkerState& worker,
            std::function<void()> on_gone);
  ~AdsStream() override;
  AdsStream(const AdsStream&) = delete;
  AdsStream& operator=(const AdsStream&) = delete;

  // Begins to listen to the client.
  void Serve();

  // The worker's view is newer, and `changes`, the first of which were made at `committed_at`, are
  // among what this stream follows.
  void OnViewChanged(std::shared_ptr<const Changes> changes, absl::Time committed_at);

  // What its client made of what it was sent; none if the session is over, or the query means
  // others.
  std::optional<StreamReport> Report(const std::string& client, const ReportOptions& options) const;

  // The session is over; the client is told why, after what is being written. A client that does
  // not even read that is cut off after a while. Does nothing if it ended before.
  void End(const absl::Status& status);
  // End, because of what the client did; the log says so too.
  void Refuse(const absl::Status& status);
  // End, without waiting for the client.
  void Cut(const absl::Status& status);

 private:
  void OnCallMessage(const grpc::ByteBuffer& message) override;
  void OnCallWritten() override;
  void OnCallDeserted() override;
  void OnCallFinished() override;

  void Tell(const SessionEvent& event);
  void Do(const SessionEffects& effects);
  void Do(const SendResponse& response);
  void Do(const EndStream& end);
  void Do(const WakeAt& wake);
  void Do(const Follow& follow);
  void Do(const Unfollow& unfollow);
  void Do(const CountSession& count);
  void Do(const ErrorsOutstanding& errors);
  void Do(const LogLine& line);
  void Log(Severity severity, absl::string_view text);
  // Takes it out of all that others know of it.
  void CloseSession();
  void CancelTimer();
  // Tells the gauges, if it is not what they were told.
  void NoteHeldBack(const HeldBack& now);

  const SessionId id_;
  const Variant variant_;
  const std::shared_ptr<AdsServerCall> call_;
  WorkerState& worker_;
  const std::function<void()> on_gone_;
  const absl::Time opened_at_;  // steady

  bool has_ended_ = false;
  std::optional<Session> session_;  // while it is served
  uint64_t seen_view_ = 0;
  // Of WakeAt; after the end, of patience.
  std::optional<ControlLoop::LoopTimerId> timer_;
  // By type: what the gauge was told, and under which label.
  struct Outstanding {
    std::string label;
    int64_t count = 0;
  };
  std::map<std::string, Outstanding> outstanding_;
  HeldBack held_back_;  // as the gauges know it
};

}  // namespace holdfast

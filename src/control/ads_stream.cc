#include "control/ads_stream.h"

#include <utility>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/check.h"
#include "control/steady_clock.h"

namespace holdfast {
namespace {

constexpr absl::string_view kComponent = "control";

// For a client to read its last messages before it is cut off.
constexpr absl::Duration kEndPatience = absl::Seconds(5);

// A slice of what others share: nothing is copied, and the last one to let go frees it.
grpc::Slice SharedSlice(const std::shared_ptr<const std::string>& bytes) {
  auto* const keeper = new std::shared_ptr<const std::string>(bytes);
  return grpc::Slice(
      const_cast<char*>(bytes->data()), bytes->size(),
      [](void* held) { delete static_cast<std::shared_ptr<const std::string>*>(held); }, keeper);
}

grpc::ByteBuffer BufferOf(const EncodedResponse& response, WorkerState& worker) {
  const bool has_body = response.body != nullptr && !response.body->empty();
  if (has_body && worker.last_body != response.body) {
    worker.last_body = response.body;
    worker.last_slice = SharedSlice(response.body);
  }
  const grpc::Slice slices[] = {grpc::Slice(response.head),
                                has_body ? worker.last_slice : grpc::Slice()};
  return grpc::ByteBuffer(slices, has_body ? 2 : 1);
}

grpc::Slice WholeOf(const grpc::ByteBuffer& message) {
  grpc::Slice slice;
  if (!message.TrySingleSlice(&slice).ok()) {
    // Fails only for a buffer without a message, and this one was just read.
    HOLDFAST_CHECK(message.DumpToSingleSlice(&slice).ok());
  }
  return slice;
}

// Before anything is made of it. gRPC has all of it in memory by now.
absl::Status CheckSize(Variant variant, size_t bytes, size_t most_bytes) {
  if (bytes <= most_bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat(variant == Variant::kSotw ? "" : "delta ", "discovery request has ", bytes,
                   " bytes, more than ", most_bytes, " (--max-message-bytes)"));
}

// It stands beside each resource of a report.
absl::Status CheckType(const std::string& type_url) {
  constexpr size_t kMostTypeBytes = 1024;
  if (type_url.size() <= kMostTypeBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "type_url has ", type_url.size(), " bytes; the name of a type has at most ", kMostTypeBytes));
}

absl::StatusOr<SessionEvent> ParseEvent(Variant variant, const grpc::ByteBuffer& message,
                                        const RequestLimits& limits, size_t most_bytes) {
  if (const absl::Status size = CheckSize(variant, message.Length(), most_bytes); !size.ok()) {
    return size;
  }
  const grpc::Slice slice = WholeOf(message);
  const absl::string_view bytes(reinterpret_cast<const char*>(slice.begin()), slice.size());
  if (variant == Variant::kSotw) {
    absl::StatusOr<DiscoveryRequest> request = ParseRequest(bytes, limits);
    if (!request.ok()) return request.status();
    if (const absl::Status type = CheckType(request->type_url); !type.ok()) return type;
    return RequestReceived{*std::move(request)};
  }
  absl::StatusOr<DeltaDiscoveryRequest> request = ParseDeltaRequest(bytes, limits);
  if (!request.ok()) return request.status();
  if (const absl::Status type = CheckType(request->type_url); !type.ok()) return type;
  return DeltaRequestReceived{*std::move(request)};
}

}  // namespace

AdsStream::AdsStream(SessionId id, Variant variant, std::shared_ptr<AdsServerCall> call,
                     WorkerState& worker, std::function<void()> on_gone)
    : id_(id),
      variant_(variant),
      call_(std::move(call)),
      worker_(worker),
      on_gone_(std::move(on_gone)),
      opened_at_(SteadyNow()) {
  call_->SetOwner(*this);
}

AdsStream::~AdsStream() {
  CloseSession();
  call_->Abandon();
}

void AdsStream::Serve() {
  session_.emplace(variant_, worker_.session_options, worker_.view, call_->peer());
  seen_view_ = worker_.view->id;
  worker_.counters.gauges().AddStreams(variant_, 1);
  call_->Read();
}

void AdsStream::OnViewChanged(std::shared_ptr<const Changes> changes, absl::Time committed_at) {
  if (!session_.has_value()) return;
  seen_view_ = worker_.view->id;
  Tell(ViewChanged{worker_.view, std::move(changes), committed_at});
}

std::optional<StreamReport> AdsStream::Report(const std::string& client,
                                              const ReportOptions& options) const {
  if (!session_.has_value()) return std::nullopt;
  const std::string stream = absl::StrCat(worker_.name, "-", id_.value());
  if (!IsMeant(client, stream, call_->peer(), session_->node())) return std::nullopt;
  const absl::Duration offset = WallClockOffset(SteadyNow());
  StreamReport report{.stream = stream,
                      .peer = call_->peer(),
                      .variant = variant_,
                      .opened_at = opened_at_ + offset,
                      .session = session_->Report(options)};
  ToWallClock(offset, report.session);
  return report;
}

void AdsStream::End(const absl::Status& status) {
  if (std::exchange(has_ended_, true)) return;
  CloseSession();
  timer_ = worker_.loop->StartTimer(kEndPatience, [this] {
    timer_.reset();
    call_->Cancel();
  });
  call_->Finish(status);
}

void AdsStream::Refuse(const absl::Status& status) {
  if (has_ended_) return;
  Log(Severity::kWarning,
      absl::StrCat("client ", call_->peer(), ": its stream is ended: ", status.message()));
  End(status);
}

void AdsStream::Cut(const absl::Status& status) {
  End(status);
  call_->Cancel();
}

void AdsStream::CloseSession() {
  CancelTimer();
  if (!session_.has_value()) return;
  const SessionEffects effects = session_->Handle(SteadyNow(), ClientLeft{});
  session_.reset();
  NoteHeldBack({});
  Do(effects);
  worker_.counters.gauges().AddStreams(variant_, -1);
}

void AdsStream::CancelTimer() {
  if (timer_.has_value()) worker_.loop->CancelTimer(*timer_);
  timer_.reset();
}

void AdsStream::OnCallMessage(const grpc::ByteBuffer& message) {
  if (has_ended_) return;
  const absl::StatusOr<SessionEvent> event =
      ParseEvent(variant_, message, worker_.limits, worker_.most_message_bytes);
  if (!event.ok()) {
    Refuse(event.status());
    return;
  }
  Tell(*event);
  // Requests are read also from a client that does not read responses: what it is to be sent does
  // not pile up in the session.
  if (!has_ended_) call_->Read();
}

void AdsStream::OnCallWritten() {
  if (!has_ended_) Tell(WriteDone{});
}

void AdsStream::OnCallDeserted() { End(absl::OkStatus()); }

void AdsStream::OnCallFinished() {
  CancelTimer();
  // Destroys this stream, and the function with it.
  const std::function<void()> on_gone = on_gone_;
  on_gone();
}

void AdsStream::Tell(const SessionEvent& event) {
  if (seen_view_ != worker_.view->id) {
    seen_view_ = worker_.view->id;
    session_->Renew(worker_.view);
  }
  const SessionEffects effects = session_->Handle(SteadyNow(), event);
  NoteHeldBack(session_->held_back());
  Do(effects);
}

void AdsStream::NoteHeldBack(const HeldBack& now) {
  if (now == held_back_) return;
  worker_.counters.gauges().ReplaceHeldBack(held_back_, now);
  held_back_ = now;
}

void AdsStream::Do(const SessionEffects& effects) {
  for (const SessionEffect& effect : effects) {
    std::visit([this](const auto& order) { Do(order); }, effect);
  }
}

void AdsStream::Do(const SendResponse& response) {
  if (!session_.has_value()) return;
  ResponseEncoder& encoder =
      variant_ == Variant::kSotw ? worker_.sotw_encoder : worker_.delta_encoder;
  const EncodedResponse encoded = encoder.Encode(response);
  worker_.counters.CountBytes(response.type, encoded.size(), *worker_.view);
  call_->Write(BufferOf(encoded, worker_));
}

void AdsStream::Do(const EndStream& end) { Refuse(end.status); }

void AdsStream::Do(const WakeAt& wake) {
  if (!session_.has_value()) return;
  CancelTimer();
  timer_ = worker_.loop->StartTimer(wake.time - SteadyNow(), [this] {
    timer_.reset();
    Tell(TimeReached{});
  });
}

void AdsStream::Do(const Follow& follow) {
  if (session_.has_value()) worker_.interests.Follow(id_, follow.type, follow.name);
}

void AdsStream::Do(const Unfollow& unfollow) {
  worker_.interests.Unfollow(id_, unfollow.type, unfollow.name);
}

void AdsStream::Do(const CountSession& count) { worker_.counters.Count(count, *worker_.view); }

void AdsStream::Do(const ErrorsOutstanding& errors) {
  const auto [entry, is_new] = outstanding_.try_emplace(errors.type);
  Outstanding& outstanding = entry->second;
  if (is_new) outstanding.label = std::string(TypeLabel(errors.type, *worker_.view));
  outstanding.count += errors.by;
  worker_.counters.gauges().AddErrorsOutstanding(outstanding.label, errors.by);
  if (outstanding.count == 0) outstanding_.erase(entry);
}

void AdsStream::Do(const LogLine& line) { Log(line.severity, line.text); }

void AdsStream::Log(Severity severity, absl::string_view text) {
  if (worker_.log->Wants(severity, kComponent)) worker_.log->Log(severity, kComponent, text);
}

}  // namespace holdfast

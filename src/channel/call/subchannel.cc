#include "channel/call/subchannel.h"

#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <chrono>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/outside_text.h"
#include "channel/call/call_interceptor.h"

namespace holdfast {
namespace {

Connectivity ConnectivityOf(grpc_connectivity_state state) {
  switch (state) {
    case GRPC_CHANNEL_IDLE:
      return Connectivity::kIdle;
    case GRPC_CHANNEL_CONNECTING:
      return Connectivity::kConnecting;
    case GRPC_CHANNEL_READY:
      return Connectivity::kReady;
    case GRPC_CHANNEL_TRANSIENT_FAILURE:
    case GRPC_CHANNEL_SHUTDOWN:
      break;
  }
  return Connectivity::kTransientFailure;
}

// "failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:9: Failed to connect to
// remote host: Connection refused": what comes after gRPC's own preface.
absl::Status WhyOf(const grpc::Status& failed, absl::string_view target) {
  const std::string message = failed.error_message();
  absl::string_view text = message;
  if (const size_t last = text.find("last error: "); last != absl::string_view::npos) {
    text.remove_prefix(last);
    absl::ConsumePrefix(&text, "last error: ");
    for (absl::string_view code : {"UNKNOWN: ", "UNAVAILABLE: ", "INTERNAL: "}) {
      absl::ConsumePrefix(&text, code);
    }
  }
  // gRPC's words where it has an address, and cannot make a connection with these credentials.
  const bool is_address = absl::StartsWith(target, "ipv4:") || absl::StartsWith(target, "ipv6:");
  if (is_address && absl::StartsWith(text, "empty address list")) {
    text =
        "the channel credentials cannot be used: a root certificate, certificate or key of theirs "
        "is no valid PEM (gRPC's own log has more)";
  }
  constexpr size_t kMostWhyBytes = 500;
  const std::string bounded = BoundedText(text, kMostWhyBytes);
  if (absl::StrContains(bounded, target)) return absl::UnavailableError(bounded);
  return absl::UnavailableError(absl::StrCat(target, ": ", bounded));
}

}  // namespace

// Fails at once with the reason why the channel is failing; should the channel have recovered
// meanwhile, it reaches a server that does not know the method, and says nothing. Only a service
// config among the user's arguments can hold it up, by retrying it.
class Subchannel::FailureCall final : public Completion {
 public:
  static void Start(std::shared_ptr<Subchannel> owner) {
    auto* const call = new FailureCall(std::move(owner));
    call->context_.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(1));
    // Said, and not left to a service config among the user's arguments.
    call->context_.set_wait_for_ready(false);
    const WithoutInterceptors unseen;
    grpc::GenericStub stub(call->owner_->channel_);
    const grpc::Slice nothing;
    call->reader_ = stub.PrepareUnaryCall(&call->context_, "/holdfast.Connection/Why",
                                          grpc::ByteBuffer(&nothing, 1), call->owner_->queue_);
    call->reader_->StartCall();
    call->reader_->Finish(&call->reply_, &call->status_, static_cast<Completion*>(call));
  }

  void Done(bool) override {
    const std::unique_ptr<FailureCall> self(this);
    if (status_.error_code() == grpc::StatusCode::UNAVAILABLE) {
      owner_->OnWhy(WhyOf(status_, owner_->target_));
    } else if (status_.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
      owner_->OnNoWhy();
    }
  }

 private:
  explicit FailureCall(std::shared_ptr<Subchannel> owner) : owner_(std::move(owner)) {}

  const std::shared_ptr<Subchannel> owner_;
  grpc::ClientContext context_;
  grpc::ByteBuffer reply_;
  grpc::Status status_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<grpc::ByteBuffer>> reader_;
};

Subchannel::Subchannel(std::string target, std::shared_ptr<grpc::Channel> channel,
                       grpc::CompletionQueue* queue)
    : target_(std::move(target)), queue_(queue), channel_(std::move(channel)) {}

Subchannel::ListenerId Subchannel::AddListener(Listener listener) {
  const ListenerId id = listener_ids_.Next();
  const auto [added, is_new] = listeners_.emplace(id, std::move(listener));
  if (!notification_.is_pending()) Watch();
  if (told_ != Connectivity::kIdle) added->second(told_, told_why_);
  return id;
}

bool Subchannel::RemoveListener(ListenerId listener) {
  listeners_.erase(listener);
  if (!listeners_.empty()) return false;
  channel_.reset();
  return true;
}

void Subchannel::Connect() {
  if (channel_ != nullptr) channel_->GetState(true);
}

void Subchannel::Watch() {
  auto until = std::chrono::system_clock::time_point::max();
  // An attempt that fails after another one changes no state, but maybe the reason.
  constexpr std::chrono::seconds kReasonIsFresh(5);
  if (last_known_ == GRPC_CHANNEL_TRANSIENT_FAILURE) {
    until = std::chrono::system_clock::now() + kReasonIsFresh;
  }
  channel_->NotifyOnStateChange(last_known_, until, queue_,
                                notification_.Begin(shared_from_this()));
}

void Subchannel::OnChanged(bool) {
  if (channel_ == nullptr) return;
  last_known_ = channel_->GetState(false);
  if (last_known_ == GRPC_CHANNEL_TRANSIENT_FAILURE) {
    FailureCall::Start(shared_from_this());
  } else {
    Tell(ConnectivityOf(last_known_), absl::OkStatus());
  }
  if (channel_ != nullptr) Watch();
}

void Subchannel::OnWhy(const absl::Status& why) {
  if (channel_ == nullptr || last_known_ != GRPC_CHANNEL_TRANSIENT_FAILURE) return;
  if (told_ == Connectivity::kTransientFailure && told_why_ == why) return;
  Tell(Connectivity::kTransientFailure, why);
}

void Subchannel::OnNoWhy() {
  // An older reason is better than none.
  if (told_ == Connectivity::kTransientFailure) return;
  OnWhy(absl::UnavailableError(
      absl::StrCat(target_,
                   ": cannot be reached; gRPC did not say why within 1s, which a service config "
                   "that retries calls may prevent")));
}

void Subchannel::Tell(Connectivity state, absl::Status why) {
  told_ = state;
  told_why_ = std::move(why);
  // A listener may go, or another come, while they are told.
  std::vector<ListenerId> ids;
  for (const auto& [id, listener] : listeners_) ids.push_back(id);
  for (ListenerId id : ids) {
    const auto found = listeners_.find(id);
    if (found == listeners_.end()) continue;
    const Listener listener = found->second;
    listener(told_, told_why_);
  }
}

}  // namespace holdfast

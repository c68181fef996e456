#include "runtime/grpc_ads_transport.h"

#include <grpc/grpc.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/channel_arguments.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/outside_text.h"
#include "runtime/ads_call.h"
#include "runtime/connection_watch.h"

namespace holdfast {
namespace {

int ToMilliseconds(absl::Duration duration) {
  return static_cast<int>(
      std::clamp<int64_t>(absl::ToInt64Milliseconds(duration), 1, std::numeric_limits<int>::max()));
}

std::shared_ptr<grpc::Channel> MakeChannel(const GrpcAdsTransportOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(options.most_response_bytes);
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, ToMilliseconds(options.keepalive_time));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 0);
  // Otherwise a stream on which nothing happens would be probed twice and then never again.
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // A service config could make calls wait, or retry behind our back.
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  // A connection of our own: nobody else's channel to the same address can fill or break it.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  if (!options.user_agent_prefix.empty()) {
    arguments.SetUserAgentPrefix(options.user_agent_prefix);
  }
  return grpc::CreateCustomChannel(options.server_uri, options.credentials, arguments);
}

class GrpcAdsTransport final : public AdsTransport, private AdsCall::Owner {
 public:
  GrpcAdsTransport(ControlLoop& loop, const GrpcAdsTransportOptions& options, Listener& listener)
      : loop_(loop),
        server_uri_(options.server_uri),
        listener_(listener),
        channel_(MakeChannel(options)),
        has_target_(channel_->GetState(/*try_to_connect=*/false) == GRPC_CHANNEL_IDLE),
        stub_(channel_),
        watch_(std::make_shared<ConnectionWatch>(channel_, loop.queue(),
                                                 [this] { listener_.OnChannelReady(); })) {}

  ~GrpcAdsTransport() override {
    HOLDFAST_CHECK(loop_.IsLoopThread());
    if (call_ != nullptr) call_->Abandon();
    watch_->Abandon();
  }

  void Open(StreamId stream) override {
    HOLDFAST_CHECK(loop_.IsLoopThread());
    HOLDFAST_CHECK(call_ == nullptr);
    watch_->Stop();
    stream_ = stream;
    call_ = AdsCall::Start(stub_, loop_.queue(), *this);
  }

  void Send(StreamId stream, std::string message) override { OpenCall(stream).Send(message); }

  void Read(StreamId stream) override { OpenCall(stream).Read(); }

  void Close(StreamId stream) override {
    OpenCall(stream).Abandon();
    call_ = nullptr;
    if (has_target_) watch_->Start(/*is_failing=*/false);
  }

 private:
  AdsCall& OpenCall(StreamId stream) {
    HOLDFAST_CHECK(loop_.IsLoopThread());
    HOLDFAST_CHECK(call_ != nullptr && stream == stream_);
    return *call_;
  }

  void OnCallSent() override { listener_.OnSent(stream_); }

  void OnCallMessage(absl::Span<const absl::string_view> pieces) override {
    listener_.OnMessage(stream_, pieces);
  }

  void OnCallEnded(const absl::Status& status, bool was_started) override {
    call_ = nullptr;
    // In the meantime the channel may have got the connection that the call had not.
    const bool is_failing =
        (!was_started && absl::IsUnavailable(status)) ||
        channel_->GetState(/*try_to_connect=*/false) == GRPC_CHANNEL_TRANSIENT_FAILURE;
    if (has_target_) watch_->Start(is_failing);
    // Last: the listener may open the next stream, or destroy us.
    listener_.OnClosed(stream_, has_target_ ? status : WithoutTarget(status), is_failing);
  }

  // gRPC tells only its log what is wrong with a target.
  absl::Status WithoutTarget(const absl::Status& status) const {
    return absl::Status(status.code(), absl::StrCat("server_uri: no target that gRPC can use (got ",
                                                    Quoted(server_uri_), "): ", status.message()));
  }

  ControlLoop& loop_;
  const std::string server_uri_;
  Listener& listener_;
  const std::shared_ptr<grpc::Channel> channel_;
  // A new channel is idle; only what gRPC makes of a URI that it cannot read has failed already.
  const bool has_target_;
  grpc::GenericStub stub_;
  const std::shared_ptr<ConnectionWatch> watch_;
  StreamId stream_;                // the last that was opened
  std::shared_ptr<AdsCall> call_;  // null: it is closed
};

}  // namespace

std::unique_ptr<AdsTransport> MakeGrpcAdsTransport(ControlLoop& loop,
                                                   const GrpcAdsTransportOptions& options,
                                                   AdsTransport::Listener& listener) {
  HOLDFAST_CHECK(loop.IsLoopThread());
  HOLDFAST_CHECK(options.credentials != nullptr);
  return std::make_unique<GrpcAdsTransport>(loop, options, listener);
}

}  // namespace holdfast

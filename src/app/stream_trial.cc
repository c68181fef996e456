#include "app/stream_trial.h"

#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>

#include <chrono>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "runtime/channel_credentials.h"

namespace holdfast {
namespace {

using std::chrono::system_clock;

constexpr char kMethod[] =
    "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";
constexpr std::chrono::milliseconds kConnects{1500};
constexpr std::chrono::milliseconds kStands{500};

std::string Words(const grpc::Status& status) {
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  // A stream that ends well has ended, too.
  return absl::StrCat(absl::StatusCodeToString(code), status.error_message().empty() ? "" : ": ",
                      status.error_message());
}

class Trial {
 public:
  Trial(const std::string& uri, const std::shared_ptr<grpc::ChannelCredentials>& credentials)
      : stub_(grpc::CreateCustomChannel(uri, credentials, Arguments())),
        call_(stub_.PrepareCall(&context_, kMethod, &queue_)) {}

  std::string Result() && {
    call_->StartCall(&started_);
    const bool has_started = Waits(kConnects);
    call_->Finish(&status_, &finished_);
    const bool has_ended = has_started && Waits(kStands);
    if (!has_ended) context_.TryCancel();
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
    }
    if (!has_started) return "it accepts connections, and opens no stream within 1.5s";
    return has_ended ? Words(status_) : "";
  }

 private:
  static grpc::ChannelArguments Arguments() {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return arguments;
  }

  // For one operation to end, well or not.
  bool Waits(std::chrono::milliseconds patience) {
    void* tag = nullptr;
    bool ok = false;
    return queue_.AsyncNext(&tag, &ok, system_clock::now() + patience) ==
           grpc::CompletionQueue::GOT_EVENT;
  }

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  grpc::Status status_;
  char started_ = 0, finished_ = 0;  // whose addresses are tags
};

}  // namespace

std::string TryStream(const XdsServerConfig& server) {
  const auto credentials = MakeChannelCredentials(server);
  if (!credentials.ok()) return std::string(credentials.status().message());
  return Trial(server.server_uri, *credentials).Result();
}

}  // namespace holdfast

#include "channel/call/idle_channels.h"

#include <grpc/grpc_security.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <string>

#include "channel/call/grpc_access.h"

namespace holdfast {
namespace {

// Nobody connects to it. It is what a call that went nowhere has as its peer.
constexpr char kNowhere[] = "unix:no-endpoint";

grpc::Channel& IdleChannel() {
  static auto* const channel = new std::shared_ptr<grpc::Channel>([] {
    // The C functions need it; grpc::Channel would do it itself, but only afterwards.
    grpc_init();
    grpc_channel* const lame = grpc_lame_client_channel_create(
        "holdfast-idle", GRPC_STATUS_INTERNAL, "nothing is ever sent on this channel");
    return grpc::CreateChannelInternal(/*host=*/"", lame, /*interceptor_creators=*/{});
  }());
  return **channel;
}

std::shared_ptr<grpc::Channel> MakeFailChannel(const SharedInterceptors& applications) {
  grpc::ChannelArguments arguments;
  // A call that was cancelled before its start is not tried again; this only saves the machinery.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  return grpc::experimental::CreateCustomChannelWithInterceptors(
      kNowhere, grpc::InsecureChannelCredentials(), arguments,
      InterceptorsForConnection(applications));
}

}  // namespace

void* RegisteredMethod(const char* method) {
  return GrpcAccess::RegisterMethod(IdleChannel(), method);
}

grpc::CompletionQueue* SharedCallbackQueue() { return GrpcAccess::CallbackQueue(IdleChannel()); }

grpc_channel* PlaceholderChannel() {
  static grpc_channel* const channel = [] {
    grpc_init();
    grpc_arg no_retries{GRPC_ARG_INTEGER, const_cast<char*>(GRPC_ARG_ENABLE_RETRIES), {}};
    no_retries.value.integer = 0;
    // No minimal stack: without the deadline filter no deadline of a placeholder would ever pass.
    const grpc_channel_args arguments{1, &no_retries};
    grpc_channel_credentials* const credentials = grpc_insecure_credentials_create();
    grpc_channel* const made = grpc_channel_create(kNowhere, credentials, &arguments);
    grpc_channel_credentials_release(credentials);
    return made;
  }();
  return channel;
}

std::shared_ptr<grpc::Channel> FailChannel(const SharedInterceptors& applications) {
  if (!applications.empty()) return MakeFailChannel(applications);
  static auto* const shared = new std::shared_ptr<grpc::Channel>(MakeFailChannel({}));
  return *shared;
}

}  // namespace holdfast

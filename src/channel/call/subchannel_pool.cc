#include "channel/call/subchannel_pool.h"

#include <grpc/grpc.h>
#include <grpcpp/create_channel.h>

#include <limits>

#include "channel/call/call_interceptor.h"

namespace holdfast {
namespace {

bool HasArgument(const grpc::ChannelArguments& arguments, absl::string_view key) {
  const grpc_channel_args all = arguments.c_channel_args();
  for (size_t i = 0; i < all.num_args; ++i) {
    if (key == all.args[i].key) return true;
  }
  return false;
}

grpc::ChannelArguments ArgumentsOf(const ChannelOptions& options, const std::string& authority) {
  grpc::ChannelArguments arguments = options.arguments;
  if (!HasArgument(arguments, GRPC_ARG_DEFAULT_AUTHORITY)) {
    arguments.SetString(GRPC_ARG_DEFAULT_AUTHORITY, authority);
  }
  // An endpoint is reached as the control plane says, whatever http_proxy says.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // When a connection is no longer needed is for load balancing to say.
  arguments.SetInt(GRPC_ARG_CLIENT_IDLE_TIMEOUT_MS, std::numeric_limits<int>::max());
  // A DNS name has addresses, and nothing else to say.
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  return arguments;
}

}  // namespace

SubchannelPool::SubchannelPool(ControlLoop& loop,
                               std::shared_ptr<grpc::ChannelCredentials> credentials,
                               const ChannelOptions& options, const std::string& authority)
    : loop_(loop),
      credentials_(std::move(credentials)),
      arguments_(ArgumentsOf(options, authority)),
      interceptors_(options.interceptors) {}

std::shared_ptr<Subchannel> SubchannelPool::Get(const std::string& target) {
  std::shared_ptr<Subchannel>& subchannel = by_target_[target];
  if (subchannel == nullptr) {
    subchannel = std::make_shared<Subchannel>(
        target,
        grpc::experimental::CreateCustomChannelWithInterceptors(
            target, credentials_, arguments_, InterceptorsForConnection(interceptors_)),
        loop_.queue());
  }
  return subchannel;
}

void SubchannelPool::Leave(const std::shared_ptr<Subchannel>& subchannel,
                           Subchannel::ListenerId listener) {
  const std::shared_ptr<Subchannel> kept = subchannel;
  if (kept->RemoveListener(listener)) by_target_.erase(kept->target());
}

}  // namespace holdfast

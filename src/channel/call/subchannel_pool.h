// The connections of one channel, by address: clusters that name the same endpoint share one.
//
// On the loop thread only.
#pragma once

#include <grpcpp/security/credentials.h>

#include <map>
#include <memory>
#include <string>

#include "channel/call/subchannel.h"
#include "holdfast/grpc/channel.h"
#include "runtime/control_loop.h"

namespace holdfast {

class SubchannelPool {
 public:
  SubchannelPool(ControlLoop& loop, std::shared_ptr<grpc::ChannelCredentials> credentials,
                 const ChannelOptions& options, const std::string& authority);

  // The one to `target`, made if there is none.
  std::shared_ptr<Subchannel> Get(const std::string& target);
  // `listener` no longer cares.
  void Leave(const std::shared_ptr<Subchannel>& subchannel, Subchannel::ListenerId listener);

 private:
  ControlLoop& loop_;
  const std::shared_ptr<grpc::ChannelCredentials> credentials_;
  grpc::ChannelArguments arguments_;
  const std::vector<std::shared_ptr<grpc::experimental::ClientInterceptorFactoryInterface>>
      interceptors_;
  std::map<std::string, std::shared_ptr<Subchannel>> by_target_;
};

}  // namespace holdfast

// Channels on a client of one's own, instead of the process's.
#pragma once

#include <memory>
#include <string>

#include "holdfast/grpc/channel.h"
#include "holdfast/xds/bootstrap.h"
#include "holdfast/xds/client.h"

namespace holdfast {

// As CreateChannel. `client` was made with this bootstrap.
std::shared_ptr<grpc::ChannelInterface> CreateChannelOn(
    std::shared_ptr<XdsClient> client, const Bootstrap& bootstrap, const std::string& target,
    std::shared_ptr<grpc::ChannelCredentials> credentials, const ChannelOptions& options = {});

}  // namespace holdfast

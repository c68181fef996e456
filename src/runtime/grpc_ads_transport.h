// The port to an xDS server over gRPC: one channel with its own connection, at most one stream.
//
// Streams do not wait for a connection (R4.32): one that cannot be had ends the stream, with gRPC's
// reason in the status, and OnChannelReady tells when to try again. A stream that ends while no
// message is asked for is reported when the next one is.
#pragma once

#include <grpcpp/security/credentials.h>

#include <memory>
#include <string>

#include "absl/time/time.h"
#include "runtime/ads_transport.h"
#include "runtime/control_loop.h"

namespace holdfast {

struct GrpcAdsTransportOptions {
  std::string server_uri;
  std::shared_ptr<grpc::ChannelCredentials> credentials;
  // A longer response ends the stream with RESOURCE_EXHAUSTED. gRPC's own limit, 4 MiB, is too
  // little for ordinary fleets.
  int most_response_bytes = 256 * 1024 * 1024;
  // Only while a stream is open.
  absl::Duration keepalive_time = absl::Minutes(5);
  std::string user_agent_prefix;
};

// On the loop thread. `loop` and `listener` must outlive the transport.
std::unique_ptr<AdsTransport> MakeGrpcAdsTransport(ControlLoop& loop,
                                                   const GrpcAdsTransportOptions& options,
                                                   AdsTransport::Listener& listener);

}  // namespace holdfast

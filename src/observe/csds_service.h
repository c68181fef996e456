// envoy.service.status.v3.ClientStatusDiscoveryService over gRPC (gRFC A40).
//
// One answer for each request, as a call or on a stream; nobody is told of changes. Thread-safe.
// Calls run on gRPC's callback threads and hold none while they wait for the peer.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "envoy/service/status/v3/csds.grpc.pb.h"
#include "xds/client_status.h"

namespace holdfast {

// The clients of this process as they are now. Called from many threads; must not block for long.
using ClientSource = std::function<std::vector<ClientStatus>()>;

// What the generated code offers for handlers that read and write bytes themselves: our answers are
// bytes already.
using RawStatusService = envoy::service::status::v3::ClientStatusDiscoveryService::
    WithRawCallbackMethod_FetchClientStatus<
        envoy::service::status::v3::ClientStatusDiscoveryService::
            WithRawCallbackMethod_StreamClientStatus<
                envoy::service::status::v3::ClientStatusDiscoveryService::Service>>;

class CsdsService final : public RawStatusService {
 public:
  explicit CsdsService(ClientSource clients) : clients_(std::move(clients)) {}

  grpc::ServerUnaryReactor* FetchClientStatus(grpc::CallbackServerContext* context,
                                              const grpc::ByteBuffer* request,
                                              grpc::ByteBuffer* response) override;
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* StreamClientStatus(
      grpc::CallbackServerContext* context) override;

 private:
  const ClientSource clients_;
};

}  // namespace holdfast

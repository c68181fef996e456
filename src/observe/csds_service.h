// envoy.service.status.v3.ClientStatusDiscoveryService over gRPC (gRFC A40).
//
// One answer for each request, as a call or on a stream; nobody is told of changes. Thread-safe.
// Calls run on gRPC's callback threads and hold none while they wait for the peer.
#pragma once

#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "envoy/service/status/v3/csds.grpc.pb.h"
#include "xds/client_status.h"

namespace holdfast {

// The clients of this process as they are now; or why nobody can say, which is what the asker is
// told. Called from many threads; must not block for long.
using ClientSource = std::function<absl::StatusOr<std::vector<ClientStatus>>()>;

// What the generated code offers for handlers that read and write bytes themselves: our answers are
// bytes already.
using RawStatusService = envoy::service::status::v3::ClientStatusDiscoveryService::
    WithRawCallbackMethod_FetchClientStatus<
        envoy::service::status::v3::ClientStatusDiscoveryService::
            WithRawCallbackMethod_StreamClientStatus<
                envoy::service::status::v3::ClientStatusDiscoveryService::Service>>;

class CsdsService final : public RawStatusService {
 public:
  // How many are answered at the same time. An answer may be large, and whoever reaches the port
  // may ask: with kOne, those who come meanwhile are told RESOURCE_EXHAUSTED.
  enum class AtATime { kMany, kOne };

  explicit CsdsService(ClientSource clients, AtATime at_a_time = AtATime::kMany)
      : clients_(std::move(clients)), at_a_time_(at_a_time) {}

  grpc::ServerUnaryReactor* FetchClientStatus(grpc::CallbackServerContext* context,
                                              const grpc::ByteBuffer* request,
                                              grpc::ByteBuffer* response) override;
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* StreamClientStatus(
      grpc::CallbackServerContext* context) override;

  grpc::Status Answer(const grpc::ByteBuffer& request, grpc::ByteBuffer& response);

 private:
  const ClientSource clients_;
  const AtATime at_a_time_;
  std::atomic<bool> is_answering_ = false;
};

}  // namespace holdfast

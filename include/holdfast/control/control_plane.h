// A control plane inside your own gRPC server: xDS over ADS, state of the world and delta, and with
// xRFC TP3 an answer where others stay silent.
//
//   auto plane = holdfast::ControlPlane::Create({});
//   grpc::ServerBuilder builder;
//   (*plane)->Register(&builder);
//   auto server = builder.BuildAndStart();
//   (*plane)->Commit(std::move(change));   // reaches every client that asked for it
//   ...
//   (*plane)->Drain();                     // streams end, clients go elsewhere
//   server->Shutdown();                    // then the server, then the control plane
//
// Thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "holdfast/control/client_report.h"
#include "holdfast/control/resource_report.h"
#include "holdfast/control/transaction.h"
#include "holdfast/export.h"
#include "holdfast/xds/log.h"
#include "holdfast/xds/metrics.h"

namespace grpc {
class ServerBuilder;
}

namespace holdfast {

// How well the control plane is.
struct ControlPlaneHealth {
  // There is a configuration to serve. Until then clients are told UNAVAILABLE, or nothing.
  bool is_serving = false;
  // All of the source was read.
  bool is_synced = false;
  CommitId commit{};
  // What is wrong with the configuration, a line each. What is not named here is served.
  std::vector<std::string> problems;
};

// How often clients hear a TP3 error of a listener or cluster. For all other types, once.
enum class ResourceErrors {
  kOn,    // with every response: gRPC's C++ core takes an error that is not repeated for a deletion
  kOnce,  // once a subscription, as TP3 has it
  kOff,   // never: clients find out by their timers
};

struct ControlPlaneOptions {
  // A directory of YAML and JSON files to serve. Empty: what Commit() says.
  std::string config_directory;
  // Where the last good configuration is kept over restarts; "" means config_directory/.holdfast.
  std::string state_directory;
  // A FileDescriptorSet with the messages that the files use; "" means the installed one.
  std::string protoset;

  ResourceErrors resource_errors = ResourceErrors::kOn;
  // How long a client waits for an answer about a name that nobody knows yet, because the source
  // has not been read (before the first Commit(), or the directory at start). Then it is told
  // UNAVAILABLE, and the truth when that is known. Keep it below the 15 s after which clients
  // decide for themselves. 0 or less: they are told at once.
  std::chrono::milliseconds hold = std::chrono::seconds(2);
  // "web-1" in DiscoveryResponse.control_plane; "" means "holdfast".
  std::string identifier;

  // What a client may ask for. Beyond it a stream ends with RESOURCE_EXHAUSTED and the limit's
  // name.
  size_t most_streams_per_connection = 100;
  size_t most_names = 50'000;  // a stream and type
  size_t most_node_bytes = size_t{64} << 10;
  size_t most_message_bytes = size_t{256} << 20;

  // Whether the server offers CSDS for the clients of this control plane. A server that has CSDS
  // already, by AddAdminServices(), cannot have it twice.
  bool serve_client_status = true;

  // Threads that serve streams; 0 means one a core.
  size_t workers = 0;

  LogSink* log = nullptr;               // null: StderrLog(). Must outlive the control plane.
  std::shared_ptr<MetricSink> metrics;  // called from every worker: thread-safe

  // Called after each change of what is served, one at a time, from the thread that made it; from
  // Create() the first time. Must not block, nor call Commit().
  std::function<void(const ControlPlaneHealth&)> on_change;
};

class HOLDFAST_EXPORT ControlPlane {
 public:
  // INVALID_ARGUMENT, NOT_FOUND or PERMISSION_DENIED, with the reason, if the directory or the
  // protoset cannot be read. A file in the directory that cannot be is no reason: see Health().
  static absl::StatusOr<std::unique_ptr<ControlPlane>> Create(ControlPlaneOptions options);

  // Ends all streams, as Drain() does with no patience. May go before the server it was registered
  // with, which then tells every client UNAVAILABLE, or after it.
  virtual ~ControlPlane() = default;

  // Adds the ADS service, CSDS and keepalive. Once for each control plane, which must live until
  // the server is built.
  //
  // The builder is yours, and so are the limits of the whole server. gRPC's own on the size of
  // messages (4 MiB) is lifted, for all services, unless SetMaxReceiveMessageSize() says otherwise:
  // it is looked at only when a message is in memory, and so is most_message_bytes, which is said
  // of ADS in its own words. Compressed messages are inflated before that, however large they
  // become: SetCompressionAlgorithmSupportStatus() refuses them, as `holdfast serve` does.
  virtual void Register(grpc::ServerBuilder* builder) = 0;

  // Takes effect as a whole, or not at all. With `expected`, only if that is the newest commit:
  // else ABORTED, and nothing has changed. FAILED_PRECONDITION if a directory is served.
  // INVALID_ARGUMENT, naming what is wrong, for a change that can be served to nobody.
  virtual absl::StatusOr<CommitId> Commit(Transaction change,
                                          std::optional<CommitId> expected = std::nullopt) = 0;

  virtual ControlPlaneHealth Health() const = 0;

  // The clients that are connected now, and what they have made of what they were sent. Asks every
  // worker and waits for 2 seconds; of those that are busy for longer nothing is there, and the
  // report is incomplete. So it is, at once, if a worker asks: from `log` or `metrics`. The same
  // for the next two.
  virtual ClientsReport Clients(const ClientQuery& query = {}) const = 0;
  // What is served, and how far it has come.
  virtual ResourcesReport Resources(const ResourceQuery& query = {}) const = 0;
  // What clients get errors for, by type and name.
  virtual ErrorsReport Errors() const = 0;

  // Ends every stream with UNAVAILABLE and takes no new ones, so that clients move to another
  // server. Returns when all have ended; those that have not after `patience` are cut off. An open
  // stream keeps grpc::Server::Shutdown() waiting, so this comes before it.
  virtual void Drain(std::chrono::milliseconds patience = std::chrono::seconds(5)) = 0;
};

}  // namespace holdfast

// One xDS client: turns the world into events for the protocol, and carries out what it orders.
//
//   loop thread      protocol.Handle, transport, timers, metrics, log
//   delivery thread  calls to watchers, in order
//   any thread       StartWatch, CancelWatch, Snapshot, Shutdown
//
// Decisions are the protocol's (client/protocol); here is no rule of xDS.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "bootstrap/xds_server_config.h"
#include "client/protocol/ids.h"
#include "client/protocol/protocol.h"
#include "holdfast/xds/bootstrap.h"
#include "holdfast/xds/client.h"
#include "runtime/ads_transport.h"
#include "runtime/control_loop.h"
#include "runtime/delivery_thread.h"
#include "xds/any_resource_type.h"
#include "xds/client_status.h"

namespace holdfast {

struct ResourceUpdate {
  std::shared_ptr<const ResourceValue> value;
  std::string version;
  std::string server;
};

// The watcher of a resource of any type; the contract of Watcher<T>.
class AnyWatcher {
 public:
  virtual ~AnyWatcher() = default;
  virtual void OnResourceChanged(absl::StatusOr<ResourceUpdate> update) = 0;
  virtual void OnAmbientError(absl::Status status, const std::string& server) = 0;
};

// What a client is made of, besides its options; tests bring their own.
struct ClientParts {
  using TransportFactory =
      std::function<std::unique_ptr<AdsTransport>(ControlLoop&, AdsTransport::Listener&)>;

  ControlLoop* loop;  // outlives the client
  TransportFactory make_transport;
  bool data_error_handling = true;
  uint64_t seed = 0;
};

class ClientCore final : public std::enable_shared_from_this<ClientCore>,
                         public GaugeSource,
                         private AdsTransport::Listener {
 public:
  // As XdsClient::Create.
  static absl::StatusOr<std::shared_ptr<ClientCore>> Create(const Bootstrap& bootstrap,
                                                            const XdsClientOptions& options);
  static std::shared_ptr<ClientCore> Create(const Bootstrap& bootstrap,
                                            const XdsClientOptions& options, ClientParts parts);

  // What is behind the public handle.
  static std::shared_ptr<ClientCore> Of(const XdsClient& client) { return client.core_; }

  ClientCore(ProtocolOptions protocol, const XdsClientOptions& options, ClientParts parts);
  ~ClientCore() override;

  // `type` outlives the client.
  WatchId StartWatch(const AnyResourceType& type, std::string name,
                     std::shared_ptr<AnyWatcher> watcher);
  // The contract of Watch::Cancel.
  void CancelWatch(WatchId watch);

  // The adapter of a user's type, always the same for an object.
  const AnyResourceType& Adapt(const ErasedResourceType& type);

  // Closes the stream without waiting, and no call to a watcher begins afterwards. Once is enough,
  // twice is harmless; without it a client lives for good.
  void Shutdown();

  bool is_shut_down() const;

  ClientSnapshot Snapshot() const;
  ClientStatus Report() const;
  std::vector<GaugeValue> ReadGauges() const override;

 private:
  class Slot;
  struct Deliveries;

  // News, on the loop thread.
  void OnSent(StreamId stream) override;
  void OnMessage(StreamId stream, absl::Span<const absl::string_view> pieces) override;
  void OnClosed(StreamId stream, const absl::Status& status, bool is_channel_failing) override;
  void OnChannelReady() override;
  void Tell(const Event& event);

  // Orders, on the loop thread.
  void Carry(Effects effects, const Event& cause);
  void Do(OpenStream& order, Deliveries& deliveries);
  void Do(CloseStream& order, Deliveries& deliveries);
  void Do(SendRequest& order, Deliveries& deliveries);
  void Do(ReadNext& order, Deliveries& deliveries);
  void Do(StartTimer& order, Deliveries& deliveries);
  void Do(CancelTimer& order, Deliveries& deliveries);
  void Do(DeliverResource& order, Deliveries& deliveries);
  void Do(DeliverError& order, Deliveries& deliveries);
  void Do(DeliverAmbientError& order, Deliveries& deliveries);
  void Do(Count& order, Deliveries& deliveries);
  void Do(Log& order, Deliveries& deliveries);
  std::shared_ptr<Slot> SlotOf(WatchId watch) const;

  const std::string key_;
  const std::string server_uri_;
  const Node node_;
  LogSink& log_;
  const std::shared_ptr<MetricSink> metrics_;
  const ClientParts parts_;
  DeliveryThread delivery_;

  mutable std::mutex protocol_mutex_;  // held while the protocol decides, and for a snapshot
  Protocol protocol_;

  mutable std::mutex watches_mutex_;
  std::map<WatchId, std::shared_ptr<Slot>> watches_;
  IdSource<WatchId> watch_ids_;
  std::map<const ErasedResourceType*, std::unique_ptr<AnyResourceType>> adapted_;
  bool is_shut_down_ = false;

  // Of the loop thread alone.
  std::unique_ptr<AdsTransport> transport_;  // from the first stream on
  bool is_over_ = false;
  std::map<TimerId, ControlLoop::LoopTimerId> timers_;
};

}  // namespace holdfast

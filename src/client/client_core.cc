#include "client/client_core.h"

#include <deque>
#include <optional>
#include <sstream>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/check.h"
#include "base/error_detail.h"
#include "base/outside_text.h"
#include "client/erased_type.h"
#include "wire/ads.h"
#include "wire/envelope.h"
#include "xds/gauges.h"

namespace holdfast {
namespace {

constexpr absl::string_view kComponent = "client";
// It quotes names and versions of both sides.
constexpr size_t kMostDebugLine = size_t{64} << 10;

// A transport that could not be taken down on its loop, because the loop stopped with the process.
void LeaveToTheEndOfTheProcess(std::unique_ptr<AdsTransport> transport) {
  static auto& left = *new std::vector<std::unique_ptr<AdsTransport>>();
  static auto& mutex = *new std::mutex();
  const std::lock_guard lock(mutex);
  left.push_back(std::move(transport));
}

}  // namespace

// A watcher, until its watch is cancelled.
class ClientCore::Slot {
 public:
  explicit Slot(std::shared_ptr<AnyWatcher> watcher) : watcher_(std::move(watcher)) {}

  // The watcher for one call, which is thereby begun; null after Cancel.
  std::shared_ptr<AnyWatcher> BeginCall() {
    const std::lock_guard lock(mutex_);
    return watcher_;
  }

  void Cancel() {
    std::shared_ptr<AnyWatcher> released;  // destroyed without the lock: it is the user's
    const std::lock_guard lock(mutex_);
    released.swap(watcher_);
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<AnyWatcher> watcher_;
};

// The calls that one event causes, made together.
struct ClientCore::Deliveries {
  struct Call {
    std::shared_ptr<Slot> slot;
    // A value, or an error for OnResourceChanged; or, with is_ambient, a status.
    std::optional<ResourceUpdate> update;
    absl::Status status;
    bool is_ambient = false;
  };
  std::vector<Call> calls;
  // Set even where a watch was cancelled meanwhile and leaves no call: the protocol, which does not
  // know that yet, waits for the end of what it ordered.
  bool were_ordered = false;
  // Many watchers are often told one error: its status is made once.
  SharedError last_error;
  absl::Status last_status;

  const absl::Status& StatusOf(const SharedError& error) {
    if (error != last_error) {
      last_error = error;
      last_status = error == nullptr ? absl::OkStatus() : ToStatus(*error);
    }
    return last_status;
  }
};

ClientCore::ClientCore(ProtocolOptions protocol, const XdsClientOptions& options, ClientParts parts)
    : key_(options.key),
      server_uri_(protocol.server_uri),
      node_(protocol.node),
      log_(options.log != nullptr ? *options.log : StderrLog()),
      metrics_(options.metrics),
      parts_(std::move(parts)),
      protocol_(std::move(protocol)) {}

ClientCore::~ClientCore() {
  if (transport_ != nullptr) LeaveToTheEndOfTheProcess(std::move(transport_));
}

WatchId ClientCore::StartWatch(const AnyResourceType& type, std::string name,
                               std::shared_ptr<AnyWatcher> watcher) {
  HOLDFAST_CHECK(watcher != nullptr);
  WatchId watch;
  {
    const std::lock_guard lock(watches_mutex_);
    watch = watch_ids_.Next();
    if (is_shut_down_) return watch;
    watches_.emplace(watch, std::make_shared<Slot>(std::move(watcher)));
  }
  parts_.loop->Post([self = shared_from_this(), watch, &type, name = std::move(name)] {
    self->Tell(WatchStarted{watch, &type, name});
  });
  return watch;
}

void ClientCore::CancelWatch(WatchId watch) {
  std::shared_ptr<Slot> slot;
  {
    const std::lock_guard lock(watches_mutex_);
    const auto found = watches_.find(watch);
    if (found == watches_.end()) return;
    slot = std::move(found->second);
    watches_.erase(found);
  }
  slot->Cancel();
  parts_.loop->Post([self = shared_from_this(), watch] { self->Tell(WatchCancelled{watch}); });
}

const AnyResourceType& ClientCore::Adapt(const ErasedResourceType& type) {
  {
    const std::lock_guard lock(watches_mutex_);
    if (const auto known = adapted_.find(&type); known != adapted_.end()) return *known->second;
  }
  auto made = std::make_unique<ErasedTypeAdapter>(type);  // asks the user's type, so without a lock
  const std::lock_guard lock(watches_mutex_);
  return *adapted_.try_emplace(&type, std::move(made)).first->second;
}

bool ClientCore::is_shut_down() const {
  const std::lock_guard lock(watches_mutex_);
  return is_shut_down_;
}

void ClientCore::Shutdown() {
  std::map<WatchId, std::shared_ptr<Slot>> watches;
  {
    const std::lock_guard lock(watches_mutex_);
    if (is_shut_down_) return;
    is_shut_down_ = true;
    watches.swap(watches_);
  }
  for (const auto& [watch, slot] : watches) slot->Cancel();
  delivery_.Stop();
  parts_.loop->Post([self = shared_from_this()] {
    self->is_over_ = true;
    self->transport_ = nullptr;
    for (const auto& [timer, loop_timer] : self->timers_) {
      self->parts_.loop->CancelTimer(loop_timer);
    }
    self->timers_.clear();
  });
}

ClientSnapshot ClientCore::Snapshot() const {
  const std::lock_guard lock(protocol_mutex_);
  return protocol_.Snapshot();
}

ClientStatus ClientCore::Report() const { return {.snapshot = Snapshot(), .node = node_}; }

std::vector<GaugeValue> ClientCore::ReadGauges() const { return GaugesOf(Snapshot()); }

void ClientCore::OnSent(StreamId stream) { Tell(RequestSent{stream}); }

void ClientCore::OnMessage(StreamId stream, absl::Span<const absl::string_view> pieces) {
  const auto name_field_of = [this](absl::string_view type_name) {
    const AnyResourceType* const type = protocol_.TypeNamed(type_name);
    return type == nullptr ? 0 : type->name_field();
  };
  std::deque<std::string> joined;
  absl::StatusOr<DiscoveryResponse> response = ScanResponse(pieces, name_field_of, joined);
  if (response.ok()) {
    Tell(ResponseReceived{stream, *std::move(response)});
  } else {
    Tell(ResponseUnreadable{stream, response.status()});
  }
}

void ClientCore::OnClosed(StreamId stream, const absl::Status& status, bool is_channel_failing) {
  Tell(StreamClosed{stream, status, is_channel_failing});
}

void ClientCore::OnChannelReady() { Tell(ChannelReady{}); }

void ClientCore::Tell(const Event& event) {
  if (is_over_) return;
  Effects effects;
  {
    const std::lock_guard lock(protocol_mutex_);
    effects = protocol_.Handle(absl::Now(), event);
  }
  if (log_.Wants(Severity::kDebug, kComponent)) {
    std::ostringstream line;
    line << key_ << ": " << event;
    for (const Effect& effect : effects) line << " → " << effect;
    log_.Log(Severity::kDebug, kComponent, BoundedText(line.str(), kMostDebugLine));
  }
  Carry(std::move(effects), event);
}

void ClientCore::Carry(Effects effects, const Event& cause) {
  Deliveries deliveries;
  for (Effect& effect : effects) {
    std::visit([&](auto& order) { Do(order, deliveries); }, effect);
  }
  if (!deliveries.were_ordered) return;
  // The protocol waits with its next read until the watchers have handled this response.
  const auto* response = std::get_if<ResponseReceived>(&cause);
  const StreamId stream = response != nullptr ? response->stream : StreamId();
  delivery_.Post(
      [calls = std::move(deliveries.calls), server = server_uri_, stream, core = weak_from_this()] {
        for (const Deliveries::Call& call : calls) {
          const std::shared_ptr<AnyWatcher> watcher = call.slot->BeginCall();
          if (watcher == nullptr) continue;
          if (call.is_ambient) {
            watcher->OnAmbientError(call.status, server);
          } else if (call.update.has_value()) {
            watcher->OnResourceChanged(*call.update);
          } else {
            watcher->OnResourceChanged(call.status);
          }
        }
        const std::shared_ptr<ClientCore> self = stream.is_set() ? core.lock() : nullptr;
        if (self == nullptr) return;
        self->parts_.loop->Post([self, stream] { self->Tell(WatchersFinished{stream}); });
      });
}

void ClientCore::Do(OpenStream& order, Deliveries&) {
  if (transport_ == nullptr) transport_ = parts_.make_transport(*parts_.loop, *this);
  transport_->Open(order.stream);
}

void ClientCore::Do(CloseStream& order, Deliveries&) { transport_->Close(order.stream); }

void ClientCore::Do(SendRequest& order, Deliveries&) {
  transport_->Send(order.stream, Encode(order.request));
}

void ClientCore::Do(ReadNext& order, Deliveries&) { transport_->Read(order.stream); }

void ClientCore::Do(StartTimer& order, Deliveries&) {
  const TimerId timer = order.timer;
  timers_[timer] = parts_.loop->StartTimer(order.after, [core = weak_from_this(), timer] {
    const std::shared_ptr<ClientCore> self = core.lock();
    if (self == nullptr) return;
    self->timers_.erase(timer);
    self->Tell(TimerFired{timer});
  });
}

void ClientCore::Do(CancelTimer& order, Deliveries&) {
  const auto found = timers_.find(order.timer);
  if (found == timers_.end()) return;
  parts_.loop->CancelTimer(found->second);
  timers_.erase(found);
}

void ClientCore::Do(DeliverResource& order, Deliveries& deliveries) {
  deliveries.were_ordered = true;
  std::shared_ptr<Slot> slot = SlotOf(order.watch);
  if (slot == nullptr) return;
  deliveries.calls.push_back(
      {.slot = std::move(slot),
       .update = ResourceUpdate{std::move(order.value), std::move(order.version), server_uri_}});
}

void ClientCore::Do(DeliverError& order, Deliveries& deliveries) {
  deliveries.were_ordered = true;
  std::shared_ptr<Slot> slot = SlotOf(order.watch);
  if (slot == nullptr) return;
  deliveries.calls.push_back({.slot = std::move(slot), .status = deliveries.StatusOf(order.error)});
}

void ClientCore::Do(DeliverAmbientError& order, Deliveries& deliveries) {
  deliveries.were_ordered = true;
  std::shared_ptr<Slot> slot = SlotOf(order.watch);
  if (slot == nullptr) return;
  deliveries.calls.push_back(
      {.slot = std::move(slot), .status = deliveries.StatusOf(order.error), .is_ambient = true});
}

void ClientCore::Do(Count& order, Deliveries&) {
  if (metrics_ == nullptr) return;
  Labels labels = {{"grpc.target", key_}, {"grpc.xds.server", std::move(order.server)}};
  if (!order.type_name.empty()) labels["grpc.xds.resource_type"] = std::move(order.type_name);
  metrics_->AddToCounter(*order.counter, labels, order.by);
}

void ClientCore::Do(Log& order, Deliveries&) {
  log_.Log(order.severity, kComponent, absl::StrCat(key_, ": ", order.text));
}

std::shared_ptr<ClientCore::Slot> ClientCore::SlotOf(WatchId watch) const {
  const std::lock_guard lock(watches_mutex_);
  const auto found = watches_.find(watch);
  return found == watches_.end() ? nullptr : found->second;
}

}  // namespace holdfast

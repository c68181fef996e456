// The xDS client as a state machine: news in, orders out (gRFC A88, A57, A53, A46; xRFC TP3; state
// of the world; one server).
//
//   Effects effects = protocol.Handle(now, WatchStarted{watch, &ClusterType(), "pay"});
//
// The same events at the same times give the same effects in the same order. Nothing here knows a
// thread, a clock, a socket or a protobuf: time is an argument, chance is a seed, decoding is an
// injected AnyResourceType.
//
//   WatchStarted ─┐                        ┌─ DeliverResource, DeliverError, DeliverAmbientError
//   ResponseRec. ─┼─▶ cache entries ─Judge─┼─ SendRequest (subscribe, ACK, NACK)
//   StreamClosed ─┤   subscriptions        ├─ StartTimer, CancelTimer
//   TimerFired   ─┘   stream, backoff      └─ OpenStream, CloseStream, ReadNext, Count, Log
//
// What always holds, and the simulation checks:
// 1. What watchers were last told equals the cache (R3.08); an ambient error comes only after a
//    value.
// 2. One request in flight a stream; a request names every watched resource of its type.
// 3. A resource timer runs only for a watched resource without a value, named in a request that was
//    sent on the living stream.
// 4. News of a stream that was replaced, or of a timer that was cancelled, changes nothing.
// 5. After each response the next read is ordered, at once or when the watchers are done.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/protocol/effects.h"
#include "client/protocol/events.h"
#include "holdfast/xds/snapshot.h"
#include "xds/node.h"
#include "xds/server_features.h"

namespace holdfast {

struct ProtocolOptions {
  std::string key = "xds_client";
  std::string server_uri;
  ServerFeatures features;
  // gRFC A88's switch (R7.60). Off: as A53 had it.
  bool data_error_handling = true;
  Node node;                          // as it goes onto the wire
  std::set<std::string> authorities;  // that the bootstrap lists
  std::set<std::string> custom_lb_policies;

  absl::Duration resource_timeout = absl::Seconds(15);
  absl::Duration transient_resource_timeout = absl::Seconds(30);
  absl::Duration first_backoff = absl::Seconds(1);
  absl::Duration longest_backoff = absl::Seconds(120);
  uint64_t seed = 0;  // of the jitter
};

class ProtocolState;

class Protocol {
 public:
  explicit Protocol(ProtocolOptions options);
  ~Protocol();
  Protocol(const Protocol&) = delete;
  Protocol& operator=(const Protocol&) = delete;

  Effects Handle(absl::Time now, const Event& event);

  ClientSnapshot Snapshot() const;
  // The type that was watched first under this name; null if nobody watched any.
  const AnyResourceType* TypeNamed(absl::string_view type_name) const;

 private:
  std::unique_ptr<ProtocolState> state_;
};

}  // namespace holdfast

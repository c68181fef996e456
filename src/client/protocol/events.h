// What the client protocol is told: news of the world, in the past tense.
#pragma once

#include <ostream>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "client/protocol/ids.h"
#include "xds/any_resource_type.h"
#include "xds/discovery.h"

namespace holdfast {

struct WatchStarted {
  WatchId watch;
  // Lives as long as the protocol. Another object of a name that was watched before is refused.
  const AnyResourceType* type;
  std::string name;
};

struct WatchCancelled {
  WatchId watch;
};

// The request that SendRequest ordered is on an established connection (R4.02).
struct RequestSent {
  StreamId stream;
};

// `response` points into a message that lives until Handle returns.
struct ResponseReceived {
  StreamId stream;
  DiscoveryResponse response;
};

// Something came that is no response, or more of one than anybody may send.
struct ResponseUnreadable {
  StreamId stream;
  absl::Status why;
};

// Every watcher returned from the calls that the last response caused.
struct WatchersFinished {
  StreamId stream;
};

// The stream ended, by itself or because it never came to be.
struct StreamClosed {
  StreamId stream;
  absl::Status status;              // as the transport has it; OK if the server ended it so
  bool is_channel_failing = false;  // the xDS channel is in TRANSIENT_FAILURE
};

// The xDS channel has a connection again.
struct ChannelReady {};

struct TimerFired {
  TimerId timer;
};

using Event =
    std::variant<WatchStarted, WatchCancelled, RequestSent, ResponseReceived, ResponseUnreadable,
                 WatchersFinished, StreamClosed, ChannelReady, TimerFired>;

// One line, for journals and failing tests.
std::ostream& operator<<(std::ostream& out, const Event& event);

}  // namespace holdfast

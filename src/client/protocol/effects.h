// What the client protocol orders: imperatives, to be carried out in the order of the list.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "client/protocol/ids.h"
#include "holdfast/xds/error.h"
#include "holdfast/xds/log.h"
#include "holdfast/xds/metrics.h"
#include "xds/any_resource_type.h"
#include "xds/discovery.h"

namespace holdfast {

// An error that many watchers, an entry and its journal share. Never null in an effect, except
// where it says so.
using SharedError = std::shared_ptr<const ErrorDetail>;

struct OpenStream {
  StreamId stream;
  friend bool operator==(const OpenStream&, const OpenStream&) = default;
};

struct CloseStream {
  StreamId stream;
  friend bool operator==(const CloseStream&, const CloseStream&) = default;
};

// One at a time: the next comes only after RequestSent.
struct SendRequest {
  StreamId stream;
  DiscoveryRequest request;
  friend bool operator==(const SendRequest&, const SendRequest&) = default;
};

struct ReadNext {
  StreamId stream;
  friend bool operator==(const ReadNext&, const ReadNext&) = default;
};

struct StartTimer {
  TimerId timer;
  absl::Duration after;
  friend bool operator==(const StartTimer&, const StartTimer&) = default;
};

struct CancelTimer {
  TimerId timer;
  friend bool operator==(const CancelTimer&, const CancelTimer&) = default;
};

// OnResourceChanged(value). Compared by what the value says.
struct DeliverResource {
  WatchId watch;
  std::shared_ptr<const ResourceValue> value;
  std::string version;
  friend bool operator==(const DeliverResource& a, const DeliverResource& b) {
    return a.watch == b.watch && a.version == b.version && a.value->Equals(*b.value);
  }
};

// OnResourceChanged(error). Compared by what the error says.
struct DeliverError {
  WatchId watch;
  SharedError error;
  friend bool operator==(const DeliverError& a, const DeliverError& b) {
    return a.watch == b.watch && *a.error == *b.error;
  }
};

// OnAmbientError; null: OK, the error is over.
struct DeliverAmbientError {
  WatchId watch;
  SharedError error;
  friend bool operator==(const DeliverAmbientError& a, const DeliverAmbientError& b) {
    return a.watch == b.watch && (a.error == nullptr) == (b.error == nullptr) &&
           (a.error == nullptr || *a.error == *b.error);
  }
};

// A counter of gRFC A78. The driver adds grpc.target; `type_name` is empty where there is none.
struct Count {
  const Instrument* counter;
  std::string server;
  std::string type_name;
  int64_t by = 1;
  friend bool operator==(const Count&, const Count&) = default;
};

struct Log {
  Severity severity;
  std::string text;
  friend bool operator==(const Log&, const Log&) = default;
};

using Effect = std::variant<OpenStream, CloseStream, SendRequest, ReadNext, StartTimer, CancelTimer,
                            DeliverResource, DeliverError, DeliverAmbientError, Count, Log>;
using Effects = std::vector<Effect>;

// One line, for journals and failing tests.
std::ostream& operator<<(std::ostream& out, const Effect& effect);

}  // namespace holdfast

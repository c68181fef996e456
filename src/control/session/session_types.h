// The alphabet of a session: what happens to one ADS stream of a client, and what the control plane
// is told to do about it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "control/catalog/view.h"
#include "holdfast/xds/log.h"
#include "xds/discovery.h"

namespace holdfast {

enum class Variant { kSotw, kDelta };

// R2.43: whether and how often TP3 errors are sent.
enum class Tp3Mode { kOn, kOnce, kOff };

struct SessionOptions {
  Tp3Mode tp3 = Tp3Mode::kOn;
  // Changes that follow one another within this time are merged; the first goes out at once.
  absl::Duration merge_window = absl::Milliseconds(100);
  // How long what refers to others waits for the client to answer that it has those (R1.45).
  absl::Duration gate = absl::Seconds(1);
  // How long a name may stay unanswered while the source is not synced.
  absl::Duration hold = absl::Seconds(2);
  // Explicit names a stream and type.
  size_t most_names = 50'000;
  // Bytes of the names of a stream, all types together. Each is kept a few times over.
  size_t most_name_bytes = size_t{32} << 20;
  // No delta response is bigger than this, unless one resource is.
  size_t split_bytes = size_t{4} << 20;
};

// Events: what happened.

struct RequestReceived {
  DiscoveryRequest request;
};

struct DeltaRequestReceived {
  DeltaDiscoveryRequest request;
};

// A commit changed something that this session asked for, the source became synced, or what of it
// could never be read is something else. Whoever
// drives the session leaves it alone when nothing of that happened (InterestIndex).
struct ViewChanged {
  ViewPtr view;
  std::shared_ptr<const Changes> changes;
  // When the first of these changes was made; InfinitePast: just now.
  absl::Time committed_at = absl::InfinitePast();
};

// The response of the last SendResponse was handed to the transport.
struct WriteDone {};

// The time of the last WakeAt has come.
struct TimeReached {};

// The stream is over, whoever ended it: the last event, answered with Unfollow for all that the
// session followed and with its ErrorsOutstanding taken back.
struct ClientLeft {};

using SessionEvent = std::variant<RequestReceived, DeltaRequestReceived, ViewChanged, WriteDone,
                                  TimeReached, ClientLeft>;

// Effects: what to do, in the order of the list.

// What a response says, before it is bytes (ResponseEncoder). At most one is outstanding: the next
// comes only after WriteDone.
struct SendResponse {
  std::string type;     // without prefix
  std::string version;  // SotW: version_info; delta: system_version_info
  std::string nonce;
  // All resources of a type, or else `resources`.
  TypeViewPtr all;
  std::vector<ResourcePtr> resources;
  std::vector<std::string> removed;  // delta only
  std::vector<std::pair<std::string, NameError>> errors;
  bool with_ttl = false;  // the client knows what a TTL is
};

// Whichever it has, in a copy: for those who look at a response, not for those who send it.
std::vector<ResourcePtr> ResourcesIn(const SendResponse& response);

// Ends the stream.
struct EndStream {
  absl::Status status;
  friend bool operator==(const EndStream&, const EndStream&) = default;
};

// Replaces an earlier one.
struct WakeAt {
  absl::Time time;
  friend bool operator==(const WakeAt&, const WakeAt&) = default;
};

// The session wants, or no longer wants, to hear of changes of `name`; of all names of the type, if
// it is "*"; of the members, if it is a glob.
struct Follow {
  std::string type;
  std::string name;
  friend bool operator==(const Follow&, const Follow&) = default;
};
struct Unfollow {
  std::string type;
  std::string name;
  friend bool operator==(const Unfollow&, const Unfollow&) = default;
};

// Something for the counters of the control plane.
struct CountSession {
  enum class What { kRequest, kPush, kAck, kNack, kTp3Error };
  What what;
  std::string type;
  int code = 0;  // of a TP3 error
  int64_t by = 1;
  // Of an answer to what a commit changed: the time since then.
  std::optional<absl::Duration> since_commit = std::nullopt;
  friend bool operator==(const CountSession&, const CountSession&) = default;
};

// TP3 errors that clients of this stream live with, for a gauge.
struct ErrorsOutstanding {
  std::string type;
  int64_t by = 0;  // may be negative
  friend bool operator==(const ErrorsOutstanding&, const ErrorsOutstanding&) = default;
};

struct LogLine {
  Severity severity;
  std::string text;
  friend bool operator==(const LogLine&, const LogLine&) = default;
};

using SessionEffect = std::variant<SendResponse, EndStream, WakeAt, Follow, Unfollow, CountSession,
                                   ErrorsOutstanding, LogLine>;
using SessionEffects = std::vector<SessionEffect>;

// One line, for failing tests.
std::ostream& operator<<(std::ostream& out, const SessionEffect& effect);

}  // namespace holdfast

#include "control/client_reports.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xds/cache_state.h"
#include "xds/discovery.h"

namespace holdfast {
namespace {

WallTime ChronoOf(absl::Time time) { return absl::ToChronoTime(time); }

std::optional<WallTime> KnownTime(absl::Time time) {
  if (time == absl::InfinitePast()) return std::nullopt;
  return ChronoOf(time);
}

// Of a code as it stood on the wire.
absl::StatusCode CodeOf(int code) {
  const bool is_known = code > 0 && code <= static_cast<int>(absl::StatusCode::kUnauthenticated);
  return is_known ? static_cast<absl::StatusCode>(code) : absl::StatusCode::kUnknown;
}

DeliveryState WorstOf(const DeliveryCounts& counts) {
  if (counts.failed > 0) return DeliveryState::kFailed;
  if (counts.held_back > 0) return DeliveryState::kHeldBack;
  return counts.waiting > 0 ? DeliveryState::kWaiting : DeliveryState::kGood;
}

// `before`: the error of the resource before. A client that rejects many says the same of all, and
// then they share it.
ClientResource ResourceOf(const std::string& type, NameReport name, const absl::Status& before) {
  ClientResource resource;
  resource.type = type;
  resource.name = std::move(name.name);
  resource.state = name.state;
  resource.version = std::move(name.version);
  if (name.runs != nullptr) resource.client_version = name.runs->version;
  if (name.error.has_value()) {
    const absl::StatusCode code = CodeOf(name.error->code);
    const bool is_same = before.code() == code && before.message() == name.error->message;
    resource.error = is_same ? before : absl::Status(code, name.error->message);
  }
  if (name.state != DeliveryState::kGood) resource.since = KnownTime(name.since);
  return resource;
}

CacheState CacheStateOf(const NameReport& name, bool is_nack) {
  switch (name.state) {
    case DeliveryState::kGood:
      return CacheState::kAcked;
    case DeliveryState::kWaiting:
      return name.runs != nullptr ? CacheState::kAcked : CacheState::kRequested;
    case DeliveryState::kHeldBack:
    case DeliveryState::kFailed:
      if (is_nack) return CacheState::kNacked;
      break;
  }
  return name.error.has_value() && CodeOf(name.error->code) == absl::StatusCode::kNotFound
             ? CacheState::kDoesNotExist
             : CacheState::kReceivedError;
}

// What the other status has no word for: a client that has one version and says nothing of the
// next.
ConfigStatus ConfigStatusOf(const NameReport& name) {
  switch (name.state) {
    case DeliveryState::kGood:
      return ConfigStatus::kSynced;
    case DeliveryState::kWaiting:
      return ConfigStatus::kStale;
    case DeliveryState::kHeldBack:
    case DeliveryState::kFailed:
      break;
  }
  return name.rejected_version.empty() ? ConfigStatus::kUnknown : ConfigStatus::kError;
}

// Who may ask for the status of clients is not thereby to know their private keys.
constexpr absl::string_view kSecretTypeName = "envoy.extensions.transport_sockets.tls.v3.Secret";

struct SharedContents {
  std::map<const Resource*, std::shared_ptr<const std::string>> by_resource;
  size_t bytes_left = 0;  // that may be shown
};

ResourceSnapshot SnapshotOf(const TypeReport& type, const NameReport& name,
                            const std::string& node_id, SharedContents& contents) {
  ResourceSnapshot snapshot;
  snapshot.type_url = absl::StrCat(kTypeUrlPrefix, type.type);
  snapshot.name = name.name;
  const bool is_nack = !name.rejected_version.empty();
  snapshot.state = CacheStateOf(name, is_nack);
  if (name.runs != nullptr) {
    snapshot.version = name.runs->version;
    // Good since the newest answer of the type, at the latest.
    const absl::Time updated =
        name.state == DeliveryState::kGood || name.since == absl::InfinitePast() ? type.acked_at
                                                                                 : name.since;
    if (updated != absl::InfinitePast()) snapshot.last_updated = ChronoOf(updated);
    const Resource* const resource = name.runs->resource.get();
    if (resource != nullptr && type.type != kSecretTypeName &&
        resource->body().size() <= contents.bytes_left) {
      contents.bytes_left -= resource->body().size();
      std::shared_ptr<const std::string>& bytes = contents.by_resource[resource];
      if (bytes == nullptr) bytes = std::make_shared<const std::string>(resource->body());
      snapshot.bytes = bytes;
    }
  }
  if (name.error.has_value()) {
    ErrorDetail error;
    error.code = CodeOf(name.error->code);
    error.cause = is_nack ? Cause::kNack : Cause::kServerError;
    error.text = name.error->message;
    error.version = name.rejected_version;
    error.node_id = node_id;
    error.when = ChronoOf(name.since);
    snapshot.error = std::move(error);
  }
  return snapshot;
}

}  // namespace

absl::string_view NameOf(DeliveryState state) {
  switch (state) {
    case DeliveryState::kGood:
      return "good";
    case DeliveryState::kWaiting:
      return "waiting";
    case DeliveryState::kHeldBack:
      return "held_back";
    case DeliveryState::kFailed:
      return "failed";
  }
  return "good";
}

absl::string_view NameOf(ClientEvent::Kind kind) {
  switch (kind) {
    case ClientEvent::Kind::kOpened:
      return "connected";
    case ClientEvent::Kind::kNack:
      return "nack";
    case ClientEvent::Kind::kAckAfterNack:
      return "ack_after_nack";
    case ClientEvent::Kind::kError:
      return "error";
    case ClientEvent::Kind::kDeleted:
      return "deleted";
  }
  return "connected";
}

absl::Duration WallClockOffset(absl::Time steady_now) { return absl::Now() - steady_now; }

void ToWallClock(absl::Duration offset, SessionReport& report) {
  for (TypeReport& type : report.types) {
    type.acked_at += offset;
    for (NameReport& name : type.names) name.since += offset;
  }
  for (LedgerEvent& event : report.events) event.time += offset;
}

bool IsMeant(const std::string& client, const std::string& stream, const std::string& peer,
             const ClientNode& node) {
  return client.empty() || client == stream || client == node.id || client == peer;
}

ClientReport ClientReportOf(StreamReport stream, size_t most_resources) {
  SessionReport& session = stream.session;
  ClientReport report;
  report.client = session.node.id.empty() ? stream.peer : session.node.id;
  report.stream = stream.stream;
  report.node = session.node;
  report.peer = stream.peer;
  report.is_delta = stream.variant == Variant::kDelta;
  report.connected_since = ChronoOf(stream.opened_at);
  for (TypeReport& type : session.types) {
    ClientType shown;
    shown.type = type.type;
    shown.everything = type.everything;
    shown.version = type.version;
    shown.acked_version = type.acked_version;
    shown.acked_time = KnownTime(type.acked_at);
    shown.counts = type.counts;
    report.state = std::max(report.state, WorstOf(type.counts));
    report.types.push_back(std::move(shown));
    report.more_resources += type.more_names;
    const size_t taken = std::min(type.names.size(), most_resources - report.resources.size());
    report.more_resources += type.names.size() - taken;
    report.resources.reserve(report.resources.size() + taken);
    absl::Status error;
    for (size_t i = 0; i < taken; ++i) {
      report.resources.push_back(ResourceOf(type.type, std::move(type.names[i]), error));
      error = report.resources.back().error;
    }
  }
  ClientEvent connected;
  connected.time = report.connected_since;
  report.events.push_back(std::move(connected));
  for (const LedgerEvent& event : session.events) {
    report.events.push_back(
        {ChronoOf(event.time), event.kind, event.type, event.name, event.version, event.message});
  }
  return report;
}

std::vector<ClientStatus> ClientStatusesOf(const std::vector<StreamReport>& streams,
                                           size_t most_content_bytes) {
  std::vector<ClientStatus> statuses;
  SharedContents contents{.by_resource = {}, .bytes_left = most_content_bytes};
  for (const StreamReport& stream : streams) {
    const ClientNode& node = stream.session.node;
    ClientStatus& status = statuses.emplace_back();
    status.node.id = node.id;
    status.node.cluster = node.cluster;
    status.node.locality = {node.region, node.zone, node.sub_zone};
    status.node.user_agent_name = node.user_agent;
    status.snapshot.key = stream.stream;
    status.snapshot.node_id = node.id;
    for (const TypeReport& type : stream.session.types) {
      for (const NameReport& name : type.names) {
        status.snapshot.resources.push_back(SnapshotOf(type, name, node.id, contents));
        status.config_status.push_back(ConfigStatusOf(name));
      }
    }
  }
  return statuses;
}

}  // namespace holdfast

// What the clients of a control plane have made of what they were sent, as `holdfast ps` shows it.
//
//   const holdfast::ClientsReport report = plane->Clients();
//   for (const holdfast::ClientReport& client : report.clients) {
//     if (client.state == holdfast::DeliveryState::kHeldBack) Page(client.client);
//   }
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "holdfast/export.h"

namespace holdfast {

// How far a resource has come with a client. In the order of how bad it is; a client is as bad as
// the worst of its resources.
enum class DeliveryState {
  kGood,      // it acknowledged the newest version that is served
  kWaiting,   // sent and not answered yet, or asked for and nothing sent yet
  kHeldBack,  // it keeps an older version: it rejected a newer one, or was told of an error
  kFailed,    // it has nothing to use: rejected and never had one, or it was told why there is none
};

// "good", "waiting", "held_back", "failed".
HOLDFAST_EXPORT absl::string_view NameOf(DeliveryState state);

struct DeliveryCounts {
  size_t good = 0;
  size_t waiting = 0;
  size_t held_back = 0;
  size_t failed = 0;
};

using WallTime = std::chrono::system_clock::time_point;

// What a client says of itself.
struct ClientNode {
  std::string id;
  std::string cluster;
  std::string region;
  std::string zone;
  std::string sub_zone;
  std::string user_agent;  // "gRPC C-core linux 1.51.1"
};

// One type of resources on a client's stream.
struct ClientType {
  std::string type;         // "envoy.config.cluster.v3.Cluster", without prefix
  bool everything = false;  // it asked for all there is
  std::string version;      // of the newest response; empty before the first
  std::string acked_version;
  std::optional<WallTime> acked_time;
  DeliveryCounts counts;
};

// One resource that a client asked for.
struct ClientResource {
  std::string type;
  std::string name;
  DeliveryState state = DeliveryState::kGood;
  std::string version;                        // what is served now; empty if nothing is
  std::optional<std::string> client_version;  // what the client runs, if anything
  absl::Status error;                         // what the client said, or was told; OK: nothing
  std::optional<WallTime> since;              // in this state; none if it is good
};

struct ClientEvent {
  enum class Kind { kOpened, kNack, kAckAfterNack, kError, kDeleted };
  WallTime time;
  Kind kind = Kind::kOpened;
  std::string type;     // empty: of the stream
  std::string name;     // of the first resource, if it is about more than one
  std::string version;  // of the response
  std::string message;
};

// "connected", "nack", "ack_after_nack", "error", "deleted".
HOLDFAST_EXPORT absl::string_view NameOf(ClientEvent::Kind kind);

// One stream of a client.
struct ClientReport {
  std::string client;  // the node id; the peer, if it has none
  std::string stream;  // no other of this control plane has it: processes may share a node id
  ClientNode node;
  std::string peer;  // "ipv4:127.0.0.1:41234"
  bool is_delta = false;
  WallTime connected_since;
  DeliveryState state = DeliveryState::kGood;
  std::vector<ClientType> types;
  // Those that are not good, at most ClientQuery::most_resources of them; with the good ones, if
  // the query asked for them.
  std::vector<ClientResource> resources;
  size_t more_resources = 0;
  std::vector<ClientEvent> events;  // the last few, oldest first
};

struct ClientsReport {
  std::vector<ClientReport> clients;  // by node id
  std::string incomplete;             // what is missing, and why, as a sentence; empty: nothing is
};

// Which clients, and how much of them.
struct ClientQuery {
  std::string client;  // a node id, a peer or a stream; empty: all clients
  bool with_good = false;
  size_t most_resources = 100;  // a client
};

}  // namespace holdfast

// A client's state at one moment: what CSDS, metrics and the command line show.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/xds/error.h"

namespace holdfast {

// What the cache knows about one resource (gRFC A88): six states, one to one with
// envoy.admin.v3.ClientResourceStatus.
enum class CacheState {
  kRequested = 1,
  kDoesNotExist = 2,
  kAcked = 3,
  kNacked = 4,
  kReceivedError = 5,
  kTimeout = 6,
};

// One change of one entry of the cache.
struct JournalRecord {
  std::chrono::system_clock::time_point when;
  CacheState from = CacheState::kRequested;
  CacheState to = CacheState::kRequested;
  bool is_cached = false;  // afterwards
  std::string version;     // of the response that caused it, if one did
  std::string why;         // "subscribed", "received", or the text of the error
};

struct ResourceSnapshot {
  std::string type_url;
  std::string name;
  std::string authority;    // "#old" for names that are no xdstp: names
  std::string cache_state;  // the label of A78 and A88: "nacked_but_cached"
  CacheState state = CacheState::kRequested;
  size_t watchers = 0;

  // What watchers use; null if there is nothing to use.
  std::shared_ptr<const std::string> bytes;
  std::string version;                                 // of `bytes`
  std::chrono::system_clock::time_point last_updated;  // of `bytes`

  // The newest error, kept until a valid resource comes; its `version` is the refused one.
  std::optional<ErrorDetail> error;

  // The newest changes, oldest first; `journal_dropped` older ones are forgotten.
  std::vector<JournalRecord> journal;
  size_t journal_dropped = 0;
};

struct ServerSnapshot {
  std::string uri;
  bool is_connected = false;         // grpc.xds_client.connected
  std::optional<ErrorDetail> error;  // why not
};

struct ClientSnapshot {
  std::string key;  // CSDS's client_scope and the label grpc.target
  std::string node_id;
  std::vector<ServerSnapshot> servers;
  std::vector<ResourceSnapshot> resources;  // of those that are watched, by type and name
};

}  // namespace holdfast

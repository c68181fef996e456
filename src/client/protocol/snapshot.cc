// The state as everybody outside sees it.
#include "absl/strings/str_cat.h"
#include "base/error_detail.h"
#include "client/protocol/protocol_state.h"
#include "xds/cache_state.h"
#include "xds/resource_name.h"

namespace holdfast {
namespace {

JournalRecord RecordOf(const EntryChange& change) {
  JournalRecord record;
  record.when = absl::ToChronoTime(change.when);
  record.from = change.from;
  record.to = change.to;
  record.is_cached = change.is_cached;
  if (change.version != nullptr) record.version = *change.version;
  if (change.error != nullptr) {
    record.why = TextOf(*change.error);
  } else {
    record.why = change.to == CacheState::kRequested ? "subscribed" : "received";
  }
  return record;
}

ResourceSnapshot SnapshotOf(const SubscribedType& type, const CacheEntry& entry) {
  ResourceSnapshot snapshot;
  snapshot.type_url = type.subscription.type_url();
  snapshot.name = entry.name();
  snapshot.authority = std::string(ResourceName::kOldStyleLabel);
  snapshot.state = entry.state();
  snapshot.cache_state = std::string(CacheStateLabel(entry.state(), entry.has_resource()));
  snapshot.watchers = entry.watchers.size();
  snapshot.bytes = entry.bytes();
  snapshot.version = entry.version();
  if (entry.has_resource()) snapshot.last_updated = absl::ToChronoTime(entry.last_updated());
  if (entry.error() != nullptr) snapshot.error = *entry.error();
  for (const EntryChange& change : entry.journal()) snapshot.journal.push_back(RecordOf(change));
  snapshot.journal_dropped = entry.journal_dropped();
  return snapshot;
}

}  // namespace

ClientSnapshot ProtocolState::Snapshot() const {
  ClientSnapshot snapshot;
  snapshot.key = options_.key;
  snapshot.node_id = options_.node.id;
  if (!watches_.empty()) {
    ServerSnapshot server;
    server.uri = options_.server_uri;
    // Also between two streams, as long as the first one brought a response (gRFC A78).
    server.is_connected = !server_.is_failing();
    if (server_.is_failing()) server.error = *server_.ForWatchers(false);
    snapshot.servers.push_back(std::move(server));
  }
  std::map<absl::string_view, const SubscribedType*> by_name;
  for (const auto& type : types_) by_name.emplace(type->type.type_name(), type.get());
  for (const auto& [type_name, type] : by_name) {
    for (const auto& [name, entry] : type->table) {
      if (!entry->watchers.empty()) snapshot.resources.push_back(SnapshotOf(*type, *entry));
    }
  }
  return snapshot;
}

}  // namespace holdfast

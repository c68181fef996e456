#include "client/protocol/watcher_news.h"

#include "base/check.h"

namespace holdfast {
namespace {

void Order(Turn& turn, CacheEntry::Watcher& watcher, const SharedError& error) {
  if (watcher.has_value) {
    turn.Order(DeliverAmbientError{watcher.id, error});
  } else {
    turn.Order(DeliverError{watcher.id, error});
  }
  watcher.error = error;
}

}  // namespace

void TellResource(Turn& turn, CacheEntry& entry) {
  HOLDFAST_CHECK(entry.has_resource());
  for (CacheEntry::Watcher& watcher : entry.watchers) {
    turn.Order(DeliverResource{watcher.id, entry.value(), entry.version()});
    watcher.has_value = true;
    watcher.error = nullptr;
  }
}

void TellError(Turn& turn, CacheEntry& entry, const SharedError& error) {
  for (CacheEntry::Watcher& watcher : entry.watchers) {
    if (watcher.has_value == entry.has_resource() && IsSameNews(watcher.error, error)) continue;
    HOLDFAST_CHECK(watcher.has_value || !entry.has_resource());
    watcher.has_value = entry.has_resource();
    Order(turn, watcher, error);
  }
}

void TellAllClear(Turn& turn, CacheEntry& entry) {
  for (CacheEntry::Watcher& watcher : entry.watchers) {
    if (!watcher.has_value || watcher.error == nullptr) continue;
    turn.Order(DeliverAmbientError{watcher.id, nullptr});
    watcher.error = nullptr;
  }
}

void TellNewcomer(Turn& turn, const CacheEntry& entry, CacheEntry::Watcher& newcomer,
                  const SharedError& server_error) {
  newcomer.has_value = entry.has_resource();
  if (newcomer.has_value) {
    turn.Order(DeliverResource{newcomer.id, entry.value(), entry.version()});
  }
  if (entry.error() != nullptr) Order(turn, newcomer, entry.error());
  if (server_error != nullptr) Order(turn, newcomer, server_error);
}

void TellServerIsBack(Turn& turn, CacheEntry& entry) {
  if (entry.error() != nullptr) {
    TellError(turn, entry, entry.error());
  } else if (entry.has_resource()) {
    TellAllClear(turn, entry);
  } else {
    // REQUESTED: there is nothing to say yet. What they heard of the connection is old news, and
    // would be news again.
    for (CacheEntry::Watcher& watcher : entry.watchers) watcher.error = nullptr;
  }
}

}  // namespace holdfast

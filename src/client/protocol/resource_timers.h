// Which resource waits on which timer (gRFC A57): one timer for a resource that was asked for on
// this stream and of which nothing has come yet.
#pragma once

#include <map>
#include <optional>

#include "absl/time/time.h"
#include "base/strong_id.h"
#include "client/protocol/cache_entry.h"
#include "client/protocol/turn.h"

namespace holdfast {

struct SubscribedType;

class ResourceTimers {
 public:
  struct Waiting {
    SubscribedType* type;
    CacheEntry* entry;
  };

  // Ids are never used twice, so that a timer which fires after it was cancelled is known as such.
  explicit ResourceTimers(IdSource<TimerId>& ids) : ids_(ids) {}

  // REQUIRES: none runs for this entry, and it has no resource.
  void Start(Turn& turn, SubscribedType& type, CacheEntry& entry, absl::Duration after);
  // Nothing, if none runs.
  void Cancel(Turn& turn, CacheEntry& entry);
  // Who waited on a timer that fired; nullopt if it is none of these, or was cancelled.
  std::optional<Waiting> TakeFired(TimerId timer);

 private:
  IdSource<TimerId>& ids_;
  std::map<TimerId, Waiting> waiting_;
};

}  // namespace holdfast

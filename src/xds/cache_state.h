// What the cache of a client knows about one resource (gRFC A88).
#pragma once

#include "absl/strings/string_view.h"

namespace holdfast {

// The six states, one to one with envoy.admin.v3.ClientResourceStatus (whose 0 means "unknown" and
// is never a state of an entry).
enum class CacheState {
  kRequested = 1,
  kDoesNotExist = 2,
  kAcked = 3,
  kNacked = 4,
  kReceivedError = 5,
  kTimeout = 6,
};

inline constexpr CacheState kAllCacheStates[] = {
    CacheState::kRequested, CacheState::kDoesNotExist,  CacheState::kAcked,
    CacheState::kNacked,    CacheState::kReceivedError, CacheState::kTimeout};

// The label `grpc.xds.cache_state` of gRFC A78 and A88. `is_cached`: a usable version is there.
// REQUESTED and TIMEOUT never have one, ACKED always has.
absl::string_view CacheStateLabel(CacheState state, bool is_cached);

}  // namespace holdfast

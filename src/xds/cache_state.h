// What the cache of a client knows about one resource (gRFC A88).
#pragma once

#include "absl/strings/string_view.h"
#include "holdfast/xds/snapshot.h"

namespace holdfast {

inline constexpr CacheState kAllCacheStates[] = {
    CacheState::kRequested, CacheState::kDoesNotExist,  CacheState::kAcked,
    CacheState::kNacked,    CacheState::kReceivedError, CacheState::kTimeout};

// The label `grpc.xds.cache_state` of gRFC A78 and A88. `is_cached`: a usable version is there.
// REQUESTED and TIMEOUT never have one, ACKED always has.
absl::string_view CacheStateLabel(CacheState state, bool is_cached);

}  // namespace holdfast

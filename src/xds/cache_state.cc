#include "xds/cache_state.h"

namespace holdfast {

absl::string_view CacheStateLabel(CacheState state, bool is_cached) {
  switch (state) {
    case CacheState::kRequested:
      return "requested";
    case CacheState::kDoesNotExist:
      return is_cached ? "does_not_exist_but_cached" : "does_not_exist";
    case CacheState::kAcked:
      return "acked";
    case CacheState::kNacked:
      return is_cached ? "nacked_but_cached" : "nacked";
    case CacheState::kReceivedError:
      return is_cached ? "received_error_but_cached" : "received_error";
    case CacheState::kTimeout:
      return "timeout";
  }
  return "unknown";
}

}  // namespace holdfast

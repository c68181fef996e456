#include "control/stream_census.h"

#include "absl/strings/match.h"
#include "base/check.h"

namespace holdfast {
namespace {

bool NamesAConnection(absl::string_view peer) {
  return absl::StartsWith(peer, "ipv4:") || absl::StartsWith(peer, "ipv6:");
}

}  // namespace

bool StreamCensus::Enter(absl::string_view peer) {
  const std::lock_guard lock(mutex_);
  ++all_;
  if (!NamesAConnection(peer)) return true;
  const auto [connection, is_new] = by_connection_.try_emplace(std::string(peer), 0);
  if (connection->second == most_) {
    if (is_new) by_connection_.erase(connection);
    return false;
  }
  ++connection->second;
  return true;
}

void StreamCensus::Leave(absl::string_view peer, bool was_within) {
  const std::lock_guard lock(mutex_);
  if (--all_ == 0) is_empty_.notify_all();
  if (!was_within || !NamesAConnection(peer)) return;
  const auto connection = by_connection_.find(peer);
  HOLDFAST_CHECK(connection != by_connection_.end());
  if (--connection->second == 0) by_connection_.erase(connection);
}

bool StreamCensus::WaitUntilEmpty(absl::Duration patience) const {
  std::unique_lock lock(mutex_);
  return is_empty_.wait_for(lock, absl::ToChronoMilliseconds(patience),
                            [this] { return all_ == 0; });
}

}  // namespace holdfast

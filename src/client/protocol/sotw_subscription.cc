#include "client/protocol/sotw_subscription.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "base/check.h"

namespace holdfast {

void SotwSubscription::Want(CacheEntry& entry) {
  if (entry.is_on_wire) {
    HOLDFAST_CHECK(removals_ > 0);
    --removals_;
    return;
  }
  entry.unsent_place = unsent_.size();
  unsent_.push_back(&entry);
  ++additions_;
}

bool SotwSubscription::Unwant(CacheEntry& entry) {
  if (entry.is_on_wire) {
    ++removals_;
    return false;
  }
  HOLDFAST_CHECK(unsent_[entry.unsent_place] == &entry);
  unsent_[entry.unsent_place] = nullptr;
  --additions_;
  return true;
}

void SotwSubscription::Accept(absl::string_view nonce, absl::string_view version) {
  nonce_ = std::string(nonce);
  version_ = std::string(version);
  nack_text_.reset();
  owes_answer_ = true;
}

void SotwSubscription::Reject(absl::string_view nonce, std::string text) {
  nonce_ = std::string(nonce);
  nack_text_ = std::move(text);
  owes_answer_ = true;
}

absl::Duration SotwSubscription::HoldFor(absl::Time now) const {
  HOLDFAST_CHECK(NeedsRequest());
  if (owes_answer_ || changes() >= names_.size()) return absl::ZeroDuration();
  const absl::Duration longest = kHoldForEachName * static_cast<int64_t>(names_.size());
  // A clock may be set back.
  return std::clamp(longest - (now - last_request_), absl::ZeroDuration(), longest);
}

DiscoveryRequest SotwSubscription::NextRequest(const ResourceTable& table, absl::Time now) {
  HOLDFAST_CHECK(in_flight_.empty());
  DiscoveryRequest request;
  request.version_info = version_;
  request.type_url = type_url_;
  request.response_nonce = nonce_;
  if (nack_text_.has_value()) {
    request.error_detail = WireStatus{static_cast<int32_t>(absl::StatusCode::kInvalidArgument),
                                      *std::move(nack_text_)};
    nack_text_.reset();
  }
  owes_answer_ = false;

  if (changes() > 0) {
    std::vector<std::string> names;
    names.reserve(table.size());
    for (const auto& [name, entry] : table) {
      HOLDFAST_CHECK(!entry->watchers.empty());
      names.emplace_back(name);
    }
    names_ = std::move(names);
  }
  request.resource_names = names_;
  for (CacheEntry* entry : unsent_) {
    if (entry == nullptr) continue;
    entry->is_on_wire = true;
    in_flight_.push_back(entry);
  }
  unsent_.clear();
  additions_ = 0;
  removals_ = 0;
  is_on_stream_ = true;
  last_request_ = now;
  if (table.size() == 0) ForgetVersion();
  return request;
}

void SotwSubscription::StreamEnded(ResourceTable& table) {
  is_on_stream_ = false;
  nonce_.clear();
  owes_answer_ = false;
  nack_text_.reset();
  in_flight_.clear();
  if (std::exchange(is_drop_in_flight_, false)) ForgetVersion();
  unsent_.clear();
  additions_ = 0;
  removals_ = 0;
  names_ = {};
  last_request_ = absl::InfinitePast();
  if (table.size() == 0) ForgetVersion();
  for (const auto& [name, entry] : table) {
    entry->is_on_wire = false;
    Want(*entry);
  }
}

}  // namespace holdfast

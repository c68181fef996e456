#include "client/protocol/cache_entry.h"

#include <utility>

#include "base/check.h"

namespace holdfast {

CacheEntry::CacheEntry(std::string name, absl::Time now) : name_(std::move(name)) {
  Record(CacheState::kRequested, nullptr, now);
}

const std::string& CacheEntry::version() const {
  static const std::string& none = *new std::string();
  return version_ != nullptr ? *version_ : none;
}

void CacheEntry::Accept(std::shared_ptr<const ResourceValue> value, SharedText bytes,
                        SharedText version, absl::Time now) {
  HOLDFAST_CHECK(value != nullptr);
  const CacheState from = state_;
  value_ = std::move(value);
  bytes_ = std::move(bytes);
  version_ = std::move(version);
  last_updated_ = now;
  error_ = nullptr;
  state_ = CacheState::kAcked;
  Record(from, version_, now);
}

void CacheEntry::Confirm(const SharedText& version, absl::Time now) {
  HOLDFAST_CHECK(has_resource());
  if (version_ != version) version_ = version;
  last_updated_ = now;
  if (state_ == CacheState::kAcked) return;
  const CacheState from = state_;
  error_ = nullptr;
  state_ = CacheState::kAcked;
  Record(from, version_, now);
}

void CacheEntry::Fail(CacheState state, SharedError error, bool drop_cached, SharedText version,
                      absl::Time now) {
  HOLDFAST_CHECK(error != nullptr);
  HOLDFAST_CHECK(state != CacheState::kRequested && state != CacheState::kAcked);
  const CacheState from = state_;
  const bool had_resource = has_resource();
  const bool is_news = !IsSameNews(error_, error);
  if (drop_cached) {
    value_ = nullptr;
    bytes_ = nullptr;
    version_ = nullptr;
    last_updated_ = absl::Time();
  }
  state_ = state;
  error_ = std::move(error);
  HOLDFAST_CHECK(state_ != CacheState::kTimeout || !has_resource());
  if (from != state_ || had_resource != has_resource() || is_news) {
    Record(from, std::move(version), now);
  }
}

void CacheEntry::Record(CacheState from, SharedText version, absl::Time now) {
  if (journal_.size() == kLongestJournal) {
    journal_.erase(journal_.begin());
    ++journal_dropped_;
  }
  journal_.push_back({now, from, state_, has_resource(), std::move(version), error_});
}

bool IsSameNews(const SharedError& a, const SharedError& b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr) return false;
  return a->code == b->code && a->cause == b->cause && a->text == b->text && a->type == b->type &&
         a->resource == b->resource && a->server == b->server && a->consequence == b->consequence;
}

}  // namespace holdfast

#include "client/protocol/resource_table.h"

#include <utility>

#include "base/check.h"

namespace holdfast {

CacheEntry* ResourceTable::Find(absl::string_view name) {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

CacheEntry* ResourceTable::FindNext(CacheEntry* previous, absl::string_view name) {
  CacheEntry*& next = previous == nullptr ? first_in_response_ : previous->next_in_response;
  uint64_t& valid_at = previous == nullptr ? first_is_valid_at_ : previous->next_is_valid_at;
  if (valid_at == removals_ && next != nullptr && next->name() == name) return next;
  CacheEntry* found = Find(name);
  if (found != nullptr) {
    next = found;
    valid_at = removals_;
  }
  return found;
}

CacheEntry& ResourceTable::Add(std::string name, absl::Time now) {
  auto entry = std::make_unique<CacheEntry>(std::move(name), now);
  CacheEntry& added = *entry;
  const bool is_new = entries_.try_emplace(added.name(), std::move(entry)).second;
  HOLDFAST_CHECK(is_new);
  by_name_.emplace(added.name(), &added);
  return added;
}

void ResourceTable::Remove(const CacheEntry& entry) {
  const auto place = entries_.find(entry.name());
  HOLDFAST_CHECK(place != entries_.end());
  by_name_.erase(place->first);
  entries_.erase(place);
  ++removals_;
}

void ResourceTable::Clear() {
  by_name_.clear();
  entries_.clear();
  ++removals_;
}

}  // namespace holdfast

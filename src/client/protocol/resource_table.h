// The entries of one type, by name.
//
// Entries stay where they are in memory until they are removed. They are walked in the order of
// their names, so that the same events give the same effects; looking one up costs the same however
// many there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/protocol/cache_entry.h"

namespace holdfast {

class ResourceTable {
 public:
  // The keys are views of the entries' own names.
  using Entries = std::map<absl::string_view, std::unique_ptr<CacheEntry>>;

  // Null if there is none.
  CacheEntry* Find(absl::string_view name);
  // The same, for the names of a response, one after another: servers keep to an order, so the
  // entry is usually the one that followed `previous` (null for the first) the last time.
  CacheEntry* FindNext(CacheEntry* previous, absl::string_view name);

  // REQUIRES: there is no such entry.
  CacheEntry& Add(std::string name, absl::Time now);
  void Remove(const CacheEntry& entry);
  void Clear();

  size_t size() const { return entries_.size(); }
  Entries::iterator begin() { return entries_.begin(); }
  Entries::iterator end() { return entries_.end(); }
  Entries::const_iterator begin() const { return entries_.begin(); }
  Entries::const_iterator end() const { return entries_.end(); }

 private:
  Entries entries_;
  absl::flat_hash_map<absl::string_view, CacheEntry*> by_name_;
  CacheEntry* first_in_response_ = nullptr;
  uint64_t first_is_valid_at_ = 0;
  uint64_t removals_ = 1;  // remembered places are valid only as long as nothing was removed
};

}  // namespace holdfast

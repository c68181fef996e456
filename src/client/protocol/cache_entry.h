// What the client knows of one resource: the version in use, if any, and the newest error, if any
// (gRFC A88). Both may be there at once: a resource that is held back.
//
// An error of the connection to the server is not kept here (R3.09, DEC-36): an entry is about what
// a server said.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/protocol/effects.h"
#include "client/protocol/ids.h"
#include "xds/any_resource_type.h"
#include "xds/cache_state.h"

namespace holdfast {

using SharedText = std::shared_ptr<const std::string>;

// A change of an entry, as small as it can be: most entries have two of them.
struct EntryChange {
  absl::Time when;
  CacheState from;
  CacheState to;
  bool is_cached;      // afterwards
  SharedText version;  // may be null
  SharedError error;   // null: subscribed or received
};

class CacheEntry {
 public:
  static constexpr size_t kLongestJournal = 16;

  CacheEntry(std::string name, absl::Time now);

  const std::string& name() const { return name_; }
  CacheState state() const { return state_; }
  bool has_resource() const { return value_ != nullptr; }
  const std::shared_ptr<const ResourceValue>& value() const { return value_; }
  const SharedText& bytes() const { return bytes_; }
  // Of the resource in use; empty if there is none.
  const std::string& version() const;
  absl::Time last_updated() const { return last_updated_; }
  const SharedError& error() const { return error_; }

  bool IsSameBytes(absl::string_view bytes) const { return bytes_ != nullptr && *bytes_ == bytes; }

  // A valid resource came: ACKED, and whatever was wrong is over (R3.21).
  void Accept(std::shared_ptr<const ResourceValue> value, SharedText bytes, SharedText version,
              absl::Time now);
  // The resource in use came again. REQUIRES: has_resource().
  void Confirm(const SharedText& version, absl::Time now);
  // REQUIRES: `state` is one that has an error.
  void Fail(CacheState state, SharedError error, bool drop_cached, SharedText version,
            absl::Time now);

  const std::vector<EntryChange>& journal() const { return journal_; }  // oldest first
  size_t journal_dropped() const { return journal_dropped_; }

  // --- Kept here for others, who own the meaning. ---

  // One who watches it, and what they were last told. With `has_value` an error is an ambient one.
  struct Watcher {
    WatchId id;
    bool has_value = false;
    SharedError error;
  };
  std::vector<Watcher> watchers;  // in the order they came

  TimerId timer;                     // of this resource; not set: none runs
  bool is_timer_owed = false;        // would run, if somebody watched it
  uint64_t last_mention = 0;         // serial number of the last response that named it
  StreamId mentioned_on;             // the stream of that response
  bool is_on_wire = false;           // named in the last request of the living stream
  size_t unsent_place = 0;           // in the list of names not yet asked for, if it is there
  bool is_deletion_ignored = false;  // A53's bit (R6.05)

  // The entry that followed this one in the last response, if the table lost none since.
  CacheEntry* next_in_response = nullptr;
  uint64_t next_is_valid_at = 0;

 private:
  void Record(CacheState from, SharedText version, absl::Time now);

  std::string name_;
  CacheState state_ = CacheState::kRequested;
  std::shared_ptr<const ResourceValue> value_;
  SharedText bytes_;
  SharedText version_;
  absl::Time last_updated_;
  SharedError error_;
  std::vector<EntryChange> journal_;
  size_t journal_dropped_ = 0;
};

// Whether a watcher that was told one of them need not be told the other: all but the clock and the
// refused version. Null is no error.
bool IsSameNews(const SharedError& a, const SharedError& b);

}  // namespace holdfast

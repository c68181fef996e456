// What we ask one server for one type, state of the world: names, the accepted version, and the
// answer we owe to its newest response.
//
// Every request lists all names, so many small changes must not cost many long requests: a change
// of subscription alone waits a little after the last request, the longer that was the longer
// (R1.20). An answer never waits.
//
// REQUIRES of the caller: one request at a time is on its way (live_stream.h), and entries that
// nobody watches are removed from the table before NextRequest.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/protocol/cache_entry.h"
#include "client/protocol/resource_table.h"
#include "xds/discovery.h"
#include "xds/name_list.h"

namespace holdfast {

class SotwSubscription {
 public:
  // With names of 30 bytes this bounds what subscriptions cost at 1.5 MB a second.
  static constexpr absl::Duration kHoldForEachName = absl::Microseconds(20);

  explicit SotwSubscription(std::string type_url) : type_url_(std::move(type_url)) {}

  const std::string& type_url() const { return type_url_; }
  const std::string& version() const { return version_; }
  // Whether the living stream has been asked for this type. Only then may an empty list of names be
  // sent: as the first of a stream it would mean "everything" (R1.51).
  bool is_on_stream() const { return is_on_stream_; }

  // The first watcher of an entry came.
  void Want(CacheEntry& entry);
  // The last watcher of an entry left. True: the server does not know that we wanted it, and it can
  // be forgotten at once. False: forget it when the next request leaves.
  bool Unwant(CacheEntry& entry);
  bool has_unwanted() const { return removals_ > 0; }

  // A response with this nonce is accepted, and so is its version; or it is rejected with a text
  // that goes out with this nonce and no other (R1.12).
  void Accept(absl::string_view nonce, absl::string_view version);
  void Reject(absl::string_view nonce, std::string text);

  bool NeedsRequest() const { return owes_answer_ || changes() > 0; }
  // How long the next request still has to wait. REQUIRES: NeedsRequest().
  absl::Duration HoldFor(absl::Time now) const;
  DiscoveryRequest NextRequest(const ResourceTable& table, absl::Time now);
  // The request is on the wire: the entries that it was the first to name.
  std::vector<CacheEntry*> TakeNewlyAsked() {
    is_drop_in_flight_ = false;
    return std::move(in_flight_);
  }

  // Everything is to be asked anew; the version stays (R1.35).
  void StreamEnded(ResourceTable& table);
  // We no longer hold what that version brought, so a server must not skip it.
  void ForgetVersion() { version_.clear(); }
  // The same, unless the next request, which says so, leaves before the stream ends.
  void DropWithNextRequest() { is_drop_in_flight_ = true; }

 private:
  size_t changes() const { return additions_ + removals_; }

  const std::string type_url_;
  std::string version_;

  // Of the living stream.
  bool is_on_stream_ = false;
  std::string nonce_;
  bool owes_answer_ = false;
  std::optional<std::string> nack_text_;  // of nonce_; only with owes_answer_

  // Entries not named in any request of this stream; null where one was forgotten again.
  std::vector<CacheEntry*> unsent_;
  size_t additions_ = 0;  // in unsent_, without the holes
  size_t removals_ = 0;   // entries that the server thinks we want
  std::vector<CacheEntry*> in_flight_;
  bool is_drop_in_flight_ = false;

  NameList names_;  // in the last request of this stream
  absl::Time last_request_ = absl::InfinitePast();
};

}  // namespace holdfast

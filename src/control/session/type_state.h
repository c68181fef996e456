// What a session remembers of one type on its stream: what the client asked for, what it has, and
// what is to be looked at before the next response.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/time/time.h"
#include "control/catalog/view.h"
#include "control/session/ledger.h"
#include "xds/resource_name.h"

namespace holdfast {

// Whether the client needs to be told nothing, because it has the same.
inline bool IsSame(const ResourcePtr& had, const ResourcePtr& now) {
  return had == now || (had != nullptr && now != nullptr && had->hash() == now->hash());
}

// How a client wrote names that have another canonical form, by that (R1.91).
using Spellings = std::map<std::string, std::string>;

// A name that the client asked for.
struct NameState {
  // What it was sent; null: nothing, or it was told that there is nothing.
  ResourcePtr sent;
  // Which error it was told last (KeyOf in response_planner.h); 0: none since the last resource.
  uint64_t error_sent = 0;
  // It must be answered even if the client has it: it was just asked for, or its parent was sent.
  bool is_due = true;
  bool was_told_absent = false;  // delta: it was in removed_resources
};

// A glob collection that the client asked for: delta only.
struct GlobState {
  GlobState(std::string asked, ResourceName parsed)
      : text(std::move(asked)), name(std::move(parsed)) {}

  std::string text;  // in the canonical form
  ResourceName name;

  std::map<std::string, ContentHash> sent;      // members
  std::map<std::string, uint64_t> errors_sent;  // of members, and of the glob itself; never 0
  bool was_told_empty = false;
};

// A response that the client has not answered yet.
struct Unanswered {
  uint64_t nonce = 0;
  std::string version;
  std::vector<std::string> names;  // the first few
  size_t more_names = 0;
  // SotW, LDS and CDS: a newer one was sent, which is the one to be answered.
  bool is_overtaken = false;
  // SotW, LDS and CDS: in place of what was rejected it has what the client took before.
  bool is_as_taken = false;
  Offer offer;
};

struct TypeState {
  explicit TypeState(std::string type_name) : type(std::move(type_name)) {}

  std::string type;

  // The subscription, in the canonical form of its names, which is that of the catalog. Resources
  // are sent under it: their bytes are shared by all streams, and whoever asks for such names
  // compares them so (R1.91). What is only a name, an error or a removal, is told as the client
  // wrote it.
  Spellings spellings;
  const std::string& AsAsked(const std::string& name) const;
  // By name:
  absl::btree_map<std::string, NameState> names;
  std::map<std::string, GlobState> globs;
  int64_t errors_outstanding = 0;  // errors sent, of names and in globs
  int64_t errors_counted = 0;      // of those, as the world was told last
  // Of everything (R1.50 to R1.53):
  bool was_ever_named = false;
  bool is_wildcard = false;
  // Everything was asked for, and there was no response since.
  bool is_everything_owed = false;
  // SotW: the client came with a version, so it has resources of an earlier stream.
  bool has_earlier_resources = false;

  // What the client has of everything. `base`, and what was sent since: nullopt is "no longer".
  TypeViewPtr base;
  std::map<std::string, std::optional<ContentHash>> since_base;
  // Delta: what the client came with, in another version than ours, and was not sent since. It is
  // not told that it is gone before anybody knows that.
  std::set<std::string> in_doubt;
  // Names that the client unsubscribed from and that are remembered, here or in a glob, because it
  // may still have them. How many that are is up to the client, so they count as names.
  size_t left_names = 0;
  // Of names and globs, and of left_names.
  size_t name_bytes = 0;
  size_t left_name_bytes = 0;
  // SotW, LDS and CDS: what the last response said, resources and errors.
  std::optional<ContentHash> last_said;

  // What is to be done. Names that changed, or were asked for:
  std::set<std::string> to_check;
  static constexpr size_t kLeastDropAt = 1024;
  size_t drop_at = kLeastDropAt;  // as many to_check, and those that came and went are dropped
  // What differs from `base` is to be looked at, and is not in to_check: in the rule it is what the
  // newest commit changed, which is known without looking at each name.
  bool is_behind = false;
  // The whole type is to be answered, whatever the client has.
  bool is_due = false;
  bool is_urgent = false;    // it waits for no merge window
  bool is_in_flush = false;  // the window is open for it
  // All that is left to do is to take away what others may still refer to.
  bool only_takes_away = false;

  // The client is sent this resource, whatever it was told before.
  void NoteSent(NameState& state, ResourcePtr resource) {
    if (!IsSame(state.sent, resource)) ledger.Offered(resource, state.sent);
    NoteError(state, 0);
    state = {.sent = std::move(resource), .error_sent = 0, .is_due = false};
  }
  // The client is told that there is no such resource, by an error or by leaving it out; `keeps`:
  // it goes on with what it has.
  void NoteWithdrawn(const std::string& name, NameState& state, bool keeps, absl::Time now) {
    ledger.Withdrawn(name, RunsOf(name, state.sent), keeps, now);
    state.sent = nullptr;
  }
  // What the client runs of a name that it was last sent this of.
  HeldPtr RunsOf(const std::string& name, const ResourcePtr& sent) const;
  // What may be sent again of a resource that the client was sent: not what it rejected, but what
  // it runs instead. Null: it runs nothing, or nobody knows its bytes any more.
  ResourcePtr AsTaken(const ResourcePtr& sent) const;
  // The client is told this error; 0: there is none any more.
  void NoteError(NameState& state, uint64_t key) {
    errors_outstanding += (key != 0 ? 1 : 0) - (state.error_sent != 0 ? 1 : 0);
    state.error_sent = key;
  }
  void NoteError(GlobState& glob, const std::string& name, uint64_t key) {
    errors_outstanding -= static_cast<int64_t>(glob.errors_sent.erase(name));
    if (key == 0) return;
    glob.errors_sent.emplace(name, key);
    ++errors_outstanding;
  }
  void ForgetErrors(GlobState& glob) {
    errors_outstanding -= static_cast<int64_t>(glob.errors_sent.size());
    glob.errors_sent.clear();
  }
  // Nothing that was sent is on its way: what the client no longer asks for, it no longer has.
  void ForgetEverything() {
    base = nullptr;
    since_base.clear();
    left_names = 0;
    left_name_bytes = 0;
  }
  // Something was asked for that it was told nothing of yet.
  bool OwesAnswer() const;
  // What the client has of a name because it asked for everything.
  std::optional<ContentHash> HadInWildcard(const std::string& member) const;
  // The glob that this name is a member of; null if the client asked for none.
  const GlobState* GlobWith(const std::string& name) const;
  GlobState* GlobWith(const std::string& name) {
    return const_cast<GlobState*>(std::as_const(*this).GlobWith(name));
  }

  // The client asked for everything and nothing else, has `base`, and there is nothing to check.
  bool HasBaseAlone() const {
    return is_wildcard && base != nullptr && names.empty() && globs.empty() && since_base.empty() &&
           to_check.empty();
  }

  bool HasWork() const { return is_due || is_behind || !to_check.empty(); }
  // It is in a flush with something to say, and not only waiting for others to say theirs.
  bool IsSpeaking() const { return is_in_flush && HasWork() && !only_takes_away; }
  // It has work, and waits for no window.
  bool IsReady() const { return HasWork() && (is_urgent || is_in_flush); }

  // Nonces grow; 0: none was sent.
  uint64_t last_nonce = 0;
  std::vector<Unanswered> unanswered;  // oldest first
  // SotW, LDS and CDS: what was new in responses that were rejected, since the last that was not,
  // by name. The client has something older of it, or nothing.
  std::map<std::string, ContentHash> rejected;
  // What it made of all this.
  TypeLedger ledger;

  // Until then, names that cannot be answered because the source is not synced wait.
  absl::Time hold_until = absl::InfinitePast();
  bool is_holding = false;
  // When resources with a TTL are to be sent again.
  absl::Time refresh_at = absl::InfiniteFuture();
  std::set<std::string> with_ttl;
  std::set<std::string> to_refresh;  // of to_check, to be sent again as the client took them
};

}  // namespace holdfast

// What a client has made of what it was sent of one type.
//
//   offered ──▶ unanswered ──ACK──▶ it runs what was sent: nothing to remember
//                   └──NACK──▶ rejected: it runs what it had, or nothing
//   told an error ──▶ errored, until a resource is offered again
//   asked for, and there is nothing to say ──▶ silent
//
// Only names that deviate are in here. Whatever is not runs as it was sent, so a stream that
// acknowledged everything costs nothing for each of its names.
//
// Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "control/catalog/view.h"
#include "xds/discovery.h"

namespace holdfast {

// What a client runs of a name.
struct Held {
  std::string version;
  ResourcePtr resource;  // null: only the version is known
};
using HeldPtr = std::shared_ptr<const Held>;  // null: nothing

// Why it said no.
struct Rejection {
  int32_t code = 0;
  std::string message;  // bounded
  std::string version;  // of the response
};

// A name that is not as it was sent.
struct Deviation {
  enum class Kind {
    kOlder,     // it came with this version, or is sent anew what it runs
    kSilent,    // it asked, and nothing can be said yet
    kRejected,  // it said no to what was offered last
    kErrored,   // it was told why there is none
  };
  Kind kind = Kind::kOlder;
  bool keeps = true;  // errored: what it runs stays in use, for the error passes
  absl::Time since;
  HeldPtr runs;
  std::shared_ptr<const Rejection> rejection;  // of kRejected
  ContentHash rejected;                        // what it said no to, if there is a rejection

  bool HasRejected(const Resource& resource) const {
    return rejection != nullptr && rejected == resource.hash();
  }
  bool IsHeldBack() const {
    return runs != nullptr && (kind == Kind::kRejected || kind == Kind::kErrored);
  }
};

// An offer that took the place of another. What was new to the client has none.
struct Replaced {
  ResourcePtr offered;
  ResourcePtr before;       // null: only its hash is known
  ContentHash before_hash;  // zero: of an earlier stream
};

// What was offered in one response.
struct Offer {
  ResourceList news;  // null: nothing was new, or it is forgotten
  // What the client had of everything before it; null: see `replaced`.
  TypeViewPtr had;
  std::vector<Replaced> replaced;
  absl::Time sent_at;
  // When the commit was made that it answers; InfinitePast: it answers a request.
  absl::Time committed_at = absl::InfinitePast();
};

// One thing that happened to several names, told as one.
struct Happened {
  std::string first;
  size_t count = 0;

  void Add(const std::string& name) {
    if (count++ == 0) first = name;
  }
};

class TypeLedger {
 public:
  using Deviations = std::map<std::string, Deviation, std::less<>>;

  const Deviations& deviations() const { return deviations_; }
  const Deviation* Find(absl::string_view name) const;

  // Of the client's first request, before anything was sent. Its words are kept bounded.
  void CameWith(absl::string_view version);
  void CameWith(const std::string& name, absl::string_view version, absl::Time now);

  // A planner offers `after` where the client was sent `before`; null: nothing.
  void Offered(const ResourcePtr& after, const ResourcePtr& before);
  // The same where only the hash of what was before is known.
  void Offered(const ResourcePtr& after, const ContentHash& before);
  // The client is told that there is none. `runs`: what it runs by now. `keeps`: and goes on to.
  void Withdrawn(const std::string& name, HeldPtr runs, bool keeps, absl::Time now);
  // It asked, nothing is served, and there is nothing to say.
  void Silent(const std::string& name, HeldPtr runs, absl::Time now);
  // It no longer asks for the name, or was told that it is gone.
  void Forget(absl::string_view name);

  // The response with all that was offered since the last one is sent.
  Offer Sent(ResourceList news, TypeViewPtr had, absl::Time now);

  // What a client runs anyway is not to be rejected: those that this offer changes back to it are
  // waited for again. Of each offer that is sent, or on its way after one that is rejected.
  void NoteReverts(const Offer& offer);

  struct Answer {
    Happened blamed;    // by a NACK
    Happened accepted;  // that were rejected before
  };
  // `is_all`: whatever the client has of this type was in the response.
  Answer Acked(const Offer& offer, bool is_all);
  // Of what was new in it the client rejects what its words name; all of it, if they name nothing.
  // The rest it takes (gRFC A46). What it was told of a name afterwards stands: an error, and that
  // there is none any more, of which `still_has` is false.
  Answer Nacked(const Offer& offer, bool is_all, const WireStatus& error,
                const std::string& nacked_version,
                absl::FunctionRef<bool(const std::string&)> still_has, absl::Time now);

  // What the client ran before this offer. Null: nothing.
  HeldPtr Before(const Offer& offer, const Resource& offered) const;

  size_t held_back() const { return held_back_; }
  // Since when, the longest; InfiniteFuture if none is.
  absl::Time OldestHeldBack() const {
    return held_back_since_.empty() ? absl::InfiniteFuture() : held_back_since_.begin()->first;
  }

  // A commit changed something of this type that the client is not sent yet: when the first was
  // made. InfinitePast: none did.
  absl::Time changed_at = absl::InfinitePast();
  absl::Time asked_at = absl::InfinitePast();  // when names were last asked for
  std::string sent_version;                    // of the newest response
  std::string acked_version;
  absl::Time acked_at = absl::InfinitePast();
  // Since the last response.
  Happened errored;
  Happened deleted;

 private:
  void Erase(Deviations::iterator at);
  void ComeBack(const std::string& name);
  Happened Accept(const Offer& offer, bool is_all, const std::set<std::string>& but);
  // `offered`: what was new of it in the response, or null.
  void AcceptOne(Deviations::iterator at, const ResourcePtr* offered, bool is_all,
                 Happened& accepted);
  void NoteRevert(const ResourcePtr& offered, Deviation& deviation);
  // Keep what is counted of all deviations.
  template <class Change>
  void Update(Deviation& deviation, Change change);
  void Count(const Deviation& deviation);
  void Uncount(const Deviation& deviation);

  Deviations deviations_;
  // Of these, so that no event has to walk them:
  size_t held_back_ = 0;
  std::map<absl::Time, size_t> held_back_since_;  // how many, by when it began
  size_t with_rejection_ = 0;

  std::vector<Replaced> replaced_;
  // SotW: a version of an earlier stream, of all names, until the first ACK.
  HeldPtr came_with_;
};

// The names that stand in the text, as words of their own or in quotes.
std::set<std::string> NamesIn(absl::string_view text,
                              absl::FunctionRef<bool(absl::string_view)> is_name);

inline HeldPtr HeldOf(const ResourcePtr& resource) {
  if (resource == nullptr) return nullptr;
  return std::make_shared<const Held>(Held{resource->version(), resource});
}

}  // namespace holdfast

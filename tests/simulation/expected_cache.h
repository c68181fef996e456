// What the cache must know after each event, and so what every watcher must have been told: the
// behaviour table of gRFC A88 (R3-T01 to T31), and of A53 with the guard off, said a second time in
// the plainest way.
//
// Where the specs leave an outcome open it is not foretold: the entry counts as undecided, and what
// the snapshot shows is taken over.
#pragma once

#include <array>

#include "holdfast/xds/snapshot.h"
#include "tests/simulation/fake_world.h"
#include "tests/simulation/findings.h"
#include "tests/simulation/mode.h"
#include "tests/simulation/watchers.h"
#include "xds/discovery.h"

namespace holdfast {

// How a response is to be answered.
enum class Answer {
  kNone,  // not at all: nobody asked for it
  kAck,
  kNack,
  kEither,  // the specs leave it open
};

class ExpectedCache {
 public:
  ExpectedCache(const Mode& mode, Watchers& watchers, Findings& findings)
      : mode_(mode), watchers_(watchers), findings_(findings) {}

  bool HasContent(ResourceKey key) const { return entry(key).content != kNoContent; }
  // Nobody watches it, and nothing of it is kept.
  bool IsGone(ResourceKey key) const { return entry(key).life == Life::kGone; }
  bool is_server_failing() const { return is_server_failing_; }
  CacheState state(ResourceKey key) const { return entry(key).state; }

  void WatcherCame(WatcherRecord& newcomer);
  // The last watcher left. `is_on_wire`: the living stream was asked for it.
  void NobodyIsLeft(ResourceKey key, bool is_on_wire);
  // A request that names no more than these is on its way, or left.
  void RequestOrdered(int type, const NameSet& names);
  void RequestLeft(int type, const NameSet& names);
  void StreamEnded();

  Answer Respond(const DiscoveryResponse& response);
  // A response came, whatever is in it. To be called after Respond.
  void ServerAnswered();
  // The first watcher came, and there is a stream at once.
  void ServerIsTriedAnew();
  void ServerFailed();
  void TimerFired(ResourceKey key);

  bool is_anything_undecided() const { return is_anything_undecided_; }
  void TakeOver(const ClientSnapshot& snapshot);
  // The whole of the cache, and the words of every error.
  void Check(const ClientSnapshot& snapshot);

 private:
  enum class Life {
    kGone,
    kWatched,
    kLingering,  // kept for whoever comes back before the unsubscription leaves (R1.19)
    kMaybeGone,
  };
  struct Entry {
    Life life = Life::kGone;
    CacheState state = CacheState::kRequested;
    int content = kNoContent;
    bool has_error = false;
    ErrorKind error;
    bool is_undecided = false;
  };
  // What one response says of one name.
  struct Mentions {
    int resources = 0;
    int content = kNoContent;  // of the resource, if it is valid
    const ResourceError* error = nullptr;
    bool is_in_broken_error = false;
  };

  Entry& entry(ResourceKey key) { return entries_[key.index()]; }
  const Entry& entry(ResourceKey key) const { return entries_[key.index()]; }
  Answer AnswerTo(int type, const DiscoveryResponse& response) const;
  void Apply(ResourceKey key, const Mentions& mentions, bool is_complete);
  void Fail(ResourceKey key, CacheState state, ErrorKind error, bool is_data_error);
  void Delete(ResourceKey key);
  void Settle(ResourceKey key);
  void CheckEntry(const ResourceSnapshot& seen, ResourceKey key);
  void CheckWords(const ClientSnapshot& snapshot, const ResourceSnapshot& seen, ResourceKey key);

  const Mode& mode_;
  Watchers& watchers_;
  Findings& findings_;
  std::array<Entry, kAllResources> entries_;
  bool is_server_failing_ = false;
  bool is_anything_undecided_ = false;
};

}  // namespace holdfast

// Everybody who watches: what each was told, what each should know, and the rules of the calls
// themselves (R3.02–R3.04, R3.10, R3.34).
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "client/protocol/effects.h"
#include "client/protocol/ids.h"
#include "tests/simulation/fake_world.h"
#include "tests/simulation/findings.h"
#include "tests/simulation/mode.h"

namespace holdfast {

// The kind of an error: what can be foretold of one without knowing its words.
struct ErrorKind {
  Cause cause = Cause::kConnectivity;
  absl::StatusCode code = absl::StatusCode::kOk;  // kOk: whatever the transport said

  bool Fits(const ErrorDetail& error) const {
    return error.cause == cause && (code == absl::StatusCode::kOk || error.code == code);
  }
};

inline constexpr int kNoContent = -1;

struct WatcherRecord {
  WatchId id;
  ResourceKey key;
  bool is_malformed = false;  // watches a name that cannot be
  int calls = 0;              // in this step
  // As told. With a content the error is an ambient one.
  int content = kNoContent;
  SharedError error;
  // The error was of the connection, which works again: told once more, it is news.
  bool is_error_over = false;
  // As it should be.
  int expected_content = kNoContent;
  bool expects_error = false;
  ErrorKind expected_error;
};

class Watchers {
 public:
  Watchers(const Mode& mode, Findings& findings) : mode_(mode), findings_(findings) {}

  bool IsAnybodyThere() const { return !active_.empty(); }
  size_t count() const { return active_.size(); }
  const WatcherRecord& at(size_t index) const { return active_[index]; }
  // Names of this type that are watched and can go onto the wire.
  const NameSet& watched(int type) const { return watched_[static_cast<size_t>(type)]; }
  bool IsWatched(ResourceKey key) const { return watched(key.type)[static_cast<size_t>(key.name)]; }
  bool IsAnyNameWatched() const;

  WatcherRecord& Start(WatchId id, ResourceKey key, bool is_malformed);
  void Cancel(size_t index);

  template <class Visit>
  void ForEach(Visit visit) {
    for (WatcherRecord& watcher : active_) visit(watcher);
  }
  template <class Visit>
  void ForEachOf(ResourceKey key, Visit visit) {
    for (WatcherRecord& watcher : active_) {
      if (!watcher.is_malformed && watcher.key.index() == key.index()) visit(watcher);
    }
  }

  void BeginStep();
  void Hear(const DeliverResource& news);
  void Hear(const DeliverError& news);
  void Hear(const DeliverAmbientError& news);
  // Calls in this step, to all of them and the most to one.
  int calls() const { return calls_; }

  // Everybody was told what they should know.
  void CheckExpectations();

 private:
  WatcherRecord* Called(WatchId id);
  void CheckMayDrop(const WatcherRecord& watcher, const ErrorDetail& error);
  void CheckMayBeAmbient(const WatcherRecord& watcher, const ErrorDetail& error);
  void Broken(const WatcherRecord& watcher, const char* what);

  const Mode& mode_;
  Findings& findings_;
  std::vector<WatcherRecord> active_;
  std::array<NameSet, kTypes> watched_;
  int calls_ = 0;
};

// All but the clock and the refused version.
bool IsSameToWatchers(const ErrorDetail& a, const ErrorDetail& b);
bool IsDataError(const ErrorDetail& error);

}  // namespace holdfast

// How an application hears of a resource (gRFC A88).
//
//   class QuotaWatcher : public holdfast::Watcher<Quota> {
//     void OnResourceChanged(absl::StatusOr<std::shared_ptr<const Quota>> quota) override {
//       if (quota.ok()) Use(**quota);      // a new version
//       else StopUsing(quota.status());    // nothing usable: forget what you had
//     }
//     void OnAmbientError(absl::Status status) override {
//       // Keep what you have. Not OK: why it may be stale. OK: that error is over.
//     }
//   };
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "holdfast/export.h"

namespace holdfast {

// Calls come one at a time, in order, from a thread of the client, with no lock held. A slow call
// delays only the client of this watcher: it reads nothing more from its server meanwhile.
template <class T>
class Watcher {
 public:
  virtual ~Watcher() = default;

  // A value: use it from now on. An error: there is nothing to use, stop using what came before.
  // Either way an ambient error heard earlier is over.
  virtual void OnResourceChanged(absl::StatusOr<std::shared_ptr<const T>> resource) = 0;

  // Only after a value. Not OK: go on using the value; this is why it may be out of date. OK: the
  // error is over.
  virtual void OnAmbientError(absl::Status status) = 0;
};

// One watcher's interest in one resource. Destroying it cancels.
//
// Thread-safe. A default-constructed or moved-from Watch watches nothing.
class Watch {
 public:
  Watch() = default;
  HOLDFAST_EXPORT Watch(Watch&&) noexcept;
  HOLDFAST_EXPORT Watch& operator=(Watch&&) noexcept;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  HOLDFAST_EXPORT ~Watch();

  // No call to the watcher starts after this returns; one that runs may still be running. Never
  // blocks, may be called from inside a watcher, does nothing the second time.
  HOLDFAST_EXPORT void Cancel();

 private:
  friend class XdsClient;
  class State;
  explicit Watch(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
};

}  // namespace holdfast

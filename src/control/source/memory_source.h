// What the program itself wants to be served, commit by commit (holdfast/control/transaction.h).
//
// Synced from the first commit on: until then the program has not said what there is, and nobody
// may be told that a name does not exist. An empty first commit says "nothing".
//
// A commit costs the names it touches, and speaks of no others. Content that is put again unchanged
// stays the object it was.
//
// Thread-safe. Commits take effect one after another, in the order of their ids; `publish` runs on
// the thread of the commit, so it must not commit itself.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "absl/status/statusor.h"
#include "control/catalog/view.h"
#include "control/source/source.h"
#include "holdfast/control/transaction.h"

namespace holdfast {

class MemorySource final : public Source {
 public:
  void Start(std::function<void(Published)> publish) override;
  // Commits are still counted afterwards, but reach nobody.
  void Stop() override;

  // Published when it returns, also those made before Start(), by then. INVALID_ARGUMENT for a
  // change that no client could be sent; ABORTED if `expected` is not the newest commit (0 before
  // the first). With an error nothing has changed.
  absl::StatusOr<CommitId> Commit(Transaction change,
                                  std::optional<CommitId> expected = std::nullopt);

 private:
  // The names that it touches.
  std::set<ResourceKey> Apply(const Transaction& change);
  void Publish(Contents contents);
  Contents All() const;
  Contents Only(std::set<ResourceKey> keys) const;

  std::mutex mutex_;  // Held while publishing: that is what puts commits in one order.
  std::function<void(Published)> publish_;
  CommitId newest_{};
  std::map<ResourceKey, ResourcePtr> resources_;
  std::map<ResourceKey, NameError> errors_;
};

}  // namespace holdfast

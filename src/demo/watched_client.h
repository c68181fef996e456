// A client of the demo as the storyteller sees it: how its calls do, of late and since an act
// began.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "demo/child_process.h"
#include "demo/story/record.h"

namespace holdfast {

class WatchedClient {
 public:
  explicit WatchedClient(std::unique_ptr<ChildProcess> process) : process_(std::move(process)) {}

  // Asks it what became of its calls, and adds that to the record.
  absl::Status Ask(absl::Time now, ClientRecord& record);
  // Another process takes its place.
  void BeginAnew(std::unique_ptr<ChildProcess> process);

  // What it said last.
  const CallReport& last() const { return last_; }
  // Calls a second, of late.
  double Rate() const;
  // Since when calls are made and not one fails; nothing if it is not so, or too short to tell.
  std::optional<absl::Time> IsWellSince() const;

 private:
  std::unique_ptr<ChildProcess> process_;
  CallReport last_;
  std::deque<std::pair<absl::Time, uint64_t>> recent_;  // when asked, and how many calls
  std::optional<absl::Time> well_since_;
  int well_reports_ = 0;
};

}  // namespace holdfast

// How many streams there are, in all and of each connection.
//
// A connection is known by its peer ("ipv4:10.0.0.7:41234"). Peers of a Unix socket all have the
// same name, so their connections cannot be told apart and are not limited.
//
// Thread-safe: the streams of one connection may be served by several workers.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace holdfast {

class StreamCensus {
 public:
  explicit StreamCensus(size_t most_of_a_connection) : most_(most_of_a_connection) {}

  // False if the connection has all it may have; then the stream is not counted for it, but in all.
  bool Enter(absl::string_view peer);
  // `was_within` is what Enter said.
  void Leave(absl::string_view peer, bool was_within);

  // True if there are none left; false after `patience`.
  bool WaitUntilEmpty(absl::Duration patience) const;

 private:
  const size_t most_;
  mutable std::mutex mutex_;
  mutable std::condition_variable is_empty_;
  size_t all_ = 0;
  std::map<std::string, size_t, std::less<>> by_connection_;
};

}  // namespace holdfast

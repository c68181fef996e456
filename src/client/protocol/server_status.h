// Whether the xDS server can be reached, kept per server and not per resource (DEC-36).
//
// It fails when a stream ends without a response, and is well again with the next response, not
// before: an open stream proves nothing.
#pragma once

#include <utility>

#include "client/protocol/effects.h"

namespace holdfast {

class ServerStatus {
 public:
  bool is_failing() const { return for_uncached_ != nullptr; }

  // The error as it is told to those who have something to use, and to those who have not. Null
  // while the server is well.
  const SharedError& ForWatchers(bool is_cached) const {
    return is_cached ? for_cached_ : for_uncached_;
  }

  void Fail(SharedError for_cached, SharedError for_uncached) {
    for_cached_ = std::move(for_cached);
    for_uncached_ = std::move(for_uncached);
  }
  void Recover() {
    for_cached_ = nullptr;
    for_uncached_ = nullptr;
  }

 private:
  SharedError for_cached_;
  SharedError for_uncached_;
};

}  // namespace holdfast

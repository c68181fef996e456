// How the bench drives a server that it measures: a line in, a line out, so that a server in any
// language can stand beside ours. bench/go_peer speaks it too.
//
//   (started)                            "listening PORT"
//   load clusters|endpoints COUNT SIZE   "ok"     serves resources 0 to COUNT-1, of SIZE bytes
//   prepare all|NUMBER TIMES             "ok"     makes the content of so many commits
//   commit                               "ok"     the next of these reaches the clients
//   cpu                                  "cpu MICROSECONDS"    of the process, until now
//   memory                               "memory RSS_KB PEAK_RSS_KB"
//   trim                                 "ok"     unused memory goes back to the system
//   admin                                "admin PORT"    of HTTP: ours alone has one
//   quit, or the end of the input        (ends)
//
// What is measured is a commit and what follows from it; content is made before, because a floor
// makes none.
#pragma once

#include <cstddef>
#include <optional>

#include "bench/control/served_resources.h"

namespace holdfast {

// A server, as it is told what to do.
class DrivenServer {
 public:
  virtual ~DrivenServer() = default;
  virtual void Load(ServedKind kind, int count, size_t size) = 0;
  // `number`: of one resource; nothing: all.
  virtual void Prepare(std::optional<int> number, int times) = 0;
  // REQUIRES: one is prepared.
  virtual void Commit() = 0;
  // 0: there is none.
  virtual int AdminPort() { return 0; }
};

// Says where the server listens and does what lines on stdin say, until the last. What it cannot
// read ends the process.
void ServeLines(int port, DrivenServer& server);

}  // namespace holdfast

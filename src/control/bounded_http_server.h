// The HTTP server of the admin port, which clients can neither fill nor hold up.
//
// cpp-httplib has a few threads, each with one connection until that is done, reads a head for as
// long as bytes come, and waits at its end until all is read. So here
//
//   - a request has so many bytes and so much time, and so has its answer;
//   - while others wait for a thread, that time is short, and connections that say nothing have
//     none; where very many wait, those who waited longest are told 503;
//   - there are no bodies, no ranges and no methods but GET and HEAD;
//   - when the server ends it waits for nobody.
//
// Thread-safe.
#pragma once

#include <httplib.h>

#include <atomic>
#include <cstddef>

#include "absl/time/time.h"

namespace holdfast {

class BoundedHttpServer final : public httplib::Server {
 public:
  // `request_patience`: from the first byte of a request to the end of its head.
  explicit BoundedHttpServer(absl::Duration request_patience);

  // Lets more than a handful of connections come at once: whoever does not get through tries again
  // a second later. REQUIRES: bound.
  void WidenBacklog();

  // Stops it, and cuts off whoever does not read or write.
  void End();

 private:
  class Connection;
  class Threads;

  bool process_and_close_socket(socket_t socket) override;
  void Converse(Connection& connection);
  // All threads are taken, and somebody waits for one.
  bool IsCrowded() const;

  const absl::Duration request_patience_;
  std::atomic<bool> is_ending_ = false;
  // Connections that have no thread yet, and those that have.
  std::atomic<size_t> waiting_ = 0;
  std::atomic<size_t> busy_ = 0;
};

}  // namespace holdfast

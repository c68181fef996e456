// A wire that a test can cut: passes the bytes of one TCP connection on to a server on loopback.
//
//   Tunnel tunnel(server.address());
//   ... a client connects to tunnel.address() ...
//   tunnel.Cut();
#pragma once

#include <cstdint>
#include <string>
#include <thread>

namespace holdfast {

// A socket bound to 127.0.0.1 and a port that the kernel chose, which is in `port`. Others may
// listen on the port too.
int BoundSocket(uint16_t& port);

class Tunnel {
 public:
  explicit Tunnel(uint16_t server_port);
  // Cuts, if nobody did.
  ~Tunnel();
  Tunnel(const Tunnel&) = delete;
  Tunnel& operator=(const Tunnel&) = delete;

  std::string address() const;
  // Both ends hear of it by a reset, as from a host that is gone; connecting again is refused.
  void Cut();

 private:
  // Until the tunnel is cut or either end hangs up.
  void PassBytesOn(uint16_t server_port);

  uint16_t port_ = 0;
  int listener_ = -1;
  int cut_[2] = {-1, -1};  // a pipe: closing its second end is the cut
  std::thread thread_;
};

}  // namespace holdfast

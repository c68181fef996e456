// A port of loopback that stays ours while no server is there: bound but not listening, so that
// connections are refused, and a server may bind it too (both say SO_REUSEADDR).
#pragma once

#include <string>

namespace holdfast {

class ReservedPort {
 public:
  ReservedPort();
  ~ReservedPort();
  ReservedPort(const ReservedPort&) = delete;
  ReservedPort& operator=(const ReservedPort&) = delete;

  const std::string& address() const { return address_; }

 private:
  const int socket_;
  std::string address_;
};

}  // namespace holdfast

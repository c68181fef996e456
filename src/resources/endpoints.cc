#include "resources/endpoints.h"

#include "absl/strings/str_cat.h"

namespace holdfast {

std::string SocketAddress::HostAndPort() const {
  const bool is_v6 = ip.find(':') != std::string::npos;
  return is_v6 ? absl::StrCat("[", ip, "]:", port) : absl::StrCat(ip, ":", port);
}

}  // namespace holdfast

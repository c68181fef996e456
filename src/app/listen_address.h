// HOST:PORT of a server that is about to listen there.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace holdfast {

struct ListenAddress {
  std::string host;          // an IPv6 address without its brackets
  int port = 0;              // 0: any that is free
  std::string written_host;  // with them

  // "127.0.0.1:18000"
  std::string Text() const { return WithPort(port); }
  std::string WithPort(int number) const;
};

// INVALID_ARGUMENT, with what is wrong and how it is written.
absl::StatusOr<ListenAddress> ParseListenAddress(absl::string_view text);

// UNAVAILABLE with the reason if nobody can listen there now. Servers keep the reason to
// themselves, so whoever wants to tell it tries first.
absl::Status TryToListen(const ListenAddress& address);

// "cannot listen on 127.0.0.1:18000: " and why.
absl::Status CannotListen(const ListenAddress& address, absl::string_view why);

}  // namespace holdfast

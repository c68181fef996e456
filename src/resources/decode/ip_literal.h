// IP addresses as text, read without a socket in reach.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace holdfast {

// The one spelling of an address, so that equal addresses are equal texts: RFC 5952 for IPv6, and
// an IPv4-mapped address ("::ffff:10.0.0.7", "::ffff:a00:7") as the IPv4 address it stands for.
//
// nullopt for anything but an IPv4 or IPv6 literal in the strict form of inet_pton: no leading
// zeros in IPv4 ("010.0.0.7" is octal to some), no brackets, no zone ("fe80::1%eth0": a zone means
// something only on one host, and a resource is for many).
std::optional<std::string> CanonicalIp(absl::string_view text);

}  // namespace holdfast

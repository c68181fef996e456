#include "resources/decode/ip_literal.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace holdfast {
namespace {

constexpr size_t kLongestText = 45;  // "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255"
constexpr size_t kGroups = 8;

using Ipv4 = std::array<uint8_t, 4>;
using Ipv6 = std::array<uint16_t, kGroups>;

std::optional<uint8_t> ReadOctet(absl::string_view text) {
  if (text.empty() || text.size() > 3 || (text.size() > 1 && text.front() == '0')) {
    return std::nullopt;
  }
  int value = 0;
  for (const char c : text) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  if (value > 255) return std::nullopt;
  return static_cast<uint8_t>(value);
}

std::optional<Ipv4> ReadIpv4(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '.');
  if (parts.size() != 4) return std::nullopt;
  Ipv4 address;
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::optional<uint8_t> octet = ReadOctet(parts[i]);
    if (!octet.has_value()) return std::nullopt;
    address[i] = *octet;
  }
  return address;
}

std::optional<uint16_t> ReadGroup(absl::string_view text) {
  if (text.empty() || text.size() > 4) return std::nullopt;
  unsigned value = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (!absl::ascii_isxdigit(byte)) return std::nullopt;
    const unsigned char low = static_cast<unsigned char>(absl::ascii_tolower(byte));
    value = value * 16 + (absl::ascii_isdigit(low) ? low - '0' : low - 'a' + 10u);
  }
  return static_cast<uint16_t>(value);
}

// Groups between colons, on one side of a "::". The last one may be an IPv4 address, which is two.
std::optional<std::vector<uint16_t>> ReadGroups(absl::string_view text, bool may_end_in_ipv4) {
  std::vector<uint16_t> groups;
  if (text.empty()) return groups;
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  for (size_t i = 0; i < parts.size(); ++i) {
    if (may_end_in_ipv4 && i + 1 == parts.size()) {
      if (const std::optional<Ipv4> ipv4 = ReadIpv4(parts[i]); ipv4.has_value()) {
        groups.push_back(static_cast<uint16_t>((*ipv4)[0] << 8 | (*ipv4)[1]));
        groups.push_back(static_cast<uint16_t>((*ipv4)[2] << 8 | (*ipv4)[3]));
        continue;
      }
    }
    const std::optional<uint16_t> group = ReadGroup(parts[i]);
    if (!group.has_value()) return std::nullopt;
    groups.push_back(*group);
  }
  return groups;
}

std::optional<Ipv6> ReadIpv6(absl::string_view text) {
  const size_t gap = text.find("::");
  const bool has_gap = gap != absl::string_view::npos;
  // A second "::" is an empty group in the tail and fails there.
  const auto head = ReadGroups(has_gap ? text.substr(0, gap) : text, !has_gap);
  const auto tail = ReadGroups(has_gap ? text.substr(gap + 2) : absl::string_view(), true);
  if (!head.has_value() || !tail.has_value()) return std::nullopt;
  const size_t written = head->size() + tail->size();
  if (has_gap ? written >= kGroups : written != kGroups) return std::nullopt;

  Ipv6 address{};
  std::copy(head->begin(), head->end(), address.begin());
  std::copy_backward(tail->begin(), tail->end(), address.end());
  return address;
}

bool IsIpv4Mapped(const Ipv6& address) {
  return std::all_of(address.begin(), address.begin() + 5, [](uint16_t g) { return g == 0; }) &&
         address[5] == 0xffff;
}

// The first of the longest runs of two or more zero groups; empty if there is none.
struct Run {
  size_t begin = 0;
  size_t length = 0;
};
Run LongestZeroRun(const Ipv6& address) {
  Run best;
  for (size_t i = 0; i < kGroups;) {
    size_t end = i;
    while (end < kGroups && address[end] == 0) ++end;
    if (end - i >= 2 && end - i > best.length) best = {i, end - i};
    i = std::max(end, i + 1);
  }
  return best;
}

std::string Ipv4Text(unsigned high, unsigned low) {
  return absl::StrCat(high >> 8, ".", high & 0xff, ".", low >> 8, ".", low & 0xff);
}

std::string Ipv6Text(const Ipv6& address) {
  const Run zeros = LongestZeroRun(address);
  std::string text;
  for (size_t i = 0; i < kGroups;) {
    if (zeros.length > 0 && i == zeros.begin) {
      text += "::";
      i += zeros.length;
      continue;
    }
    if (!text.empty() && text.back() != ':') text += ':';
    absl::StrAppend(&text, absl::Hex(address[i]));
    ++i;
  }
  return text;
}

}  // namespace

std::optional<std::string> CanonicalIp(absl::string_view text) {
  if (text.size() > kLongestText) return std::nullopt;
  if (ReadIpv4(text).has_value()) return std::string(text);  // strict, so it has one spelling
  const std::optional<Ipv6> ipv6 = ReadIpv6(text);
  if (!ipv6.has_value()) return std::nullopt;
  if (IsIpv4Mapped(*ipv6)) return Ipv4Text((*ipv6)[6], (*ipv6)[7]);
  return Ipv6Text(*ipv6);
}

}  // namespace holdfast

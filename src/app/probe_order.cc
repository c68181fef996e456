#include "app/probe_order.h"

#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "app/duration_text.h"
#include "base/outside_text.h"

namespace holdfast {

absl::StatusOr<std::optional<ProbeOrder>> ParseProbeOrder(absl::string_view line) {
  const std::vector<std::string> words =
      absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
  if (words.empty()) return std::nullopt;
  if (words[0] != "call" || words.size() > 3) {
    return absl::InvalidArgumentError(absl::StrCat(
        "not an order: ", Quoted(line), "; write call, call 3s or call 3s 2 (timeout, channel)"));
  }
  ProbeOrder order;
  if (words.size() > 1) {
    const absl::StatusOr<absl::Duration> timeout = ParseDuration(words[1]);
    if (!timeout.ok()) return timeout.status();
    order.timeout = *timeout;
  }
  if (words.size() > 2 && (!absl::SimpleAtoi(words[2], &order.channel) || order.channel == 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat(Quoted(words[2]), " is no channel; write a number from 1"));
  }
  return order;
}

}  // namespace holdfast

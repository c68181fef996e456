#include "holdfast/xds/error.h"

#include <cstdint>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "base/error_payload.h"

namespace holdfast {
namespace {

bool TakePart(absl::string_view& rest, std::string& part) {
  const size_t colon = rest.find(':');
  size_t length = 0;
  if (colon == absl::string_view::npos || !absl::SimpleAtoi(rest.substr(0, colon), &length) ||
      length > rest.size() - colon - 1) {
    return false;
  }
  part.assign(rest.data() + colon + 1, length);
  rest.remove_prefix(colon + 1 + length);
  return true;
}

}  // namespace

absl::string_view NameOf(Cause cause) {
  switch (cause) {
    case Cause::kNack:
      return "nack";
    case Cause::kDeleted:
      return "deleted";
    case Cause::kServerError:
      return "server_error";
    case Cause::kTimeout:
      return "timeout";
    case Cause::kConnectivity:
      return "connectivity";
    case Cause::kBadName:
      return "bad_name";
  }
  return "unknown";
}

std::optional<ErrorDetail> DetailOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kErrorPayloadUrl);
  if (!payload.has_value()) return std::nullopt;
  const std::string bytes(*payload);
  absl::string_view rest = bytes;
  std::string part;
  ErrorDetail detail;
  int number = 0;
  if (!TakePart(rest, part) || !absl::SimpleAtoi(part, &number)) return std::nullopt;
  detail.code = static_cast<absl::StatusCode>(number);
  if (!TakePart(rest, part) || !absl::SimpleAtoi(part, &number)) return std::nullopt;
  detail.cause = static_cast<Cause>(number);
  int64_t nanos = 0;
  if (!TakePart(rest, part) || !absl::SimpleAtoi(part, &nanos)) return std::nullopt;
  detail.when = absl::ToChronoTime(absl::FromUnixNanos(nanos));
  for (std::string ErrorDetail::*field : kErrorPayloadTexts) {
    if (!TakePart(rest, detail.*field)) return std::nullopt;
  }
  return detail;
}

}  // namespace holdfast

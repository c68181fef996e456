#include "base/error_detail.h"

#include <cstdint>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/check.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

constexpr absl::string_view kPayloadUrl = "holdfast/error_detail";

// More than twenty quoted errors of a resource need, less than a server could send.
constexpr size_t kMostTextBytes = size_t{16} << 10;

// The payload never leaves the process, so its form is our own: each part as "<length>:<bytes>".
void AppendPart(absl::string_view part, std::string& out) {
  absl::StrAppend(&out, part.size(), ":", part);
}

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

constexpr std::string ErrorDetail::*kTexts[] = {
    &ErrorDetail::text,    &ErrorDetail::type,        &ErrorDetail::resource, &ErrorDetail::server,
    &ErrorDetail::version, &ErrorDetail::consequence, &ErrorDetail::node_id,
};

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

std::string TextOf(const ErrorDetail& detail) {
  std::string text;
  if (!detail.type.empty()) {
    absl::StrAppend(&text, detail.type, " ", Quoted(detail.resource), ": ");
  } else if (!detail.server.empty()) {
    absl::StrAppend(&text, "xds server ", Quoted(detail.server), ": ");
  }
  text += BoundedText(detail.text, kMostTextBytes);
  if (!detail.consequence.empty()) absl::StrAppend(&text, "; ", detail.consequence);
  if (!detail.node_id.empty()) absl::StrAppend(&text, " (node ", Quoted(detail.node_id), ")");
  return text;
}

absl::Status ToStatus(const ErrorDetail& detail) {
  HOLDFAST_CHECK(detail.code != absl::StatusCode::kOk);
  std::string payload;
  AppendPart(absl::StrCat(static_cast<int>(detail.code)), payload);
  AppendPart(absl::StrCat(static_cast<int>(detail.cause)), payload);
  AppendPart(absl::StrCat(absl::ToUnixNanos(absl::FromChrono(detail.when))), payload);
  for (std::string ErrorDetail::*field : kTexts) AppendPart(detail.*field, payload);

  absl::Status status(detail.code, TextOf(detail));
  status.SetPayload(kPayloadUrl, absl::Cord(std::move(payload)));
  return status;
}

std::optional<ErrorDetail> DetailOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayloadUrl);
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
  for (std::string ErrorDetail::*field : kTexts) {
    if (!TakePart(rest, detail.*field)) return std::nullopt;
  }
  return detail;
}

}  // namespace holdfast

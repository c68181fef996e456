#include "base/error_detail.h"

#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/check.h"
#include "base/error_payload.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

// More than twenty quoted errors of a resource need, less than a server could send.
constexpr size_t kMostTextBytes = size_t{16} << 10;

void AppendPart(absl::string_view part, std::string& out) {
  absl::StrAppend(&out, part.size(), ":", part);
}

}  // namespace

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
  for (std::string ErrorDetail::*field : kErrorPayloadTexts) AppendPart(detail.*field, payload);

  absl::Status status(detail.code, TextOf(detail));
  status.SetPayload(kErrorPayloadUrl, absl::Cord(std::move(payload)));
  return status;
}

}  // namespace holdfast

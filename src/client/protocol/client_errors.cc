#include "client/protocol/client_errors.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

// As much of a server's own words as anybody will read. Kept bounded, because each entry keeps it.
constexpr size_t kMostOutsideText = size_t{4} << 10;
constexpr size_t kMostVersion = 1000;

std::string TextOf(const Consequence& then) {
  if (!then.is_cached) return "";
  const std::string version = BoundedText(then.version);
  if (then.drop_cached) {
    return absl::StrCat("version ", version, " is no longer used, because ", then.why_dropped);
  }
  return absl::StrCat("keeping version ", version);
}

SharedError Shared(ErrorDetail detail) {
  return std::make_shared<const ErrorDetail>(std::move(detail));
}

}  // namespace

ClientErrors::ClientErrors(std::string server_uri, std::string node_id)
    : server_uri_(std::move(server_uri)), node_id_(std::move(node_id)) {}

ErrorDetail ClientErrors::About(const AnyResourceType& type, absl::string_view name, Cause cause,
                                absl::StatusCode code, absl::Time now) const {
  ErrorDetail detail;
  detail.code = code;
  detail.cause = cause;
  detail.type = std::string(type.noun());
  detail.resource = std::string(name);
  detail.server = server_uri_;
  detail.node_id = node_id_;
  detail.when = absl::ToChronoTime(now);
  return detail;
}

SharedError ClientErrors::Rejected(const AnyResourceType& type, absl::string_view name,
                                   absl::string_view text, absl::string_view version,
                                   const Consequence& then, absl::Time now) const {
  ErrorDetail detail = About(type, name, Cause::kNack, absl::StatusCode::kInvalidArgument, now);
  detail.text = std::string(text);
  detail.version = BoundedText(version, kMostVersion);
  detail.consequence = TextOf(then);
  return Shared(std::move(detail));
}

SharedError ClientErrors::Deleted(const AnyResourceType& type, absl::string_view name,
                                  absl::string_view version, const Consequence& then,
                                  absl::Time now) const {
  ErrorDetail detail = About(type, name, Cause::kDeleted, absl::StatusCode::kNotFound, now);
  detail.text = absl::StrCat("deleted: version ", BoundedText(version), " of xds server ",
                             Quoted(server_uri_), " no longer has it");
  detail.version = BoundedText(version, kMostVersion);
  detail.consequence = TextOf(then);
  return Shared(std::move(detail));
}

SharedError ClientErrors::Reported(const AnyResourceType& type, const ResourceError& error,
                                   absl::string_view version, const Consequence& then,
                                   absl::Time now) const {
  const absl::StatusCode code = CodeOnWire(error.code);
  ErrorDetail detail = About(type, error.name, Cause::kServerError, code, now);
  if (static_cast<int32_t>(code) != error.code) {
    absl::StrAppend(&detail.text, "status code ", error.code, ": ");
  }
  if (error.message.empty()) {
    absl::StrAppend(&detail.text, "xds server ", Quoted(server_uri_), " answered ",
                    absl::StatusCodeToString(code), " and gave no reason");
  } else {
    detail.text += BoundedText(error.message, kMostOutsideText);
  }
  detail.version = BoundedText(version, kMostVersion);
  detail.consequence = TextOf(then);
  return Shared(std::move(detail));
}

SharedError ClientErrors::TimedOut(const AnyResourceType& type, absl::string_view name,
                                   absl::StatusCode code, absl::Duration waited,
                                   absl::Time now) const {
  ErrorDetail detail = About(type, name, Cause::kTimeout, code, now);
  detail.text = absl::StrCat(
      "xds server ", Quoted(server_uri_), " did not send it within ", absl::FormatDuration(waited),
      code == absl::StatusCode::kNotFound ? ", so it is taken not to exist"
                                          : "; the server is slow, or forgot it");
  return Shared(std::move(detail));
}

SharedError ClientErrors::BadName(const AnyResourceType& type, absl::string_view name,
                                  const absl::Status& why, absl::Time now) const {
  ErrorDetail detail = About(type, name, Cause::kBadName, why.code(), now);
  detail.text = std::string(why.message());
  return Shared(std::move(detail));
}

SharedError ClientErrors::Unreachable(const absl::Status& status, bool is_channel_failing,
                                      bool for_cached, absl::Time now) const {
  ErrorDetail detail;
  detail.code = status.ok() ? absl::StatusCode::kUnavailable : status.code();
  detail.cause = Cause::kConnectivity;
  detail.server = server_uri_;
  detail.node_id = node_id_;
  detail.when = absl::ToChronoTime(now);
  detail.text =
      is_channel_failing ? "cannot be reached: " : "the stream ended before any response: ";
  if (status.ok()) {
    detail.text += "the server closed it with OK";
  } else {
    absl::StrAppend(&detail.text, absl::StatusCodeToString(status.code()), ": ",
                    BoundedText(status.message(), kMostOutsideText));
  }
  if (for_cached) detail.consequence = "using the cached resource";
  return Shared(std::move(detail));
}

absl::StatusCode CodeOnWire(int32_t code) {
  const bool is_known =
      code > 0 && code <= static_cast<int32_t>(absl::StatusCode::kUnauthenticated);
  return is_known ? static_cast<absl::StatusCode>(code) : absl::StatusCode::kUnknown;
}

}  // namespace holdfast

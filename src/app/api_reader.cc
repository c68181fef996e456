#include "app/api_reader.h"

#include <httplib.h>

#include <chrono>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "app/fleet_dial.h"
#include "app/listen_address.h"
#include "app/request_guard.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

constexpr size_t kMostAnswerBytes = size_t{64} << 20;
constexpr time_t kConnectSeconds = 2;
constexpr time_t kReadSeconds = 5;
constexpr std::chrono::seconds kPatience{10};
constexpr int kOk = 200;

// All but what means nothing in a query.
std::string Encoded(absl::string_view text) {
  std::string encoded;
  for (const char c : text) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_') {
      encoded += c;
    } else {
      absl::StrAppendFormat(&encoded, "%%%02X", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

// What somebody in between, or something else at that address, may answer.
absl::StatusCode CodeOf(int http_status) {
  switch (http_status) {
    case 401:
    case 403:
      return absl::StatusCode::kPermissionDenied;
    case 502:
    case 503:
    case 504:
      return absl::StatusCode::kUnavailable;
    default:
      return absl::StatusCode::kFailedPrecondition;
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<ApiReader>> ApiReader::To(absl::string_view address, int stop) {
  absl::string_view bare = absl::StripPrefix(address, "http://");
  bare = absl::StripSuffix(bare, "/");
  const absl::StatusOr<ListenAddress> parsed = ParseListenAddress(bare);
  if (!parsed.ok()) return parsed.status();
  return std::unique_ptr<ApiReader>(
      new ApiReader(parsed->Text(), parsed->host, parsed->port, stop));
}

ApiReader::ApiReader(std::string address, const std::string& host, int port, int stop)
    : address_(std::move(address)),
      stop_(stop),
      client_(std::make_unique<httplib::Client>(host, port)) {
  client_->set_connection_timeout(kConnectSeconds);
  client_->set_read_timeout(kReadSeconds);
  client_->set_keep_alive(true);
  client_->set_tcp_nodelay(true);
}

ApiReader::~ApiReader() = default;

absl::StatusOr<std::string> ApiReader::Get(absl::string_view path, const Query& query) {
  std::string url(path);
  for (const auto& [key, value] : query) {
    absl::StrAppend(&url, url.size() == path.size() ? "?" : "&", key, "=", Encoded(value));
  }
  std::string body;
  bool is_too_large = false;
  const RequestGuard guard(kPatience, stop_, [this] { client_->stop(); });
  const httplib::Result result = client_->Get(url, [&](const char* data, size_t size) {
    is_too_large = body.size() + size > kMostAnswerBytes;
    if (!is_too_large) body.append(data, size);
    return !is_too_large && !guard.has_ended_it();
  });
  if (is_too_large) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "the answer of ", address_, " to ", path, " is larger than ", kMostAnswerBytes, " bytes"));
  }
  if (guard.has_ended_it()) {
    return absl::UnavailableError(absl::StrCat("cannot ask the control plane at http://", address_,
                                               path, ": no whole answer within 10s"));
  }
  if (!result) {
    // The library keeps the reason to itself, so it is looked for once more.
    const std::string reason = DialAll({address_})[address_].error;
    return absl::UnavailableError(
        absl::StrCat("cannot ask the control plane at http://", address_, path, ": ",
                     reason.empty() ? httplib::to_string(result.error()) : reason));
  }
  if (result->status != kOk) {
    return absl::Status(CodeOf(result->status),
                        absl::StrCat("http://", address_, path, " answers ", result->status, ": ",
                                     BoundedText(absl::StripAsciiWhitespace(body))));
  }
  return body;
}

}  // namespace holdfast

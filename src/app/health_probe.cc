#include "app/health_probe.h"

#include <grpcpp/client_context.h>
#include <grpcpp/security/credentials.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "app/duration_text.h"
#include "base/json_text.h"
#include "base/outside_text.h"
#include "holdfast/grpc/channel.h"

namespace holdfast {
namespace {

namespace pb = ::grpc::health::v1;

// Of a server's words, which may be anything.
constexpr size_t kMostMessageBytes = 4096;
// Nobody waits so long, and it can be added to any time.
constexpr absl::Duration kLongestTimeout = absl::Hours(24 * 365);

std::string CodeName(const grpc::Status& status) {
  return absl::StatusCodeToString(static_cast<absl::StatusCode>(status.error_code()));
}

std::string Answer(const grpc::Status& status, const pb::HealthCheckResponse& response) {
  if (!status.ok()) return status.error_message();
  if (response.status() == pb::HealthCheckResponse::SERVING) return "";
  return absl::StrCat("the service says ",
                      pb::HealthCheckResponse::ServingStatus_Name(response.status()));
}

bool IsReadable(int file) {
  pollfd polled = {file, POLLIN, 0};
  return ::poll(&polled, 1, 0) > 0;
}

}  // namespace

std::string JsonLine(const ProbeResult& result) {
  return absl::StrCat(
      "{\"code\":", JsonText(result.code), ",\"message\":", JsonText(result.message),
      ",\"peer\":", JsonText(result.peer),
      ",\"seconds\":", absl::StrFormat("%.6f", absl::ToDoubleSeconds(result.took)), "}");
}

std::string TextLine(const ProbeResult& result, bool has_colour) {
  const char* const colour = !has_colour ? "" : result.is_ok() ? "\033[32m" : "\033[31m";
  return absl::StrCat(absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", result.when, absl::UTCTimeZone()),
                      "  ", colour, absl::StrFormat("%-11s", result.code),
                      has_colour ? "\033[0m" : "", "  ",
                      absl::StrFormat("%10s", MillisecondsText(result.took)), "  ",
                      result.peer.empty() ? "-" : result.peer, result.message.empty() ? "" : "  ",
                      BoundedText(result.message, kMostMessageBytes));
}

HealthProbe::~HealthProbe() {
  queue_.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_.Next(&tag, &ok)) {
  }
}

ProbeResult HealthProbe::Check(const Call& call, int stop_event) {
  std::unique_ptr<pb::Health::Stub>& stub = stubs_[call.channel];
  if (stub == nullptr) {
    stub = pb::Health::NewStub(CreateChannel(target_, grpc::InsecureChannelCredentials()));
  }
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       absl::ToChronoNanoseconds(std::min(call.timeout, kLongestTimeout)));
  context.set_wait_for_ready(call.waits_for_ready);
  pb::HealthCheckRequest request;
  request.set_service(call.service);
  pb::HealthCheckResponse response;
  grpc::Status status;

  ProbeResult result;
  result.when = absl::Now();
  const auto begin = std::chrono::steady_clock::now();
  const auto reader = stub->AsyncCheck(&context, request, &queue_);
  reader->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  constexpr std::chrono::milliseconds kGlance{50};
  while (queue_.AsyncNext(&tag, &ok, std::chrono::system_clock::now() + kGlance) ==
         grpc::CompletionQueue::TIMEOUT) {
    if (IsReadable(stop_event)) context.TryCancel();
  }
  result.took = absl::FromChrono(std::chrono::steady_clock::now() - begin);
  result.code = CodeName(status);
  result.message = Answer(status, response);
  result.peer = status.ok() ? context.peer() : "";
  return result;
}

}  // namespace holdfast

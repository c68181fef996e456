#include "resources/decode/fault_filter.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "envoy/config/route/v3/route.pb.h"
#include "envoy/extensions/filters/common/fault/v3/fault.pb.h"
#include "envoy/extensions/filters/http/fault/v3/fault.pb.h"
#include "envoy/type/v3/type.pb.h"
#include "resources/decode/match_parts.h"

namespace holdfast {
namespace {

namespace delay_pb = envoy::extensions::filters::common::fault::v3;
namespace fault_pb = envoy::extensions::filters::http::fault::v3;

constexpr uint32_t kHighestGrpcCode = 16;

// gRPC's table of HTTP statuses of proxies (R13.53). 200 is no success: no grpc-status came.
absl::StatusCode GrpcCodeOfHttpStatus(uint32_t http_status) {
  switch (http_status) {
    case 400:
      return absl::StatusCode::kInternal;
    case 401:
      return absl::StatusCode::kUnauthenticated;
    case 403:
      return absl::StatusCode::kPermissionDenied;
    case 404:
      return absl::StatusCode::kUnimplemented;
    case 429:
    case 502:
    case 503:
    case 504:
      return absl::StatusCode::kUnavailable;
    default:
      return absl::StatusCode::kUnknown;
  }
}

template <class Message>
uint32_t DecodePercentage(const Message& message, ValidationErrors& errors) {
  const ValidationErrors::Field field(errors, ".percentage");
  return DecodeFraction(message.percentage(), errors);
}

FaultFilter::Abort DecodeAbort(const fault_pb::FaultAbort& message, ValidationErrors& errors) {
  FaultFilter::Abort abort;
  abort.per_million = DecodePercentage(message, errors);
  switch (message.error_type_case()) {
    case fault_pb::FaultAbort::kHttpStatus:
      abort.grpc_code = static_cast<int>(GrpcCodeOfHttpStatus(message.http_status()));
      break;
    case fault_pb::FaultAbort::kGrpcStatus:
      if (message.grpc_status() > kHighestGrpcCode) {
        const ValidationErrors::Field field(errors, ".grpc_status");
        errors.Add(absl::StrCat("must be a gRPC status code from 0 to ", kHighestGrpcCode, " (got ",
                                message.grpc_status(), ")"));
        break;
      }
      abort.grpc_code = static_cast<int>(message.grpc_status());
      break;
    case fault_pb::FaultAbort::kHeaderAbort:
      abort.from_headers = true;
      break;
    case fault_pb::FaultAbort::ERROR_TYPE_NOT_SET:
      errors.Add("must have http_status, grpc_status or header_abort");
      break;
  }
  return abort;
}

FaultFilter::Delay DecodeDelay(const delay_pb::FaultDelay& message, ValidationErrors& errors) {
  FaultFilter::Delay delay;
  delay.per_million = DecodePercentage(message, errors);
  switch (message.fault_delay_secifier_case()) {
    case delay_pb::FaultDelay::kFixedDelay: {
      const ValidationErrors::Field field(errors, ".fixed_delay");
      delay.fixed = DecodeDuration(message.fixed_delay(), errors);
      break;
    }
    case delay_pb::FaultDelay::kHeaderDelay:
      delay.from_headers = true;
      break;
    case delay_pb::FaultDelay::FAULT_DELAY_SECIFIER_NOT_SET:
      errors.Add("must have fixed_delay or header_delay");
      break;
  }
  return delay;
}

}  // namespace

FaultFilter DecodeFault(const Extension& extension, ValidationErrors& errors) {
  FaultFilter fault;
  fault_pb::HTTPFault message;
  if (!ParseExtension(extension, message, errors)) return fault;
  if (message.has_abort()) {
    const ValidationErrors::Field field(errors, ".abort");
    fault.abort = DecodeAbort(message.abort(), errors);
  }
  if (message.has_delay()) {
    const ValidationErrors::Field field(errors, ".delay");
    fault.delay = DecodeDelay(message.delay(), errors);
  }
  for (int i = 0; i < message.headers_size(); ++i) {
    const ValidationErrors::Field field(errors, ".headers", static_cast<size_t>(i));
    std::optional<HeaderMatcher> header = DecodeHeaderMatcher(message.headers(i), errors);
    if (header.has_value()) fault.headers.push_back(*std::move(header));
  }
  if (message.has_max_active_faults()) {
    fault.max_active_faults = message.max_active_faults().value();
  }
  return fault;
}

}  // namespace holdfast

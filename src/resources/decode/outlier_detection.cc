#include "resources/decode/outlier_detection.h"

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/wrappers.pb.h>

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "envoy/config/cluster/v3/cluster.pb.h"
#include "resources/decode/parts.h"

namespace holdfast {
namespace {

namespace cluster_pb = envoy::config::cluster::v3;
using Field = ValidationErrors::Field;

constexpr uint32_t kMostPercent = 100;

void ReadDuration(bool is_set, const google::protobuf::Duration& message, absl::string_view name,
                  absl::Duration& into, ValidationErrors& errors) {
  if (!is_set) return;
  const Field field(errors, name);
  into = DecodeDuration(message, errors);
}

void ReadNumber(bool is_set, const google::protobuf::UInt32Value& message, uint32_t& into) {
  if (is_set) into = message.value();
}

void ReadPercent(bool is_set, const google::protobuf::UInt32Value& message, absl::string_view name,
                 uint32_t& into, ValidationErrors& errors) {
  if (!is_set) return;
  into = message.value();
  if (into <= kMostPercent) return;
  const Field field(errors, name);
  errors.Add(absl::StrCat("is ", into, ", the most is ", kMostPercent));
}

OutlierDetection::SuccessRate DecodeSuccessRate(const cluster_pb::OutlierDetection& message,
                                                ValidationErrors& errors) {
  OutlierDetection::SuccessRate rate;
  ReadPercent(message.has_enforcing_success_rate(), message.enforcing_success_rate(),
              ".enforcing_success_rate", rate.enforcement_percent, errors);
  ReadNumber(message.has_success_rate_stdev_factor(), message.success_rate_stdev_factor(),
             rate.stdev_factor);
  ReadNumber(message.has_success_rate_minimum_hosts(), message.success_rate_minimum_hosts(),
             rate.minimum_hosts);
  ReadNumber(message.has_success_rate_request_volume(), message.success_rate_request_volume(),
             rate.request_volume);
  return rate;
}

OutlierDetection::FailurePercentage DecodeFailurePercentage(
    const cluster_pb::OutlierDetection& message, ValidationErrors& errors) {
  OutlierDetection::FailurePercentage percentage;
  ReadPercent(message.has_enforcing_failure_percentage(), message.enforcing_failure_percentage(),
              ".enforcing_failure_percentage", percentage.enforcement_percent, errors);
  ReadPercent(message.has_failure_percentage_threshold(), message.failure_percentage_threshold(),
              ".failure_percentage_threshold", percentage.threshold, errors);
  ReadNumber(message.has_failure_percentage_minimum_hosts(),
             message.failure_percentage_minimum_hosts(), percentage.minimum_hosts);
  ReadNumber(message.has_failure_percentage_request_volume(),
             message.failure_percentage_request_volume(), percentage.request_volume);
  return percentage;
}

}  // namespace

OutlierDetection DecodeOutlierDetection(const cluster_pb::OutlierDetection& message,
                                        ValidationErrors& errors) {
  OutlierDetection decoded;
  ReadDuration(message.has_interval(), message.interval(), ".interval", decoded.interval, errors);
  ReadDuration(message.has_base_ejection_time(), message.base_ejection_time(),
               ".base_ejection_time", decoded.base_ejection_time, errors);
  // Unset: 300 s, or the base if that is longer (A50).
  decoded.max_ejection_time = std::max(decoded.max_ejection_time, decoded.base_ejection_time);
  ReadDuration(message.has_max_ejection_time(), message.max_ejection_time(), ".max_ejection_time",
               decoded.max_ejection_time, errors);
  ReadPercent(message.has_max_ejection_percent(), message.max_ejection_percent(),
              ".max_ejection_percent", decoded.max_ejection_percent, errors);
  // Success rate is on unless it says 0 (DEC-22), failure percentage only if it says more than 0.
  const OutlierDetection::SuccessRate rate = DecodeSuccessRate(message, errors);
  if (rate.enforcement_percent > 0) decoded.success_rate = rate;
  const OutlierDetection::FailurePercentage percentage = DecodeFailurePercentage(message, errors);
  if (percentage.enforcement_percent > 0) decoded.failure_percentage = percentage;
  return decoded;
}

}  // namespace holdfast

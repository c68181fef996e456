#include "resources/decode/retry_policy.h"

#include <set>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "envoy/config/route/v3/route.pb.h"
#include "resources/decode/parts.h"

namespace holdfast {
namespace {

namespace route_pb = envoy::config::route::v3;

constexpr absl::string_view kKnownConditions[] = {"cancelled", "deadline-exceeded", "internal",
                                                  "resource-exhausted", "unavailable"};

// In alphabetical order, each once, so that policies that mean the same are equal.
std::vector<std::string> KnownConditions(absl::string_view retry_on) {
  std::set<absl::string_view> written;
  for (const absl::string_view text : absl::StrSplit(retry_on, ',')) {
    const absl::string_view condition = absl::StripAsciiWhitespace(text);
    if (absl::c_linear_search(kKnownConditions, condition)) written.insert(condition);
  }
  return std::vector<std::string>(written.begin(), written.end());
}

void DecodeBackOff(const route_pb::RetryPolicy::RetryBackOff& message, RetryPolicy& policy,
                   ValidationErrors& errors) {
  const size_t before = errors.count();
  {
    const ValidationErrors::Field field(errors, ".base_interval");
    policy.base_interval = DecodeDuration(message.base_interval(), errors);
    if (errors.count() == before && policy.base_interval == absl::ZeroDuration()) {
      errors.Add(message.has_base_interval() ? "must be greater than 0" : "must be set");
    }
  }
  if (!message.has_max_interval()) {
    policy.max_interval = 10 * policy.base_interval;
    return;
  }
  const ValidationErrors::Field field(errors, ".max_interval");
  policy.max_interval = DecodeDuration(message.max_interval(), errors);
  if (errors.count() == before && policy.max_interval < policy.base_interval) {
    errors.Add(absl::StrCat("must not be below base_interval (got ",
                            absl::FormatDuration(policy.max_interval), ", base_interval ",
                            absl::FormatDuration(policy.base_interval), ")"));
  }
}

}  // namespace

std::optional<RetryPolicy> DecodeRetryPolicy(const route_pb::RetryPolicy& message,
                                             ValidationErrors& errors) {
  RetryPolicy policy;
  policy.retry_on = KnownConditions(message.retry_on());
  if (message.has_num_retries()) {
    policy.num_retries = message.num_retries().value();
    if (policy.num_retries == 0) {
      const ValidationErrors::Field field(errors, ".num_retries");
      errors.Add("must be at least 1 (got 0); leave the retry policy out to retry nothing");
    }
  }
  {
    // Not used, but checked as every Duration is.
    const ValidationErrors::Field field(errors, ".per_try_timeout");
    DecodeDuration(message.per_try_timeout(), errors);
  }
  if (message.has_retry_back_off()) {
    const ValidationErrors::Field field(errors, ".retry_back_off");
    DecodeBackOff(message.retry_back_off(), policy, errors);
  }
  if (policy.retry_on.empty()) return std::nullopt;
  return policy;
}

}  // namespace holdfast

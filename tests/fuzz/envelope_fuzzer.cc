// The envelope scan against protobuf's own parser: what protobuf accepts, the scan must accept and
// read alike; what only the scan accepts may differ in nothing but fields it does not look into.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "base/check.h"
#include "base/utf8.h"
#include "envoy/service/discovery/v3/discovery.pb.h"
#include "wire/ads.h"
#include "wire/envelope.h"

namespace holdfast {
namespace {

namespace discovery = ::envoy::service::discovery::v3;

bool LiesOutside(absl::string_view part, absl::string_view whole) {
  if (part.empty()) return false;
  return part.data() < whole.data() || part.data() + part.size() > whole.data() + whole.size();
}

// A response that cannot be used has nothing to use in it.
void CheckProblem(const DiscoveryResponse& response) {
  if (response.problem.empty()) return;
  HOLDFAST_CHECK(IsUtf8(response.problem));
  HOLDFAST_CHECK(response.resources.empty() && response.resource_errors.empty() &&
                 response.removed_resources.empty());
}

void CheckViews(const DiscoveryResponse& response, absl::string_view message) {
  for (const ResourceEntry& entry : response.resources) {
    HOLDFAST_CHECK(!LiesOutside(entry.name, message));
    HOLDFAST_CHECK(!LiesOutside(entry.body, message));
    HOLDFAST_CHECK(!LiesOutside(entry.type_url, message));
    HOLDFAST_CHECK(IsUtf8(entry.name) && IsUtf8(entry.problem));
    HOLDFAST_CHECK(!entry.problem.empty() || !entry.name.empty());
  }
  for (const ResourceError& error : response.resource_errors) {
    HOLDFAST_CHECK(!LiesOutside(error.name, message));
    HOLDFAST_CHECK(!error.problem.empty() || (!error.name.empty() && error.code != 0));
  }
}

// Fields both variants have under one name.
template <class Message>
void CheckCommon(const DiscoveryResponse& response, const Message& parsed) {
  HOLDFAST_CHECK(response.type_url == parsed.type_url());
  HOLDFAST_CHECK(response.nonce == parsed.nonce());
  HOLDFAST_CHECK(response.control_plane == parsed.control_plane().identifier());
  if (!response.problem.empty()) return;
  HOLDFAST_CHECK(response.resources.size() == static_cast<size_t>(parsed.resources_size()));
  HOLDFAST_CHECK(response.resource_errors.size() ==
                 static_cast<size_t>(parsed.resource_errors_size()));
  for (int i = 0; i < parsed.resource_errors_size(); ++i) {
    const ResourceError& error = response.resource_errors[static_cast<size_t>(i)];
    if (!error.problem.empty()) continue;
    HOLDFAST_CHECK(error.name == parsed.resource_errors(i).resource_name().name());
    HOLDFAST_CHECK(error.code == parsed.resource_errors(i).error_detail().code());
    HOLDFAST_CHECK(error.message == parsed.resource_errors(i).error_detail().message());
  }
}

void CheckWrapped(const ResourceEntry& entry, const discovery::Resource& parsed) {
  if (!entry.problem.empty()) return;
  HOLDFAST_CHECK(entry.version == parsed.version());
  HOLDFAST_CHECK(entry.has_body == parsed.has_resource());
  HOLDFAST_CHECK(entry.body == parsed.resource().value());
  HOLDFAST_CHECK(entry.type_url == parsed.resource().type_url());
  HOLDFAST_CHECK(entry.ttl.has_value() == parsed.has_ttl());
  if (parsed.has_ttl()) {
    HOLDFAST_CHECK(entry.ttl ==
                   absl::Seconds(parsed.ttl().seconds()) + absl::Nanoseconds(parsed.ttl().nanos()));
  }
  const std::string& name = parsed.name().empty() ? parsed.resource_name().name() : parsed.name();
  // A wrapper of SotW may leave the name to the message inside.
  HOLDFAST_CHECK(entry.name == name || (name.empty() && entry.is_wrapped));
}

// Refused, because it could only be answered at length.
template <class Message>
bool IsHeadTooLong(const Message& parsed) {
  return parsed.type_url().size() > kMostHeadBytes || parsed.nonce().size() > kMostHeadBytes;
}

void Sotw(absl::string_view message) {
  const absl::StatusOr<DiscoveryResponse> response =
      ScanResponse(message, [](absl::string_view) { return 1u; });
  discovery::DiscoveryResponse parsed;
  const bool is_parsed = parsed.ParseFromArray(message.data(), static_cast<int>(message.size()));
  if (!response.ok()) {
    HOLDFAST_CHECK(!is_parsed || IsHeadTooLong(parsed));
    return;
  }
  CheckProblem(*response);
  CheckViews(*response, message);
  if (!is_parsed) return;
  CheckCommon(*response, parsed);
  if (!response->problem.empty()) return;
  HOLDFAST_CHECK(response->version_info == parsed.version_info());
  for (int i = 0; i < parsed.resources_size(); ++i) {
    const ResourceEntry& entry = response->resources[static_cast<size_t>(i)];
    if (entry.is_wrapped) {
      discovery::Resource wrapper;
      if (wrapper.ParseFromString(parsed.resources(i).value())) CheckWrapped(entry, wrapper);
    } else {
      HOLDFAST_CHECK(entry.body == parsed.resources(i).value());
      HOLDFAST_CHECK(entry.type_url == parsed.resources(i).type_url());
      // Any message whose field 1 is its name will do: this one has little else to trip over.
      discovery::ResourceName message_inside;
      if (entry.problem.empty() && message_inside.ParseFromString(parsed.resources(i).value())) {
        HOLDFAST_CHECK(entry.name == message_inside.name());
      }
    }
  }
}

// The same message in pieces says the same.
void Pieces(absl::string_view message) {
  const auto name_field_of = [](absl::string_view) { return 1u; };
  const absl::string_view pieces[] = {message.substr(0, message.size() / 3),
                                      message.substr(message.size() / 3, message.size() / 4),
                                      message.substr(message.size() / 3 + message.size() / 4)};
  std::deque<std::string> joined;
  const absl::StatusOr<DiscoveryResponse> whole = ScanResponse(message, name_field_of);
  const absl::StatusOr<DiscoveryResponse> response = ScanResponse(pieces, name_field_of, joined);
  HOLDFAST_CHECK(whole.status() == response.status());
  if (whole.ok()) HOLDFAST_CHECK(*whole == *response);
}

void Delta(absl::string_view message) {
  const absl::StatusOr<DiscoveryResponse> response = ScanDeltaResponse(message);
  discovery::DeltaDiscoveryResponse parsed;
  const bool is_parsed = parsed.ParseFromArray(message.data(), static_cast<int>(message.size()));
  if (!response.ok()) {
    HOLDFAST_CHECK(!is_parsed || IsHeadTooLong(parsed));
    return;
  }
  CheckProblem(*response);
  CheckViews(*response, message);
  if (!is_parsed) return;
  CheckCommon(*response, parsed);
  if (!response->problem.empty()) return;
  HOLDFAST_CHECK(response->version_info == parsed.system_version_info());
  HOLDFAST_CHECK(
      response->removed_resources.size() ==
      static_cast<size_t>(parsed.removed_resources_size() + parsed.removed_resource_names_size()));
  for (int i = 0; i < parsed.resources_size(); ++i) {
    CheckWrapped(response->resources[static_cast<size_t>(i)], parsed.resources(i));
  }
}

// What a control plane reads from strangers, and the way back.
void Requests(absl::string_view message) {
  const absl::StatusOr<DiscoveryRequest> sotw = ParseRequest(message);
  if (sotw.ok()) HOLDFAST_CHECK(*ParseRequest(Encode(*sotw)) == *sotw);
  const absl::StatusOr<DeltaDiscoveryRequest> delta = ParseDeltaRequest(message);
  if (delta.ok()) HOLDFAST_CHECK(*ParseDeltaRequest(Encode(*delta)) == *delta);
}

}  // namespace
}  // namespace holdfast

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view message(reinterpret_cast<const char*>(data), size);
  holdfast::Sotw(message);
  holdfast::Pieces(message);
  holdfast::Delta(message);
  holdfast::Requests(message);
  return 0;
}

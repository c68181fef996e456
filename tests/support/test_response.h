// A response for tests to send, built up in one expression:
//
//   stream->Send(TestResponse(ClusterType(), "7", "nonce-7")
//                    .Resource(cluster_bytes)
//                    .Error("billing", 7, "ask #payments")
//                    .Bytes());
//
// Unlike wire/ads.h it owns its texts, and lets a test say what no server should.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "wire/ads.h"
#include "xds/any_resource_type.h"
#include "xds/discovery.h"

namespace holdfast {

class TestResponse {
 public:
  // Without a nonce of its own it has "nonce-" and the version.
  TestResponse(absl::string_view type_name, absl::string_view version,
               absl::string_view nonce = "") {
    response_.type_url = Keep(absl::StrCat(kTypeUrlPrefix, type_name));
    response_.version_info = Keep(version);
    response_.nonce = Keep(nonce.empty() ? absl::StrCat("nonce-", version) : std::string(nonce));
  }
  TestResponse(const AnyResourceType& type, absl::string_view version, absl::string_view nonce = "")
      : TestResponse(type.type_name(), version, nonce) {}
  TestResponse(const TestResponse&) = delete;  // It holds views into itself.
  TestResponse& operator=(const TestResponse&) = delete;

  TestResponse& Resource(absl::string_view body) {
    ResourceEntry& entry = response_.resources.emplace_back();
    entry.type_url = response_.type_url;
    entry.body = Keep(body);
    entry.has_body = true;
    return *this;
  }

  // Inside envoy.service.discovery.v3.Resource.
  TestResponse& WrappedResource(absl::string_view name, absl::string_view body) {
    Resource(body);
    response_.resources.back().name = Keep(name);
    response_.resources.back().is_wrapped = true;
    return *this;
  }

  TestResponse& Error(absl::string_view name, int32_t code, absl::string_view message) {
    ResourceError& error = response_.resource_errors.emplace_back();
    error.name = Keep(name);
    error.code = code;
    error.message = Keep(message);
    return *this;
  }

  std::string Bytes() const { return EncodeResponse(response_); }

 private:
  absl::string_view Keep(absl::string_view text) { return texts_.emplace_back(text); }

  std::deque<std::string> texts_;  // Whose elements never move.
  DiscoveryResponse response_;
};

}  // namespace holdfast

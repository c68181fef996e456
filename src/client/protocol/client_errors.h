// The errors that a client meets, each with the sentence that people read.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/protocol/effects.h"
#include "xds/any_resource_type.h"
#include "xds/discovery.h"

namespace holdfast {

// What an error does to the version in use.
struct Consequence {
  bool is_cached = false;  // before
  bool drop_cached = false;
  std::string version;            // in use before
  absl::string_view why_dropped;  // "the server has fail_on_data_errors"; only with drop_cached
};

class ClientErrors {
 public:
  ClientErrors(std::string server_uri, std::string node_id);

  const std::string& server_uri() const { return server_uri_; }

  // About one resource.
  SharedError Rejected(const AnyResourceType& type, absl::string_view name, absl::string_view text,
                       absl::string_view version, const Consequence& then, absl::Time now) const;
  SharedError Deleted(const AnyResourceType& type, absl::string_view name,
                      absl::string_view version, const Consequence& then, absl::Time now) const;
  // `code` and `message` as the server sent them (TP3).
  SharedError Reported(const AnyResourceType& type, const ResourceError& error,
                       absl::string_view version, const Consequence& then, absl::Time now) const;
  SharedError TimedOut(const AnyResourceType& type, absl::string_view name, absl::StatusCode code,
                       absl::Duration waited, absl::Time now) const;
  SharedError BadName(const AnyResourceType& type, absl::string_view name, const absl::Status& why,
                      absl::Time now) const;

  // About the server. `status` is the transport's. For watchers that have something to use the text
  // says so.
  SharedError Unreachable(const absl::Status& status, bool is_channel_failing, bool for_cached,
                          absl::Time now) const;

 private:
  ErrorDetail About(const AnyResourceType& type, absl::string_view name, Cause cause,
                    absl::StatusCode code, absl::Time now) const;

  const std::string server_uri_;
  const std::string node_id_;
};

// Any int32 as a code; what is none is UNKNOWN (R2.14).
absl::StatusCode CodeOnWire(int32_t code);

}  // namespace holdfast

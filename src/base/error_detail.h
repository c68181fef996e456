// The one record of an error that xDS produced, and its text.
//
// It rides inside an absl::Status and feeds watchers, RPC texts, CSDS, metrics, the journal and
// the command line, so that they cannot disagree:
//
//   absl::Status status = ToStatus(detail);
//   std::optional<ErrorDetail> again = DetailOf(status);   // equal to detail
//
// The text says where, what, got and the consequence; the nearest cause comes last; no clock is in
// it, so equal errors have equal texts.
#pragma once

#include <optional>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace holdfast {

// Why a resource could not be had or renewed: the "reason" that `holdfast watch` prints.
enum class Cause {
  kNack,          // we rejected the newest version
  kDeleted,       // the server no longer has it
  kServerError,   // the server said so (TP3)
  kTimeout,       // no answer in time
  kConnectivity,  // the server cannot be reached
  kBadName,       // the name or its authority cannot be used
};

// "nack", "deleted", "server_error", "timeout", "connectivity", "bad_name".
absl::string_view NameOf(Cause cause);
inline std::ostream& operator<<(std::ostream& out, Cause cause) { return out << NameOf(cause); }

struct ErrorDetail {
  absl::StatusCode code = absl::StatusCode::kUnknown;  // never kOk
  Cause cause = Cause::kConnectivity;
  std::string text;         // what is wrong: "eds_cluster_config.eds_config: must be ads or self"
  std::string type;         // the noun of a resource type: "cluster"; empty: about a server
  std::string resource;     // its name
  std::string server;       // server_uri of the xDS server it came from or failed at
  std::string version;      // the version that was refused, if there was one
  std::string consequence;  // "keeping version 41"; empty if there is none
  std::string node_id;      // the client it happened to
  absl::Time when = absl::InfinitePast();

  friend bool operator==(const ErrorDetail&, const ErrorDetail&) = default;
};

// cluster "payments": eds_cluster_config.eds_config: must be ads or self (got path); keeping
// version 41 (node "web-1")
std::string TextOf(const ErrorDetail& detail);

// A status with the detail's code and text, and the detail as a payload.
absl::Status ToStatus(const ErrorDetail& detail);

// The detail inside a status that ToStatus made; nullopt for any other.
std::optional<ErrorDetail> DetailOf(const absl::Status& status);

}  // namespace holdfast

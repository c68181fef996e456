// The one record of an error that xDS produced.
//
// Every status that Holdfast hands out carries one; watchers, CSDS, metrics, the journal and the
// command line all speak from it, so they cannot disagree:
//
//   void OnAmbientError(absl::Status status) override {
//     if (auto detail = holdfast::DetailOf(status)) Page(detail->resource, detail->text);
//   }
#pragma once

#include <chrono>
#include <optional>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "holdfast/export.h"

namespace holdfast {

// Why a resource could not be had or renewed: the "reason" that `holdfast watch` prints.
enum class Cause {
  kNack,          // we rejected the newest version
  kDeleted,       // the server no longer has it
  kServerError,   // the server said so (TP3)
  kTimeout,       // no answer in time
  kConnectivity,  // the server cannot be reached
  kBadName,       // the name, its authority or its type cannot be used
};

// "nack", "deleted", "server_error", "timeout", "connectivity", "bad_name".
HOLDFAST_EXPORT absl::string_view NameOf(Cause cause);
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
  // When it happened; the epoch if nobody said.
  std::chrono::system_clock::time_point when;

  friend bool operator==(const ErrorDetail& a, const ErrorDetail& b) {
    return a.code == b.code && a.cause == b.cause && a.text == b.text && a.type == b.type &&
           a.resource == b.resource && a.server == b.server && a.version == b.version &&
           a.consequence == b.consequence && a.node_id == b.node_id && a.when == b.when;
  }
  friend bool operator!=(const ErrorDetail& a, const ErrorDetail& b) { return !(a == b); }
};

// The detail inside a status that Holdfast made; nullopt for any other.
HOLDFAST_EXPORT std::optional<ErrorDetail> DetailOf(const absl::Status& status);

}  // namespace holdfast

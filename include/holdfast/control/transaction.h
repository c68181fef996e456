// A set of changes to the configuration that takes effect as a whole.
//
//   holdfast::Transaction change;
//   change.Put({"type.googleapis.com/envoy.config.cluster.v3.Cluster", "pay", bytes});
//   change.SetError(kCluster, "billing", absl::PermissionDeniedError("ask #payments"));
//   auto commit = control_plane->Commit(std::move(change));
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "holdfast/export.h"

namespace holdfast {

// A resource as the control plane serves it: bytes of any type, which it need not understand.
struct OpaqueResource {
  std::string type_url;  // with or without "type.googleapis.com/"
  std::string name;
  std::string body;  // the message, serialized
  // Sent only to clients that know what it is.
  std::optional<std::chrono::milliseconds> ttl;
};

// Grows with each commit, from 1.
enum class CommitId : uint64_t {};

// The last change of a name counts. Not thread-safe.
class Transaction {
 public:
  HOLDFAST_EXPORT void Put(OpaqueResource resource);
  HOLDFAST_EXPORT void Delete(absl::string_view type_url, absl::string_view name);

  // xRFC TP3: clients that ask for this name hear this. NOT_FOUND and PERMISSION_DENIED withdraw
  // a resource of that name; with any other code the resource stays in service, and the error is
  // not sent while it does.
  HOLDFAST_EXPORT void SetError(absl::string_view type_url, absl::string_view name,
                                absl::Status error);
  HOLDFAST_EXPORT void ClearError(absl::string_view type_url, absl::string_view name);

  // What was recorded, by type (without prefix) and name.
  struct Removed {};
  using Key = std::pair<std::string, std::string>;
  const std::map<Key, std::variant<OpaqueResource, Removed>>& resources() const {
    return resources_;
  }
  const std::map<Key, std::optional<absl::Status>>& errors() const { return errors_; }

 private:
  std::map<Key, std::variant<OpaqueResource, Removed>> resources_;
  std::map<Key, std::optional<absl::Status>> errors_;
};

}  // namespace holdfast

// The answers of a control plane's admin port, /api/v1/clients, /resources and /errors, read into
// values. The formats are in docs/reference/api.md.
//
// Defensive: whatever came, INVALID_ARGUMENT says what is wrong and where, and members nobody asks
// for are ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "explain/fleet.h"
#include "explain/links.h"

namespace holdfast {

// A resource as the control plane serves it.
struct PlaneResource {
  Link resource;
  std::string version;
  Links links;                        // only if it was asked for by name
  std::vector<std::string> problems;  // what lint says of it
  bool is_last_good = false;          // an older version: the newest in the files is invalid
  FleetType clients;                  // how many stand how with it

  friend bool operator==(const PlaneResource&, const PlaneResource&) = default;
};

// Something that clients are told instead of a resource.
struct PlaneError {
  // Why: an entry of the configuration says so; the name is not there; it is there and not usable.
  enum class Origin { kConfigured, kMissing, kInvalid };

  Link resource;
  std::string code;
  std::string message;
  Origin origin = Origin::kConfigured;
  std::vector<std::string> clients;  // that ask for it

  friend bool operator==(const PlaneError&, const PlaneError&) = default;
};

struct PlaneResources {
  absl::Time time;
  bool is_synced = false;
  std::vector<PlaneResource> resources;
  bool has_more = false;
  std::string incomplete;  // as in Fleet

  friend bool operator==(const PlaneResources&, const PlaneResources&) = default;
};

struct PlaneErrors {
  std::vector<PlaneError> errors;
  std::vector<std::string> problems;  // of the control plane as a whole
  std::string incomplete;             // as in Fleet
  uint64_t more = 0;                  // errors that were left out

  friend bool operator==(const PlaneErrors&, const PlaneErrors&) = default;
};

// INVALID_ARGUMENT also for more clients and resources than that.
absl::StatusOr<Fleet> FleetOfApi(absl::string_view json, size_t most_records = kMostFleetRecords);
absl::StatusOr<PlaneResources> ResourcesOfApi(absl::string_view json);
absl::StatusOr<PlaneErrors> ErrorsOfApi(absl::string_view json);

}  // namespace holdfast

// What a process answers to CSDS (gRFC A40), read as a fleet: any gRPC language, old and new.
//
// Two forms are known: `generic_xds_configs`, one entry a resource, and the deprecated `xds_config`
// (PerXdsConfig) with dumps of each type, whose own status has numbers of its own (R9.08).
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "explain/fleet.h"

namespace holdfast {

enum class KeepBytes { kNo, kYes };

// `message` is a serialized ClientStatusResponse that came at `now`. INVALID_ARGUMENT if it is
// none.
absl::StatusOr<Fleet> FleetOfCsds(absl::string_view message, absl::Time now, KeepBytes keep_bytes);

}  // namespace holdfast

// The gauges of gRFC A78 and A88, read from a snapshot: they say what CSDS says.
#pragma once

#include <vector>

#include "holdfast/xds/metrics.h"
#include "holdfast/xds/snapshot.h"

namespace holdfast {

// kConnected for each server, kResources for each authority, cache state and type that occurs: what
// does not occur has no gauge, rather than one of 0. No labels occur twice with one instrument, and
// kResources sums to the number of watched names.
std::vector<GaugeValue> GaugesOf(const ClientSnapshot& snapshot);

}  // namespace holdfast

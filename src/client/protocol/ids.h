// Names of things that the protocol and its driver both know.
#pragma once

#include "base/strong_id.h"
#include "xds/stream_id.h"

namespace holdfast {

using WatchId = StrongId<struct WatchIdTag>;  // made by the driver
using TimerId = StrongId<struct TimerIdTag>;  // made by the protocol

}  // namespace holdfast

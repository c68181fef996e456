// What our own code does for a push, without gRPC: sessions and the encoder they share on a worker.
#pragma once

#include <cstddef>

#include "control/session/session_types.h"

namespace holdfast {

struct SessionCost {
  double encode_us = 0;   // a stream and push, with a body that is shared
  double session_us = 0;  // a stream and push: told of the change, of the write and of the ACK
  size_t bodies_made = 0;
  size_t versions = 0;
};

// So many streams that asked for everything; `pushes` commits, each changing all clusters.
SessionCost MeasureSessions(Variant variant, int streams, int resources, size_t size, int pushes);

}  // namespace holdfast

// A client and a server in two processes, and what the client's one spends.
#pragma once

#include <cstddef>

namespace holdfast {

struct WireCosts {
  double floor_seconds;   // CPU, one response, received and thrown away
  double client_seconds;  // the same response, by a client that watches everything in it
  size_t subscribe_bytes;
  int subscribe_requests;
};

// REQUIRES: nothing of gRPC was used in this process yet.
WireCosts MeasureOverTheWire(int resources);

}  // namespace holdfast

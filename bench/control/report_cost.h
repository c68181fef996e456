// What it costs to say how a fleet is: the ledger of each stream, and the answer to who runs what.
#pragma once

#include <cstddef>

namespace holdfast {

struct ReportCost {
  // Bytes that the ledger takes of a stream that asked for all of one type and acknowledged it.
  size_t ledger_bytes = 0;
  double synced_ms = 0;      // GET /api/v1/clients, every client good
  double held_back_ms = 0;   // the same, every client holds back every resource
  double one_client_ms = 0;  // GET /api/v1/clients?client=, one client with all its resources
  double resources_ms = 0;   // GET /api/v1/resources
};

// The median of several answers, of a control plane in this process.
ReportCost MeasureReports(int streams, int resources);

}  // namespace holdfast

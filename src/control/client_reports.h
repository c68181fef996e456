// What workers report of their streams, and what becomes of it: the public ClientReport, and the
// ClientStatus that CSDS shows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "control/session/session_report.h"
#include "control/session/session_types.h"
#include "holdfast/control/client_report.h"
#include "xds/client_status.h"

namespace holdfast {

// One stream, as its worker tells it. Times are of the wall clock.
struct StreamReport {
  std::string stream;
  std::string peer;
  Variant variant = Variant::kSotw;
  absl::Time opened_at;
  SessionReport session;
};

// Of steady times: what is to be added to make them those of the wall clock.
absl::Duration WallClockOffset(absl::Time steady_now);
void ToWallClock(absl::Duration offset, SessionReport& report);

// Whether a query with this `client` means the stream; all are meant by an empty one.
bool IsMeant(const std::string& client, const std::string& stream, const std::string& peer,
             const ClientNode& node);

// At most `most_resources` of what is reported.
ClientReport ClientReportOf(StreamReport stream, size_t most_resources);
// Contents that several clients run are there once. Of all together there are at most so many
// bytes, each counted as often as it is shown; after that, resources come without contents.
std::vector<ClientStatus> ClientStatusesOf(const std::vector<StreamReport>& streams,
                                           size_t most_content_bytes);

}  // namespace holdfast

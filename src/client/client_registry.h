// All clients of this process: to be shared by what has one target, and to be looked at.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "holdfast/xds/client.h"
#include "xds/client_status.h"

namespace holdfast {

class ClientCore;

// The client of a data-plane target ("xds:///web"), or of "#server" (gRFC A71): whoever asks with
// an equal key while somebody holds it gets the same, made with the options of the first. Its
// bootstrap is that of the environment, which is read once a process. Thread-safe.
absl::StatusOr<std::shared_ptr<XdsClient>> SharedXdsClient(const std::string& key,
                                                           XdsClientOptions options = {});

// What the environment says, read once.
const absl::StatusOr<Bootstrap>& BootstrapOfTheProcess();

// What CSDS shows, ordered by key, then by age. Thread-safe.
std::vector<ClientStatus> LiveClients();

// Makes it one of those, for as long as it lives.
void AddLiveClient(const std::shared_ptr<const ClientCore>& client);

}  // namespace holdfast

// What a control plane serves, and what has become of it at its clients: the other side of
// client_report.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "holdfast/control/client_report.h"

namespace holdfast {

struct ServedResource {
  std::string type;  // "envoy.config.cluster.v3.Cluster", without prefix
  std::string name;
  std::string version;
  size_t bytes = 0;
  DeliveryCounts clients;  // streams that asked for it, or for everything
  // What is wrong with it, a line each. Warnings are served all the same.
  std::vector<std::string> problems;
  // What the files say now cannot be used, and this is what they last said.
  bool is_last_good = false;
  // Only if the query has a name: they are read from the resource. (type, name) and HOST:PORT.
  std::vector<std::pair<std::string, std::string>> refers_to;
  std::vector<std::string> addresses;
  std::vector<std::string> unused_addresses;  // of these, those that gRPC never calls
  std::string remark;                         // what gRPC makes of it beyond that; may be empty
  // Of routes, also inside a listener: which domains lead where. nullopt: it has no routes.
  struct Host {
    std::vector<std::string> domains;
    std::vector<std::pair<std::string, std::string>> refers_to;
  };
  std::optional<std::vector<Host>> virtual_hosts;
};

// Empty: any.
struct ResourceQuery {
  std::string type;  // without prefix
  std::string name;
  size_t most_resources = 10'000;
};

struct ResourcesReport {
  std::vector<ServedResource> resources;  // by type and name
  size_t more_resources = 0;
  std::string incomplete;  // as in ClientsReport: of the counts of clients
};

// A name that clients get an error for, instead of a resource.
struct NameErrorReport {
  enum class Origin {
    kConfigured,  // somebody said so: `errors:`, SetError()
    kInvalid,     // it is in the files, cannot be used, and never could
    kMissing,     // it is not there, and somebody asks for it
  };
  std::string type;
  std::string name;
  absl::Status error;
  Origin origin = Origin::kConfigured;
  std::vector<std::string> clients;  // that were told, at most 100, each once
  size_t more_clients = 0;
};

struct ErrorsReport {
  std::vector<NameErrorReport> errors;  // by type and name
  std::string incomplete;               // as in ClientsReport
};

// "configured", "invalid", "missing".
absl::string_view NameOf(NameErrorReport::Origin origin);

}  // namespace holdfast

// What a process is told about its xDS servers before it can ask them anything: the bootstrap of
// gRFC A27, as a plain value.
//
//   absl::StatusOr<ParsedBootstrap> parsed = ParseBootstrap(text);
//
// Where the text comes from (GRPC_XDS_BOOTSTRAP, a file, a user) is not known here. Unknown keys
// are ignored at every level; a wrong type or a missing mandatory key makes the whole invalid, and
// the one error lists all of them. The keys are described in docs/reference/bootstrap.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "bootstrap/certificate_provider.h"
#include "bootstrap/xds_server_config.h"
#include "xds/node.h"

namespace holdfast {

// Who answers for the resources "xdstp://<authority>/..." (gRFC A47).
struct Authority {
  // Begins "xdstp://<authority>/", maybe percent-encoded; its default is filled in.
  std::string client_listener_resource_name_template;
  // In order of priority; empty: the servers of the bootstrap.
  std::vector<XdsServerConfig> servers;
  bool fallback_on_reachability_only = false;  // gRFC A95

  friend bool operator==(const Authority&, const Authority&) = default;
};

struct BootstrapConfig {
  // In order of priority, at least one.
  std::vector<XdsServerConfig> servers;
  // Only id, cluster, locality and metadata come from a bootstrap.
  Node node;
  std::map<std::string, Authority> authorities;
  std::map<std::string, CertificateProviderConfig> certificate_providers;
  std::string client_default_listener_resource_name_template = "%s";
  // Without it there can be no gRPC server.
  std::optional<std::string> server_listener_resource_name_template;

  friend bool operator==(const BootstrapConfig&, const BootstrapConfig&) = default;
};

struct ParsedBootstrap {
  BootstrapConfig bootstrap;
  // Each one line, for the log: "xds_server: unknown key, did you mean ...". Sorted by path.
  std::vector<std::string> warnings;
};

// INVALID_ARGUMENT if the text is not a valid bootstrap, with all mistakes in one line:
//   bootstrap: node.id: must be a string (got a number) at line 2, column 18; xds_servers[0]...
// or, if it is not even JSON, with the first:
//   bootstrap: line 3, column 17: expected "," or "}" after a member (got "x")
absl::StatusOr<ParsedBootstrap> ParseBootstrap(absl::string_view json);

}  // namespace holdfast

// How a bootstrap and options become a client.
#include <algorithm>
#include <chrono>
#include <limits>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/outside_text.h"
#include "base/utf8.h"
#include "bootstrap/bootstrap.h"
#include "client/client_core.h"
#include "client/client_registry.h"
#include "client/lb_policy_registry.h"
#include "runtime/bootstrap_source.h"
#include "runtime/channel_credentials.h"
#include "runtime/grpc_ads_transport.h"

namespace holdfast {
namespace {

constexpr absl::string_view kUserAgent = "holdfast";
constexpr absl::string_view kVersion = HOLDFAST_VERSION;

// gRPC's bootstrap says who we are; the library says what it is (R1.06–R1.08).
Node NodeOnWire(Node node) {
  node.user_agent_name = std::string(kUserAgent);
  node.user_agent_version = std::string(kVersion);
  node.client_features = {"envoy.lb.does_not_support_overprovisioning",
                          "xds.config.resource-in-sotw"};
  return node;
}

absl::Status Check(const XdsClientOptions& options) {
  if (!IsUtf8(options.key)) {
    return absl::InvalidArgumentError("XdsClientOptions: key must be valid UTF-8");
  }
  const auto is_positive = [](std::chrono::milliseconds time) { return time.count() > 0; };
  if (!is_positive(options.resource_timeout) || !is_positive(options.transient_resource_timeout)) {
    return absl::InvalidArgumentError("XdsClientOptions: a resource timeout must be above 0");
  }
  if (!is_positive(options.first_backoff) || options.longest_backoff < options.first_backoff) {
    return absl::InvalidArgumentError(
        "XdsClientOptions: first_backoff must be above 0, and longest_backoff not below it");
  }
  if (!is_positive(options.keepalive) || options.most_response_bytes == 0) {
    return absl::InvalidArgumentError(
        "XdsClientOptions: keepalive and most_response_bytes must be above 0");
  }
  return absl::OkStatus();
}

ProtocolOptions ProtocolOptionsOf(const BootstrapConfig& config, const XdsClientOptions& options,
                                  const ClientParts& parts) {
  ProtocolOptions protocol;
  protocol.key = options.key;
  protocol.server_uri = config.servers.front().server_uri;
  protocol.features = config.servers.front().features;
  protocol.data_error_handling = parts.data_error_handling;
  protocol.node = NodeOnWire(config.node);
  for (const auto& [name, authority] : config.authorities) protocol.authorities.insert(name);
  protocol.custom_lb_policies = RegisteredLbPolicies();
  protocol.resource_timeout = absl::FromChrono(options.resource_timeout);
  protocol.transient_resource_timeout = absl::FromChrono(options.transient_resource_timeout);
  protocol.first_backoff = absl::FromChrono(options.first_backoff);
  protocol.longest_backoff = absl::FromChrono(options.longest_backoff);
  protocol.seed = parts.seed;
  return protocol;
}

}  // namespace

absl::StatusOr<std::shared_ptr<ClientCore>> ClientCore::Create(const Bootstrap& bootstrap,
                                                               const XdsClientOptions& options) {
  if (absl::Status status = Check(options); !status.ok()) return status;
  const XdsServerConfig& server = bootstrap.parsed().bootstrap.servers.front();
  if (server.features.holdfast_incremental) {
    return absl::UnimplementedError(
        absl::StrCat("xds server ", Quoted(server.server_uri),
                     ": holdfast_incremental is not yet supported by this build; remove it from "
                     "server_features to speak the state of the world protocol"));
  }
  absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> credentials =
      MakeChannelCredentials(server);
  if (!credentials.ok()) return credentials.status();

  const DataErrorHandling data_errors = DataErrorHandlingFromEnvironment();
  LogSink& log = options.log != nullptr ? *options.log : StderrLog();
  if (data_errors.warning.has_value()) {
    log.Log(Severity::kWarning, "client", absl::StrCat(options.key, ": ", *data_errors.warning));
  }
  GrpcAdsTransportOptions transport;
  transport.server_uri = server.server_uri;
  transport.credentials = *std::move(credentials);
  transport.most_response_bytes = static_cast<int>(
      std::min<size_t>(options.most_response_bytes, std::numeric_limits<int>::max()));
  transport.keepalive_time = absl::FromChrono(options.keepalive);
  transport.user_agent_prefix = absl::StrCat(kUserAgent, "/", kVersion);
  ClientParts parts;
  parts.loop = &ControlLoop::Shared();
  parts.make_transport = [transport = std::move(transport)](ControlLoop& loop,
                                                            AdsTransport::Listener& listener) {
    return MakeGrpcAdsTransport(loop, transport, listener);
  };
  parts.data_error_handling = data_errors.is_enabled;
  parts.seed = std::random_device()();
  return Create(bootstrap, options, std::move(parts));
}

std::shared_ptr<ClientCore> ClientCore::Create(const Bootstrap& bootstrap,
                                               const XdsClientOptions& options, ClientParts parts) {
  const BootstrapConfig& config = bootstrap.parsed().bootstrap;
  ProtocolOptions protocol = ProtocolOptionsOf(config, options, parts);
  auto core = std::make_shared<ClientCore>(std::move(protocol), options, std::move(parts));
  for (const std::string& warning : bootstrap.warnings()) {
    core->log_.Log(Severity::kWarning, "client",
                   absl::StrCat(options.key, ": bootstrap: ", warning));
  }
  if (config.servers.size() > 1) {
    core->log_.Log(
        Severity::kWarning, "client",
        absl::StrCat(options.key, ": the bootstrap has ", config.servers.size(),
                     " xds_servers; this build uses only the first, ",
                     Quoted(config.servers.front().server_uri), ": fallback is not yet supported"));
  }
  if (options.metrics != nullptr) options.metrics->AddGauges(core);
  AddLiveClient(core);
  return core;
}

}  // namespace holdfast

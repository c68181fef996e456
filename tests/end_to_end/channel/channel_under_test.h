// What the end-to-end tests of channels share: backends, an xDS server that leads to them, and a
// channel on an xDS client of its own.
#pragma once

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "channel/call/create_channel.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "holdfast/grpc/channel.h"
#include "holdfast/xds/client.h"
#include "observe/health_service.h"
#include "tests/end_to_end/client_under_test.h"
#include "tests/support/obliging_xds_server.h"
#include "tests/support/patience.h"
#include "tests/support/reserved_port.h"
#include "tests/support/text_resource.h"

namespace holdfast {

// A server to call: answers health checks.
class Backend {
 public:
  explicit Backend(
      std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials())
      : credentials_(std::move(credentials)) {
    Restart();
  }
  ~Backend() { Kill(); }

  const std::string& address() const { return port_.address(); }
  std::string peer() const { return absl::StrCat("ipv4:", address()); }

  void Kill() {
    if (server_ != nullptr) server_->Shutdown(gpr_inf_past(GPR_CLOCK_MONOTONIC));
    server_.reset();
  }
  // REQUIRES: it was killed.
  void Restart() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address(), credentials_);
    builder.RegisterService(&health_);
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
  }

 private:
  const std::shared_ptr<grpc::ServerCredentials> credentials_;
  const ReservedPort port_;
  HealthService health_{{}};
  std::unique_ptr<grpc::Server> server_;
};

inline std::string ListenerText(absl::string_view name, absl::string_view routes) {
  return absl::StrCat(
      "name: \"", name, "\" api_listener { api_listener { ",
      "[type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.",
      "HttpConnectionManager] { ", routes, " http_filters { name: \"router\" typed_config { ",
      "[type.googleapis.com/envoy.extensions.filters.http.router.v3.Router] {} } } } } }");
}
// A listener whose routes have a name of their own.
inline std::string ListenerBytes(absl::string_view name, absl::string_view route_config) {
  return FromText("envoy.config.listener.v3.Listener",
                  ListenerText(name, absl::StrCat("rds { route_config_name: \"", route_config,
                                                  "\" config_source { ads {} } }")));
}
// Everything to one cluster. `more` is text of other routes, before that one.
inline std::string RoutesBytes(absl::string_view name, absl::string_view cluster,
                               absl::string_view more = "") {
  return FromText(
      "envoy.config.route.v3.RouteConfiguration",
      absl::StrCat("name: \"", name, "\" virtual_hosts { name: \"vh\" domains: \"*\" ", more,
                   " routes { match { prefix: \"\" } route { cluster: \"", cluster, "\" } } }"));
}
// One locality, one priority.
inline std::string EndpointsBytes(absl::string_view name,
                                  const std::vector<std::string>& addresses) {
  std::string endpoints;
  for (const std::string& address : addresses) {
    const std::vector<std::string> parts = absl::StrSplit(address, ':');
    absl::StrAppend(&endpoints, "lb_endpoints { endpoint { address { socket_address { address: \"",
                    parts[0], "\" port_value: ", parts[1], " } } } } ");
  }
  return FromText(
      "envoy.config.endpoint.v3.ClusterLoadAssignment",
      absl::StrCat("cluster_name: \"", name, "\" endpoints { locality { region: \"here\" } ",
                   "load_balancing_weight { value: 1 } ", endpoints, "}"));
}

// What a call came to.
struct CallResult {
  grpc::Status status;
  std::string peer;
};

class ChannelUnderTest {
 public:
  // Longer than any other time in the test, so that nothing but a bug makes a call hit it.
  static constexpr std::chrono::seconds kDeadline{20};

  explicit ChannelUnderTest(
      const std::string& xds_address, const std::vector<std::string>& features = {},
      XdsClientOptions options = QuickOptions(), const std::string& target = "xds:///pay",
      const ChannelOptions& channel_options = {},
      std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials())
      : client_(ClientOf(BootstrapFor(xds_address, features), std::move(options))),
        channel_(CreateChannelOn(client_, BootstrapFor(xds_address, features), target,
                                 std::move(credentials), channel_options)),
        stub_(grpc::health::v1::Health::NewStub(channel_)) {}

  const std::shared_ptr<grpc::ChannelInterface>& channel() const { return channel_; }
  XdsClient& client() { return *client_; }
  grpc::health::v1::Health::Stub& stub() { return *stub_; }

  CallResult Call(const std::function<void(grpc::ClientContext&)>& prepare = nullptr) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kDeadline);
    if (prepare) prepare(context);
    grpc::health::v1::HealthCheckResponse response;
    CallResult result;
    result.status = stub_->Check(&context, {}, &response);
    result.peer = context.peer();
    return result;
  }
  // Again and again until one is OK; the last one. For the first calls of a channel: gRPC 1.51
  // reads the errno of a connect() that is under way after it allocated memory, so that an
  // allocator that sets errno (a sanitizer's) makes it fail once with the errno of something else.
  CallResult CallUntilOk() {
    CallResult result;
    Eventually([&] {
      result = Call();
      return result.status.ok();
    });
    return result;
  }

 private:
  const std::shared_ptr<XdsClient> client_;
  const std::shared_ptr<grpc::ChannelInterface> channel_;
  const std::unique_ptr<grpc::health::v1::Health::Stub> stub_;
};

// "UNAVAILABLE: text", for whole comparisons.
inline std::string Words(const grpc::Status& status) {
  return absl::StrCat(absl::StatusCodeToString(static_cast<absl::StatusCode>(status.error_code())),
                      status.ok() ? "" : ": ", status.error_message());
}

// xds:///pay → listener "pay", routes "pay-routes", cluster "pay", its endpoints.
inline void PutPay(ObligingXdsServer& xds, const std::vector<std::string>& addresses) {
  xds.Hold();
  xds.Put("lds", "pay", ListenerBytes("pay", "pay-routes"));
  xds.Put("rds", "pay-routes", RoutesBytes("pay-routes", "pay"));
  xds.Put("cds", "pay", ClusterBytes("pay"));
  xds.Put("eds", "pay", EndpointsBytes("pay", addresses));
  xds.LetGo();
}

}  // namespace holdfast

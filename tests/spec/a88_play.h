// One watcher, one resource, one thing that happens: played with real listeners, routes, clusters
// and endpoints, and seen at every surface where it shows.
//
// Responses are read from the bytes that a server would send; requests and CSDS are written to
// bytes and read by protobuf's own code.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "client/protocol/conversation_test.h"
#include "envoy/service/discovery/v3/discovery.pb.h"
#include "envoy/service/status/v3/csds.pb.h"
#include "resources/decode/registry.h"
#include "tests/support/test_response.h"
#include "tests/support/text_resource.h"
#include "wire/ads.h"
#include "wire/csds.h"
#include "wire/envelope.h"
#include "xds/gauges.h"

namespace holdfast {

// Of one type, all called "paris".
struct ParisResources {
  const AnyResourceType& type;
  std::string valid;
  std::string changed;
  std::string invalid;
  std::string why_invalid;

  std::string Bytes(const std::string& text) const { return FromText(type.type_name(), text); }
};

inline std::string ParisListener(absl::string_view routes, absl::string_view filters) {
  return absl::StrCat(
      "name: \"paris\" api_listener { api_listener { [type.googleapis.com/",
      "envoy.extensions.filters.network.http_connection_manager.v3.",
      "HttpConnectionManager] { rds { config_source { ads {} } route_config_name: \"", routes,
      "\" } ", filters, " } } }");
}
inline std::string ParisEndpoints(absl::string_view address) {
  return absl::StrCat("cluster_name: \"paris\" endpoints { locality { region: \"eu\" } ",
                      "load_balancing_weight { value: 1 } lb_endpoints { endpoint { address { ",
                      "socket_address { port_value: 80 address: \"", address, "\" } } } } }");
}

inline constexpr char kParisRouter[] = R"(http_filters { name: "router" typed_config {
    [type.googleapis.com/envoy.extensions.filters.http.router.v3.Router] {} } })";

inline const std::vector<ParisResources>& ParisOfEveryType() {
  static const auto& all = *new std::vector<ParisResources>{
      {ListenerType(), ParisListener("day", kParisRouter), ParisListener("night", kParisRouter),
       R"(name: "paris")", "must have an api_listener (got neither that nor an address)"},
      {RouteConfigType(), R"(name: "paris" virtual_hosts { domains: "day" })",
       R"(name: "paris" virtual_hosts { domains: "night" })", R"(name: "paris" virtual_hosts {})",
       "virtual_hosts[0].domains: must not be empty"},
      {ClusterType(), R"(name: "paris" type: EDS eds_cluster_config { eds_config { ads {} } })",
       R"(name: "paris" type: EDS
          eds_cluster_config { eds_config { ads {} } service_name: "night" })",
       R"(name: "paris" type: STATIC)", "type: must be EDS or LOGICAL_DNS"},
      {EndpointsType(), ParisEndpoints("10.0.0.1"), ParisEndpoints("10.0.0.2"),
       ParisEndpoints("nowhere"),
       "endpoints[0].lb_endpoints[0].endpoint.address.socket_address.address: must be an IP "
       "address"}};
  return all;
}

// As a client reads it; what is returned points into `bytes`.
inline absl::StatusOr<DiscoveryResponse> ReadResponse(absl::string_view bytes) {
  return ScanResponse(bytes, [](absl::string_view type_name) {
    const AnyResourceType* type = FindResourceType(type_name);
    return type == nullptr ? 0 : type->name_field();
  });
}

enum class Happens {
  kChannelFails,
  kStreamFails,             // before any response
  kTime,                    // passes, and no response comes
  kInvalid,                 // version 2 is invalid
  kAbsent,                  // version 2 is without it
  kNotFound,                // version 2 has this error in its place
  kPermissionDenied,        //
  kUnavailable,             //
  kAbsentAfterUnavailable,  // and version 3 says nothing of it
  kSame,                    // version 2 is as version 1
  kChanged,                 // version 2 is another
};

class Play {
 public:
  Play(const ParisResources& resources, const ServerFeatures& features, bool data_error_handling)
      : resources_(resources),
        options_(Conversation::Options(features, data_error_handling)),
        talk_(options_) {}

  // Alice watches "paris", gets it as version 1 or not yet, and then something happens.
  void Perform(bool is_cached, Happens happens) {
    talk_.Watch("alice", resources_.type, "paris");
    talk_.Settle();
    if (is_cached) {
      kept_ = resources_.Bytes(resources_.valid);
      Receive(TestResponse(resources_.type, "1").Resource(kept_));
      talk_.Finished();
    }
    Act(happens);
  }

  std::string Calls() const {
    std::vector<std::string> calls;
    for (absl::string_view line : lines_.For("alice").lines) {
      line.remove_prefix(sizeof("alice: ") - 1);
      calls.emplace_back(line.substr(0, line.find(": ")));
    }
    return absl::StrJoin(calls, "; ");
  }

  // As protobuf reads what we answer to CSDS.
  std::string Csds() const {
    const auto bytes =
        EncodeClientConfig({talk_.Snapshot(), options_.node}, ResourceContents::kIncluded);
    envoy::service::status::v3::ClientConfig config;
    if (!bytes.ok() || !config.ParseFromString(*bytes)) return "not protobuf";
    if (config.generic_xds_configs_size() != 1) return "not one entry";
    const auto& entry = config.generic_xds_configs(0);
    EXPECT_EQ(entry.name(), "paris");
    std::string shown = envoy::admin::v3::ClientResourceStatus_Name(entry.client_status());
    EXPECT_EQ(entry.has_xds_config(), !entry.version_info().empty());
    if (entry.has_xds_config()) {
      absl::StrAppend(&shown, ", has ", entry.version_info());
      EXPECT_EQ(entry.xds_config().value(), kept_);  // byte for byte
    }
    if (entry.has_error_state()) {
      const std::string& failed = entry.error_state().version_info();
      absl::StrAppend(&shown, ", error", failed.empty() ? "" : " of ", failed);
      ExpectSaidToAlice(entry.error_state().details());
    }
    return shown;
  }

  std::string Label() const {
    std::vector<std::string> labels;
    for (const GaugeValue& gauge : GaugesOf(talk_.Snapshot())) {
      if (gauge.instrument != &kResources) continue;
      EXPECT_EQ(gauge.labels.at("grpc.xds.resource_type"), resources_.type.type_name());
      EXPECT_EQ(gauge.value, 1);
      labels.push_back(gauge.labels.at("grpc.xds.cache_state"));
    }
    return absl::StrJoin(labels, "; ");
  }

  // The bytes that answer, as protobuf reads them.
  std::string Wire() {
    const std::optional<DiscoveryRequest> request = talk_.TakeRequest();
    if (!request.has_value()) return "";
    envoy::service::discovery::v3::DiscoveryRequest message;
    if (!message.ParseFromString(Encode(*request))) return "not protobuf";
    EXPECT_EQ(message.type_url(), absl::StrCat(kTypeUrlPrefix, resources_.type.type_name()));
    EXPECT_EQ(message.resource_names_size(), 1);
    const absl::string_view version = message.version_info().empty()
                                          ? absl::string_view("nothing")
                                          : absl::string_view(message.version_info());
    const absl::string_view nonce = absl::StripPrefix(message.response_nonce(), "nonce-");
    if (!message.has_error_detail()) {
      EXPECT_EQ(version, nonce);
      return absl::StrCat("ACK ", version);
    }
    EXPECT_EQ(message.error_detail().code(), 3);  // INVALID_ARGUMENT
    EXPECT_TRUE(absl::StrContains(message.error_detail().message(), resources_.why_invalid))
        << message.error_detail().message();
    return absl::StrCat("NACK ", nonce, ", keeping ", version);
  }

  // What somebody hears who comes now is what CSDS shows (R3.05, R3.08).
  void ExpectThatBobHearsWhatIsShown() {
    const ResourceSnapshot shown = talk_.Shown(resources_.type, "paris");
    Lines expected;
    if (shown.bytes != nullptr) {
      expected.lines.push_back(Gets("bob", "a resource", shown.version));
    }
    std::vector<ErrorDetail> errors;
    if (shown.error.has_value()) errors.push_back(*shown.error);
    const ClientSnapshot snapshot = talk_.Snapshot();
    const ServerSnapshot& server = snapshot.servers[0];
    if (server.error.has_value()) {
      errors.push_back(*server.error);
      if (shown.bytes != nullptr) errors.back().consequence = "using the cached resource";
    }
    for (const ErrorDetail& error : errors) {
      expected.lines.push_back(absl::StrCat("bob: ", shown.bytes == nullptr ? "error " : "ambient ",
                                            absl::StatusCodeToString(error.code), ": ",
                                            TextOf(error)));
    }
    EXPECT_EQ(talk_.Watch("bob", resources_.type, "paris").For("bob"), expected);
  }

 private:
  void Act(Happens happens) {
    const AnyResourceType& type = resources_.type;
    const absl::Status refused = absl::UnavailableError("connection refused");
    switch (happens) {
      case Happens::kChannelFails:
      case Happens::kStreamFails:
        if (!kept_.empty()) {  // The stream that brought it ended well; the next one does not.
          talk_.StreamEnds(absl::OkStatus());
          talk_.Pass(absl::Seconds(2));
          talk_.Settle();
        }
        talk_.TakeRequest();
        lines_ = happens == Happens::kChannelFails ? talk_.ChannelFails(refused)
                                                   : talk_.StreamEnds(refused);
        return;
      case Happens::kTime:
        talk_.TakeRequest();
        lines_ = talk_.Pass(absl::Seconds(31));
        return;
      case Happens::kInvalid:
        Receive(TestResponse(type, "2").Resource(resources_.Bytes(resources_.invalid)));
        return;
      case Happens::kAbsent:
        Receive(TestResponse(type, "2"));
        return;
      case Happens::kNotFound:
        Receive(TestResponse(type, "2").Error("paris", 5, "ask #net"));
        return;
      case Happens::kPermissionDenied:
        Receive(TestResponse(type, "2").Error("paris", 7, "ask #net"));
        return;
      case Happens::kUnavailable:
        Receive(TestResponse(type, "2").Error("paris", 14, "ask #net"));
        return;
      case Happens::kAbsentAfterUnavailable:
        Receive(TestResponse(type, "2").Error("paris", 14, "ask #net"));
        said_ = lines_;
        Receive(TestResponse(type, "3"));
        return;
      case Happens::kSame:
        Receive(TestResponse(type, "2").Resource(kept_));
        return;
      case Happens::kChanged:
        kept_ = resources_.Bytes(resources_.changed);
        Receive(TestResponse(type, "2").Resource(kept_));
        return;
    }
  }

  // The bytes of a response, read as a client reads them.
  void Receive(const TestResponse& response) {
    const std::string bytes = response.Bytes();
    const absl::StatusOr<DiscoveryResponse> read = ReadResponse(bytes);
    ASSERT_TRUE(read.ok()) << read.status();
    lines_ = talk_.Tell(ResponseReceived{talk_.stream(), *read});
    talk_.Settle();
  }

  void ExpectSaidToAlice(absl::string_view text) const {
    for (const Lines& lines : {lines_, said_}) {
      for (const std::string& line : lines.For("alice").lines) {
        if (absl::EndsWith(line, text)) return;
      }
    }
    ADD_FAILURE() << "CSDS shows what Alice was not told: " << text;
  }

  const ParisResources& resources_;
  const ProtocolOptions options_;
  Conversation talk_;
  std::string kept_;  // what the server sent last that was valid
  Lines lines_;       // of the last event
  Lines said_;        // of an earlier one that still counts
};

}  // namespace holdfast

#include "control/config/service_form.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/did_you_mean.h"
#include "base/json_text.h"
#include "base/outside_text.h"
#include "control/config/map_keys.h"
#include "control/config/resource_names.h"
#include "control/config/scalar_values.h"
#include "resources/decode/ip_literal.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

constexpr absl::string_view kDefaultLb = "round_robin";
constexpr uint32_t kMostPort = 65535;
// How the path of an endpoint begins in the ClusterLoadAssignment.
constexpr absl::string_view kEndpointPath = "endpoints[0].lb_endpoints[";

// What `lb:` takes, and the Cluster.lb_policy that says it. pick_first has only a policy of the
// newer kind.
struct LbWord {
  absl::string_view word;
  absl::string_view lb_policy;
};
constexpr LbWord kLbWords[] = {
    {"round_robin", "ROUND_ROBIN"}, {"least_request", "LEAST_REQUEST"},
    {"ring_hash", "RING_HASH"},     {"random", "RANDOM"},
    {"maglev", "MAGLEV"},           {"pick_first", ""},
};

constexpr absl::string_view kPickFirst =
    R"({"policies":[{"typed_extension_config":{"name":"pick_first","typed_config":{)"
    R"("@type":"type.googleapis.com/envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst"}}}]})";

constexpr absl::string_view kHttp2Options =
    R"({"envoy.extensions.upstreams.http.v3.HttpProtocolOptions":{)"
    R"("@type":"type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",)"
    R"("explicit_http_config":{"http2_protocol_options":{}}}})";

constexpr absl::string_view kManagerType =
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
constexpr absl::string_view kHttpOptionsType =
    "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";
constexpr absl::string_view kRouter =
    R"([{"name":"router","typed_config":{)"
    R"("@type":"type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}])";

bool HasField(const Schema& schema, absl::string_view type, const char* field) {
  const google::protobuf::Descriptor* const found = schema.Find(type);
  return found != nullptr && found->FindFieldByName(field) != nullptr;
}

// "127.0.0.1:80" or "[::1]:80".
absl::Status ReadAddress(absl::string_view text, ServiceEndpoint& endpoint) {
  const size_t colon = text.rfind(':');
  absl::string_view host = text.substr(0, colon);
  if (colon == absl::string_view::npos ||
      !absl::SimpleAtoi(text.substr(colon + 1), &endpoint.port) || endpoint.port == 0 ||
      endpoint.port > kMostPort) {
    return absl::InvalidArgumentError(
        absl::StrCat("must be HOST:PORT, with a port from 1 to 65535 (got ", Quoted(text), ")"));
  }
  const bool has_brackets = absl::ConsumePrefix(&host, "[") && absl::ConsumeSuffix(&host, "]");
  const bool is_v6 = host.find(':') != absl::string_view::npos;
  if (is_v6 && !has_brackets) {
    return absl::InvalidArgumentError(absl::StrCat(
        "an IPv6 address must be in brackets, such as [::1]:80 (got ", Quoted(text), ")"));
  }
  if (is_v6 != has_brackets || !CanonicalIp(host).has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the host must be an IP address: clients look up no names in endpoints (got ",
                     Quoted(text), ")"));
  }
  endpoint.host = std::string(host);
  return absl::OkStatus();
}

absl::StatusOr<std::string> LbOf(YamlNode node) {
  absl::StatusOr<std::string> word = StringOf(node);
  if (!word.ok()) return word.status();
  std::vector<absl::string_view> known;
  for (const LbWord& lb : kLbWords) known.push_back(lb.word);
  if (std::find(known.begin(), known.end(), *word) != known.end()) return word;
  const std::optional<absl::string_view> meant = DidYouMean(*word, known);
  return absl::InvalidArgumentError(
      absl::StrCat("unknown policy ", Quoted(*word),
                   meant.has_value() ? absl::StrCat("; did you mean ", *meant, "?")
                                     : absl::StrCat("; there are ", absl::StrJoin(known, ", "))));
}

class ServiceReader {
 public:
  ServiceReader(FieldPath& path, FieldProblems& problems) : path_(path), problems_(problems) {}

  Service Read(YamlNode node) {
    Service service{.lb = std::string(kDefaultLb)};
    if (!node.is_map()) {
      AddError(node, Expected("a map with name and endpoints", node));
      return service;
    }
    CheckKeys(node, {"name", "lb", "endpoints"}, path_, problems_);
    if (auto name = RequiredString(node, "name", path_, problems_)) ReadName(node, *name, service);
    if (const std::optional<YamlNode> lb = node.Find("lb"); lb && !lb->is_null()) {
      const FieldPath::Step step(path_, "lb");
      absl::StatusOr<std::string> word = LbOf(*lb);
      if (!word.ok()) AddError(*lb, word.status());
      if (word.ok()) service.lb = *std::move(word);
    }
    const FieldPath::Step step(path_, "endpoints");
    const std::optional<YamlNode> endpoints = node.Find("endpoints");
    if (!endpoints.has_value()) {
      AddError(node, absl::InvalidArgumentError("is missing; write [] if there are none"));
    } else if (!endpoints->is_sequence()) {
      AddError(*endpoints, Expected("a list", *endpoints));
    } else {
      for (size_t i = 0; i < endpoints->size(); ++i) {
        const FieldPath::Step element(path_, i);
        service.endpoints.push_back(ReadEndpoint(endpoints->element(i)));
      }
    }
    return service;
  }

 private:
  void ReadName(YamlNode node, const std::string& name, Service& service) {
    const FieldPath::Step step(path_, "name");
    // An xdstp name says its type, and there are four of them here.
    for (const absl::string_view type :
         {kListenerTypeName, kRouteConfigTypeName, kClusterTypeName, kEndpointsTypeName}) {
      const absl::Status valid = CheckResourceName(name, type);
      if (valid.ok()) continue;
      return AddError(*node.Find("name"), valid);
    }
    service.name = name;
  }

  ServiceEndpoint ReadEndpoint(YamlNode node) {
    ServiceEndpoint endpoint;
    std::optional<std::string> address;
    if (node.is_map()) {
      CheckKeys(node, {"address", "weight"}, path_, problems_);
      address = RequiredString(node, "address", path_, problems_);
      if (const std::optional<YamlNode> weight = node.Find("weight");
          weight && !weight->is_null()) {
        const FieldPath::Step step(path_, "weight");
        const auto number = IntegerOf(*weight, 1, std::numeric_limits<uint32_t>::max());
        if (!number.ok()) AddError(*weight, number.status());
        if (number.ok()) endpoint.weight = static_cast<uint32_t>(*number);
      }
    } else if (absl::StatusOr<std::string> text = StringOf(node); text.ok()) {
      address = *std::move(text);
    } else {
      AddError(node, Expected("an address such as \"127.0.0.1:80\"", node));
    }
    if (address.has_value()) {
      const absl::Status read = ReadAddress(*address, endpoint);
      if (!read.ok()) AddError(NearestNode(node, "address"), read);
    }
    return endpoint;
  }

  void AddError(YamlNode node, const absl::Status& status) {
    problems_.AddError(node.place(), path_.text(), status.message());
  }

  FieldPath& path_;
  FieldProblems& problems_;
};

std::string TypeJson(absl::string_view type) {
  return absl::StrCat("\"@type\":\"type.googleapis.com/", type, "\"");
}

std::string EndpointJson(const ServiceEndpoint& endpoint) {
  return absl::StrCat(R"({"endpoint":{"address":{"socket_address":{"address":)",
                      JsonText(endpoint.host), ",\"port_value\":", endpoint.port,
                      "}}},\"load_balancing_weight\":", endpoint.weight, "}");
}

}  // namespace

Service ReadService(YamlNode node, FieldPath& path, FieldProblems& problems) {
  return ServiceReader(path, problems).Read(node);
}

std::vector<ResourceJson> ResourcesOf(const Service& service, const Schema& schema) {
  const std::string name = JsonText(service.name);
  const absl::string_view ads =
      HasField(schema, "envoy.config.core.v3.ConfigSource", "resource_api_version")
          ? R"({"ads":{},"resource_api_version":"V3"})"
          : R"({"ads":{}})";

  std::string listener =
      absl::StrCat("{", TypeJson(kListenerTypeName), ",\"name\":", name,
                   R"(,"api_listener":{"api_listener":{)", TypeJson(kManagerType));
  if (HasField(schema, kManagerType, "stat_prefix")) {
    absl::StrAppend(&listener, ",\"stat_prefix\":", name);
  }
  absl::StrAppend(&listener, ",\"rds\":{\"route_config_name\":", name, ",\"config_source\":", ads,
                  "},\"http_filters\":", kRouter, "}}}");

  std::string cluster =
      absl::StrCat("{", TypeJson(kClusterTypeName), ",\"name\":", name,
                   ",\"type\":\"EDS\",\"eds_cluster_config\":{\"eds_config\":", ads, "}");
  if (HasField(schema, kClusterTypeName, "connect_timeout")) {
    absl::StrAppend(&cluster, ",\"connect_timeout\":\"5s\"");
  }
  // Without it Envoy would speak HTTP/1.1 to a gRPC server.
  if (HasField(schema, kClusterTypeName, "typed_extension_protocol_options") &&
      HasField(schema, kHttpOptionsType, "explicit_http_config")) {
    absl::StrAppend(&cluster, ",\"typed_extension_protocol_options\":", kHttp2Options);
  }
  const auto* const lb = std::find_if(std::begin(kLbWords), std::end(kLbWords),
                                      [&](const LbWord& word) { return word.word == service.lb; });
  if (lb->lb_policy.empty()) {
    absl::StrAppend(&cluster, ",\"load_balancing_policy\":", kPickFirst, "}");
  } else {
    absl::StrAppend(&cluster, ",\"lb_policy\":\"", lb->lb_policy, "\"}");
  }

  const auto append_endpoint = [](std::string* out, const ServiceEndpoint& endpoint) {
    *out += EndpointJson(endpoint);
  };
  return {
      {kListenerTypeName, std::move(listener)},
      {kRouteConfigTypeName,
       absl::StrCat("{", TypeJson(kRouteConfigTypeName), ",\"name\":", name,
                    ",\"virtual_hosts\":[{\"name\":", name,
                    R"(,"domains":["*"],"routes":[{"match":{"prefix":""},"route":{"cluster":)",
                    name, "}}]}]}")},
      {kClusterTypeName, std::move(cluster)},
      {kEndpointsTypeName,
       absl::StrCat(
           "{", TypeJson(kEndpointsTypeName), ",\"cluster_name\":", name,
           ",\"endpoints\":[{\"locality\":{},\"load_balancing_weight\":1,\"lb_endpoints\":[",
           absl::StrJoin(service.endpoints, ",", append_endpoint), "]}]}")},
  };
}

std::string TextForService(absl::string_view type, absl::string_view text) {
  const size_t begin = text.find(kEndpointPath);
  if (begin == absl::string_view::npos) return std::string(text);
  const size_t end = std::min(text.find(' ', begin), text.size());
  return absl::StrCat(text.substr(0, begin), FieldOfService(type, text.substr(begin, end - begin)),
                      text.substr(end));
}

std::string FieldOfService(absl::string_view type, absl::string_view field) {
  if (type == kClusterTypeName) {
    const bool is_lb =
        absl::StartsWith(field, "lb_policy") || absl::StartsWith(field, "load_balancing_policy");
    return is_lb ? "lb" : "";
  }
  if (type == kEndpointsTypeName && absl::ConsumePrefix(&field, kEndpointPath)) {
    return absl::StrCat("endpoints[", field.substr(0, field.find(']')), "]");
  }
  return "";
}

}  // namespace holdfast

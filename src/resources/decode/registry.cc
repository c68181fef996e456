#include "resources/decode/registry.h"

#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "resources/decode/decode.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

struct TypeFacts {
  absl::string_view type_name;
  absl::string_view noun;
  absl::string_view short_name;
  bool is_full_state;
};

constexpr TypeFacts kListener = {kListenerTypeName, "listener", "lds", true};
constexpr TypeFacts kRouteConfig = {kRouteConfigTypeName, "route configuration", "rds", false};
constexpr TypeFacts kCluster = {kClusterTypeName, "cluster", "cds", true};
constexpr TypeFacts kEndpoints = {kEndpointsTypeName, "endpoints", "eds", false};

template <class T>
class DecodedBy final : public AnyResourceType {
 public:
  using Decoder = Decoded<T> (*)(absl::string_view bytes, const DecodeContext& context);

  DecodedBy(const TypeFacts& facts, Decoder decoder) : facts_(facts), decoder_(decoder) {}

  absl::string_view type_name() const override { return facts_.type_name; }
  absl::string_view noun() const override { return facts_.noun; }
  bool is_full_state() const override { return facts_.is_full_state; }

  DecodedResource Decode(absl::string_view bytes, const DecodeContext& context) const override {
    Decoded<T> decoded = decoder_(bytes, context);
    DecodedResource resource;
    if (decoded.errors.ok()) {
      resource.value = std::make_shared<const ResourceOf<T>>(std::move(decoded.resource));
    }
    resource.errors = std::move(decoded.errors);
    resource.not_enforced = std::move(decoded.not_enforced);
    return resource;
  }

 private:
  const TypeFacts& facts_;
  const Decoder decoder_;
};

struct KnownType {
  const TypeFacts& facts;
  const AnyResourceType& (*type)();
};
constexpr KnownType kKnownTypes[] = {
    {kListener, ListenerType},
    {kRouteConfig, RouteConfigType},
    {kCluster, ClusterType},
    {kEndpoints, EndpointsType},
};

}  // namespace

const AnyResourceType& ListenerType() {
  static const auto& type = *new DecodedBy<Listener>(kListener, DecodeListener);
  return type;
}

const AnyResourceType& RouteConfigType() {
  static const auto& type = *new DecodedBy<RouteConfig>(kRouteConfig, DecodeRouteConfig);
  return type;
}

const AnyResourceType& ClusterType() {
  static const auto& type = *new DecodedBy<Cluster>(kCluster, DecodeCluster);
  return type;
}

const AnyResourceType& EndpointsType() {
  static const auto& type = *new DecodedBy<Endpoints>(kEndpoints, DecodeEndpoints);
  return type;
}

const AnyResourceType* FindResourceType(absl::string_view type_url) {
  const absl::string_view name = absl::StripPrefix(type_url, "type.googleapis.com/");
  for (const KnownType& known : kKnownTypes) {
    if (known.facts.type_name == name) return &known.type();
  }
  return nullptr;
}

const AnyResourceType* FindResourceTypeByShortName(absl::string_view name) {
  for (const KnownType& known : kKnownTypes) {
    if (absl::EqualsIgnoreCase(known.facts.short_name, name)) return &known.type();
  }
  return nullptr;
}

}  // namespace holdfast

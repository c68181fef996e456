#include "holdfast/xds/envoy_types.h"

#include "absl/status/status.h"
#include "resources/decode/registry.h"

namespace holdfast {
namespace {

class CheckedBytes final : public ResourceType<EnvoyResource> {
 public:
  explicit CheckedBytes(const AnyResourceType& type) : type_(type) {}

  std::string type_name() const override { return std::string(type_.type_name()); }
  std::string noun() const override { return std::string(type_.noun()); }
  bool is_full_state() const override { return type_.is_full_state(); }
  uint32_t name_field() const override { return type_.name_field(); }

  absl::StatusOr<EnvoyResource> Decode(absl::string_view bytes) const override {
    const DecodedResource decoded = type_.Decode(bytes, DecodeContext());
    if (decoded.value == nullptr) return absl::InvalidArgumentError(decoded.errors.Text());
    return EnvoyResource{std::string(bytes)};
  }

 private:
  const AnyResourceType& type_;
};

}  // namespace

const ResourceType<EnvoyResource>& EnvoyListenerType() {
  static const auto& type = *new CheckedBytes(ListenerType());
  return type;
}

const ResourceType<EnvoyResource>& EnvoyRouteType() {
  static const auto& type = *new CheckedBytes(RouteConfigType());
  return type;
}

const ResourceType<EnvoyResource>& EnvoyClusterType() {
  static const auto& type = *new CheckedBytes(ClusterType());
  return type;
}

const ResourceType<EnvoyResource>& EnvoyEndpointsType() {
  static const auto& type = *new CheckedBytes(EndpointsType());
  return type;
}

}  // namespace holdfast

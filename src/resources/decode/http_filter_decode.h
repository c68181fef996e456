// HTTP filters and their overrides, from the Anys that hold them (gRFC A39).
#pragma once

#include <string>
#include <vector>

#include "base/validation_errors.h"
#include "resources/decode/parts.h"
#include "resources/http_filter.h"

namespace google::protobuf {
class Any;
}
namespace envoy::extensions::filters::network::http_connection_manager::v3 {
class HttpConnectionManager;
}

namespace holdfast {

// The filter chain of a client's connection manager, at ".http_filters"; `not_enforced` gets the
// paths of the filters this build accepts without running them.
std::vector<HttpFilter> DecodeHttpFilters(
    const envoy::extensions::filters::network::http_connection_manager::v3::HttpConnectionManager&
        manager,
    ValidationErrors& errors, std::vector<std::string>& not_enforced);

// One entry of typed_per_filter_config, added to `overrides` under `filter_name`.
void DecodeFilterOverride(const std::string& filter_name, const google::protobuf::Any& any,
                          FilterOverrides& overrides, ValidationErrors& errors);

// The typed_per_filter_config of a VirtualHost, Route or ClusterWeight.
template <class Message>
FilterOverrides DecodeFilterOverrides(const Message& message, ValidationErrors& errors) {
  FilterOverrides overrides;
  for (const auto& [name, any] : InOrder(message.typed_per_filter_config())) {
    const ValidationErrors::Field field(errors, MapEntry(".typed_per_filter_config", name));
    DecodeFilterOverride(name, *any, overrides, errors);
  }
  return overrides;
}

}  // namespace holdfast

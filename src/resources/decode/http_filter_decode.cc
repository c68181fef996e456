#include "resources/decode/http_filter_decode.h"

#include <cstddef>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/outside_text.h"
#include "envoy/config/route/v3/route.pb.h"
#include "envoy/extensions/filters/http/router/v3/router.pb.h"
#include "envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.pb.h"
#include "resources/decode/fault_filter.h"
#include "resources/decode/not_enforced.h"
#include "resources/decode/session_filter.h"

namespace holdfast {
namespace {

namespace hcm_pb = envoy::extensions::filters::network::http_connection_manager::v3;
namespace route_pb = envoy::config::route::v3;

constexpr absl::string_view kRouter = "envoy.extensions.filters.http.router.v3.Router";
constexpr absl::string_view kFault = "envoy.extensions.filters.http.fault.v3.HTTPFault";
constexpr absl::string_view kSession =
    "envoy.extensions.filters.http.stateful_session.v3.StatefulSession";
constexpr absl::string_view kSessionOverride =
    "envoy.extensions.filters.http.stateful_session.v3.StatefulSessionPerRoute";
constexpr absl::string_view kRbac = "envoy.extensions.filters.http.rbac.v3.RBAC";
constexpr absl::string_view kRbacOverride = "envoy.extensions.filters.http.rbac.v3.RBACPerRoute";
// Wraps any override; never a filter's own configuration.
constexpr absl::string_view kFilterConfig = "envoy.config.route.v3.FilterConfig";

using FilterConfig = decltype(HttpFilter::config);

// All that this build knows of filters. None of them holds other filters, so the limit on nested
// configurations (R12.07) has nothing to limit yet.
struct KnownFilter {
  absl::string_view type;           // of its configuration in a chain
  absl::string_view override_type;  // may be the same; empty: there are no overrides
  // Null: only gRPC servers run it.
  FilterConfig (*decode)(const Extension& extension, ValidationErrors& errors) = nullptr;
  FilterOverride (*decode_override)(const Extension& extension, ValidationErrors& errors) = nullptr;
  bool is_terminal = false;
  bool is_enforced = false;  // this build does what it says
};
constexpr KnownFilter kKnownFilters[] = {
    {.type = kRouter,
     .override_type = "",
     .decode = [](const Extension& extension, ValidationErrors& errors) -> FilterConfig {
       // Its fields steer a proxy and are ignored.
       envoy::extensions::filters::http::router::v3::Router message;
       ParseExtension(extension, message, errors);
       return RouterFilter{};
     },
     .is_terminal = true,
     .is_enforced = true},
    {.type = kFault,
     .override_type = kFault,
     .decode = [](const Extension& extension, ValidationErrors& errors) -> FilterConfig {
       return DecodeFault(extension, errors);
     },
     .decode_override = [](const Extension& extension, ValidationErrors& errors) -> FilterOverride {
       return DecodeFault(extension, errors);
     }},
    {.type = kSession,
     .override_type = kSessionOverride,
     .decode = [](const Extension& extension, ValidationErrors& errors) -> FilterConfig {
       return DecodeStatefulSession(extension, errors);
     },
     .decode_override = [](const Extension& extension, ValidationErrors& errors) -> FilterOverride {
       return DecodeStatefulSessionOverride(extension, errors);
     }},
    {.type = kRbac,
     .override_type = kRbacOverride,
     .decode_override = [](const Extension&, ValidationErrors&) -> FilterOverride {
       return ServerOnlyOverride{};
     }},
};

const KnownFilter* FindByType(absl::string_view type) {
  for (const KnownFilter& known : kKnownFilters) {
    if (type == known.type) return &known;
  }
  return nullptr;
}

const KnownFilter* FindByOverrideType(absl::string_view type) {
  for (const KnownFilter& known : kKnownFilters) {
    if (type == known.override_type) return &known;
  }
  return nullptr;
}

// One filter of a chain, as far as the rules for the whole chain need it.
struct Link {
  size_t index = 0;                    // in http_filters
  const KnownFilter* known = nullptr;  // null: it is bad, and an error says why
};

// The filter for an Any in a chain. nullopt: it is optional and dropped.
std::optional<const KnownFilter*> Identify(const Extension& extension, bool is_optional,
                                           ValidationErrors& errors) {
  if (extension.type.empty()) return nullptr;
  const KnownFilter* known = FindByType(extension.type);
  if (known != nullptr && known->decode != nullptr) return known;
  if (extension.type == kFilterConfig) {
    errors.Add(absl::StrCat(kFilterConfig,
                            " is only for typed_per_filter_config; give the filter's own "
                            "configuration here"));
    return nullptr;
  }
  if (const KnownFilter* owner = FindByOverrideType(extension.type);
      known == nullptr && owner != nullptr) {
    errors.Add(absl::StrCat(extension.type, " is only for typed_per_filter_config; use ",
                            owner->type, " here"));
    return nullptr;
  }
  if (is_optional) return std::nullopt;
  errors.Add(known == nullptr
                 ? absl::StrCat("unknown filter type ", Quoted(extension.type),
                                "; set is_optional if clients may leave it out")
                 : absl::StrCat(known->type,
                                " is not supported on clients, only on gRPC servers; set "
                                "is_optional if clients may leave it out"));
  return nullptr;
}

void CheckName(const std::string& name, std::set<absl::string_view>& names,
               ValidationErrors& errors) {
  const ValidationErrors::Field field(errors, ".name");
  if (name.empty()) {
    errors.Add("must not be empty");
  } else if (!names.insert(name).second) {
    errors.Add(absl::StrCat(Quoted(name), " is the name of an earlier filter too"));
  }
}

// Decodes one filter into `filters`. nullopt: it is optional and dropped.
std::optional<const KnownFilter*> DecodeFilter(const hcm_pb::HttpFilter& filter,
                                               std::vector<HttpFilter>& filters,
                                               ValidationErrors& errors) {
  if (filter.has_config_discovery()) {
    if (filter.is_optional()) return std::nullopt;
    const ValidationErrors::Field field(errors, ".config_discovery");
    errors.Add("is not supported; give the filter's configuration in typed_config");
    return nullptr;
  }
  const ValidationErrors::Field field(errors, ".typed_config");
  if (!filter.has_typed_config()) {
    errors.Add("must be set");
    return nullptr;
  }
  const Extension extension = DecodeExtension(filter.typed_config(), errors);
  const std::optional<const KnownFilter*> known = Identify(extension, filter.is_optional(), errors);
  if (!known.has_value() || *known == nullptr) return known;
  filters.push_back({.name = filter.name(),
                     .config = (*known)->decode(extension, errors),
                     .is_disabled = filter.disabled()});
  return known;
}

// A router, and it alone, ends the chain.
void CheckEnd(const std::vector<Link>& chain, bool had_filters, ValidationErrors& errors) {
  if (chain.empty()) {
    const ValidationErrors::Field field(errors, ".http_filters");
    errors.Add(absl::StrCat(
        had_filters ? "only optional filters, none of them known; " : "must not be empty; ",
        "the last filter must be the router (", kRouter, ")"));
  }
  for (const Link& link : chain) {
    if (link.known == nullptr) continue;
    const bool is_last = &link == &chain.back();
    if (link.known->is_terminal == is_last) continue;
    const ValidationErrors::Field field(errors, ".http_filters", link.index);
    errors.Add(is_last ? absl::StrCat("the last filter must be the router (", kRouter, "), got ",
                                      link.known->type)
                       : "the router must be the last filter: filters after it never run");
  }
}

// `remedy` is what to do about a type we do not know, if it is an error at all.
void DecodeOverrideExtension(const std::string& filter_name, const Extension& extension,
                             std::optional<std::string> remedy, FilterOverrides& overrides,
                             ValidationErrors& errors) {
  if (extension.type.empty()) return;
  if (const KnownFilter* known = FindByOverrideType(extension.type); known != nullptr) {
    overrides.insert_or_assign(filter_name, known->decode_override(extension, errors));
    return;
  }
  if (const KnownFilter* known = FindByType(extension.type); known != nullptr) {
    errors.Add(known->override_type.empty()
                   ? absl::StrCat(known->type, " takes no overrides")
                   : absl::StrCat(known->type, " is only for http_filters; use ",
                                  known->override_type, " here"));
    return;
  }
  if (!remedy.has_value()) return;
  errors.Add(absl::StrCat("unknown filter type ", Quoted(extension.type), "; ", *remedy,
                          " if clients may leave it out"));
}

}  // namespace

std::vector<HttpFilter> DecodeHttpFilters(const hcm_pb::HttpConnectionManager& manager,
                                          ValidationErrors& errors,
                                          std::vector<std::string>& not_enforced) {
  std::vector<HttpFilter> filters;
  std::vector<Link> chain;
  std::set<absl::string_view> names;
  for (size_t i = 0; i < static_cast<size_t>(manager.http_filters_size()); ++i) {
    const ValidationErrors::Field field(errors, ".http_filters", i);
    const hcm_pb::HttpFilter& filter = manager.http_filters(static_cast<int>(i));
    CheckName(filter.name(), names, errors);
    const std::optional<const KnownFilter*> known = DecodeFilter(filter, filters, errors);
    if (!known.has_value()) continue;
    chain.push_back({.index = i, .known = *known});
    if (*known != nullptr && !(*known)->is_enforced) {
      NoteNotEnforced(absl::StrCat("http_filters[", i, "]"), not_enforced);
    }
  }
  CheckEnd(chain, manager.http_filters_size() > 0, errors);
  return filters;
}

void DecodeFilterOverride(const std::string& filter_name, const google::protobuf::Any& any,
                          FilterOverrides& overrides, ValidationErrors& errors) {
  if (filter_name.empty()) errors.Add("the filter's name must not be empty");
  const Extension extension = DecodeExtension(any, errors);
  if (extension.type != kFilterConfig) {
    DecodeOverrideExtension(filter_name, extension,
                            absl::StrCat("wrap it in ", kFilterConfig, " with is_optional"),
                            overrides, errors);
    return;
  }
  route_pb::FilterConfig wrapper;
  if (!ParseExtension(extension, wrapper, errors)) return;
  const ValidationErrors::Field field(errors, ".config");
  if (!wrapper.has_config()) {
    errors.Add("must be set");
    return;
  }
  const Extension inner = DecodeExtension(wrapper.config(), errors);
  if (inner.type == kFilterConfig) {
    errors.Add(absl::StrCat(kFilterConfig, " must not hold another one"));
    return;
  }
  std::optional<std::string> remedy;
  if (!wrapper.is_optional()) remedy = "set is_optional beside config";
  DecodeOverrideExtension(filter_name, inner, remedy, overrides, errors);
}

}  // namespace holdfast

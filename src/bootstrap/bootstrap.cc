#include "bootstrap/bootstrap.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/outside_text.h"
#include "bootstrap/json_fields.h"
#include "bootstrap/json_reader.h"
#include "xds/resource_name.h"

namespace holdfast {
namespace {

constexpr absl::string_view kBootstrapKeys[] = {
    "xds_servers",
    "node",
    "authorities",
    "certificate_providers",
    "client_default_listener_resource_name_template",
    "server_listener_resource_name_template",
};

constexpr absl::string_view kAuthorityKeys[] = {
    "client_listener_resource_name_template",
    "xds_servers",
    "fallback_on_reachability_only",
};

absl::Status BootstrapError(absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat("bootstrap: ", text));
}

// The text of an optional string member; "" if it is absent or wrong.
std::string StringOrEmpty(const ObjectReader& reader, absl::string_view key) {
  const JsonValue* string = reader.String(key);
  return string == nullptr ? "" : *string->if_string();
}

Locality ReadLocality(const JsonValue& value, JsonFindings& findings) {
  JsonFindings::Field field(findings, ".locality");
  const ObjectReader reader(value, findings);
  return {.region = StringOrEmpty(reader, "region"),
          .zone = StringOrEmpty(reader, "zone"),
          .sub_zone = StringOrEmpty(reader, "sub_zone")};
}

Node ReadNode(const ObjectReader& bootstrap, JsonFindings& findings) {
  Node node;
  const JsonValue* value = bootstrap.Object("node");
  if (value == nullptr) return node;
  JsonFindings::Field field(findings, ".node");
  const ObjectReader reader(*value, findings);
  node.id = StringOrEmpty(reader, "id");
  node.cluster = StringOrEmpty(reader, "cluster");
  if (const JsonValue* locality = reader.Object("locality")) {
    node.locality = ReadLocality(*locality, findings);
  }
  if (const JsonValue* metadata = reader.Object("metadata")) {
    node.metadata = *metadata->if_object();
  }
  return node;
}

// An authority is written as it is in the spec; as in a URI it may also be percent-encoded.
std::string ReadAuthorityTemplate(const std::string& name, const ObjectReader& reader,
                                  JsonFindings& findings) {
  constexpr absl::string_view kKey = "client_listener_resource_name_template";
  const std::string encoded_prefix = absl::StrCat("xdstp://", PercentEncodePath(name, false), "/");
  const JsonValue* text = reader.String(kKey);
  if (text == nullptr) return absl::StrCat(encoded_prefix, "envoy.config.listener.v3.Listener/%s");

  if (!absl::StartsWith(*text->if_string(), absl::StrCat("xdstp://", name, "/")) &&
      !absl::StartsWith(*text->if_string(), encoded_prefix)) {
    JsonFindings::Field field(findings, absl::StrCat(".", kKey));
    findings.AddError(absl::StrCat("must begin with ", Quoted(encoded_prefix), " (got ",
                                   Quoted(*text->if_string()), ")"),
                      text->at);
  }
  return *text->if_string();
}

Authority ReadAuthority(const std::string& name, const JsonValue& value, JsonFindings& findings) {
  const ObjectReader reader(value, findings);
  reader.WarnOfMisspellings(kAuthorityKeys);
  Authority authority;
  authority.client_listener_resource_name_template = ReadAuthorityTemplate(name, reader, findings);
  authority.servers = ReadXdsServers(reader, Presence::kOptional, findings);
  const JsonValue* reachability_only = reader.Boolean("fallback_on_reachability_only");
  authority.fallback_on_reachability_only =
      reachability_only != nullptr && *reachability_only->if_bool();
  return authority;
}

Bootstrap ReadBootstrap(const ObjectReader& reader, JsonFindings& findings) {
  Bootstrap bootstrap;
  bootstrap.servers = ReadXdsServers(reader, Presence::kRequired, findings);
  bootstrap.node = ReadNode(reader, findings);
  reader.EachEntry("authorities", [&](const std::string& name, const JsonValue& value) {
    bootstrap.authorities[name] = ReadAuthority(name, value, findings);
  });
  bootstrap.certificate_providers = ReadCertificateProviders(reader, findings);
  const std::string client_template =
      reader.NonEmptyString("client_default_listener_resource_name_template");
  if (!client_template.empty()) {
    bootstrap.client_default_listener_resource_name_template = client_template;
  }
  const std::string server_template =
      reader.NonEmptyString("server_listener_resource_name_template");
  if (!server_template.empty()) bootstrap.server_listener_resource_name_template = server_template;
  return bootstrap;
}

}  // namespace

absl::StatusOr<ParsedBootstrap> ParseBootstrap(absl::string_view json) {
  const absl::StatusOr<JsonValue> value = ReadJson(json);
  if (!value.ok()) return BootstrapError(value.status().message());
  JsonFindings findings;
  if (value->if_object() == nullptr) {
    findings.AddError(absl::StrCat("must be an object (got ", value->Kind(), ")"), value->at);
    return BootstrapError(findings.Errors());
  }
  const ObjectReader reader(*value, findings);
  reader.WarnOfMisspellings(kBootstrapKeys);
  Bootstrap bootstrap = ReadBootstrap(reader, findings);
  if (!findings.ok()) return BootstrapError(findings.Errors());
  return ParsedBootstrap{.bootstrap = std::move(bootstrap), .warnings = findings.Warnings()};
}

}  // namespace holdfast

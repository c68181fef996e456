#include "bootstrap/bootstrap.h"

#include <optional>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
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

constexpr absl::string_view kNodeKeys[] = {"id", "cluster", "locality", "metadata"};

constexpr absl::string_view kLocalityKeys[] = {"region", "zone", "sub_zone"};

// As a google.protobuf.Struct each level of JSON takes about three levels of messages (Struct, its
// map entry, Value), and by default protobuf parses no more than 100: from 34 levels on a server
// would refuse every request of this client.
constexpr int kMostMetadataLevels = 30;

absl::Status BootstrapError(absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat("bootstrap: ", text));
}

// The text of an optional string member; "" if it is absent or wrong.
std::string StringOrEmpty(const ObjectReader& reader, absl::string_view key) {
  const JsonValue* string = reader.String(key);
  return string == nullptr ? "" : *string->if_string();
}

// The first array or object that is more than `levels` levels deep, `value` being the first level.
// No deeper than the reader goes.
const JsonValue* FirstDeeperThan(int levels, const JsonValue& value) {
  const JsonValue::Array* array = value.if_array();
  const JsonValue::Object* object = value.if_object();
  if (array == nullptr && object == nullptr) return nullptr;
  if (levels == 0) return &value;
  if (array != nullptr) {
    for (const JsonValue& element : *array) {
      if (const JsonValue* deep = FirstDeeperThan(levels - 1, element)) return deep;
    }
    return nullptr;
  }
  for (const auto& [key, member] : *object) {
    if (const JsonValue* deep = FirstDeeperThan(levels - 1, member)) return deep;
  }
  return nullptr;
}

void CheckMetadata(const JsonValue& metadata, JsonFindings& findings) {
  const JsonValue* deep = FirstDeeperThan(kMostMetadataLevels, metadata);
  if (deep == nullptr) return;
  JsonFindings::Field field(findings, ".metadata");
  findings.AddError(absl::StrCat("nested deeper than ", kMostMetadataLevels, " levels"), deep->at);
}

// "node.metadata" of a valid bootstrap: moved out, for it may be most of the document.
JsonValue::Object TakeMetadata(JsonValue& document) {
  JsonValue* value = &document;
  for (const char* key : {"node", "metadata"}) {
    JsonValue::Object& members = std::get<JsonValue::Object>(value->value);
    const auto member = members.find(key);
    if (member == members.end()) return {};
    value = &member->second;
  }
  return std::move(std::get<JsonValue::Object>(value->value));
}

Locality ReadLocality(const JsonValue& value, JsonFindings& findings) {
  JsonFindings::Field field(findings, ".locality");
  const ObjectReader reader(value, findings);
  reader.WarnOfMisspellings(kLocalityKeys);
  return {.region = StringOrEmpty(reader, "region"),
          .zone = StringOrEmpty(reader, "zone"),
          .sub_zone = StringOrEmpty(reader, "sub_zone")};
}

// All but the metadata, which is only checked: see TakeMetadata.
Node ReadNode(const ObjectReader& bootstrap, JsonFindings& findings) {
  Node node;
  const JsonValue* value = bootstrap.Object("node");
  if (value == nullptr) return node;
  JsonFindings::Field field(findings, ".node");
  const ObjectReader reader(*value, findings);
  reader.WarnOfMisspellings(kNodeKeys);
  node.id = StringOrEmpty(reader, "id");
  node.cluster = StringOrEmpty(reader, "cluster");
  if (const JsonValue* locality = reader.Object("locality")) {
    node.locality = ReadLocality(*locality, findings);
  }
  if (const JsonValue* metadata = reader.Object("metadata")) CheckMetadata(*metadata, findings);
  return node;
}

// Of a text that begins "xdstp://<authority>/", decoded; nullopt if it does not.
std::optional<std::string> AuthorityOf(absl::string_view name) {
  if (!absl::ConsumePrefix(&name, "xdstp://")) return std::nullopt;
  const size_t end = name.find_first_of("/?#");
  if (end == absl::string_view::npos || name[end] != '/') return std::nullopt;
  return PercentDecode(name.substr(0, end));
}

// In the template the authority may be percent-encoded, as in any URI, and must be where it would
// mean something else: the key "50%25" is "50%2525" there, for "50%25" would be the authority
// "50%".
std::string ReadAuthorityTemplate(const std::string& name, const ObjectReader& reader,
                                  JsonFindings& findings) {
  constexpr absl::string_view kKey = "client_listener_resource_name_template";
  const std::string encoded_prefix = absl::StrCat("xdstp://", PercentEncodePath(name, false), "/");
  const JsonValue* text = reader.String(kKey);
  if (text == nullptr) return absl::StrCat(encoded_prefix, "envoy.config.listener.v3.Listener/%s");

  if (AuthorityOf(*text->if_string()) != name) {
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

BootstrapConfig ReadBootstrap(const ObjectReader& reader, JsonFindings& findings) {
  BootstrapConfig bootstrap;
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
  absl::StatusOr<JsonValue> value = ReadJson(json);
  if (!value.ok()) return BootstrapError(value.status().message());
  JsonFindings findings;
  if (value->if_object() == nullptr) {
    findings.AddError(absl::StrCat("must be an object (got ", value->Kind(), ")"), value->at);
    return BootstrapError(findings.Errors());
  }
  const ObjectReader reader(*value, findings);
  reader.WarnOfMisspellings(kBootstrapKeys);
  BootstrapConfig bootstrap = ReadBootstrap(reader, findings);
  if (!findings.ok()) return BootstrapError(findings.Errors());
  bootstrap.node.metadata = TakeMetadata(*value);
  return ParsedBootstrap{.bootstrap = std::move(bootstrap), .warnings = findings.Warnings()};
}

}  // namespace holdfast

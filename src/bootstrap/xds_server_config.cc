#include "bootstrap/xds_server_config.h"

#include <optional>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/did_you_mean.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

constexpr absl::string_view kServerKeys[] = {"server_uri", "channel_creds", "server_features",
                                             "call_creds"};

void ReadFeature(const JsonValue& element, ServerFeatures& features, JsonFindings& findings) {
  const std::string* text = element.if_string();
  if (text == nullptr) return;
  switch (AddFeature(*text, features)) {
    case FeatureMeaning::kKnown:
      return;
    case FeatureMeaning::kAlias:
      // DEC-01: one warning, however many servers.
      findings.AddWarningOnce(absl::StrCat(Quoted(*text), " is an old spelling, write \"",
                                           kResourceTimerIsTransientError, "\""),
                              element.at);
      return;
    case FeatureMeaning::kUnknown:
      if (const std::optional<absl::string_view> meant = DidYouMean(*text, KnownFeatures())) {
        findings.AddWarning(
            absl::StrCat("unknown feature ", Quoted(*text), ", did you mean \"", *meant, "\"?"),
            element.at);
      }
      return;
  }
}

// Any JSON may stand in the list (gRFC A30): what we do not know is ignored.
ServerFeatures ReadFeatures(const ObjectReader& server, JsonFindings& findings) {
  ServerFeatures features;
  const JsonValue* list = server.Array("server_features");
  if (list == nullptr) return features;
  size_t index = 0;
  for (const JsonValue& element : *list->if_array()) {
    JsonFindings::Field field(findings, absl::StrCat(".server_features[", index++, "]"));
    ReadFeature(element, features, findings);
  }
  return features;
}

XdsServerConfig ReadXdsServer(const JsonValue& value, JsonFindings& findings) {
  const ObjectReader reader(value, findings);
  reader.WarnOfMisspellings(kServerKeys);
  XdsServerConfig server;
  server.server_uri = reader.NonEmptyString("server_uri", Presence::kRequired);
  server.channel_credentials = ReadChannelCredentials(reader, findings);
  server.call_credentials = ReadCallCredentials(reader, findings);
  server.features = ReadFeatures(reader, findings);
  const bool is_insecure =
      std::holds_alternative<InsecureChannelCredentials>(server.channel_credentials);
  if (is_insecure && !server.call_credentials.empty()) {
    JsonFindings::Field field(findings, ".call_creds");
    findings.AddWarning("not sent over insecure channel_creds",
                        value.if_object()->at("call_creds").at);
    // What is not sent does not tell two servers apart.
    server.call_credentials.clear();
  }
  return server;
}

}  // namespace

std::vector<XdsServerConfig> ReadXdsServers(const ObjectReader& reader, Presence presence,
                                            JsonFindings& findings) {
  std::vector<XdsServerConfig> servers;
  const JsonValue* list = reader.EachObject("xds_servers", presence, [&](const JsonValue& element) {
    servers.push_back(ReadXdsServer(element, findings));
  });
  if (presence == Presence::kRequired && list != nullptr && list->if_array()->empty()) {
    JsonFindings::Field field(findings, ".xds_servers");
    findings.AddError("must have at least one server", list->at);
  }
  return servers;
}

}  // namespace holdfast

#include "bootstrap/certificate_provider.h"

#include "absl/strings/str_cat.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

constexpr absl::string_view kFileWatcher = "file_watcher";

constexpr absl::string_view kProviderKeys[] = {"plugin_name", "config"};

CertificateFiles ReadFileWatcher(const JsonValue& config, JsonFindings& findings) {
  JsonFindings::Field field(findings, ".config");
  const size_t errors_before = findings.error_count();
  CertificateFiles files = ReadCertificateFiles(config, findings);
  const bool gives_nothing = files.certificate_file.empty() && files.ca_certificate_file.empty() &&
                             files.spiffe_trust_bundle_map_file.empty();
  if (gives_nothing && findings.error_count() == errors_before) {
    findings.AddError(
        "must give certificate_file, ca_certificate_file or spiffe_trust_bundle_map_file",
        config.at);
  }
  return files;
}

CertificateProviderConfig ReadProvider(const JsonValue& value, JsonFindings& findings) {
  const ObjectReader reader(value, findings);
  reader.WarnOfMisspellings(kProviderKeys);
  CertificateProviderConfig provider;
  const JsonValue* plugin = reader.String("plugin_name", Presence::kRequired);
  const bool is_known = plugin != nullptr && *plugin->if_string() == kFileWatcher;
  const JsonValue* config = reader.Object("config");
  if (plugin == nullptr) return provider;

  provider.plugin_name = *plugin->if_string();
  if (!is_known) {
    JsonFindings::Field field(findings, ".plugin_name");
    findings.AddError(absl::StrCat("must be \"", kFileWatcher, "\", the only known plugin (got ",
                                   Quoted(provider.plugin_name), ")"),
                      plugin->at);
  } else if (config != nullptr) {
    provider.files = ReadFileWatcher(*config, findings);
  } else if (value.if_object()->count("config") == 0) {
    provider.files = ReadFileWatcher({.value = JsonValue::Object(), .at = value.at}, findings);
  }
  return provider;
}

}  // namespace

std::map<std::string, CertificateProviderConfig> ReadCertificateProviders(
    const ObjectReader& bootstrap, JsonFindings& findings) {
  std::map<std::string, CertificateProviderConfig> providers;
  bootstrap.EachEntry("certificate_providers",
                      [&](const std::string& name, const JsonValue& value) {
                        providers[name] = ReadProvider(value, findings);
                      });
  return providers;
}

}  // namespace holdfast

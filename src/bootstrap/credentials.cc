#include "bootstrap/credentials.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

constexpr size_t kMostTypesQuoted = 10;

// Of an entry of "channel_creds" or "call_creds".
constexpr absl::string_view kEntryKeys[] = {"type", "config"};

TlsChannelCredentials ReadTls(const JsonValue* config, JsonFindings& findings) {
  if (config == nullptr) return {};
  JsonFindings::Field field(findings, ".config");
  CertificateFiles files = ReadCertificateFiles(*config, findings);
  if (!files.spiffe_trust_bundle_map_file.empty()) {
    // gRFC A65 does not have it. Without this line a trust domain would silently become the roots
    // of the system.
    JsonFindings::Field spiffe(findings, ".spiffe_trust_bundle_map_file");
    findings.AddWarning("not used by tls channel credentials",
                        config->if_object()->at("spiffe_trust_bundle_map_file").at);
    files.spiffe_trust_bundle_map_file.clear();
  }
  return {.files = std::move(files)};
}

// The credentials of one entry of "channel_creds"; nullopt if we do not support its type.
// "google_default" is such a type: it needs Google's own libraries.
std::optional<ChannelCredentialsConfig> ReadOneChannelCredentials(absl::string_view type,
                                                                  const JsonValue* config,
                                                                  JsonFindings& findings) {
  if (type == "insecure") return InsecureChannelCredentials{};
  if (type == "tls") return ReadTls(config, findings);
  return std::nullopt;
}

std::string TypesSeen(const std::vector<std::string>& types) {
  if (types.empty()) return "none";
  const size_t quoted = std::min(types.size(), kMostTypesQuoted);
  std::string text = absl::StrJoin(
      types.begin(), types.begin() + static_cast<ptrdiff_t>(quoted), ", ",
      [](std::string* out, const std::string& type) { absl::StrAppend(out, Quoted(type)); });
  if (types.size() > quoted) absl::StrAppend(&text, " and ", types.size() - quoted, " more");
  return text;
}

}  // namespace

ChannelCredentialsConfig ReadChannelCredentials(const ObjectReader& server,
                                                JsonFindings& findings) {
  std::optional<ChannelCredentialsConfig> chosen;
  std::vector<std::string> types;
  const size_t errors_before = findings.error_count();
  const JsonValue* list =
      server.EachObject("channel_creds", Presence::kRequired, [&](const JsonValue& element) {
        const ObjectReader entry(element, findings);
        entry.WarnOfMisspellings(kEntryKeys);
        const JsonValue* type = entry.String("type", Presence::kRequired);
        const JsonValue* config = entry.Object("config");
        if (type == nullptr) return;
        types.push_back(*type->if_string());
        std::optional<ChannelCredentialsConfig> credentials =
            ReadOneChannelCredentials(types.back(), config, findings);
        if (!chosen.has_value()) chosen = std::move(credentials);
      });
  // With another mistake in the list we cannot say that nothing in it is supported.
  if (list != nullptr && !chosen.has_value() && findings.error_count() == errors_before) {
    JsonFindings::Field field(findings, ".channel_creds");
    findings.AddError(absl::StrCat("must have a supported type, \"insecure\" or \"tls\" (got ",
                                   TypesSeen(types), ")"),
                      list->at);
  }
  return chosen.value_or(InsecureChannelCredentials{});
}

std::vector<JwtTokenFileCallCredentials> ReadCallCredentials(const ObjectReader& server,
                                                             JsonFindings& findings) {
  std::vector<JwtTokenFileCallCredentials> all;
  server.EachObject("call_creds", Presence::kOptional, [&](const JsonValue& element) {
    const ObjectReader entry(element, findings);
    entry.WarnOfMisspellings(kEntryKeys);
    const JsonValue* type = entry.String("type", Presence::kRequired);
    const bool is_supported = type != nullptr && *type->if_string() == "jwt_token_file";
    const JsonValue* config =
        entry.Object("config", is_supported ? Presence::kRequired : Presence::kOptional);
    if (!is_supported || config == nullptr) return;
    JsonFindings::Field field(findings, ".config");
    const ObjectReader reader(*config, findings);
    all.push_back({.jwt_token_file = reader.NonEmptyString("jwt_token_file", Presence::kRequired)});
  });
  return all;
}

}  // namespace holdfast

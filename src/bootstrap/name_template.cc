#include "bootstrap/name_template.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "base/outside_text.h"
#include "base/utf8.h"
#include "bootstrap/json_fields.h"
#include "xds/resource_name.h"

namespace holdfast {
namespace {

constexpr absl::string_view kListenerType = "envoy.config.listener.v3.Listener";

// A target, taken apart and percent-decoded.
struct Target {
  std::string authority;
  std::string path;  // without a leading "/"
};

absl::Status TargetError(absl::string_view target, absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat("target ", Quoted(target), ": ", text));
}

// nullopt if a "%" is not followed by two hexadecimal digits.
std::optional<std::string> PercentDecoded(absl::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const absl::string_view digits = text.substr(i + 1, 2);
    const bool is_hex = digits.size() == 2 &&
                        absl::ascii_isxdigit(static_cast<unsigned char>(digits[0])) &&
                        absl::ascii_isxdigit(static_cast<unsigned char>(digits[1]));
    if (!is_hex) return std::nullopt;
    decoded += absl::HexStringToBytes(digits);
    i += 2;
  }
  return decoded;
}

absl::StatusOr<Target> ParseTarget(absl::string_view target) {
  absl::string_view rest = target;
  const absl::string_view scheme = rest.substr(0, rest.find(':'));
  if (scheme.size() == rest.size() || !absl::EqualsIgnoreCase(scheme, "xds")) {
    return TargetError(target, "must begin with \"xds:\"");
  }
  rest.remove_prefix(scheme.size() + 1);
  rest = rest.substr(0, rest.find_first_of("?#"));
  absl::string_view authority;
  if (absl::ConsumePrefix(&rest, "//")) {
    authority = rest.substr(0, rest.find('/'));
    rest.remove_prefix(authority.size());
  }
  absl::ConsumePrefix(&rest, "/");

  std::optional<std::string> decoded_authority = PercentDecoded(authority);
  std::optional<std::string> path = PercentDecoded(rest);
  if (!decoded_authority.has_value() || !path.has_value()) {
    return TargetError(target, "\"%\" must be followed by two hexadecimal digits");
  }
  if (!IsUtf8(*path)) return TargetError(target, "must be UTF-8");
  if (path->empty() || path->back() == '/') {
    return TargetError(target, "must name a service after the last \"/\"");
  }
  return Target{.authority = *std::move(decoded_authority), .path = *std::move(path)};
}

bool IsNewStyle(absl::string_view name) { return absl::StartsWith(name, "xdstp:"); }

// R7.41, R7.42, R7.44: only new-style names are URIs, so only they are percent-encoded.
std::string Fill(absl::string_view name_template, absl::string_view text) {
  const std::string inserted =
      IsNewStyle(name_template) ? PercentEncodePath(text, /*keep_slash=*/true) : std::string(text);
  return absl::StrReplaceAll(name_template, {{"%s", inserted}});
}

// R7.43. "[" and "]" stay too: they are in an IPv6 address, which is a fine authority.
std::string AuthorityEncoded(absl::string_view path) {
  return absl::StrReplaceAll(PercentEncodePath(path, /*keep_slash=*/false),
                             {{"%5B", "["}, {"%5D", "]"}});
}

// R7.45: whether anybody answers for a name that a template made.
absl::Status CheckAuthority(absl::string_view listener, absl::string_view template_key,
                            const Bootstrap& bootstrap) {
  const absl::StatusOr<ResourceName> name = ResourceName::Parse(listener, kListenerType);
  if (!name.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "bootstrap: ", template_key, " makes a bad listener name: ", name.status().message()));
  }
  if (name->is_old_style() || bootstrap.authorities.count(*name->authority()) > 0) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat("bootstrap: ", template_key, " makes ", Quoted(listener), ", but authority ",
                   Quoted(*name->authority()), " is not in authorities"));
}

}  // namespace

absl::StatusOr<TargetNames> NamesOfTarget(absl::string_view target, const Bootstrap& bootstrap) {
  const absl::StatusOr<Target> parsed = ParseTarget(target);
  if (!parsed.ok()) return parsed.status();
  TargetNames names;
  names.data_plane_authority = AuthorityEncoded(parsed->path);
  absl::string_view name_template = bootstrap.client_default_listener_resource_name_template;
  absl::string_view template_key = "client_default_listener_resource_name_template";
  if (!parsed->authority.empty()) {
    const auto authority = bootstrap.authorities.find(parsed->authority);
    if (authority == bootstrap.authorities.end()) {
      return TargetError(target, absl::StrCat("authority ", Quoted(parsed->authority),
                                              " is not in authorities of the bootstrap"));
    }
    name_template = authority->second.client_listener_resource_name_template;
    template_key = "client_listener_resource_name_template";
  }
  names.listener = Fill(name_template, parsed->path);
  const absl::Status status = CheckAuthority(names.listener, template_key, bootstrap);
  if (!status.ok()) return status;
  return names;
}

absl::StatusOr<std::string> ListenerOfServer(absl::string_view address,
                                             const Bootstrap& bootstrap) {
  constexpr absl::string_view kKey = "server_listener_resource_name_template";
  if (!bootstrap.server_listener_resource_name_template.has_value()) {
    return absl::FailedPreconditionError(
        absl::StrCat("bootstrap: ", kKey, ": missing, but a gRPC server needs it"));
  }
  std::string listener = Fill(*bootstrap.server_listener_resource_name_template, address);
  const absl::Status status = CheckAuthority(listener, kKey, bootstrap);
  if (!status.ok()) return status;
  return listener;
}

}  // namespace holdfast

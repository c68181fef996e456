#include "bootstrap/name_template.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "base/outside_text.h"
#include "base/utf8.h"
#include "xds/resource_name.h"

namespace holdfast {
namespace {

constexpr absl::string_view kListenerType = "envoy.config.listener.v3.Listener";
// Far more than a name needs; without a limit a template of many "%s" could make gigabytes.
constexpr size_t kMostListenerNameBytes = size_t{64} << 10;

// A target, taken apart and percent-decoded.
struct Target {
  std::string authority;
  std::string path;  // without a leading "/"
};

absl::Status NotInAuthorities(absl::string_view authority) {
  return absl::InvalidArgumentError(
      absl::StrCat("authority ", Quoted(authority), " is not in authorities of the bootstrap"));
}

absl::StatusOr<Target> ParseTarget(absl::string_view target) {
  absl::string_view rest = target;
  const absl::string_view scheme = rest.substr(0, rest.find(':'));
  if (scheme.size() == rest.size() || !absl::EqualsIgnoreCase(scheme, "xds")) {
    return absl::InvalidArgumentError("must begin with \"xds:\"");
  }
  rest.remove_prefix(scheme.size() + 1);
  rest = rest.substr(0, rest.find_first_of("?#"));
  absl::string_view authority;
  if (absl::ConsumePrefix(&rest, "//")) {
    authority = rest.substr(0, rest.find('/'));
    rest.remove_prefix(authority.size());
  }
  absl::ConsumePrefix(&rest, "/");

  std::optional<std::string> decoded_authority = PercentDecode(authority);
  std::optional<std::string> path = PercentDecode(rest);
  if (!decoded_authority.has_value() || !path.has_value()) {
    return absl::InvalidArgumentError("\"%\" must be followed by two hexadecimal digits");
  }
  if (!IsUtf8(*path)) return absl::InvalidArgumentError("must be UTF-8");
  if (path->empty() || path->back() == '/') {
    return absl::InvalidArgumentError("must name a service after the last \"/\"");
  }
  return Target{.authority = *std::move(decoded_authority), .path = *std::move(path)};
}

bool IsNewStyle(absl::string_view name) { return absl::StartsWith(name, "xdstp:"); }

// A template and where in the bootstrap it stands.
struct NameTemplate {
  absl::string_view text;
  std::string key;
};

// The size of a template once each "%s" is replaced by `inserted` bytes.
size_t FilledSize(absl::string_view name_template, size_t inserted) {
  size_t size = name_template.size();
  for (size_t at = name_template.find("%s"); at != absl::string_view::npos;
       at = name_template.find("%s", at + 2)) {
    size = size - 2 + inserted;
  }
  return size;
}

// R7.41, R7.42, R7.44: only new-style names are URIs, so only they are percent-encoded.
absl::StatusOr<std::string> Fill(const NameTemplate& name_template, absl::string_view text) {
  const std::string inserted = IsNewStyle(name_template.text)
                                   ? PercentEncodePath(text, /*keep_slash=*/true)
                                   : std::string(text);
  // Asked before it is made: a large template can have a million "%s".
  const size_t size = FilledSize(name_template.text, inserted.size());
  if (size > kMostListenerNameBytes) {
    return absl::InvalidArgumentError(absl::StrCat(name_template.key, " makes a listener name of ",
                                                   size, " bytes, longer than the limit of ",
                                                   kMostListenerNameBytes, " bytes"));
  }
  return absl::StrReplaceAll(name_template.text, {{"%s", inserted}});
}

// R7.43. "[" and "]" stay too: they are in an IPv6 address, which is a fine authority.
std::string AuthorityEncoded(absl::string_view path) {
  return absl::StrReplaceAll(PercentEncodePath(path, /*keep_slash=*/false),
                             {{"%5B", "["}, {"%5D", "]"}});
}

// R7.45: whether anybody answers for a name that a template made. It is the bootstrap's mistake
// (FAILED_PRECONDITION) if not, except if it was the inserted text that made it a new-style name.
absl::Status CheckListener(absl::string_view listener, const NameTemplate& name_template,
                           const BootstrapConfig& bootstrap) {
  const bool is_own_name = IsNewStyle(listener) && !IsNewStyle(name_template.text);
  const absl::StatusOr<ResourceName> name = ResourceName::Parse(listener, kListenerType);
  if (!name.ok()) {
    if (is_own_name) return name.status();
    return absl::FailedPreconditionError(absl::StrCat(
        "bootstrap: ", name_template.key, " makes a bad listener name: ", name.status().message()));
  }
  // R1.55: gRPC asks for one listener, never for all there are.
  if (listener == "*" || name->is_glob()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the listener must not be a wildcard (got ", Quoted(listener), ")"));
  }
  if (name->is_old_style() || bootstrap.authorities.count(*name->authority()) > 0) {
    return absl::OkStatus();
  }
  if (is_own_name) return NotInAuthorities(*name->authority());
  return absl::FailedPreconditionError(
      absl::StrCat("bootstrap: ", name_template.key, " makes ", Quoted(listener),
                   ", but authority ", Quoted(*name->authority()), " is not in authorities"));
}

absl::StatusOr<std::string> MakeListener(const NameTemplate& name_template, absl::string_view text,
                                         const BootstrapConfig& bootstrap) {
  absl::StatusOr<std::string> listener = Fill(name_template, text);
  if (!listener.ok()) return listener;
  const absl::Status status = CheckListener(*listener, name_template, bootstrap);
  if (!status.ok()) return status;
  return listener;
}

// R7.40: the template for a target's authority.
absl::StatusOr<NameTemplate> TemplateFor(absl::string_view authority,
                                         const BootstrapConfig& bootstrap) {
  if (authority.empty()) {
    return NameTemplate{.text = bootstrap.client_default_listener_resource_name_template,
                        .key = "client_default_listener_resource_name_template"};
  }
  const auto found = bootstrap.authorities.find(std::string(authority));
  if (found == bootstrap.authorities.end()) return NotInAuthorities(authority);
  return NameTemplate{.text = found->second.client_listener_resource_name_template,
                      .key = absl::StrCat("authorities[", Quoted(authority),
                                          "].client_listener_resource_name_template")};
}

// "target "xds:pay": ..."
absl::Status About(absl::string_view what, absl::string_view name, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(what, " ", Quoted(name), ": ", status.message()));
}

}  // namespace

absl::StatusOr<TargetNames> NamesOfTarget(absl::string_view target,
                                          const BootstrapConfig& bootstrap) {
  const absl::StatusOr<Target> parsed = ParseTarget(target);
  if (!parsed.ok()) return About("target", target, parsed.status());
  const absl::StatusOr<NameTemplate> name_template = TemplateFor(parsed->authority, bootstrap);
  if (!name_template.ok()) return About("target", target, name_template.status());
  absl::StatusOr<std::string> listener = MakeListener(*name_template, parsed->path, bootstrap);
  if (!listener.ok()) return About("target", target, listener.status());
  return TargetNames{.listener = *std::move(listener),
                     .data_plane_authority = AuthorityEncoded(parsed->path)};
}

absl::StatusOr<std::string> ListenerOfServer(absl::string_view address,
                                             const BootstrapConfig& bootstrap) {
  constexpr absl::string_view kKey = "server_listener_resource_name_template";
  if (!bootstrap.server_listener_resource_name_template.has_value()) {
    return absl::FailedPreconditionError(
        absl::StrCat("bootstrap: ", kKey, ": missing, but a gRPC server needs it"));
  }
  absl::StatusOr<std::string> listener = MakeListener(
      {.text = *bootstrap.server_listener_resource_name_template, .key = std::string(kKey)},
      address, bootstrap);
  if (!listener.ok()) return About("server", address, listener.status());
  return listener;
}

}  // namespace holdfast

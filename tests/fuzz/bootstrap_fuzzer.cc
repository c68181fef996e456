// Any bytes as a bootstrap: a value or an error in words, never a crash; JSON that was read means
// the same when written and read again; what a bootstrap promises holds for every one accepted.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/utf8.h"
#include "bootstrap/bootstrap.h"
#include "bootstrap/data_error_handling.h"
#include "bootstrap/json_reader.h"
#include "bootstrap/name_template.h"

namespace holdfast {
namespace {

void PrintString(absl::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&out, "\\u%04x", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

// No deeper than the reader goes.
void Print(const JsonValue& value, std::string& out) {
  if (value.is_null()) {
    out += "null";
  } else if (const bool* boolean = value.if_bool()) {
    out += *boolean ? "true" : "false";
  } else if (const double* number = value.if_number()) {
    HOLDFAST_CHECK(std::isfinite(*number));
    absl::StrAppendFormat(&out, "%.17g", *number);
  } else if (const std::string* string = value.if_string()) {
    PrintString(*string, out);
  } else if (const JsonValue::Array* array = value.if_array()) {
    absl::string_view separator = "[";
    for (const JsonValue& element : *array) {
      absl::StrAppend(&out, separator);
      Print(element, out);
      separator = ",";
    }
    out += array->empty() ? "[]" : "]";
  } else {
    absl::string_view separator = "{";
    for (const auto& [key, member] : *value.if_object()) {
      absl::StrAppend(&out, separator);
      PrintString(key, out);
      out += ':';
      Print(member, out);
      separator = ",";
    }
    out += value.if_object()->empty() ? "{}" : "}";
  }
}

// One line of valid UTF-8.
void CheckText(absl::string_view text) {
  HOLDFAST_CHECK(!text.empty());
  HOLDFAST_CHECK(!absl::StrContains(text, "\n"));
  std::string quoted;
  PrintString(text, quoted);
  const absl::StatusOr<JsonValue> again = ReadJson(quoted);
  HOLDFAST_CHECK(again.ok() && *again->if_string() == text);
}

void CheckJson(absl::string_view text) {
  const absl::StatusOr<JsonValue> value = ReadJson(text);
  if (!value.ok()) {
    HOLDFAST_CHECK(value.status().code() == absl::StatusCode::kInvalidArgument);
    CheckText(value.status().message());
    return;
  }
  HOLDFAST_CHECK(value->at.line >= 1 && value->at.column >= 1);
  std::string printed;
  Print(*value, printed);
  const absl::StatusOr<JsonValue> again = ReadJson(printed);
  HOLDFAST_CHECK(again.ok());
  HOLDFAST_CHECK(*again == *value);
}

void CheckServers(const std::vector<XdsServerConfig>& servers) {
  for (const XdsServerConfig& server : servers) {
    HOLDFAST_CHECK(!server.server_uri.empty() && !absl::StrContains(server.server_uri, '\0'));
    HOLDFAST_CHECK((server <=> server) == 0);
    if (const auto* tls = std::get_if<TlsChannelCredentials>(&server.channel_credentials)) {
      HOLDFAST_CHECK(tls->files.refresh_interval > absl::ZeroDuration());
      HOLDFAST_CHECK(tls->files.certificate_file.empty() == tls->files.private_key_file.empty());
    } else {
      HOLDFAST_CHECK(server.call_credentials.empty());
    }
  }
}

void CheckNames(const BootstrapConfig& bootstrap) {
  for (const absl::string_view target : {"xds:///team/p%20y", "xds://a/pay"}) {
    const absl::StatusOr<TargetNames> names = NamesOfTarget(target, bootstrap);
    if (!names.ok()) {
      CheckText(names.status().message());
    } else {
      HOLDFAST_CHECK(!names->listener.empty() && !names->data_plane_authority.empty());
    }
  }
  const absl::StatusOr<std::string> listener = ListenerOfServer("[::]:80", bootstrap);
  if (!listener.ok()) CheckText(listener.status().message());
}

void CheckBootstrap(absl::string_view text) {
  const absl::StatusOr<ParsedBootstrap> parsed = ParseBootstrap(text);
  if (!parsed.ok()) {
    HOLDFAST_CHECK(parsed.status().code() == absl::StatusCode::kInvalidArgument);
    HOLDFAST_CHECK(absl::StartsWith(parsed.status().message(), "bootstrap: "));
    CheckText(parsed.status().message());
    return;
  }
  for (const std::string& warning : parsed->warnings) CheckText(warning);
  const BootstrapConfig& bootstrap = parsed->bootstrap;
  HOLDFAST_CHECK(!bootstrap.servers.empty());
  CheckServers(bootstrap.servers);
  for (const auto& [name, authority] : bootstrap.authorities) {
    HOLDFAST_CHECK(absl::StartsWith(authority.client_listener_resource_name_template, "xdstp://"));
    CheckServers(authority.servers);
  }
  for (const auto& [name, provider] : bootstrap.certificate_providers) {
    HOLDFAST_CHECK(provider.plugin_name == "file_watcher");
  }
  CheckNames(bootstrap);
}

// The input as a target; one bootstrap that knows the authorities "" and "a".
void CheckTarget(absl::string_view target) {
  BootstrapConfig bootstrap;
  bootstrap.authorities[""];
  bootstrap.authorities["a"].client_listener_resource_name_template =
      "xdstp://a/envoy.config.listener.v3.Listener/%s";
  const absl::StatusOr<TargetNames> names = NamesOfTarget(target, bootstrap);
  if (!names.ok()) {
    CheckText(names.status().message());
    return;
  }
  HOLDFAST_CHECK(IsUtf8(names->listener));
  HOLDFAST_CHECK(names->listener != "*" && names->listener.size() <= size_t{64} << 10);
  HOLDFAST_CHECK(!absl::StrContains(names->data_plane_authority, "/"));
}

}  // namespace
}  // namespace holdfast

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  holdfast::CheckJson(text);
  holdfast::CheckBootstrap(text);
  holdfast::CheckTarget(text);
  const holdfast::DataErrorHandling handling = holdfast::ReadDataErrorHandling(text);
  if (handling.warning.has_value()) holdfast::CheckText(*handling.warning);
  return 0;
}

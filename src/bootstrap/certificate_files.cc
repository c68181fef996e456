#include "bootstrap/certificate_files.h"

#include <cstdint>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

constexpr int64_t kMostSeconds = 315'576'000'000;  // google.protobuf.Duration: 10,000 years
constexpr size_t kMostFractionDigits = 9;

constexpr absl::string_view kKeys[] = {"ca_certificate_file", "certificate_file",
                                       "private_key_file", "spiffe_trust_bundle_map_file",
                                       "refresh_interval"};

bool IsAllDigits(absl::string_view text) {
  for (const char c : text) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return false;
  }
  return !text.empty();
}

// google.protobuf.Duration in JSON: "600s", "0.5s". Nothing here may be negative.
std::optional<absl::Duration> ParseDuration(absl::string_view text) {
  if (!absl::ConsumeSuffix(&text, "s")) return std::nullopt;
  const size_t point = text.find('.');
  const absl::string_view whole = text.substr(0, point);
  int64_t seconds = 0;
  if (!IsAllDigits(whole) || !absl::SimpleAtoi(whole, &seconds) || seconds > kMostSeconds) {
    return std::nullopt;
  }
  if (point == absl::string_view::npos) return absl::Seconds(seconds);

  std::string fraction(text.substr(point + 1));
  if (!IsAllDigits(fraction) || fraction.size() > kMostFractionDigits) return std::nullopt;
  fraction.resize(kMostFractionDigits, '0');
  int64_t nanoseconds = 0;
  if (!absl::SimpleAtoi(fraction, &nanoseconds)) return std::nullopt;
  return absl::Seconds(seconds) + absl::Nanoseconds(nanoseconds);
}

void ReadRefreshInterval(const ObjectReader& config, JsonFindings& findings,
                         absl::Duration& interval) {
  const JsonValue* text = config.String("refresh_interval");
  if (text == nullptr) return;
  const std::optional<absl::Duration> parsed = ParseDuration(*text->if_string());
  if (parsed.has_value() && *parsed > absl::ZeroDuration()) {
    interval = *parsed;
    return;
  }
  JsonFindings::Field field(findings, ".refresh_interval");
  findings.AddError(absl::StrCat("must be a positive number of seconds such as \"600s\" (got ",
                                 Quoted(*text->if_string()), ")"),
                    text->at);
}

}  // namespace

CertificateFiles ReadCertificateFiles(const JsonValue& config, JsonFindings& findings) {
  const ObjectReader reader(config, findings);
  // A CA file under a misspelt key would silently mean the roots of the system.
  reader.WarnOfMisspellings(kKeys);
  CertificateFiles files;
  files.ca_certificate_file = reader.NonEmptyString("ca_certificate_file");
  files.certificate_file = reader.NonEmptyString("certificate_file");
  files.private_key_file = reader.NonEmptyString("private_key_file");
  files.spiffe_trust_bundle_map_file = reader.NonEmptyString("spiffe_trust_bundle_map_file");
  ReadRefreshInterval(reader, findings, files.refresh_interval);

  // Presence, not content: an empty name was reported above and is not also missing.
  const bool has_certificate = config.if_object()->count("certificate_file") > 0;
  const bool has_key = config.if_object()->count("private_key_file") > 0;
  if (has_certificate != has_key) {
    findings.AddError("must give certificate_file and private_key_file both or neither", config.at);
  }
  return files;
}

}  // namespace holdfast

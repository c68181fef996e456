#include "xds/resource_name.h"

#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/outside_text.h"
#include "base/utf8.h"

namespace holdfast {
namespace {

constexpr absl::string_view kScheme = "xdstp:";

// RFC 3986 "pchar" without percent-encoding: unreserved, sub-delims, ":" and "@".
bool IsPathCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         absl::StrContains("-._~!$&'()*+,;=:@", c);
}

void AppendEncoded(char c, std::string& out) {
  constexpr char kHex[] = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += kHex[byte >> 4];
  out += kHex[byte & 15];
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The byte that "%XX" at `at` stands for; nullopt if it is no such thing.
std::optional<char> DecodeAt(absl::string_view text, size_t at) {
  if (at + 2 >= text.size()) return std::nullopt;
  const int high = HexDigit(text[at + 1]);
  const int low = HexDigit(text[at + 2]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<char>(high * 16 + low);
}

absl::Status BadEncoding(absl::string_view part, absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat("\"%\" in the ", part, " ", Quoted(text),
                                                 " must be followed by two hexadecimal digits"));
}

absl::StatusOr<std::string> Decode(absl::string_view part, absl::string_view text) {
  std::optional<std::string> decoded = PercentDecode(text);
  if (!decoded.has_value()) return BadEncoding(part, text);
  if (!IsUtf8(*decoded)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the ", part, " ", Quoted(text), " is not UTF-8"));
  }
  return *std::move(decoded);
}

// One spelling for all that mean the same: %41 becomes "A", a space becomes %20, "/" and %2F stay.
absl::StatusOr<std::string> CanonicalPath(absl::string_view text) {
  std::string canonical;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '/') {
      canonical += c;
      continue;
    }
    if (c == '%') {
      const std::optional<char> byte = DecodeAt(text, i);
      if (!byte.has_value()) return BadEncoding("path", text);
      c = *byte;
      i += 2;
    }
    if (IsPathCharacter(c)) {
      canonical += c;
    } else {
      AppendEncoded(c, canonical);
    }
  }
  return canonical;
}

absl::StatusOr<std::map<std::string, std::string>> ParseParameters(absl::string_view query) {
  std::map<std::string, std::string> parameters;
  for (absl::string_view parameter : absl::StrSplit(query, '&', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(parameter, absl::MaxSplits('=', 1));
    absl::StatusOr<std::string> key = Decode("parameter", parts.first);
    if (!key.ok()) return key.status();
    absl::StatusOr<std::string> value = Decode("parameter", parts.second);
    if (!value.ok()) return value.status();
    if (key->empty()) return absl::InvalidArgumentError("a parameter must have a name");
    if (absl::StartsWith(*key, "xds.")) {
      return absl::InvalidArgumentError(absl::StrCat(
          "parameter ", Quoted(*key), " must not begin with \"xds.\", which xDS keeps for itself"));
    }
    parameters[*std::move(key)] = *std::move(value);
  }
  return parameters;
}

// We use no directive, but a name that repeats one is malformed for everybody.
absl::Status CheckDirectives(absl::string_view fragment) {
  std::set<absl::string_view> seen;
  for (absl::string_view directive : absl::StrSplit(fragment, ',', absl::SkipEmpty())) {
    const absl::string_view key = directive.substr(0, directive.find('='));
    if ((key == "alt" || key == "entry") && !seen.insert(key).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("directive \"", key, "\" must not appear twice"));
    }
  }
  return absl::OkStatus();
}

absl::Status WithName(absl::string_view name, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(Quoted(name), ": ", status.message()));
}

void AppendEncodedParameter(absl::string_view text, std::string& out) {
  for (const char c : text) {
    const bool is_query_character = IsPathCharacter(c) || c == '/' || c == '?';
    if (is_query_character && c != '&' && c != '=') {
      out += c;
    } else {
      AppendEncoded(c, out);
    }
  }
}

// "" for "*", "a/b/" for "a/b/*": everything a member's id must begin with.
absl::string_view Directory(absl::string_view id) { return id.substr(0, id.rfind('/') + 1); }

}  // namespace

absl::StatusOr<ResourceName> ResourceName::Parse(absl::string_view name,
                                                 absl::string_view type_name) {
  ResourceName parsed;
  if (!absl::StartsWith(name, kScheme)) {
    parsed.id_ = std::string(name);
    return parsed;
  }
  absl::string_view rest = name.substr(kScheme.size());

  const size_t hash = rest.find('#');
  if (hash != absl::string_view::npos) {
    const absl::Status directives = CheckDirectives(rest.substr(hash + 1));
    if (!directives.ok()) return WithName(name, directives);
    rest = rest.substr(0, hash);
  }
  const size_t question = rest.find('?');
  if (question != absl::string_view::npos) {
    absl::StatusOr<std::map<std::string, std::string>> parameters =
        ParseParameters(rest.substr(question + 1));
    if (!parameters.ok()) return WithName(name, parameters.status());
    parsed.parameters_ = *std::move(parameters);
    rest = rest.substr(0, question);
  }

  absl::string_view authority;
  if (absl::ConsumePrefix(&rest, "//")) {
    authority = rest.substr(0, rest.find('/'));
    rest.remove_prefix(authority.size());
  }
  absl::StatusOr<std::string> decoded_authority = Decode("authority", authority);
  if (!decoded_authority.ok()) return WithName(name, decoded_authority.status());
  parsed.authority_ = *std::move(decoded_authority);

  absl::ConsumePrefix(&rest, "/");
  const absl::string_view type = rest.substr(0, rest.find('/'));
  if (type != type_name) {
    return WithName(
        name, absl::InvalidArgumentError(absl::StrCat("is a name of type ", Quoted(type),
                                                      " where \"", type_name, "\" is needed")));
  }
  if (rest.size() <= type.size() + 1) {
    return WithName(name, absl::InvalidArgumentError("has no id after the resource type"));
  }
  absl::StatusOr<std::string> id = CanonicalPath(rest.substr(type.size() + 1));
  if (!id.ok()) return WithName(name, id.status());
  parsed.type_ = std::string(type);
  parsed.id_ = *std::move(id);
  return parsed;
}

std::string ResourceName::AuthorityLabel() const {
  return authority_.has_value() ? PercentEncodePath(*authority_, false)
                                : std::string(kOldStyleLabel);
}

bool ResourceName::is_glob() const {
  return !is_old_style() && (id_ == "*" || absl::EndsWith(id_, "/*"));
}

bool ResourceName::Matches(const ResourceName& member) const {
  return is_glob() && !member.is_glob() && authority_ == member.authority_ &&
         type_ == member.type_ && parameters_ == member.parameters_ &&
         Directory(id_) == Directory(member.id_) && !absl::EndsWith(member.id_, "/");
}

std::string ResourceName::Text() const {
  if (is_old_style()) return id_;
  std::string text =
      absl::StrCat(kScheme, "//", PercentEncodePath(*authority_, false), "/", type_, "/", id_);
  char separator = '?';
  for (const auto& [key, value] : parameters_) {
    text += separator;
    AppendEncodedParameter(key, text);
    text += '=';
    AppendEncodedParameter(value, text);
    separator = '&';
  }
  return text;
}

std::string CanonicalName(absl::string_view name, absl::string_view type_name) {
  if (!absl::StartsWith(name, kScheme)) return std::string(name);
  const absl::StatusOr<ResourceName> parsed = ResourceName::Parse(name, type_name);
  return parsed.ok() ? parsed->Text() : std::string(name);
}

std::string PercentEncodePath(absl::string_view text, bool keep_slash) {
  std::string encoded;
  for (const char c : text) {
    if (IsPathCharacter(c) || (keep_slash && c == '/')) {
      encoded += c;
    } else {
      AppendEncoded(c, encoded);
    }
  }
  return encoded;
}

std::optional<std::string> PercentDecode(absl::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const std::optional<char> byte = DecodeAt(text, i);
    if (!byte.has_value()) return std::nullopt;
    decoded += *byte;
    i += 2;
  }
  return decoded;
}

}  // namespace holdfast

#include "channel/routing/header_match.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace holdfast {
namespace {

constexpr absl::string_view kContentType = "content-type";
constexpr absl::string_view kContentTypeOfGrpc = "application/grpc";

bool IsVisible(absl::string_view name) {
  return !absl::EndsWith(name, "-bin") && !absl::StartsWith(name, "grpc-") &&
         !absl::StartsWith(name, ":");
}

bool ContainsIgnoringCase(absl::string_view text, absl::string_view part) {
  const auto is_same = [](char a, char b) {
    return absl::ascii_tolower(static_cast<unsigned char>(a)) ==
           absl::ascii_tolower(static_cast<unsigned char>(b));
  };
  return part.empty() ||
         std::search(text.begin(), text.end(), part.begin(), part.end(), is_same) != text.end();
}

bool FitsRange(const HeaderMatcher::Range& range, absl::string_view value) {
  int64_t number = 0;
  return absl::SimpleAtoi(value, &number) && range.start <= number && number < range.end;
}

}  // namespace

const HeaderName& HeaderNames::Intern(absl::string_view name) {
  std::string text = absl::AsciiStrToLower(name);
  const auto known = by_text_.find(text);
  if (known != by_text_.end()) return known->second;
  HeaderName added{.text = text, .number = by_text_.size(), .is_visible = IsVisible(text)};
  return by_text_.emplace(std::move(text), std::move(added)).first->second;
}

std::optional<absl::string_view> CallHeaders::ValueOf(const HeaderName& name) {
  Found& found = found_[name.number % found_.size()];
  if (found.name != &name) LookUp(name, found);
  return found.value;
}

void CallHeaders::LookUp(const HeaderName& name, Found& found) const {
  found.name = &name;
  found.value.reset();
  if (!name.is_visible) return;
  auto [value, end] = metadata_.equal_range(name.text);
  if (value == end) {
    // gRPC adds it after the route is chosen.
    if (name.text == kContentType) found.value = kContentTypeOfGrpc;
    return;
  }
  if (std::next(value) == end) {
    found.value = value->second;
    return;
  }
  found.joined = value->second;
  for (++value; value != end; ++value) absl::StrAppend(&found.joined, ",", value->second);
  found.value = found.joined;
}

HeaderRule::HeaderRule(const HeaderMatcher& matcher, HeaderNames& names)
    : name_(&names.Intern(matcher.name)), rule_(matcher.rule), invert_(matcher.invert) {
  const auto* string = std::get_if<StringMatcher>(&rule_);
  if (string != nullptr && string->kind == StringMatcher::Kind::kSafeRegex) {
    regex_ = std::make_unique<const RE2>(string->pattern, RE2::Quiet);
  }
}

HeaderRule::~HeaderRule() = default;
HeaderRule::HeaderRule(HeaderRule&&) noexcept = default;

bool HeaderRule::Matches(CallHeaders& headers) const {
  const std::optional<absl::string_view> value = headers.ValueOf(*name_);
  // Strings first: most rules are about one. Inverting does not make a missing header match.
  if (const auto* string = std::get_if<StringMatcher>(&rule_)) {
    return value.has_value() && FitsString(*string, *value) != invert_;
  }
  if (const auto* range = std::get_if<HeaderMatcher::Range>(&rule_)) {
    return value.has_value() && FitsRange(*range, *value) != invert_;
  }
  const bool wants_present = std::get<HeaderMatcher::Presence>(rule_).present;
  return (value.has_value() == wants_present) != invert_;
}

bool HeaderRule::FitsString(const StringMatcher& matcher, absl::string_view value) const {
  const absl::string_view pattern = matcher.pattern;
  switch (matcher.kind) {
    case StringMatcher::Kind::kExact:
      return matcher.ignore_case ? absl::EqualsIgnoreCase(value, pattern) : value == pattern;
    case StringMatcher::Kind::kPrefix:
      return matcher.ignore_case ? absl::StartsWithIgnoreCase(value, pattern)
                                 : absl::StartsWith(value, pattern);
    case StringMatcher::Kind::kSuffix:
      return matcher.ignore_case ? absl::EndsWithIgnoreCase(value, pattern)
                                 : absl::EndsWith(value, pattern);
    case StringMatcher::Kind::kContains:
      return matcher.ignore_case ? ContainsIgnoringCase(value, pattern)
                                 : absl::StrContains(value, pattern);
    case StringMatcher::Kind::kSafeRegex:
      return RE2::FullMatch(re2::StringPiece(value.data(), value.size()), *regex_);
  }
  return false;
}

}  // namespace holdfast

#include "resources/decode/match_parts.h"

#include <re2/re2.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/outside_text.h"
#include "envoy/config/route/v3/route.pb.h"
#include "envoy/type/matcher/v3/matcher.pb.h"
#include "envoy/type/v3/type.pb.h"
#include "resources/decode/parts.h"

namespace holdfast {
namespace {

namespace matcher_pb = envoy::type::matcher::v3;
namespace route_pb = envoy::config::route::v3;

constexpr size_t kMostReasonBytes = 200;

constexpr absl::string_view kNoStringMatch =
    "must have exact, prefix, suffix, contains or safe_regex";

constexpr size_t kMostRegexBytes = size_t{16} << 10;

// Compiles a regex of the current field, or adds why not. RE2 bounds the memory of one regex, such
// as "(a{1000}){1000}"; their number and length are ours to bound.
std::unique_ptr<const RE2> Compile(const std::string& regex, ValidationErrors& errors) {
  // Whoever emptied the purse said so.
  if (!errors.has_effort_left()) return nullptr;
  const ValidationErrors::Field field(errors, ".regex");
  if (regex.size() > kMostRegexBytes) {
    errors.Add(absl::StrCat("is ", regex.size(), " bytes, the most accepted is ", kMostRegexBytes));
    return nullptr;
  }
  auto compiled = std::make_unique<const RE2>(regex, RE2::Quiet);
  if (!compiled->ok()) {
    errors.Add(absl::StrCat(Quoted(regex), " is not a valid RE2 regex: ",
                            BoundedText(compiled->error(), kMostReasonBytes)));
    return nullptr;
  }
  if (!errors.Spend(static_cast<size_t>(compiled->ProgramSize()))) {
    errors.Add(absl::StrCat("is too much: the regexes of a resource may compile to ",
                            ValidationErrors::kMostEffort, " instructions together"));
    return nullptr;
  }
  return compiled;
}

using Rule = decltype(HeaderMatcher::rule);

StringMatcher Plain(StringMatcher::Kind kind, const std::string& pattern) {
  return StringMatcher{.kind = kind, .pattern = pattern};
}

std::optional<Rule> DecodeRange(const envoy::type::v3::Int64Range& range,
                                ValidationErrors& errors) {
  if (range.end() < range.start()) {
    const ValidationErrors::Field field(errors, ".range_match");
    errors.Add(absl::StrCat("end must not be below start (got start ", range.start(), ", end ",
                            range.end(), ")"));
    return std::nullopt;
  }
  return HeaderMatcher::Range{.start = range.start(), .end = range.end()};
}

std::optional<Rule> DecodeHeaderRegex(const matcher_pb::RegexMatcher& matcher,
                                      ValidationErrors& errors) {
  const ValidationErrors::Field field(errors, ".safe_regex_match");
  return Plain(StringMatcher::Kind::kSafeRegex, DecodeRegex(matcher, errors));
}

std::optional<Rule> DecodeRule(const route_pb::HeaderMatcher& matcher, ValidationErrors& errors) {
  using Kind = StringMatcher::Kind;
  switch (matcher.header_match_specifier_case()) {
    case route_pb::HeaderMatcher::kExactMatch:
      return Plain(Kind::kExact, matcher.exact_match());
    case route_pb::HeaderMatcher::kPrefixMatch:
      return Plain(Kind::kPrefix, matcher.prefix_match());
    case route_pb::HeaderMatcher::kSuffixMatch:
      return Plain(Kind::kSuffix, matcher.suffix_match());
    case route_pb::HeaderMatcher::kContainsMatch:
      return Plain(Kind::kContains, matcher.contains_match());
    case route_pb::HeaderMatcher::kSafeRegexMatch:
      return DecodeHeaderRegex(matcher.safe_regex_match(), errors);
    case route_pb::HeaderMatcher::kRangeMatch:
      return DecodeRange(matcher.range_match(), errors);
    case route_pb::HeaderMatcher::kPresentMatch:
      return HeaderMatcher::Presence{.present = matcher.present_match()};
    case route_pb::HeaderMatcher::kStringMatch: {
      const ValidationErrors::Field field(errors, ".string_match");
      return DecodeStringMatcher(matcher.string_match(), errors);
    }
    case route_pb::HeaderMatcher::HEADER_MATCH_SPECIFIER_NOT_SET:
      break;
  }
  errors.Add(
      "must have exact_match, prefix_match, suffix_match, contains_match, safe_regex_match, "
      "range_match, present_match or string_match");
  return std::nullopt;
}

}  // namespace

std::string DecodeRegex(const matcher_pb::RegexMatcher& matcher, ValidationErrors& errors) {
  Compile(matcher.regex(), errors);
  return matcher.regex();
}

std::optional<RegexRewrite> DecodeRegexRewrite(const matcher_pb::RegexMatchAndSubstitute& rewrite,
                                               ValidationErrors& errors) {
  const std::string& regex = rewrite.pattern().regex();
  std::unique_ptr<const RE2> compiled;
  {
    const ValidationErrors::Field field(errors, ".pattern");
    if (regex.empty()) {
      const ValidationErrors::Field inner(errors, ".regex");
      errors.Add("must not be empty");
      return std::nullopt;
    }
    compiled = Compile(regex, errors);
    if (compiled == nullptr) return std::nullopt;
  }
  std::string reason;
  if (!compiled->CheckRewriteString(rewrite.substitution(), &reason)) {
    const ValidationErrors::Field field(errors, ".substitution");
    errors.Add(absl::StrCat(Quoted(rewrite.substitution()), " does not fit the regex ",
                            Quoted(regex), ": ", BoundedText(reason, kMostReasonBytes)));
    return std::nullopt;
  }
  return RegexRewrite{.regex = regex, .substitution = rewrite.substitution()};
}

std::optional<StringMatcher> DecodeStringMatcher(const matcher_pb::StringMatcher& matcher,
                                                 ValidationErrors& errors) {
  using Kind = StringMatcher::Kind;
  const bool ignore_case = matcher.ignore_case();
  switch (matcher.match_pattern_case()) {
    case matcher_pb::StringMatcher::kExact:
      return StringMatcher{Kind::kExact, matcher.exact(), ignore_case};
    case matcher_pb::StringMatcher::kPrefix:
      return StringMatcher{Kind::kPrefix, matcher.prefix(), ignore_case};
    case matcher_pb::StringMatcher::kSuffix:
      return StringMatcher{Kind::kSuffix, matcher.suffix(), ignore_case};
    case matcher_pb::StringMatcher::kContains:
      return StringMatcher{Kind::kContains, matcher.contains(), ignore_case};
    case matcher_pb::StringMatcher::kSafeRegex: {
      const ValidationErrors::Field field(errors, ".safe_regex");
      const size_t before = errors.count();
      std::string regex = DecodeRegex(matcher.safe_regex(), errors);
      if (errors.count() > before) return std::nullopt;
      // ignore_case does not apply to a regex (gRFC A63, DEC-20).
      return StringMatcher{Kind::kSafeRegex, std::move(regex), false};
    }
    case matcher_pb::StringMatcher::kCustom:
      errors.Add(absl::StrCat(kNoStringMatch, " (got custom)"));
      return std::nullopt;
    case matcher_pb::StringMatcher::MATCH_PATTERN_NOT_SET:
      break;
  }
  errors.Add(std::string(kNoStringMatch));
  return std::nullopt;
}

std::optional<HeaderMatcher> DecodeHeaderMatcher(const route_pb::HeaderMatcher& matcher,
                                                 ValidationErrors& errors) {
  const size_t before = errors.count();
  if (matcher.name().empty()) {
    const ValidationErrors::Field field(errors, ".name");
    errors.Add("must not be empty");
  }
  std::optional<Rule> rule = DecodeRule(matcher, errors);
  if (errors.count() > before) return std::nullopt;
  return HeaderMatcher{
      .name = matcher.name(), .rule = *std::move(rule), .invert = matcher.invert_match()};
}

}  // namespace holdfast

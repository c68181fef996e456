// Matchers of routes, filters and certificates, from their messages. Every regex is compiled once
// here with RE2, so that a bad one is an error of the resource and never of a call.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "base/validation_errors.h"
#include "resources/matchers.h"

namespace envoy::config::route::v3 {
class HeaderMatcher;
}
namespace envoy::type::matcher::v3 {
class RegexMatchAndSubstitute;
class RegexMatcher;
class StringMatcher;
}  // namespace envoy::type::matcher::v3

namespace holdfast {

// The regex text, after RE2 accepted it; an error at ".regex" otherwise.
std::string DecodeRegex(const envoy::type::matcher::v3::RegexMatcher& matcher,
                        ValidationErrors& errors);

struct RegexRewrite {
  std::string regex;  // never empty after decoding
  std::string substitution;
};
// nullopt after an error: the regex is missing or bad, or the substitution names a group that the
// regex does not have.
std::optional<RegexRewrite> DecodeRegexRewrite(
    const envoy::type::matcher::v3::RegexMatchAndSubstitute& rewrite, ValidationErrors& errors);

// nullopt after an error.
std::optional<StringMatcher> DecodeStringMatcher(
    const envoy::type::matcher::v3::StringMatcher& matcher, ValidationErrors& errors);
std::optional<HeaderMatcher> DecodeHeaderMatcher(
    const envoy::config::route::v3::HeaderMatcher& matcher, ValidationErrors& errors);

}  // namespace holdfast

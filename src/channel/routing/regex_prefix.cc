#include "channel/routing/regex_prefix.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace holdfast {
namespace {

bool IsLiteral(char c) {
  return absl::ascii_isprint(static_cast<unsigned char>(c)) &&
         !absl::StrContains("\\.+*?()|[]{}^$", c);
}

// An escaped letter or digit is a class ("\d") or an assertion ("\b"); anything else is itself.
bool IsItselfWhenEscaped(char c) {
  return absl::ascii_ispunct(static_cast<unsigned char>(c)) && c != '_';
}

bool MayBeRepeated(absl::string_view rest) {
  return !rest.empty() && absl::StrContains("*?+{", rest.front());
}

// Whether what the regex begins with may be only one of several choices.
bool MayBeginWithAChoice(absl::string_view regex) {
  if (!absl::StrContains(regex, '|')) return false;
  // Here a parenthesis may be no group.
  if (absl::StrContains(regex, '[') || absl::StrContains(regex, '\\')) return true;
  int depth = 0;
  for (const char c : regex) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == '|' && depth == 0) return true;
  }
  return false;
}

}  // namespace

std::string LiteralPrefix(absl::string_view regex) {
  std::string prefix;
  if (MayBeginWithAChoice(regex)) return prefix;
  if (absl::StartsWith(regex, "^")) regex.remove_prefix(1);
  while (!regex.empty()) {
    const bool is_escaped = regex.size() > 1 && regex[0] == '\\' && IsItselfWhenEscaped(regex[1]);
    if (!is_escaped && !IsLiteral(regex[0])) break;
    if (is_escaped) regex.remove_prefix(1);
    const char literal = regex.front();
    regex.remove_prefix(1);
    if (MayBeRepeated(regex)) break;
    prefix.push_back(literal);
  }
  return prefix;
}

}  // namespace holdfast

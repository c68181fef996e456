// What a route may see of the headers of a call, and what it demands of them (gRFC A28).
//
//   HeaderNames names;                      with the table
//   HeaderRule rule(matcher, names);        with the table
//   CallHeaders headers(call.metadata);     with the call
//   rule.Matches(headers)
//
// Visible are the custom metadata of the application and content-type. Names that end in "-bin", or
// that HTTP/2 and gRPC reserve for themselves (":path", "grpc-timeout"), are as good as absent.
//
// Names and rules are immutable once built; a CallHeaders belongs to one call.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "absl/strings/string_view.h"
#include "channel/routing/routed_call.h"
#include "resources/matchers.h"

namespace re2 {
class RE2;
}

namespace holdfast {

struct HeaderName {
  std::string text;  // in lower case
  size_t number;     // 0, 1, 2, ... in a table
  bool is_visible;
};

// Each name once, so that the rules about it share what was found.
class HeaderNames {
 public:
  // Lives as long as this.
  const HeaderName& Intern(absl::string_view name);

 private:
  std::map<std::string, HeaderName> by_text_;
};

class CallHeaders {
 public:
  using Metadata = decltype(RoutedCall::metadata);

  explicit CallHeaders(Metadata metadata) : metadata_(metadata) {}
  CallHeaders(const CallHeaders&) = delete;
  CallHeaders& operator=(const CallHeaders&) = delete;

  // The values, joined with ","; absent if there is none. Good until the next call of this.
  std::optional<absl::string_view> ValueOf(const HeaderName& name);

 private:
  // A thousand routes that ask for the same few headers look each up once.
  struct Found {
    const HeaderName* name = nullptr;
    std::optional<absl::string_view> value;
    std::string joined;  // what `value` points to if there were several
  };

  void LookUp(const HeaderName& name, Found& found) const;

  Metadata metadata_;
  std::array<Found, 4> found_;
};

class HeaderRule {
 public:
  // `names` outlives this.
  HeaderRule(const HeaderMatcher& matcher, HeaderNames& names);
  ~HeaderRule();
  HeaderRule(HeaderRule&&) noexcept;

  bool Matches(CallHeaders& headers) const;

 private:
  bool FitsString(const StringMatcher& matcher, absl::string_view value) const;

  const HeaderName* name_;
  decltype(HeaderMatcher::rule) rule_;
  bool invert_;
  std::unique_ptr<const re2::RE2> regex_;  // of a StringMatcher that has one
};

}  // namespace holdfast

#include "resources/decode/session_filter.h"

#include "absl/strings/str_cat.h"
#include "base/outside_text.h"
#include "envoy/config/core/v3/core.pb.h"
#include "envoy/extensions/filters/http/stateful_session/v3/stateful_session.pb.h"
#include "envoy/extensions/http/stateful_session/cookie/v3/cookie.pb.h"
#include "envoy/type/http/v3/cookie.pb.h"

namespace holdfast {
namespace {

namespace cookie_pb = envoy::extensions::http::stateful_session::cookie::v3;
namespace session_pb = envoy::extensions::filters::http::stateful_session::v3;

constexpr absl::string_view kCookieBased =
    "envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState";

StatefulSessionFilter DecodeCookie(const cookie_pb::CookieBasedSessionState& state,
                                   ValidationErrors& errors) {
  const ValidationErrors::Field field(errors, ".cookie");
  StatefulSessionFilter session;
  session.cookie_name = state.cookie().name();
  if (session.cookie_name.empty()) {
    const ValidationErrors::Field name(errors, ".name");
    errors.Add("must not be empty");
  }
  session.cookie_path = state.cookie().path().empty() ? "/" : state.cookie().path();
  if (state.cookie().has_ttl()) {
    const ValidationErrors::Field ttl(errors, ".ttl");
    session.cookie_ttl = DecodeDuration(state.cookie().ttl(), errors);
  }
  return session;
}

StatefulSessionFilter DecodeSession(const session_pb::StatefulSession& message,
                                    ValidationErrors& errors) {
  // Without a state there is nothing to remember a session by: the filter does nothing.
  if (!message.has_session_state()) return {};
  const ValidationErrors::Field field(errors, ".session_state");
  const ValidationErrors::Field config(errors, ".typed_config");
  const Extension extension = DecodeExtension(message.session_state().typed_config(), errors);
  if (extension.type.empty()) return {};
  if (extension.type != kCookieBased) {
    errors.Add(absl::StrCat("unknown session state ", Quoted(extension.type), "; only ",
                            kCookieBased, " is supported"));
    return {};
  }
  cookie_pb::CookieBasedSessionState state;
  if (!ParseExtension(extension, state, errors)) return {};
  return DecodeCookie(state, errors);
}

}  // namespace

StatefulSessionFilter DecodeStatefulSession(const Extension& extension, ValidationErrors& errors) {
  session_pb::StatefulSession message;
  if (!ParseExtension(extension, message, errors)) return {};
  return DecodeSession(message, errors);
}

StatefulSessionOverride DecodeStatefulSessionOverride(const Extension& extension,
                                                      ValidationErrors& errors) {
  session_pb::StatefulSessionPerRoute message;
  if (!ParseExtension(extension, message, errors)) return {};
  switch (message.override_case()) {
    case session_pb::StatefulSessionPerRoute::kStatefulSession: {
      const ValidationErrors::Field field(errors, ".stateful_session");
      return {DecodeSession(message.stateful_session(), errors)};
    }
    case session_pb::StatefulSessionPerRoute::kDisabled:
      // Switching the filter off for "false" would be the opposite of what was written.
      if (!message.disabled()) {
        const ValidationErrors::Field field(errors, ".disabled");
        errors.Add("must be true; leave the override out to keep the filter");
      }
      return {};
    case session_pb::StatefulSessionPerRoute::OVERRIDE_NOT_SET:
      return {};
  }
  return {};
}

}  // namespace holdfast

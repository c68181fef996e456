// envoy.extensions.filters.http.stateful_session.v3: calls of one session stay on one endpoint,
// which a cookie names (gRFC A55).
#pragma once

#include "base/validation_errors.h"
#include "resources/decode/parts.h"
#include "resources/http_filter.h"

namespace holdfast {

// StatefulSession.
StatefulSessionFilter DecodeStatefulSession(const Extension& extension, ValidationErrors& errors);
// StatefulSessionPerRoute.
StatefulSessionOverride DecodeStatefulSessionOverride(const Extension& extension,
                                                      ValidationErrors& errors);

}  // namespace holdfast

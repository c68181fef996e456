// envoy.extensions.filters.http.fault.v3.HTTPFault: delays and aborts on purpose (gRFC A33).
#pragma once

#include "base/validation_errors.h"
#include "resources/decode/parts.h"
#include "resources/http_filter.h"

namespace holdfast {

FaultFilter DecodeFault(const Extension& extension, ValidationErrors& errors);

}  // namespace holdfast

// When a cluster's endpoints are ejected for failing too often (gRFC A50), from its message.
#pragma once

#include "base/validation_errors.h"
#include "resources/cluster.h"

namespace envoy::config::cluster::v3 {
class OutlierDetection;
}

namespace holdfast {

OutlierDetection DecodeOutlierDetection(const envoy::config::cluster::v3::OutlierDetection& message,
                                        ValidationErrors& errors);

}  // namespace holdfast

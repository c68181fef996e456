#include "holdfast/xds/metrics.h"

namespace holdfast {

const Instrument kConnected = {"grpc.xds_client.connected",
                               "1 while the client has a working stream to the server, else 0.",
                               "{bool}", Instrument::Kind::kGauge};

const Instrument kServerFailure = {"grpc.xds_client.server_failure",
                                   "How often a server in use went from healthy to unhealthy.",
                                   "{failure}", Instrument::Kind::kCounter};

const Instrument kResourceUpdatesValid = {"grpc.xds_client.resource_updates_valid",
                                          "Resources received that were valid, changed or not.",
                                          "{resource}", Instrument::Kind::kCounter};

const Instrument kResourceUpdatesInvalid = {
    "grpc.xds_client.resource_updates_invalid",
    "Resources received that were invalid, and errors received in place of a resource.",
    "{resource}", Instrument::Kind::kCounter};

const Instrument kResources = {"grpc.xds_client.resources",
                               "Resources in the cache, by type and cache state.", "{resource}",
                               Instrument::Kind::kGauge};

}  // namespace holdfast

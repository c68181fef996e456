// The metrics of gRFC A78 and A88.
//
// Counters and histograms are pushed as they happen. Gauges are read when somebody asks, from the
// same state that CSDS shows.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "holdfast/export.h"

namespace holdfast {

// "grpc.target" -> "xds:///web"
using Labels = std::map<std::string, std::string>;

// An instrument as A78 names it: "grpc.xds_client.connected".
struct Instrument {
  enum class Kind { kCounter, kGauge, kHistogram };
  absl::string_view name;
  absl::string_view description;
  absl::string_view unit;
  Kind kind;
};

// grpc.xds_client.connected, .server_failure, .resource_updates_valid, .resource_updates_invalid
// and .resources.
HOLDFAST_EXPORT extern const Instrument kConnected;
HOLDFAST_EXPORT extern const Instrument kServerFailure;
HOLDFAST_EXPORT extern const Instrument kResourceUpdatesValid;
HOLDFAST_EXPORT extern const Instrument kResourceUpdatesInvalid;
HOLDFAST_EXPORT extern const Instrument kResources;

struct GaugeValue {
  const Instrument* instrument;
  Labels labels;
  int64_t value;
};

class HOLDFAST_EXPORT GaugeSource {
 public:
  virtual ~GaugeSource() = default;
  // As they are now. Thread-safe.
  virtual std::vector<GaugeValue> ReadGauges() const = 0;
};

class HOLDFAST_EXPORT MetricSink {
 public:
  virtual ~MetricSink() = default;

  // Called from Holdfast's loop thread, with no lock held. Must not block.
  virtual void AddToCounter(const Instrument& counter, const Labels& labels, int64_t by) = 0;

  // One more measurement for a histogram, in the instrument's unit. As AddToCounter; who has no
  // histograms need not listen.
  virtual void Record(const Instrument& /*histogram*/, const Labels& /*labels*/, double /*value*/) {
  }

  // Once for each client, when it is created. The source is gone when the client is.
  virtual void AddGauges(std::weak_ptr<const GaugeSource> source) = 0;
};

}  // namespace holdfast

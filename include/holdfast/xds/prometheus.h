// The metrics of this process as Prometheus reads them.
//
//   auto metrics = std::make_shared<holdfast::PrometheusMetrics>();
//   options.metrics = metrics;
//   ... metrics->Text() ...   // for your /metrics
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "holdfast/export.h"
#include "holdfast/xds/metrics.h"

namespace holdfast {

// Thread-safe. In names "_" stands for ".", and counters end in "_total".
class HOLDFAST_EXPORT PrometheusMetrics final : public MetricSink {
 public:
  PrometheusMetrics();
  ~PrometheusMetrics() override;

  void AddToCounter(const Instrument& counter, const Labels& labels, int64_t by) override;
  // Buckets are from a millisecond to half a minute: histograms are of durations.
  void Record(const Instrument& histogram, const Labels& labels, double value) override;
  void AddGauges(std::weak_ptr<const GaugeSource> source) override;

  std::string Text() const;

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace holdfast

// The metrics of this process as Prometheus reads them.
//
//   auto metrics = std::make_shared<holdfast::PrometheusMetrics>();
//   options.metrics = metrics;
//   ... metrics->Text() ...   // for your /metrics
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/xds/metrics.h"

namespace holdfast {

// Thread-safe. In names "_" stands for ".", and counters end in "_total".
class PrometheusMetrics final : public MetricSink {
 public:
  void AddToCounter(const Instrument& counter, const Labels& labels, int64_t by) override;
  void AddGauges(std::weak_ptr<const GaugeSource> source) override;

  std::string Text() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<const Instrument*, Labels>, int64_t> counters_;
  mutable std::vector<std::weak_ptr<const GaugeSource>> sources_;
};

}  // namespace holdfast

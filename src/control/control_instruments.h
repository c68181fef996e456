// The metrics of a control plane.
//
// Labels come from a short list and from what is served, never from what a client made up: a
// stranger must not be able to grow them.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "control/catalog/view.h"
#include "control/session/session_report.h"
#include "control/session/session_types.h"
#include "holdfast/xds/metrics.h"

namespace holdfast {

extern const Instrument kStreams;               // holdfast.streams{variant}
extern const Instrument kRequests;              // holdfast.requests{type}
extern const Instrument kPushes;                // holdfast.pushes{type}
extern const Instrument kAcks;                  // holdfast.acks{type}
extern const Instrument kNacks;                 // holdfast.nacks{type}
extern const Instrument kBytesSent;             // holdfast.bytes_sent{type}
extern const Instrument kTp3ErrorsSent;         // holdfast.tp3_errors_sent{type,code}
extern const Instrument kTp3ErrorsOutstanding;  // holdfast.tp3_errors_outstanding{type}
extern const Instrument kPushDuration;          // holdfast.push_duration_seconds{type}
extern const Instrument kHeldBackClients;       // holdfast.held_back_clients
extern const Instrument kHeldBackResources;     // holdfast.held_back_resources
extern const Instrument kHeldBackSecondsMax;    // holdfast.held_back_seconds_max

// The gauges, which all workers move. Thread-safe.
class ControlGauges final : public GaugeSource {
 public:
  void AddStreams(Variant variant, int64_t by);
  void AddErrorsOutstanding(const std::string& type_label, int64_t by);
  // Of one stream.
  void ReplaceHeldBack(const HeldBack& before, const HeldBack& now);

  std::vector<GaugeValue> ReadGauges() const override;

 private:
  std::atomic<int64_t> sotw_{0};
  std::atomic<int64_t> delta_{0};
  mutable absl::Mutex mutex_;
  std::map<std::string, int64_t> errors_outstanding_ ABSL_GUARDED_BY(mutex_);
  int64_t held_back_resources_ ABSL_GUARDED_BY(mutex_) = 0;
  // Since when, each stream that has some, in steady time.
  std::multiset<absl::Time> held_back_since_ ABSL_GUARDED_BY(mutex_);
};

// What the sessions of one worker count. Not thread-safe.
class SessionCounters {
 public:
  // `metrics` may be null: nobody counts.
  SessionCounters(std::shared_ptr<MetricSink> metrics, std::shared_ptr<ControlGauges> gauges)
      : metrics_(std::move(metrics)), gauges_(std::move(gauges)) {}

  void Count(const CountSession& count, const View& served);
  void CountBytes(const std::string& type, size_t bytes, const View& served);
  ControlGauges& gauges() { return *gauges_; }

 private:
  const Labels& LabelsOf(const std::string& type, int code, const View& served);

  const std::shared_ptr<MetricSink> metrics_;
  const std::shared_ptr<ControlGauges> gauges_;
  // Made once: {"type": …} by type, and with {"code": …} by type and code.
  std::map<std::pair<std::string, int>, Labels> labels_;
};

// The type itself if it is well known or served, else "other".
absl::string_view TypeLabel(absl::string_view type, const View& served);

}  // namespace holdfast

#include "control/control_instruments.h"

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "control/steady_clock.h"

namespace holdfast {

const Instrument kStreams = {"holdfast.streams", "Open ADS streams, by variant.", "{stream}",
                             Instrument::Kind::kGauge};
const Instrument kRequests = {"holdfast.requests", "Requests received, acknowledgements included.",
                              "{request}", Instrument::Kind::kCounter};
const Instrument kPushes = {"holdfast.pushes", "Responses sent.", "{response}",
                            Instrument::Kind::kCounter};
const Instrument kAcks = {"holdfast.acks", "Responses that a client accepted.", "{response}",
                          Instrument::Kind::kCounter};
const Instrument kNacks = {"holdfast.nacks", "Responses that a client rejected.", "{response}",
                           Instrument::Kind::kCounter};
const Instrument kBytesSent = {"holdfast.bytes_sent", "Bytes of responses, before compression.",
                               "By", Instrument::Kind::kCounter};
const Instrument kTp3ErrorsSent = {"holdfast.tp3_errors_sent",
                                   "Errors sent in place of a resource (xRFC TP3).", "{error}",
                                   Instrument::Kind::kCounter};
const Instrument kTp3ErrorsOutstanding = {
    "holdfast.tp3_errors_outstanding",
    "Subscriptions that are answered with an error now (xRFC TP3).", "{subscription}",
    Instrument::Kind::kGauge};

const Instrument kPushDuration = {"holdfast.push_duration_seconds",
                                  "From a commit to the acknowledgement of a client.", "s",
                                  Instrument::Kind::kHistogram};
const Instrument kHeldBackClients = {
    "holdfast.held_back_clients",
    "Streams whose client runs an older version of a resource than is served, because it rejected "
    "the newer one or was told of an error.",
    "{stream}", Instrument::Kind::kGauge};
const Instrument kHeldBackResources = {
    "holdfast.held_back_resources",
    "Resources of which a client runs an older version than is served, over all streams.",
    "{resource}", Instrument::Kind::kGauge};
const Instrument kHeldBackSecondsMax = {"holdfast.held_back_seconds_max",
                                        "How long the one that is held back longest is.", "s",
                                        Instrument::Kind::kGauge};

namespace {

constexpr absl::string_view kWellKnownTypes[] = {
    "envoy.config.cluster.v3.Cluster",
    "envoy.config.core.v3.TypedExtensionConfig",
    "envoy.config.endpoint.v3.ClusterLoadAssignment",
    "envoy.config.endpoint.v3.LbEndpoint",
    "envoy.config.listener.v3.Listener",
    "envoy.config.route.v3.RouteConfiguration",
    "envoy.config.route.v3.ScopedRouteConfiguration",
    "envoy.config.route.v3.VirtualHost",
    "envoy.extensions.transport_sockets.tls.v3.Secret",
    "envoy.service.runtime.v3.Runtime",
};

const Instrument& InstrumentOf(CountSession::What what) {
  switch (what) {
    case CountSession::What::kRequest:
      return kRequests;
    case CountSession::What::kPush:
      return kPushes;
    case CountSession::What::kAck:
      return kAcks;
    case CountSession::What::kNack:
      return kNacks;
    case CountSession::What::kTp3Error:
      return kTp3ErrorsSent;
  }
  return kRequests;
}

constexpr int kNoCode = 0;

}  // namespace

absl::string_view TypeLabel(absl::string_view type, const View& served) {
  if (absl::c_linear_search(kWellKnownTypes, type)) return type;
  return served.types.contains(std::string(type)) ? type : "other";
}

void ControlGauges::AddStreams(Variant variant, int64_t by) {
  (variant == Variant::kSotw ? sotw_ : delta_).fetch_add(by, std::memory_order_relaxed);
}

void ControlGauges::AddErrorsOutstanding(const std::string& type_label, int64_t by) {
  const absl::MutexLock lock(&mutex_);
  errors_outstanding_[type_label] += by;
}

void ControlGauges::ReplaceHeldBack(const HeldBack& before, const HeldBack& now) {
  const absl::MutexLock lock(&mutex_);
  held_back_resources_ +=
      static_cast<int64_t>(now.resources) - static_cast<int64_t>(before.resources);
  if (before.resources > 0) held_back_since_.erase(held_back_since_.find(before.since));
  if (now.resources > 0) held_back_since_.insert(now.since);
}

std::vector<GaugeValue> ControlGauges::ReadGauges() const {
  std::vector<GaugeValue> values = {{&kStreams, {{"variant", "delta"}}, delta_.load()},
                                    {&kStreams, {{"variant", "sotw"}}, sotw_.load()}};
  const absl::MutexLock lock(&mutex_);
  values.push_back({&kHeldBackClients, {}, static_cast<int64_t>(held_back_since_.size())});
  values.push_back({&kHeldBackResources, {}, held_back_resources_});
  values.push_back({&kHeldBackSecondsMax,
                    {},
                    held_back_since_.empty()
                        ? 0
                        : absl::ToInt64Seconds(SteadyNow() - *held_back_since_.begin())});
  for (const auto& [type, count] : errors_outstanding_) {
    values.push_back({&kTp3ErrorsOutstanding, {{"type", type}}, count});
  }
  return values;
}

const Labels& SessionCounters::LabelsOf(const std::string& type, int code, const View& served) {
  // By label and not by type: a type that is not served now may be later.
  const std::string label(TypeLabel(type, served));
  const auto [found, is_new] = labels_.try_emplace({label, code});
  if (is_new) {
    found->second["type"] = label;
    if (code != kNoCode) {
      found->second["code"] = absl::StatusCodeToString(static_cast<absl::StatusCode>(code));
    }
  }
  return found->second;
}

void SessionCounters::Count(const CountSession& count, const View& served) {
  if (metrics_ == nullptr) return;
  const int code = count.what == CountSession::What::kTp3Error ? count.code : kNoCode;
  const Labels& labels = LabelsOf(count.type, code, served);
  metrics_->AddToCounter(InstrumentOf(count.what), labels, count.by);
  if (count.since_commit.has_value()) {
    metrics_->Record(kPushDuration, labels, absl::ToDoubleSeconds(*count.since_commit));
  }
}

void SessionCounters::CountBytes(const std::string& type, size_t bytes, const View& served) {
  if (metrics_ == nullptr) return;
  metrics_->AddToCounter(kBytesSent, LabelsOf(type, kNoCode, served), static_cast<int64_t>(bytes));
}

}  // namespace holdfast

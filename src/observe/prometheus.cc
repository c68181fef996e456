#include "holdfast/xds/prometheus.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/outside_text.h"
#include "base/utf8.h"

namespace holdfast {
namespace {

// In seconds.
constexpr double kBounds[] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                              0.25,  0.5,    1,     2.5,  5,     10,   30};

// Samples of one name, by labels as they are printed.
struct Family {
  const Instrument* instrument = nullptr;
  std::map<std::string, int64_t> samples;
  std::string histograms;  // lines
};
using Families = std::map<std::string, Family>;

std::string Underscored(absl::string_view name) { return absl::StrReplaceAll(name, {{".", "_"}}); }

std::string NameOf(const Instrument& instrument) {
  const bool is_counter = instrument.kind == Instrument::Kind::kCounter;
  return absl::StrCat(Underscored(instrument.name), is_counter ? "_total" : "");
}

// One value that is no UTF-8 would cost the reader all of them.
std::string LabelValue(const std::string& value) {
  return absl::StrReplaceAll(IsUtf8(value) ? value : BoundedText(value),
                             {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}});
}

// {grpc_target="xds:///web",grpc_xds_server="cp-1:18000"}
std::string LabelsText(const Labels& labels) {
  if (labels.empty()) return "";
  std::string text;
  for (const auto& [name, value] : labels) {
    absl::StrAppend(&text, text.empty() ? "{" : ",", Underscored(name), "=\"", LabelValue(value),
                    "\"");
  }
  return text + "}";
}

// Two clients may have one key, but a sample may stand here only once. Amounts are added; "is
// connected" is true of both or false.
void AddSample(const Instrument& instrument, const Labels& labels, int64_t value,
               Families& families) {
  Family& family = families[NameOf(instrument)];
  family.instrument = &instrument;
  const auto [sample, is_new] = family.samples.try_emplace(LabelsText(labels), value);
  if (is_new) return;
  sample->second =
      instrument.unit == "{bool}" ? std::min(sample->second, value) : sample->second + value;
}

absl::string_view TypeOf(const Instrument& instrument) {
  switch (instrument.kind) {
    case Instrument::Kind::kCounter:
      return "counter";
    case Instrument::Kind::kGauge:
      return "gauge";
    case Instrument::Kind::kHistogram:
      return "histogram";
  }
  return "untyped";
}

// The shortest that is read back as the same number: a sum that grows in the seventh digit grows.
std::string NumberText(double number) {
  std::array<char, 32> text;
  const std::to_chars_result end = std::to_chars(text.data(), text.data() + text.size(), number);
  return std::string(text.data(), end.ptr);
}

// Each bucket counts what is in those below it, too.
void AddHistogram(const Instrument& instrument, const Labels& labels,
                  const std::vector<uint64_t>& buckets, double sum, Families& families) {
  const std::string name = NameOf(instrument);
  Family& family = families[name];
  family.instrument = &instrument;
  uint64_t count = 0;
  for (size_t i = 0; i < buckets.size(); ++i) {
    count += buckets[i];
    Labels with_bound = labels;
    with_bound["le"] = i < std::size(kBounds) ? absl::StrCat(kBounds[i]) : "+Inf";
    absl::StrAppend(&family.histograms, name, "_bucket", LabelsText(with_bound), " ", count, "\n");
  }
  absl::StrAppend(&family.histograms, name, "_sum", LabelsText(labels), " ", NumberText(sum), "\n",
                  name, "_count", LabelsText(labels), " ", count, "\n");
}

std::string Printed(const Families& families) {
  std::string text;
  for (const auto& [name, family] : families) {
    absl::StrAppend(
        &text, "# HELP ", name, " ",
        absl::StrReplaceAll(family.instrument->description, {{"\\", "\\\\"}, {"\n", "\\n"}}),
        "\n# TYPE ", name, " ", TypeOf(*family.instrument), "\n", family.histograms);
    for (const auto& [labels, value] : family.samples) {
      absl::StrAppend(&text, name, labels, " ", value, "\n");
    }
  }
  return text;
}

}  // namespace

struct PrometheusMetrics::State {
  std::mutex mutex;
  std::map<std::pair<const Instrument*, Labels>, int64_t> counters;
  struct Histogram {
    std::vector<uint64_t> buckets;  // each without those below it; the last has no bound
    double sum = 0;
  };
  std::map<std::pair<const Instrument*, Labels>, Histogram> histograms;
  std::vector<std::weak_ptr<const GaugeSource>> sources;
};

PrometheusMetrics::PrometheusMetrics() : state_(std::make_unique<State>()) {}
PrometheusMetrics::~PrometheusMetrics() = default;

void PrometheusMetrics::AddToCounter(const Instrument& counter, const Labels& labels, int64_t by) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->counters[{&counter, labels}] += by;
}

void PrometheusMetrics::Record(const Instrument& histogram, const Labels& labels, double value) {
  const auto bound = std::lower_bound(std::begin(kBounds), std::end(kBounds), value);
  const std::lock_guard<std::mutex> lock(state_->mutex);
  State::Histogram& one = state_->histograms[{&histogram, labels}];
  if (one.buckets.empty()) one.buckets.resize(std::size(kBounds) + 1);
  ++one.buckets[static_cast<size_t>(bound - std::begin(kBounds))];
  one.sum += value;
}

void PrometheusMetrics::AddGauges(std::weak_ptr<const GaugeSource> source) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->sources.push_back(std::move(source));
}

std::string PrometheusMetrics::Text() const {
  Families families;
  std::vector<std::shared_ptr<const GaugeSource>> sources;
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    for (const auto& [key, value] : state_->counters) {
      AddSample(*key.first, key.second, value, families);
    }
    for (const auto& [key, one] : state_->histograms) {
      AddHistogram(*key.first, key.second, one.buckets, one.sum, families);
    }
    const auto is_gone = [](const std::weak_ptr<const GaugeSource>& source) {
      return source.expired();
    };
    std::vector<std::weak_ptr<const GaugeSource>>& known = state_->sources;
    known.erase(std::remove_if(known.begin(), known.end(), is_gone), known.end());
    for (const std::weak_ptr<const GaugeSource>& weak : known) {
      if (std::shared_ptr<const GaugeSource> source = weak.lock()) {
        sources.push_back(std::move(source));
      }
    }
  }
  // Without the lock: a source may be waiting for a thread that is just counting something here.
  for (const std::shared_ptr<const GaugeSource>& source : sources) {
    for (const GaugeValue& gauge : source->ReadGauges()) {
      AddSample(*gauge.instrument, gauge.labels, gauge.value, families);
    }
  }
  return Printed(families);
}

}  // namespace holdfast

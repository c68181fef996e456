#include "holdfast/xds/prometheus.h"

#include <algorithm>
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

// Samples of one name, by labels as they are printed.
struct Family {
  const Instrument* instrument = nullptr;
  std::map<std::string, int64_t> samples;
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

std::string Printed(const Families& families) {
  std::string text;
  for (const auto& [name, family] : families) {
    const bool is_counter = family.instrument->kind == Instrument::Kind::kCounter;
    absl::StrAppend(
        &text, "# HELP ", name, " ",
        absl::StrReplaceAll(family.instrument->description, {{"\\", "\\\\"}, {"\n", "\\n"}}),
        "\n# TYPE ", name, is_counter ? " counter\n" : " gauge\n");
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
  std::vector<std::weak_ptr<const GaugeSource>> sources;
};

PrometheusMetrics::PrometheusMetrics() : state_(std::make_unique<State>()) {}
PrometheusMetrics::~PrometheusMetrics() = default;

void PrometheusMetrics::AddToCounter(const Instrument& counter, const Labels& labels, int64_t by) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->counters[{&counter, labels}] += by;
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

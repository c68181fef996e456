#include "holdfast/xds/prometheus.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

class FixedGauges final : public GaugeSource {
 public:
  explicit FixedGauges(std::vector<GaugeValue> values) : values_(std::move(values)) {}
  std::vector<GaugeValue> ReadGauges() const override { return values_; }

 private:
  const std::vector<GaugeValue> values_;
};

std::shared_ptr<const GaugeSource> Gauges(std::vector<GaugeValue> values) {
  return std::make_shared<FixedGauges>(std::move(values));
}

TEST(PrometheusMetrics, AreNothingAtFirst) { EXPECT_EQ(PrometheusMetrics().Text(), ""); }

TEST(PrometheusMetrics, ArePrintedByNameAndLabels) {
  PrometheusMetrics metrics;
  metrics.AddToCounter(kServerFailure, {{"grpc.target", "b"}, {"grpc.xds.server", "cp-1"}}, 1);
  metrics.AddToCounter(kServerFailure, {{"grpc.target", "a"}, {"grpc.xds.server", "cp-1"}}, 2);
  metrics.AddToCounter(kServerFailure, {{"grpc.target", "b"}, {"grpc.xds.server", "cp-1"}}, 3);
  const auto source =
      Gauges({{&kConnected, {{"grpc.target", "a"}, {"grpc.xds.server", "cp-1"}}, 0}});
  metrics.AddGauges(source);
  EXPECT_EQ(metrics.Text(), R"(# HELP grpc_xds_client_connected 1 while the client has a working )"
                            R"(stream to the server, else 0.
# TYPE grpc_xds_client_connected gauge
grpc_xds_client_connected{grpc_target="a",grpc_xds_server="cp-1"} 0
# HELP grpc_xds_client_server_failure_total How often a server in use went from healthy to unhealthy.
# TYPE grpc_xds_client_server_failure_total counter
grpc_xds_client_server_failure_total{grpc_target="a",grpc_xds_server="cp-1"} 2
grpc_xds_client_server_failure_total{grpc_target="b",grpc_xds_server="cp-1"} 4
)");
}

constexpr Instrument kOdd = {.name = "odd",
                             .description = "back\\slash\nand line",
                             .unit = "{thing}",
                             .kind = Instrument::Kind::kGauge};

TEST(PrometheusMetrics, EscapeWhatTheFormatNeeds) {
  PrometheusMetrics metrics;
  const auto source = Gauges({{&kOdd, {{"l", "quote\" back\\slash\nline"}}, -1},
                              {&kOdd, {{"l", "not UTF-8: \xff"}}, 1},
                              {&kOdd, {}, 7}});
  metrics.AddGauges(source);
  EXPECT_EQ(metrics.Text(),
            "# HELP odd back\\\\slash\\nand line\n"
            "# TYPE odd gauge\n"
            "odd 7\n"
            "odd{l=\"not UTF-8: \\\\xff\"} 1\n"
            "odd{l=\"quote\\\" back\\\\slash\\nline\"} -1\n");
}

TEST(PrometheusMetrics, ShowEachSampleOnceThoughTwoClientsHaveOneKey) {
  PrometheusMetrics metrics;
  const auto one = Gauges({{&kResources, {{"grpc.target", "t"}}, 3}, {&kConnected, {}, 1}});
  const auto other = Gauges({{&kResources, {{"grpc.target", "t"}}, 4}, {&kConnected, {}, 0}});
  metrics.AddGauges(one);
  metrics.AddGauges(other);
  const std::string text = metrics.Text();
  EXPECT_NE(text.find("grpc_xds_client_resources{grpc_target=\"t\"} 7\n"), std::string::npos);
  EXPECT_NE(text.find("grpc_xds_client_connected 0\n"), std::string::npos) << text;
}

TEST(PrometheusMetrics, ForgetGaugesOfAClientThatIsGone) {
  PrometheusMetrics metrics;
  auto source = Gauges({{&kResources, {}, 3}});
  metrics.AddGauges(source);
  EXPECT_NE(metrics.Text(), "");
  source.reset();
  EXPECT_EQ(metrics.Text(), "");
}

// As a client would: it counts on its own thread while somebody waits for its state.
class CountingGauges final : public GaugeSource {
 public:
  explicit CountingGauges(PrometheusMetrics& metrics) : metrics_(metrics) {}
  std::vector<GaugeValue> ReadGauges() const override {
    std::thread loop([this] { metrics_.AddToCounter(kServerFailure, {}, 1); });
    loop.join();
    return {};
  }

 private:
  PrometheusMetrics& metrics_;
};

TEST(PrometheusMetrics, AreReadWithoutHoldingUpThoseWhoCount) {
  PrometheusMetrics metrics;
  const auto source = std::make_shared<CountingGauges>(metrics);
  metrics.AddGauges(source);
  metrics.Text();
  EXPECT_NE(metrics.Text().find("grpc_xds_client_server_failure_total 1\n"), std::string::npos);
}

TEST(PrometheusMetrics, AHistogramCountsWhatIsWithinEachBound) {
  static const Instrument kTook = {"holdfast.took_seconds", "How long it took.", "s",
                                   Instrument::Kind::kHistogram};
  PrometheusMetrics metrics;
  metrics.Record(kTook, {{"type", "cds"}}, 0.001);
  metrics.Record(kTook, {{"type", "cds"}}, 0.25);
  metrics.Record(kTook, {{"type", "cds"}}, 60);
  EXPECT_EQ(metrics.Text(),
            "# HELP holdfast_took_seconds How long it took.\n"
            "# TYPE holdfast_took_seconds histogram\n"
            "holdfast_took_seconds_bucket{le=\"0.001\",type=\"cds\"} 1\n"
            "holdfast_took_seconds_bucket{le=\"0.0025\",type=\"cds\"} 1\n"
            "holdfast_took_seconds_bucket{le=\"0.005\",type=\"cds\"} 1\n"
            "holdfast_took_seconds_bucket{le=\"0.01\",type=\"cds\"} 1\n"
            "holdfast_took_seconds_bucket{le=\"0.025\",type=\"cds\"} 1\n"
            "holdfast_took_seconds_bucket{le=\"0.05\",type=\"cds\"} 1\n"
            "holdfast_took_seconds_bucket{le=\"0.1\",type=\"cds\"} 1\n"
            "holdfast_took_seconds_bucket{le=\"0.25\",type=\"cds\"} 2\n"
            "holdfast_took_seconds_bucket{le=\"0.5\",type=\"cds\"} 2\n"
            "holdfast_took_seconds_bucket{le=\"1\",type=\"cds\"} 2\n"
            "holdfast_took_seconds_bucket{le=\"2.5\",type=\"cds\"} 2\n"
            "holdfast_took_seconds_bucket{le=\"5\",type=\"cds\"} 2\n"
            "holdfast_took_seconds_bucket{le=\"10\",type=\"cds\"} 2\n"
            "holdfast_took_seconds_bucket{le=\"30\",type=\"cds\"} 2\n"
            "holdfast_took_seconds_bucket{le=\"+Inf\",type=\"cds\"} 3\n"
            "holdfast_took_seconds_sum{type=\"cds\"} 60.251\n"
            "holdfast_took_seconds_count{type=\"cds\"} 3\n");
}

// A rate of it would be a staircase.
TEST(PrometheusMetrics, ASumHasAllItsDigits) {
  static const Instrument kTook = {"holdfast.took_seconds", "How long it took.", "s",
                                   Instrument::Kind::kHistogram};
  PrometheusMetrics metrics;
  metrics.Record(kTook, {}, 1'234'567);
  metrics.Record(kTook, {}, 0.015625);
  EXPECT_THAT(metrics.Text(), testing::HasSubstr("\nholdfast_took_seconds_sum 1234567.015625\n"));
}

}  // namespace
}  // namespace holdfast

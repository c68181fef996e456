// What a client with 10,000 clusters costs: an unchanged response, one change, memory, and what it
// sends to subscribe.
//
// ours:  the client protocol, and a whole client over gRPC
// floor: a gRPC stream that only receives the same responses
// peer:  decoding all of a response, as clients do that decode first
//
// Prints tables and fails if a budget of docs/reference/performance.md is missed.
#include <malloc.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/cluster_response.h"
#include "bench/stopwatch.h"
#include "bench/wire_client.h"
#include "client/protocol/protocol.h"
#include "resources/decode/registry.h"
#include "wire/ads.h"
#include "wire/envelope.h"

namespace holdfast {
namespace {

constexpr int kResources = 10'000;
constexpr int kRuns = 15;
constexpr double kBudgetOfDecoding = 1.0 / 50;
constexpr double kBudgetOfReceiving = 1.5;
constexpr double kBudgetOfBytes = 2e6;

void Fail(const char* what) {
  std::fprintf(stderr, "bench_client: %s\n", what);
  std::exit(1);
}

uint32_t NameField(absl::string_view) { return 1; }

// The protocol, without a world.
class DrivenProtocol {
 public:
  DrivenProtocol() : protocol_({.server_uri = "bench"}) {
    for (int i = 0; i < kResources; ++i) {
      Note(protocol_.Handle(now_, WatchStarted{WatchId(static_cast<uint64_t>(i) + 1),
                                               &ClusterType(), ClusterName(i)}));
    }
    Sent();
  }

  // The number of calls to watchers.
  size_t Receive(const std::string& message) {
    auto response = ScanResponse(message, NameField);
    now_ += absl::Seconds(1);
    const size_t told =
        Note(protocol_.Handle(now_, ResponseReceived{stream_, *std::move(response)}));
    return told;
  }
  // What follows a response and is no part of its cost.
  void Settle() {
    Sent();
    Note(protocol_.Handle(now_, WatchersFinished{stream_}));
  }

 private:
  void Sent() {
    while (is_in_flight_) {
      is_in_flight_ = false;
      now_ += absl::Seconds(1);
      Note(protocol_.Handle(now_, RequestSent{stream_}));
    }
  }
  size_t Note(const Effects& effects) {
    size_t told = 0;
    for (const Effect& effect : effects) {
      if (const auto* open = std::get_if<OpenStream>(&effect)) stream_ = open->stream;
      is_in_flight_ |= std::holds_alternative<SendRequest>(effect);
      told += std::holds_alternative<DeliverResource>(effect);
    }
    return told;
  }

  Protocol protocol_;
  absl::Time now_ = absl::UnixEpoch() + absl::Hours(1);
  StreamId stream_;
  bool is_in_flight_ = false;
};

size_t DecodeAll(const std::string& message) {
  const auto scanned = ScanResponse(message, NameField);
  size_t good = 0;
  for (const ResourceEntry& entry : scanned->resources) {
    good += ClusterType().Decode(entry.body, DecodeContext()).value != nullptr;
  }
  return good;
}

// Best of several responses, each handled once.
double BestOfResponses(DrivenProtocol& client, const std::vector<std::string>& messages,
                       size_t expected_told) {
  double best = 1e9;
  for (int i = 0; i < kRuns; ++i) {
    const std::string& message = messages[static_cast<size_t>(i) % messages.size()];
    const double start = ThreadCpuSeconds();
    const size_t told = client.Receive(message);
    best = std::min(best, ThreadCpuSeconds() - start);
    if (told != expected_told) Fail("a response was not what it should be");
    client.Settle();
  }
  return best;
}

void Row(const char* what, double seconds, double decode_seconds) {
  std::printf("| %-52s | %8.3f | %11.0f | %11.4f |\n", what, seconds * 1e3,
              seconds * 1e9 / kResources, seconds / decode_seconds);
}

bool ProtocolAgainstDecoding() {
  const std::string first = ClusterResponse(kResources);
  const size_t before = mallinfo2().uordblks;
  DrivenProtocol client;
  const size_t subscribed = mallinfo2().uordblks;
  if (client.Receive(first) != kResources) Fail("the first response did not reach the watchers");
  client.Settle();
  const size_t cached = mallinfo2().uordblks;

  const double decode = BestSeconds(kRuns, [&] {
    if (DecodeAll(first) != kResources) Fail("a cluster did not decode");
  });
  const double unchanged = BestOfResponses(client, {ClusterResponse(kResources, "43")}, 0);
  // Go's maps have no order, and neither have the responses of servers made of them.
  const double shuffled = BestOfResponses(
      client, {ClusterResponse(kResources, "44", -1, 1), ClusterResponse(kResources, "45", -1, 2)},
      0);
  const double one_changed = BestOfResponses(
      client, {ClusterResponse(kResources, "46", 5000), ClusterResponse(kResources, "47")}, 1);

  std::printf("A response of %d clusters, %.1f MB\n\n", kResources,
              static_cast<double>(first.size()) / 1e6);
  std::printf("| %-52s | %8s | %11s | %11s |\n|---|--:|--:|--:|\n", "what", "ms", "ns/resource",
              "of decoding");
  Row("ours: unchanged", unchanged, decode);
  Row("ours: unchanged, in another order each time", shuffled, decode);
  Row("ours: one of them changed", one_changed, decode);
  Row("peer: decode all of it", decode, decode);
  const bool is_met = unchanged <= decode * kBudgetOfDecoding;
  std::printf("\nan unchanged response costs 1/%.0f of decoding it (budget 1/50): %s\n\n",
              decode / unchanged, is_met ? "met" : "MISSED");
  std::printf("memory: %zu bytes a subscription, %zu more when it is cached (its bytes: %zu)\n\n",
              (subscribed - before) / kResources, (cached - subscribed) / kResources,
              first.size() / kResources);
  return is_met;
}

bool OverTheWire() {
  const WireCosts costs = MeasureOverTheWire(kResources);
  std::printf("The same response over gRPC on loopback, CPU of the client's process\n\n");
  std::printf("| %-52s | %8s | %14s |\n|---|--:|--:|\n", "what", "ms", "of receiving");
  std::printf("| %-52s | %8.2f | %14.2f |\n", "floor: only receive it", costs.floor_seconds * 1e3,
              1.0);
  std::printf("| %-52s | %8.2f | %14.2f |\n", "ours: receive, compare, ACK with 10,000 names",
              costs.client_seconds * 1e3, costs.client_seconds / costs.floor_seconds);
  const bool is_cheap = costs.client_seconds <= costs.floor_seconds * kBudgetOfReceiving;
  std::printf("\nan unchanged response costs %.2f of only receiving it (budget %.1f): %s\n\n",
              costs.client_seconds / costs.floor_seconds, kBudgetOfReceiving,
              is_cheap ? "met" : "MISSED");
  const bool is_short = static_cast<double>(costs.subscribe_bytes) <= kBudgetOfBytes;
  std::printf("subscribing %d names one by one sent %.2f MB in %d requests (budget 2 MB): %s\n",
              kResources, static_cast<double>(costs.subscribe_bytes) / 1e6,
              costs.subscribe_requests, is_short ? "met" : "MISSED");
  return is_cheap && is_short;
}

}  // namespace
}  // namespace holdfast

int main() {
  // Before anything else, because it starts the server as another process.
  const bool is_light = holdfast::OverTheWire();
  const bool is_cheap = holdfast::ProtocolAgainstDecoding();
  return is_cheap && is_light ? 0 : 1;
}

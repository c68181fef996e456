// What it costs to read a response of which nothing changed.
//
// ours:  scan the envelope, find each resource by name in a cache, compare its bytes
// floor: compare the same number of bytes, knowing where they are
// peers: parse all of it with protobuf, as clients do that decode first; and our own decoders
//
// Prints a table and fails if a budget of docs/reference/performance.md is missed.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "bench/cluster_response.h"
#include "bench/stopwatch.h"
#include "envoy/config/cluster/v3/cluster.pb.h"
#include "envoy/service/discovery/v3/discovery.pb.h"
#include "resources/decode/decode.h"
#include "wire/envelope.h"

namespace holdfast {
namespace {

namespace cluster = ::envoy::config::cluster::v3;
namespace discovery = ::envoy::service::discovery::v3;

constexpr int kRuns = 15;
constexpr double kBudgetOfDecoding = 1.0 / 50;
constexpr double kBudgetOfGrowth = 1.5;  // cost against the floor, 54 MB and 6.5 MB

using Cache = absl::flat_hash_map<std::string, std::string>;

Cache CacheOf(const std::string& response) {
  Cache cache;
  const auto scanned = ScanResponse(response, [](absl::string_view) { return 1u; });
  for (const ResourceEntry& entry : scanned->resources) {
    cache[std::string(entry.name)] = std::string(entry.body);
  }
  return cache;
}

// How many resources of the response are as they were.
size_t ScanAndCompare(const std::string& response, const Cache& cache) {
  const auto scanned = ScanResponse(response, [](absl::string_view) { return 1u; });
  size_t unchanged = 0;
  for (const ResourceEntry& entry : scanned->resources) {
    const auto cached = cache.find(entry.name);
    unchanged += cached != cache.end() && cached->second == entry.body;
  }
  return unchanged;
}

size_t ParseAll(const std::string& response) {
  discovery::DiscoveryResponse parsed;
  parsed.ParseFromString(response);
  size_t good = 0;
  for (const google::protobuf::Any& any : parsed.resources()) {
    cluster::Cluster message;
    good += message.ParseFromString(any.value());
  }
  return good;
}

size_t DecodeAll(const std::string& response) {
  const auto scanned = ScanResponse(response, [](absl::string_view) { return 1u; });
  size_t good = 0;
  for (const ResourceEntry& entry : scanned->resources) {
    good += DecodeCluster(entry.body, DecodeContext()).errors.ok();
  }
  return good;
}

void Expect(size_t got, int wanted, const char* what) {
  if (got == static_cast<size_t>(wanted)) return;
  std::fprintf(stderr, "bench_read: %s handled %zu of %d resources\n", what, got, wanted);
  std::exit(1);
}

void Row(const char* what, double seconds, int resources, double decode_seconds) {
  std::printf("| %-42s | %9.3f | %11.0f | %12.4f |\n", what, seconds * 1e3,
              seconds * 1e9 / resources, seconds / decode_seconds);
}

double FloorSeconds(const std::string& response) {
  const std::string copy = response;
  volatile int sink = 0;
  return BestSeconds(kRuns, [&] { sink = std::memcmp(response.data(), copy.data(), copy.size()); });
}

bool CompareWithDecoding() {
  constexpr int kResources = 10'000;
  const std::string response = ClusterResponse(kResources);
  const Cache cache = CacheOf(response);
  size_t count = 0;
  const double floor = FloorSeconds(response);
  const double scan = BestSeconds(kRuns, [&] {
    count = ScanResponse(response, [](absl::string_view) { return 1u; })->resources.size();
  });
  Expect(count, kResources, "scan");
  const double ours = BestSeconds(kRuns, [&] { count = ScanAndCompare(response, cache); });
  Expect(count, kResources, "scan and compare");
  const double parse = BestSeconds(kRuns, [&] { count = ParseAll(response); });
  Expect(count, kResources, "parse");
  const double decode = BestSeconds(kRuns, [&] { count = DecodeAll(response); });
  Expect(count, kResources, "decode");

  std::printf("An unchanged response of %d clusters, %.1f MB\n\n", kResources,
              static_cast<double>(response.size()) / 1e6);
  std::printf("| %-42s | %9s | %11s | %12s |\n", "what", "ms", "ns/resource", "of decoding");
  std::printf("|---|--:|--:|--:|\n");
  Row("floor: memcmp of the bytes", floor, kResources, decode);
  Row("ours: scan", scan, kResources, decode);
  Row("ours: scan and compare with the cache", ours, kResources, decode);
  Row("peer: protobuf parses all of it", parse, kResources, decode);
  Row("ours: decode all of it", decode, kResources, decode);
  const bool is_met = ours <= decode * kBudgetOfDecoding;
  std::printf("\nscan and compare is 1/%.0f of decoding (budget 1/50): %s\n\n", decode / ours,
              is_met ? "met" : "MISSED");
  return is_met;
}

// Beyond the caches of the machine a byte costs more, whoever reads it: growth is judged against
// the floor.
bool GrowLinearly() {
  std::printf("Scan as the response grows\n\n| %9s | %9s | %11s | %11s |\n|--:|--:|--:|--:|\n",
              "MB", "scan, ms", "floor, ms", "scan/floor");
  double smallest = 0;
  double largest = 0;
  for (const int resources : {6'000, 12'000, 25'000, 50'000}) {
    const std::string response = ClusterResponse(resources);
    const double floor = FloorSeconds(response);
    size_t count = 0;
    const double seconds = BestSeconds(kRuns, [&] {
      count = ScanResponse(response, [](absl::string_view) { return 1u; })->resources.size();
    });
    Expect(count, resources, "scan");
    largest = seconds / floor;
    if (smallest == 0) smallest = largest;
    std::printf("| %9.1f | %9.3f | %11.3f | %11.2f |\n", static_cast<double>(response.size()) / 1e6,
                seconds * 1e3, floor * 1e3, largest);
  }
  const bool is_met = largest <= smallest * kBudgetOfGrowth;
  std::printf(
      "\nagainst the floor a scan costs %.2f times as much at 54 MB as at 6.5 MB "
      "(budget %.1f): %s\n",
      largest / smallest, kBudgetOfGrowth, is_met ? "met" : "MISSED");
  return is_met;
}

}  // namespace
}  // namespace holdfast

int main() {
  const bool is_cheap = holdfast::CompareWithDecoding();
  const bool is_linear = holdfast::GrowLinearly();
  return is_cheap && is_linear ? 0 : 1;
}

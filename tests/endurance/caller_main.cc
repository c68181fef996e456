// Calls without end through one channel, and says what became of them when asked.
//
//   endurance_caller holdfast|debian TARGET THREADS   # GRPC_XDS_BOOTSTRAP_CONFIG says the rest
//   report
//   CALLS <tab> FAILED <tab> LONGEST_MS <tab> PEER,PEER <tab> the first failure
//   call
//   CODE <tab> PEER <tab> its message
//   metrics
//   SAMPLE <tab> SAMPLE …      as for Prometheus, without the comments
//
// A report is about the calls that ended since the one before. With no threads only "call" calls:
// the channel is idle in between. Ends with its input.
//
// Debian's channel reads from its control plane only while somebody polls, which calls that fail at
// once do not; so that it has its best chance, a thread polls for it.
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "holdfast/grpc/channel.h"
#include "holdfast/xds/prometheus.h"

namespace holdfast {
namespace {

using Clock = std::chrono::steady_clock;

// Longer than any outage of the test: who lets a call wait so long has lost it.
constexpr std::chrono::seconds kDeadline{10};

struct Counts {
  uint64_t calls = 0;
  uint64_t failed = 0;
  int64_t longest_ms = 0;
  std::set<std::string> peers;
  std::string first_failure;
};

std::string OneLine(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"\n", " "}, {"\t", " "}});
}

class Caller {
 public:
  Caller(const std::shared_ptr<grpc::ChannelInterface>& channel, int threads)
      : stub_(grpc::health::v1::Health::NewStub(channel)) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { CallOnAndOn(); });
  }
  ~Caller() {
    is_over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

  std::string Report() {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Counts counts = std::exchange(counts_, {});
    return absl::StrCat(counts.calls, "\t", counts.failed, "\t", counts.longest_ms, "\t",
                        absl::StrJoin(counts.peers, ","), "\t", OneLine(counts.first_failure));
  }

  std::string Call() {
    std::string peer;
    const grpc::Status status = Check(peer);
    return absl::StrCat(static_cast<int>(status.error_code()), "\t", peer, "\t",
                        OneLine(status.error_message()));
  }

 private:
  grpc::Status Check(std::string& peer) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kDeadline);
    grpc::health::v1::HealthCheckResponse response;
    grpc::Status status = stub_->Check(&context, {}, &response);
    peer = context.peer();
    return status;
  }

  void CallOnAndOn() {
    while (!is_over_) {
      const auto start = Clock::now();
      std::string peer;
      const grpc::Status status = Check(peer);
      Count(status, peer, Clock::now() - start);
      // Leaves the machine to the servers too; and a call that fails at once is not the only one.
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  void Count(const grpc::Status& status, const std::string& peer, Clock::duration spent) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++counts_.calls;
    counts_.longest_ms = std::max(
        counts_.longest_ms, int64_t{std::chrono::ceil<std::chrono::milliseconds>(spent).count()});
    if (status.ok()) {
      counts_.peers.insert(peer);
    } else if (++counts_.failed == 1) {
      counts_.first_failure =
          absl::StrCat(static_cast<int>(status.error_code()), ": ", status.error_message());
    }
  }

  const std::unique_ptr<grpc::health::v1::Health::Stub> stub_;
  std::atomic<bool> is_over_ = false;
  std::mutex mutex_;
  Counts counts_;
  std::vector<std::thread> threads_;
};

class Poller {
 public:
  explicit Poller(std::shared_ptr<grpc::ChannelInterface> channel)
      : channel_(std::move(channel)), thread_([this] { Poll(); }) {}
  ~Poller() {
    is_over_ = true;
    thread_.join();
  }

 private:
  void Poll() {
    while (!is_over_) {
      channel_->WaitForStateChange(channel_->GetState(true), std::chrono::system_clock::now() +
                                                                 std::chrono::milliseconds(100));
    }
  }

  const std::shared_ptr<grpc::ChannelInterface> channel_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

std::string Samples(const PrometheusMetrics& metrics) {
  std::vector<std::string> samples = absl::StrSplit(metrics.Text(), '\n', absl::SkipEmpty());
  std::erase_if(samples, [](const std::string& line) { return absl::StartsWith(line, "#"); });
  return absl::StrJoin(samples, "\t");
}

int Main(const std::string& whose, const std::string& target, int threads) {
  const auto metrics = std::make_shared<PrometheusMetrics>();
  std::shared_ptr<grpc::ChannelInterface> channel;
  std::optional<Poller> poller;
  if (whose == "holdfast") {
    ChannelOptions options;
    options.metrics = metrics;
    channel = holdfast::CreateChannel(target, grpc::InsecureChannelCredentials(), options);
  } else {
    channel = grpc::CreateChannel(target, grpc::InsecureChannelCredentials());
    poller.emplace(channel);
  }
  Caller caller(channel, threads);
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << (line == "call"      ? caller.Call()
                  : line == "metrics" ? Samples(*metrics)
                                      : caller.Report())
              << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace holdfast

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: endurance_caller holdfast|debian TARGET THREADS\n";
    return 2;
  }
  return holdfast::Main(argv[1], argv[2], std::stoi(argv[3]));
}

#include "bench/control/missing_names.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "bench/control/bench_failure.h"
#include "bench/control/load_client.h"
#include "bench/control/served_resources.h"

namespace holdfast {
namespace {

gpr_timespec In(absl::Duration time) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_nanos(absl::ToInt64Nanoseconds(time), GPR_TIMESPAN));
}

// One stream, one operation at a time.
class AskingStream {
 public:
  AskingStream(const std::string& address, Variant variant, std::string type_url)
      : variant_(variant), type_url_(std::move(type_url)), stub_(ConnectTo(address)) {
    call_ = stub_.PrepareCall(&context_, MethodOf(variant), &queue_);
    call_->StartCall(nullptr);
    Finished(absl::Seconds(10));
  }
  ~AskingStream() {
    context_.TryCancel();
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
    }
  }
  AskingStream(const AskingStream&) = delete;
  AskingStream& operator=(const AskingStream&) = delete;

  // None: there was no answer. REQUIRES: the one before was answered.
  std::optional<absl::Duration> Ask(const std::string& name, absl::Duration patience) {
    const absl::Time start = absl::Now();
    call_->Write(AskFor(variant_, type_url_, {name}), nullptr);
    Finished(patience);
    call_->Read(&answer_, nullptr);
    if (!Finished(patience)) return std::nullopt;
    return absl::Now() - start;
  }

 private:
  bool Finished(absl::Duration patience) {
    void* tag = nullptr;
    bool ok = false;
    const auto status = queue_.AsyncNext(&tag, &ok, In(patience));
    if (status == grpc::CompletionQueue::GOT_EVENT && !ok) FailBench("a server ended a stream");
    return status == grpc::CompletionQueue::GOT_EVENT;
  }

  const Variant variant_;
  const std::string type_url_;
  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  grpc::ByteBuffer answer_;
};

std::string MissingName(int number) { return absl::StrCat("missing-", number, ".example.com"); }

}  // namespace

absl::Duration Waits::Quantile(double of) const {
  const double rank = std::ceil(of * static_cast<double>(answered.size()));
  return answered[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

Waits AskBackToBack(const std::string& address, Variant variant, const std::string& type_url,
                    int asks, absl::Duration patience) {
  AskingStream stream(address, variant, type_url);
  Waits waits;
  while (waits.asked < asks) {
    const auto wait = stream.Ask(MissingName(waits.asked++), patience);
    if (!wait.has_value()) break;
    waits.answered.push_back(*wait);
  }
  std::sort(waits.answered.begin(), waits.answered.end());
  return waits;
}

Waits AskAfterSilence(const std::string& address, Variant variant, const std::string& type_url,
                      int streams, absl::Duration silence, absl::Duration patience) {
  std::vector<std::optional<absl::Duration>> results(static_cast<size_t>(streams));
  std::vector<std::thread> threads;
  for (int number = 0; number < streams; ++number) {
    threads.emplace_back([&, number] {
      AskingStream stream(address, variant, type_url);
      // The silence is that of a stream in use, which has asked for something that exists.
      if (!stream.Ask(ServedName(number), absl::Seconds(10)).has_value()) {
        FailBench("a server does not answer");
      }
      // One after another, so that none waits for another.
      absl::SleepFor(silence + number * absl::Milliseconds(20));
      results[static_cast<size_t>(number)] = stream.Ask(MissingName(number), patience);
    });
  }
  for (std::thread& thread : threads) thread.join();
  Waits waits{.asked = streams};
  for (const auto& wait : results) {
    if (wait.has_value()) waits.answered.push_back(*wait);
  }
  std::sort(waits.answered.begin(), waits.answered.end());
  return waits;
}

}  // namespace holdfast

#include "bench/control/missing_names.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <thread>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "bench/control/bench_failure.h"
#include "bench/control/load_client.h"
#include "wire/envelope.h"

namespace holdfast {
namespace {

gpr_timespec In(absl::Duration time) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_nanos(absl::ToInt64Nanoseconds(time), GPR_TIMESPAN));
}

// One stream, one operation at a time.
class AskingStream {
 public:
  explicit AskingStream(const MissingNameOptions& options)
      : options_(options), stub_(ConnectTo(options.address)) {
    call_ = stub_.PrepareCall(&context_, MethodOf(options.variant), &queue_);
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
  std::optional<absl::Duration> Ask(const std::string& name, DueAnswer due) {
    const absl::Time start = absl::Now();
    const absl::Time end = start + options_.patience;
    call_->Write(AskFor(options_.variant, TypeUrlOf(options_.kind), {name}), nullptr);
    Finished(options_.patience);
    do {
      call_->Read(&answer_, nullptr);
      if (!Finished(std::max(end - absl::Now(), absl::ZeroDuration()))) return std::nullopt;
    } while (due == DueAnswer::kErrorOfTheName && !IsErrorOf(name));
    return absl::Now() - start;
  }

 private:
  // Whether the answer says that there is none of this name.
  bool IsErrorOf(const std::string& name) const {
    grpc::Slice slice;
    if (!answer_.DumpToSingleSlice(&slice).ok()) FailBench("a response cannot be read");
    const absl::string_view piece(reinterpret_cast<const char*>(slice.begin()), slice.size());
    std::deque<std::string> joined;
    const auto response = options_.variant == Variant::kDelta
                              ? ScanDeltaResponse(piece)
                              : ScanResponse(
                                    {piece}, [](absl::string_view) { return uint32_t{1}; }, joined);
    if (!response.ok() || !response->problem.empty()) FailBench("a response is no message");
    return absl::c_linear_search(response->removed_resources, name) ||
           absl::c_any_of(response->resource_errors, [&name](const ResourceError& error) {
             return error.name == name && error.problem.empty();
           });
  }

  bool Finished(absl::Duration patience) {
    void* tag = nullptr;
    bool ok = false;
    const auto status = queue_.AsyncNext(&tag, &ok, In(patience));
    if (status == grpc::CompletionQueue::GOT_EVENT && !ok) FailBench("a server ended a stream");
    return status == grpc::CompletionQueue::GOT_EVENT;
  }

  const MissingNameOptions& options_;
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

Waits MissingNameAsker::AskBackToBack(int asks) const {
  AskingStream stream(options_);
  Waits waits;
  while (waits.asked < asks) {
    const auto wait = stream.Ask(MissingName(waits.asked++), options_.due);
    if (!wait.has_value()) break;
    waits.answered.push_back(*wait);
  }
  std::sort(waits.answered.begin(), waits.answered.end());
  return waits;
}

Waits MissingNameAsker::AskAfterSilence(int streams, absl::Duration silence) const {
  std::vector<std::optional<absl::Duration>> results(static_cast<size_t>(streams));
  std::vector<std::thread> threads;
  for (int number = 0; number < streams; ++number) {
    threads.emplace_back([&, number] {
      AskingStream stream(options_);
      // The silence is that of a stream in use, which has asked for something that exists.
      if (!stream.Ask(ServedName(number), DueAnswer::kAny).has_value()) {
        FailBench("a server does not answer");
      }
      // One after another, so that none waits for another.
      absl::SleepFor(silence + number * absl::Milliseconds(20));
      results[static_cast<size_t>(number)] = stream.Ask(MissingName(number), options_.due);
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

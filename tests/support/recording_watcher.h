// A watcher that remembers what it heard, for tests that wait for it.
//
//   auto alice = std::make_shared<RecordingWatcher<EnvoyResource>>();
//   Watch watch = client->StartWatch(EnvoyClusterType(), "pay", alice);
//   EXPECT_THAT(alice->Next(), OfKind(Heard::kValue));
//
// Thread-safe. All waiting is bounded: what does not come fails the test.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "holdfast/xds/error.h"
#include "holdfast/xds/watcher.h"
#include "tests/support/patience.h"

namespace holdfast {

// One call, without the value.
struct Heard {
  enum Kind {
    kNothing,       // what Next returns when nothing came
    kValue,         // OnResourceChanged(value)
    kError,         // OnResourceChanged(error)
    kAmbientError,  // OnAmbientError(error)
    kAllClear,      // OnAmbientError(OK)
  };
  Kind kind = kNothing;
  absl::Status status;

  absl::StatusCode code() const { return status.code(); }
  std::string text() const { return std::string(status.message()); }
  // kConnectivity where there is no detail; no test should rest on that.
  Cause cause() const { return DetailOf(status).value_or(ErrorDetail()).cause; }

  friend std::ostream& operator<<(std::ostream& out, const Heard& heard) {
    static constexpr const char* kNames[] = {"nothing", "value", "error", "ambient error",
                                             "all-clear"};
    return out << kNames[heard.kind] << " " << heard.status;
  }
};

// EXPECT_THAT(watching.Next(), OfKind(Heard::kValue)): what was heard instead is printed.
MATCHER_P(OfKind, kind, "") { return arg.kind == kind; }

template <class T>
class RecordingWatcher : public Watcher<T> {
 public:
  void OnResourceChanged(absl::StatusOr<std::shared_ptr<const T>> resource) override {
    if (resource.ok()) {
      Record({Heard::kValue, absl::OkStatus()}, *std::move(resource));
    } else {
      Record({Heard::kError, resource.status()}, nullptr);
    }
  }
  void OnAmbientError(absl::Status status) override {
    const Heard::Kind kind = status.ok() ? Heard::kAllClear : Heard::kAmbientError;
    Record({kind, std::move(status)}, nullptr);
  }

  // The next call that was not returned yet.
  Heard Next() {
    absl::MutexLock lock(&mutex_);
    const auto has_more = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
      return heard_.size() > returned_;
    };
    if (!mutex_.AwaitWithTimeout(absl::Condition(&has_more), kPatience)) {
      ADD_FAILURE() << "the watcher heard nothing more; in all " << heard_.size() << " calls";
      return {};
    }
    return heard_[returned_++];
  }

  // The next one of this kind; those before it are passed over.
  Heard Next(Heard::Kind kind) {
    Heard heard;
    do heard = Next();
    while (heard.kind != kind && heard.kind != Heard::kNothing);
    return heard;
  }

  // All so far, returned or not.
  std::vector<Heard> All() const {
    absl::MutexLock lock(&mutex_);
    return heard_;
  }

  // The newest value, also after errors; null if none came.
  std::shared_ptr<const T> value() const {
    absl::MutexLock lock(&mutex_);
    return value_;
  }

 private:
  void Record(Heard heard, std::shared_ptr<const T> value) {
    absl::MutexLock lock(&mutex_);
    heard_.push_back(std::move(heard));
    if (value != nullptr) value_ = std::move(value);
  }

  mutable absl::Mutex mutex_;
  std::vector<Heard> heard_ ABSL_GUARDED_BY(mutex_);
  size_t returned_ ABSL_GUARDED_BY(mutex_) = 0;
  std::shared_ptr<const T> value_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace holdfast

#include "tests/simulation/watchers.h"

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/error_detail.h"

namespace holdfast {

bool IsSameToWatchers(const ErrorDetail& a, const ErrorDetail& b) {
  return a.code == b.code && a.cause == b.cause && a.text == b.text &&
         a.consequence == b.consequence;
}

bool IsDataError(const ErrorDetail& error) {
  switch (error.cause) {
    case Cause::kNack:
    case Cause::kDeleted:
      return true;
    case Cause::kServerError:
      return error.code == absl::StatusCode::kNotFound ||
             error.code == absl::StatusCode::kPermissionDenied;
    case Cause::kTimeout:
    case Cause::kConnectivity:
    case Cause::kBadName:
      return false;
  }
  return false;
}

bool Watchers::IsAnyNameWatched() const {
  for (const NameSet& names : watched_) {
    if (names.any()) return true;
  }
  return false;
}

WatcherRecord& Watchers::Start(WatchId id, ResourceKey key, bool is_malformed) {
  WatcherRecord& watcher = active_.emplace_back();
  watcher.id = id;
  watcher.key = key;
  watcher.is_malformed = is_malformed;
  if (!is_malformed) {
    watched_[static_cast<size_t>(key.type)].set(static_cast<size_t>(key.name));
  }
  return watcher;
}

void Watchers::Cancel(size_t index) {
  const WatcherRecord gone = active_[index];
  active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(index));
  if (gone.is_malformed) return;
  NameSet& names = watched_[static_cast<size_t>(gone.key.type)];
  names.reset(static_cast<size_t>(gone.key.name));
  ForEachOf(gone.key, [&](WatcherRecord&) { names.set(static_cast<size_t>(gone.key.name)); });
}

void Watchers::BeginStep() {
  calls_ = 0;
  for (WatcherRecord& watcher : active_) watcher.calls = 0;
}

WatcherRecord* Watchers::Called(WatchId id) {
  ++calls_;
  for (WatcherRecord& watcher : active_) {
    if (watcher.id != id) continue;
    ++watcher.calls;
    return &watcher;
  }
  findings_.Add(absl::StrCat("a call to watcher ", id.value(), ", which cancelled or never was"));
  return nullptr;
}

void Watchers::Hear(const DeliverResource& news) {
  WatcherRecord* watcher = Called(news.watch);
  if (watcher == nullptr) return;
  const int content = ContentOf(*news.value);
  if (content == watcher->content) Broken(*watcher, "was given the value it has");  // R3.10
  watcher->content = content;
  watcher->error = nullptr;
}

void Watchers::Hear(const DeliverError& news) {
  WatcherRecord* watcher = Called(news.watch);
  if (watcher == nullptr) return;
  if (watcher->content != kNoContent) {
    CheckMayDrop(*watcher, *news.error);
  } else if (watcher->error != nullptr && !watcher->is_error_over &&
             IsSameToWatchers(*watcher->error, *news.error)) {
    Broken(*watcher, "was told the same error twice");
  }
  watcher->is_error_over = false;
  watcher->content = kNoContent;
  watcher->error = news.error;
}

void Watchers::Hear(const DeliverAmbientError& news) {
  WatcherRecord* watcher = Called(news.watch);
  if (watcher == nullptr) return;
  if (watcher->content == kNoContent) Broken(*watcher, "has no value and heard an ambient error");
  if (news.error == nullptr) {
    if (watcher->error == nullptr) Broken(*watcher, "heard the all-clear, and nothing was wrong");
  } else {
    CheckMayBeAmbient(*watcher, *news.error);
    if (watcher->error != nullptr && IsSameToWatchers(*watcher->error, *news.error)) {
      Broken(*watcher, "was told the same ambient error twice");
    }
  }
  watcher->error = news.error;
}

// R3-T07, R3-T10, R3-T13; with the guard off only a deletion, and only without the feature of A53.
void Watchers::CheckMayDrop(const WatcherRecord& watcher, const ErrorDetail& error) {
  const bool may = mode_.data_error_handling
                       ? mode_.fail_on_data_errors && IsDataError(error)
                       : error.cause == Cause::kDeleted && !mode_.ignore_resource_deletion;
  if (!may) Broken(watcher, "lost its value to an error that should leave it in use");
}

void Watchers::CheckMayBeAmbient(const WatcherRecord& watcher, const ErrorDetail& error) {
  bool may = error.cause != Cause::kTimeout && error.cause != Cause::kBadName;
  if (mode_.data_error_handling) {
    may &= !(mode_.fail_on_data_errors && IsDataError(error));
  } else {
    may &= error.cause != Cause::kServerError && error.cause != Cause::kDeleted;
  }
  if (!may) Broken(watcher, "heard as ambient what should have taken its value, or never be said");
}

void Watchers::CheckExpectations() {
  for (const WatcherRecord& watcher : active_) {
    if (watcher.content != watcher.expected_content) {
      Broken(watcher, "uses something else than the cache should have");
    } else if ((watcher.error != nullptr) != watcher.expects_error) {
      Broken(watcher, watcher.expects_error ? "was not told of an error"
                                            : "was not told that the error is over");
    } else if (watcher.expects_error && !watcher.expected_error.Fits(*watcher.error)) {
      Broken(watcher, "was last told of another error than it should");
    }
  }
}

void Watchers::Broken(const WatcherRecord& watcher, const char* what) {
  if (!findings_.ok()) return;
  const auto value = [](int content) {
    return content == kNoContent ? absl::string_view("nothing") : ContentAt(content);
  };
  std::string text =
      absl::StrCat("watcher ", watcher.id.value(), " of ", TypeAt(watcher.key.type).noun(), " ",
                   NameAt(watcher.key.name), " ", what, "; it uses ", value(watcher.content),
                   ", last error ", watcher.error == nullptr ? "none" : TextOf(*watcher.error));
  absl::StrAppend(&text, "; it should use ", value(watcher.expected_content), ", last error ",
                  watcher.expects_error ? NameOf(watcher.expected_error.cause) : "none");
  findings_.Add(std::move(text));
}

}  // namespace holdfast

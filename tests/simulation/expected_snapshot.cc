// The cache as it should be against the cache as the client shows it.
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/simulation/expected_cache.h"
#include "xds/cache_state.h"

namespace holdfast {
namespace {

ResourceKey KeyOf(const ResourceSnapshot& seen) {
  return {IndexOfTypeUrl(seen.type_url), IndexOfName(seen.name)};
}

std::string Called(const ResourceSnapshot& seen) {
  return absl::StrCat("snapshot: ", seen.type_url, " ", seen.name, " (", seen.cache_state, "): ");
}

}  // namespace

void ExpectedCache::TakeOver(const ClientSnapshot& snapshot) {
  is_anything_undecided_ = false;
  for (const ResourceSnapshot& seen : snapshot.resources) {
    const ResourceKey key = KeyOf(seen);
    Entry& its = entry(key);
    if (!its.is_undecided) continue;
    its.is_undecided = false;
    its.state = seen.state;
    its.content = seen.bytes == nullptr ? kNoContent : ContentOf(*seen.bytes);
    its.has_error = seen.error.has_value();
    if (its.has_error) its.error = {seen.error->cause, seen.error->code};
    watchers_.ForEachOf(key, [&](WatcherRecord& watcher) {
      watcher.expected_content = its.content;
      watcher.expects_error = its.has_error || is_server_failing_;
      watcher.expected_error = is_server_failing_ ? ErrorKind{Cause::kConnectivity} : its.error;
    });
  }
}

void ExpectedCache::Check(const ClientSnapshot& snapshot) {
  size_t watched = 0;
  for (int type = 0; type < kTypes; ++type) watched += watchers_.watched(type).count();
  if (snapshot.resources.size() != watched) {
    findings_.Add(absl::StrCat("the snapshot lists ", snapshot.resources.size(), " resources, and ",
                               watched, " are watched"));
    return;
  }
  if (watched == 0) return;
  if (snapshot.servers.size() != 1) {
    findings_.Add("the snapshot does not list the one server");
    return;
  }
  const ServerSnapshot& server = snapshot.servers[0];
  if (server.error.has_value() != is_server_failing_ ||
      (server.error.has_value() && server.is_connected)) {
    findings_.Add("the snapshot is wrong about the server being well");
  }
  for (const ResourceSnapshot& seen : snapshot.resources) {
    const ResourceKey key = KeyOf(seen);
    if (key.type < 0 || key.name < 0 || !watchers_.IsWatched(key)) {
      findings_.Add(Called(seen) + "nobody watches it");
      return;
    }
    CheckEntry(seen, key);
    CheckWords(snapshot, seen, key);
  }
}

void ExpectedCache::CheckEntry(const ResourceSnapshot& seen, ResourceKey key) {
  const Entry& its = entry(key);
  const int content = seen.bytes == nullptr ? kNoContent : ContentOf(*seen.bytes);
  if (seen.state != its.state) {
    findings_.Add(Called(seen) + absl::StrCat("should be ", CacheStateLabel(its.state, false)));
  }
  if (content != its.content) findings_.Add(Called(seen) + "has another content than it should");
  if (seen.error.has_value() != its.has_error) {
    findings_.Add(Called(seen) + (its.has_error ? "forgot its error" : "should have no error"));
  } else if (its.has_error && !its.error.Fits(*seen.error)) {
    findings_.Add(Called(seen) + absl::StrCat("should have an error of ", NameOf(its.error.cause),
                                              ", not ", NameOf(seen.error->cause), ": ",
                                              seen.error->text));
  }
  if (seen.cache_state != CacheStateLabel(its.state, its.content != kNoContent)) {
    findings_.Add(Called(seen) + "has the wrong label");
  }
}

void ExpectedCache::CheckWords(const ClientSnapshot& snapshot, const ResourceSnapshot& seen,
                               ResourceKey key) {
  size_t count = 0;
  watchers_.ForEachOf(key, [&](const WatcherRecord& watcher) {
    ++count;
    if (watcher.error == nullptr) return;
    const bool is_about_server = watcher.error->cause == Cause::kConnectivity;
    const std::optional<ErrorDetail>& source =
        is_about_server ? snapshot.servers[0].error : seen.error;
    // Of a connection that works again, in REQUESTED, they may know more than the snapshot.
    if (!source.has_value()) return;
    if (source->code != watcher.error->code || source->text != watcher.error->text) {
      findings_.Add(Called(seen) + absl::StrCat("watcher ", watcher.id.value(), " was told \"",
                                                watcher.error->text, "\", the snapshot says \"",
                                                source->text, "\""));
    }
  });
  if (count != seen.watchers) findings_.Add(Called(seen) + "counts its watchers wrong");
}

}  // namespace holdfast

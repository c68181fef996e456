#include "tests/simulation/expected_cache.h"

#include "absl/status/status.h"

namespace holdfast {
namespace {

absl::StatusCode CodeToWatchers(int32_t code) {
  const bool is_known = code >= 1 && code <= 16;
  return is_known ? static_cast<absl::StatusCode>(code) : absl::StatusCode::kUnknown;  // R2.14
}

Answer Worse(Answer a, Answer b) {
  if (a == Answer::kNack || b == Answer::kNack) return Answer::kNack;
  return a == Answer::kEither ? a : b;
}

}  // namespace

void ExpectedCache::WatcherCame(WatcherRecord& newcomer) {
  if (newcomer.is_malformed) {  // R3.12
    newcomer.expects_error = true;
    newcomer.expected_error = {Cause::kBadName};
    return;
  }
  Entry& its = entry(newcomer.key);
  if (its.life == Life::kGone) its = Entry();
  if (its.life == Life::kMaybeGone) {
    its.is_undecided = true;
    is_anything_undecided_ = true;
  }
  its.life = Life::kWatched;
  // Value, entry error, server status (R3.05 to R3.07): what counts is the last.
  newcomer.expected_content = its.content;
  newcomer.expects_error = its.has_error || is_server_failing_;
  newcomer.expected_error = is_server_failing_ ? ErrorKind{Cause::kConnectivity} : its.error;
}

void ExpectedCache::NobodyIsLeft(ResourceKey key, bool is_on_wire) {
  entry(key).life = is_on_wire ? Life::kLingering : Life::kMaybeGone;
}

void ExpectedCache::RequestOrdered(int type, const NameSet& names) {
  for (int name = 0; name < kNames; ++name) {
    Life& life = entry({type, name}).life;
    if (life == Life::kLingering && !names[static_cast<size_t>(name)]) life = Life::kMaybeGone;
  }
}

void ExpectedCache::RequestLeft(int type, const NameSet& names) {
  for (int name = 0; name < kNames; ++name) {
    Life& life = entry({type, name}).life;
    if (life == Life::kMaybeGone && !names[static_cast<size_t>(name)]) life = Life::kGone;
  }
}

void ExpectedCache::StreamEnded() {
  for (Entry& its : entries_) {
    if (its.life == Life::kLingering) its.life = Life::kMaybeGone;
  }
}

// Every watcher of a resource knows what the cache knows, and nothing else is on their minds.
void ExpectedCache::Settle(ResourceKey key) {
  const Entry& its = entry(key);
  if (its.content == kNoContent && !its.has_error) {
    // REQUESTED: what they heard of the connection is over, and there is nothing to say (T26).
    watchers_.ForEachOf(key, [](WatcherRecord& watcher) { watcher.is_error_over = true; });
    return;
  }
  watchers_.ForEachOf(key, [&](WatcherRecord& watcher) {
    watcher.expected_content = its.content;
    watcher.expects_error = its.has_error;
    watcher.expected_error = its.error;
  });
}

void ExpectedCache::ServerAnswered() {
  if (!is_server_failing_) return;
  is_server_failing_ = false;
  for (int type = 0; type < kTypes; ++type) {
    for (int name = 0; name < kNames; ++name) {
      if (watchers_.IsWatched({type, name})) Settle({type, name});
    }
  }
}

void ExpectedCache::ServerIsTriedAnew() {
  is_server_failing_ = false;
  watchers_.ForEach([this](WatcherRecord& watcher) {
    if (watcher.is_malformed) return;
    watcher.expects_error = entry(watcher.key).has_error;
    watcher.expected_error = entry(watcher.key).error;
  });
}

void ExpectedCache::ServerFailed() {
  is_server_failing_ = true;
  watchers_.ForEach([](WatcherRecord& watcher) {
    if (watcher.is_malformed) return;
    watcher.expects_error = true;
    watcher.expected_error = {Cause::kConnectivity};
  });
}

void ExpectedCache::TimerFired(ResourceKey key) {
  const bool is_transient = mode_.data_error_handling && mode_.resource_timer_is_transient_error;
  const CacheState state = is_transient ? CacheState::kTimeout : CacheState::kDoesNotExist;
  const absl::StatusCode code =
      is_transient ? absl::StatusCode::kUnavailable : absl::StatusCode::kNotFound;
  Fail(key, state, {Cause::kTimeout, code}, /*is_data_error=*/false);
}

void ExpectedCache::Fail(ResourceKey key, CacheState state, ErrorKind error, bool is_data_error) {
  Entry& its = entry(key);
  its.state = state;
  its.has_error = true;
  its.error = error;
  if (is_data_error && mode_.data_error_handling && mode_.fail_on_data_errors) {
    its.content = kNoContent;
  }
  Settle(key);
}

void ExpectedCache::Delete(ResourceKey key) {
  Entry& its = entry(key);
  if (its.content == kNoContent) return;                // T18: it may never have been there
  if (its.state == CacheState::kReceivedError) return;  // T19
  if (its.state == CacheState::kDoesNotExist) return;   // T20
  if (!mode_.data_error_handling) {
    if (mode_.ignore_resource_deletion) return;
    its.content = kNoContent;
  }
  Fail(key, CacheState::kDoesNotExist, {Cause::kDeleted, absl::StatusCode::kNotFound}, true);
}

Answer ExpectedCache::AnswerTo(int type, const DiscoveryResponse& response) const {
  const auto if_wanted = [&](int name) {
    if (name < 0) return Answer::kAck;
    const Life life = entry({type, name}).life;
    if (life == Life::kWatched) return Answer::kNack;
    return life == Life::kGone ? Answer::kAck : Answer::kEither;
  };
  Answer answer = response.problem.empty() ? Answer::kAck : Answer::kNack;
  std::array<int, kNames> seen = {};
  for (const ResourceEntry& resource : response.resources) {
    const int name = IndexOfName(resource.name);
    if (resource.name.empty()) answer = Answer::kNack;
    // What nobody asked for is dropped unread (DEC-14).
    const bool is_bad = !resource.problem.empty() || ContentOf(resource.body) < 0;
    if (is_bad) answer = Worse(answer, if_wanted(name));
    if (name >= 0 && ++seen[static_cast<size_t>(name)] > 1) {  // R1.15
      answer = Worse(answer, if_wanted(name) == Answer::kNack ? Answer::kNack : Answer::kEither);
    }
  }
  if (!mode_.data_error_handling) return answer;
  for (const ResourceError& error : response.resource_errors) {
    const int name = IndexOfName(error.name);
    if (error.name.empty()) answer = Answer::kNack;  // R2.20
    const bool is_in_both = name >= 0 && seen[static_cast<size_t>(name)] > 0;
    if (!error.problem.empty() || is_in_both) {  // R2.20, R2.23
      answer = Worse(answer, if_wanted(name) == Answer::kNack ? Answer::kNack : Answer::kEither);
    }
    if (name >= 0) ++seen[static_cast<size_t>(name)];
  }
  return answer;
}

Answer ExpectedCache::Respond(const DiscoveryResponse& response) {
  const int type = IndexOfTypeUrl(response.type_url);
  const Answer answer = AnswerTo(type, response);
  if (!response.problem.empty()) return answer;

  std::array<Mentions, kNames> said;
  bool is_a_name_missing = false;
  for (const ResourceEntry& resource : response.resources) {
    is_a_name_missing |= resource.name.empty();
    const int name = IndexOfName(resource.name);
    if (name < 0) continue;
    Mentions& mentions = said[static_cast<size_t>(name)];
    ++mentions.resources;
    mentions.content = resource.problem.empty() ? ContentOf(resource.body) : kNoContent;
  }
  if (mode_.data_error_handling) {
    for (const ResourceError& error : response.resource_errors) {
      is_a_name_missing |= error.name.empty();
      const int name = IndexOfName(error.name);
      if (name < 0) continue;
      Mentions& mentions = said[static_cast<size_t>(name)];
      if (error.problem.empty()) {
        mentions.error = &error;
      } else {
        mentions.is_in_broken_error = true;
      }
    }
  }
  for (int name = 0; name < kNames; ++name) {
    const Mentions& mentions = said[static_cast<size_t>(name)];
    Apply({type, name}, mentions, IsFullState(type) && !is_a_name_missing);
  }
  return answer;
}

// `is_complete`: not to be mentioned means to be deleted.
void ExpectedCache::Apply(ResourceKey key, const Mentions& mentions, bool is_complete) {
  Entry& its = entry(key);
  // Whether the kept copy of an unwatched resource goes with the times is nobody's business.
  if (its.life == Life::kLingering) its.life = Life::kMaybeGone;
  if (its.life != Life::kWatched) return;
  if (mentions.error != nullptr) {
    const absl::StatusCode code = CodeToWatchers(mentions.error->code);
    const bool is_data_error =
        code == absl::StatusCode::kNotFound || code == absl::StatusCode::kPermissionDenied;
    Fail(key, CacheState::kReceivedError, {Cause::kServerError, code}, is_data_error);
  } else if (mentions.resources > 1 ||
             (mentions.resources == 1 && mentions.content == kNoContent)) {
    Fail(key, CacheState::kNacked, {Cause::kNack, absl::StatusCode::kInvalidArgument}, true);
  } else if (mentions.resources == 1) {
    its.state = CacheState::kAcked;
    its.content = mentions.content;
    its.has_error = false;
    Settle(key);
  } else if (is_complete && !mentions.is_in_broken_error) {
    Delete(key);
  }
}

}  // namespace holdfast

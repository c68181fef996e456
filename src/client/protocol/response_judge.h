// Judges one response, part by part: what is new, what is as it was, what is wrong, what is gone;
// brings the cache up to date and tells the watchers.
//
// One response makes at most one event of a name (R3.34). Valid parts are used even where others
// are not (A46).
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "client/protocol/client_errors.h"
#include "client/protocol/error_policy.h"
#include "client/protocol/nack_text.h"
#include "client/protocol/resource_timers.h"
#include "client/protocol/subscribed_type.h"
#include "client/protocol/turn.h"
#include "xds/any_resource_type.h"
#include "xds/discovery.h"

namespace holdfast {

// What does not change from one response to the next.
struct JudgeContext {
  bool data_error_handling;
  DecodeContext decode;  // of the server
  const ClientErrors& errors;
  ResourceTimers& timers;
  // What was logged as accepted and not enforced: "cluster outlier_detection".
  std::set<std::string>& not_enforced;
};

struct ResponseVerdict {
  std::string nack;  // empty: accepted
  int64_t valid = 0;
  int64_t invalid = 0;
};

class ResponseJudge {
 public:
  // `serial` is another number for each response.
  ResponseJudge(const JudgeContext& context, SubscribedType& type, StreamId stream, uint64_t serial,
                Turn& turn);

  ResponseVerdict Judge(const DiscoveryResponse& response);

 private:
  // First it is found out which entry each part is about...
  void MatchResources(const DiscoveryResponse& response);
  void MatchErrors(const DiscoveryResponse& response);
  CacheEntry* Match(absl::string_view list, size_t index, absl::string_view name,
                    CacheEntry* found);
  void Mention(CacheEntry& entry);

  // ...then what that means for it.
  void JudgeResource(size_t index, const ResourceEntry& resource, CacheEntry& entry);
  void Use(size_t index, const ResourceEntry& resource, CacheEntry& entry);
  void Reject(size_t index, CacheEntry& entry, absl::string_view why);
  void JudgeError(const ResourceError& error, CacheEntry& entry);
  void JudgeAbsence(CacheEntry& entry);

  Circumstances CircumstancesOf(const CacheEntry& entry) const;
  Consequence ConsequenceOf(const CacheEntry& entry, bool drop_cached) const;
  void Fail(CacheEntry& entry, const Verdict& verdict, SharedError error);
  void LogFailure(const ErrorDetail& detail);
  void LogNotEnforced(const CacheEntry& entry, const std::vector<std::string>& paths);
  void EndIgnoredDeletion(CacheEntry& entry);

  const JudgeContext& context_;
  SubscribedType& type_;
  const StreamId stream_;
  const uint64_t serial_;
  Turn& turn_;

  SharedText version_;
  NackText nack_;
  ResponseVerdict verdict_;
  std::vector<CacheEntry*> resources_;  // by index; null: not ours, or unknown
  bool is_a_name_unknown_ = false;
  size_t mentioned_ = 0;  // entries
  absl::flat_hash_set<const CacheEntry*> listed_twice_;
  std::vector<std::pair<CacheEntry*, const ResourceError*>> errors_;  // in the server's order
  absl::flat_hash_map<const CacheEntry*, const ResourceError*> newest_error_;
  size_t logged_ = 0;
};

}  // namespace holdfast

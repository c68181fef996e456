#include "control/source/memory_source.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/outside_text.h"
#include "base/utf8.h"
#include "control/catalog/references.h"
#include "xds/resource_name.h"

namespace holdfast {
namespace {

absl::Status Refusal(const Transaction::Key& key, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(Quoted(key.first), " ", Quoted(key.second), ": ",
                                                 what, "; the commit has changed nothing"));
}

absl::Status CheckKey(const Transaction::Key& key) {
  const auto& [type, name] = key;
  if (type.empty()) return Refusal(key, "the type is empty");
  if (!IsUtf8(type)) return Refusal(key, "the type is not UTF-8");
  if (name.empty()) return Refusal(key, "the name is empty");
  if (!IsUtf8(name)) return Refusal(key, "the name is not UTF-8");
  if (name == "*") return Refusal(key, "\"*\" is the wildcard and names no resource");
  const absl::StatusOr<ResourceName> parsed = ResourceName::Parse(name, type);
  if (!parsed.ok()) return Refusal(key, parsed.status().message());
  return absl::OkStatus();
}

absl::Status CheckResource(const Transaction::Key& key, const OpaqueResource& resource) {
  if (resource.ttl.has_value() && resource.ttl->count() <= 0) {
    return Refusal(
        key, absl::StrCat("a TTL is longer than nothing (got ", resource.ttl->count(), " ms)"));
  }
  return absl::OkStatus();
}

absl::Status CheckError(const Transaction::Key& key, const absl::Status& error) {
  if (error.ok()) return Refusal(key, "OK is no error; ClearError() takes one back");
  if (!IsUtf8(error.message())) return Refusal(key, "the text of the error is not UTF-8");
  return absl::OkStatus();
}

absl::Status Check(const Transaction& change) {
  absl::Status status;
  for (const auto& [key, what] : change.resources()) {
    status.Update(CheckKey(key));
    const auto* resource = std::get_if<OpaqueResource>(&what);
    if (resource != nullptr) status.Update(CheckResource(key, *resource));
  }
  for (const auto& [key, error] : change.errors()) {
    status.Update(CheckKey(key));
    if (error.has_value()) status.Update(CheckError(key, *error));
  }
  return status;
}

ResourceKey KeyOf(const Transaction::Key& key) { return {key.first, key.second}; }

ResourcePtr ResourceOf(const ResourceKey& key, const OpaqueResource& resource) {
  std::optional<absl::Duration> ttl;
  if (resource.ttl.has_value()) ttl = absl::FromChrono(*resource.ttl);
  return std::make_shared<const Resource>(key.type, key.name, resource.body, ttl,
                                          ChildrenOf(key.type, resource.body));
}

}  // namespace

void MemorySource::Start(std::function<void(Published)> publish) {
  const std::lock_guard lock(mutex_);
  publish_ = std::move(publish);
  Publish(All());
}

void MemorySource::Stop() {
  const std::lock_guard lock(mutex_);
  publish_ = nullptr;
}

absl::StatusOr<CommitId> MemorySource::Commit(Transaction change,
                                              std::optional<CommitId> expected) {
  if (absl::Status status = Check(change); !status.ok()) return status;
  const std::lock_guard lock(mutex_);
  if (expected.has_value() && *expected != newest_) {
    return absl::AbortedError(
        absl::StrCat("commit ", static_cast<uint64_t>(*expected),
                     " was expected to be the newest, ", "but ", static_cast<uint64_t>(newest_),
                     " is; nothing has changed: look at what changed, and try again"));
  }
  std::set<ResourceKey> touched = Apply(change);
  newest_ = CommitId{static_cast<uint64_t>(newest_) + 1};
  if (publish_) Publish(Only(std::move(touched)));
  return newest_;
}

std::set<ResourceKey> MemorySource::Apply(const Transaction& change) {
  std::set<ResourceKey> touched;
  for (const auto& [recorded, what] : change.resources()) {
    const ResourceKey& key = *touched.insert(KeyOf(recorded)).first;
    const auto* put = std::get_if<OpaqueResource>(&what);
    if (put == nullptr) {
      resources_.erase(key);
      continue;
    }
    ResourcePtr next = ResourceOf(key, *put);
    ResourcePtr& current = resources_[key];
    if (current == nullptr || current->hash() != next->hash()) current = std::move(next);
  }
  for (const auto& [recorded, error] : change.errors()) {
    const ResourceKey& key = *touched.insert(KeyOf(recorded)).first;
    if (error.has_value()) {
      errors_[key] = MakeNameError(static_cast<int>(error->code()), error->message());
    } else {
      errors_.erase(key);
    }
  }
  return touched;
}

Contents MemorySource::All() const {
  Contents contents;
  contents.resources.reserve(resources_.size());
  for (const auto& [key, resource] : resources_) contents.resources.push_back(resource);
  contents.errors = errors_;
  return contents;
}

Contents MemorySource::Only(std::set<ResourceKey> keys) const {
  Contents contents;
  for (const ResourceKey& key : keys) {
    // Both, also if only one was touched: which of them is served depends on the other.
    const auto resource = resources_.find(key);
    if (resource != resources_.end()) contents.resources.push_back(resource->second);
    const auto error = errors_.find(key);
    if (error != errors_.end()) contents.errors.insert(*error);
  }
  contents.only = std::move(keys);
  return contents;
}

void MemorySource::Publish(Contents contents) {
  contents.is_synced = newest_ != CommitId{};
  publish_({.contents = std::move(contents), .has_good_configuration = newest_ != CommitId{}});
}

}  // namespace holdfast

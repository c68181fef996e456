#include "control/source/last_good.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

std::string NameInDirectory(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return std::string(slash == absl::string_view::npos ? path : path.substr(slash + 1));
}

std::string Describe(const ResourceKey& key) {
  return absl::StrCat(key.type, " ", Quoted(key.name));
}

// Of what is defined only these are sent (TP3): all others say that it passes.
bool Withdraws(const NameError& error) {
  const auto code = static_cast<absl::StatusCode>(error.code);
  return code == absl::StatusCode::kNotFound || code == absl::StatusCode::kPermissionDenied;
}

// The last good version of each resource, whatever file it came from.
class Versions {
 public:
  explicit Versions(const LastGood& good) {
    for (const auto& [name, file] : good) {
      for (const auto& [key, resource] : file.resources) by_key_.emplace(key, resource);
    }
  }

  ResourcePtr Find(const ResourceKey& key) const {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : found->second;
  }

  ResourcePtr Shared(const ResourcePtr& resource) const {
    ResourcePtr before = Find(resource->key());
    return before != nullptr && before->hash() == resource->hash() ? before : resource;
  }

 private:
  std::map<ResourceKey, ResourcePtr> by_key_;
};

class Step {
 public:
  explicit Step(const LastGood& before) : before_(before), versions_(before) {}

  // First all that can be read, then what is kept: what is read now goes before it.
  void Read(const ConfigFile& file) {
    GoodFile& good = next_.good[NameInDirectory(file.path)];
    good.labels = file.labels;
    for (const DefinedError& defined : file.errors) {
      good.errors[defined.key] = defined.error;
      errors_.insert(defined.key);
    }
    for (const DefinedResource& defined : file.resources) {
      const ResourceKey& key = defined.resource->key();
      if (!resources_.insert(key).second) continue;  // LintTogether leaves none; never serve both.
      good.resources.emplace(key, versions_.Shared(defined.resource));
    }
  }

  void KeepFile(const ConfigFile& file) {
    const std::string name = NameInDirectory(file.path);
    const auto before = before_.find(name);
    if (before == before_.end()) {
      NoteNeverRead(file);
      return;
    }
    GoodFile& good = next_.good[name];
    good = before->second;
    std::erase_if(good.resources,
                  [&](const auto& kept) { return resources_.contains(kept.first); });
    std::erase_if(good.errors, [&](const auto& kept) { return errors_.contains(kept.first); });
    for (const auto& [key, resource] : good.resources) resources_.insert(key);
    for (const auto& [key, error] : good.errors) kept_errors_.insert(key);
    Say(absl::StrCat(file.path, ": serving what it last said: ", good.resources.size(),
                     " resources and ", good.errors.size(), " errors"));
  }

  // While nobody can tell who may read what: all that was served before, as it was.
  void KeepRestricted(const ConfigFile& file) {
    const std::string name = NameInDirectory(file.path);
    const auto before = before_.find(name);
    if (before == before_.end() && !file.is_readable) return NoteNeverRead(file);
    GoodFile& good = next_.good[name];
    if (before != before_.end()) good = before->second;
    if (file.is_readable) good.access_refusal = file.access_refusal;
    if (file.is_readable && !file.has_unnamed) good.withheld.clear();
    for (const auto& [key, resource] : good.resources) resources_.insert(key);
    for (const auto& [key, error] : good.errors) errors_.insert(key);
    Say(absl::StrCat(file.path, ": serving what was served of it before: ", good.resources.size(),
                     " resources and ", good.errors.size(), " errors"));
  }

  // After KeepRestricted() of all: what else the file says.
  void WithholdNew(const ConfigFile& file, const std::string& refusal) {
    if (!file.is_readable) return;
    GoodFile& good = next_.good[NameInDirectory(file.path)];
    const auto withhold_resource = [&](const ResourceKey& key, const std::string& why) {
      if (resources_.contains(key)) return;
      if (ResourcePtr version = versions_.Find(key)) {  // Of a file that is gone.
        resources_.insert(key);
        good.resources.emplace(key, std::move(version));
      } else if (!errors_.contains(key)) {
        good.withheld.insert_or_assign(key, Internal(why));
      }
    };
    for (const DefinedResource& defined : file.resources) {
      withhold_resource(defined.resource->key(), refusal);
    }
    for (const InvalidResource& invalid : file.invalid) {
      withhold_resource(invalid.key, invalid.text);
    }
    for (const DefinedError& defined : file.errors) {
      if (resources_.contains(defined.key) || errors_.contains(defined.key)) continue;
      good.withheld.insert_or_assign(defined.key, Internal(refusal));
    }
    for (const UnreadError& entry : file.unread_errors) {
      if (resources_.contains(entry.key) || errors_.contains(entry.key)) continue;
      good.withheld.insert_or_assign(entry.key, Internal(entry.text));
    }
    if (good.withheld.empty()) return;
    Say(absl::StrCat(file.path, ": withheld: ", good.withheld.size(),
                     " names that were not served before; clients are told INTERNAL"));
  }

  // What cannot be read may be any error that is missing.
  void KeepErrors(const ConfigFile& file) {
    const std::string name = NameInDirectory(file.path);
    const auto before = before_.find(name);
    if (before == before_.end()) return;
    GoodFile& good = next_.good[name];
    size_t count = 0;
    for (const auto& kept : before->second.errors) {
      if (errors_.contains(kept.first)) continue;
      good.errors.insert(kept);
      kept_errors_.insert(kept.first);
      ++count;
    }
    if (count == 0) return;
    Say(absl::StrCat(file.path, ": still saying what it no longer does, ", count,
                     " errors: they may be what cannot be read now"));
  }

  // An error that moved to this file, and cannot be read here.
  void KeepMovedErrors(const ConfigFile& file) {
    for (const UnreadError& entry : file.unread_errors) {
      if (errors_.contains(entry.key) || kept_errors_.contains(entry.key)) continue;
      for (const auto& [name, before] : before_) {
        const auto found = before.errors.find(entry.key);
        if (found == before.errors.end()) continue;
        next_.good[NameInDirectory(file.path)].errors.insert(*found);
        kept_errors_.insert(entry.key);
        break;
      }
    }
  }

  // After all that is kept.
  void WithholdUnread(const ConfigFile& file) {
    GoodFile& good = next_.good[NameInDirectory(file.path)];
    for (const UnreadError& entry : file.unread_errors) {
      if (!entry.may_deny || resources_.contains(entry.key)) continue;
      if (HasPassingError(entry.key)) continue;  // It stays, and would count less.
      good.withheld.emplace(entry.key, Internal(entry.text));
      if (errors_.contains(entry.key) || kept_errors_.contains(entry.key)) continue;
      Say(absl::StrCat(file.path, ":", entry.place.line, ":", entry.place.column, ": ",
                       entry.place.field, ": ", Describe(entry.key),
                       ": withheld: it may be denied; clients are told INTERNAL"));
    }
  }

  void KeepInvalid(const ConfigFile& file) {
    GoodFile& good = next_.good[NameInDirectory(file.path)];
    for (const InvalidResource& invalid : file.invalid) {
      const std::string what =
          absl::StrCat(file.path, ":", invalid.place.line, ":", invalid.place.column, ": ",
                       invalid.place.field, ": ", Describe(invalid.key));
      // Another place in the files, or another file that is broken, gives a version of it.
      if (!resources_.contains(invalid.key)) {
        ResourcePtr version = versions_.Find(invalid.key);
        if (version == nullptr) {
          good.withheld.emplace(invalid.key, Internal(invalid.text));
          Say(absl::StrCat(what, ": withheld: it never was good; clients are told INTERNAL"));
          continue;
        }
        resources_.insert(invalid.key);
        good.resources.emplace(invalid.key, std::move(version));
      }
      Say(absl::StrCat(what, ": serving the last good version"));
    }
  }

  // What nobody can tell the name of may be anything that is missing.
  void KeepMissing(const ConfigFile& file) {
    const std::string name = NameInDirectory(file.path);
    const auto before = before_.find(name);
    if (before == before_.end()) return;
    GoodFile& good = next_.good[name];
    size_t count = 0;
    for (const auto& kept : before->second.resources) {
      if (!resources_.insert(kept.first).second) continue;
      good.resources.insert(kept);
      ++count;
    }
    good.withheld.insert(before->second.withheld.begin(), before->second.withheld.end());
    good.labels.insert(before->second.labels.begin(), before->second.labels.end());
    if (count == 0) return;
    Say(absl::StrCat(file.path, ": still serving what it no longer has, ", count,
                     " resources: they may be what has no known type or name now"));
  }

  Advanced Done() && { return std::move(next_); }

 private:
  static NameError Internal(const std::string& text) {
    return MakeNameError(static_cast<int>(absl::StatusCode::kInternal), text);
  }

  // Of those for a name the first counts.
  bool HasPassingError(const ResourceKey& key) const {
    for (const auto& [name, file] : next_.good) {
      const auto found = file.errors.find(key);
      if (found != file.errors.end()) return !Withdraws(found->second);
    }
    return false;
  }

  void NoteNeverRead(const ConfigFile& file) {
    next_.never_read.push_back(NameInDirectory(file.path));
    Say(absl::StrCat(file.path, ": nothing of it is served: it never was readable"));
  }

  void Say(std::string line) {
    if (said_.insert(line).second) next_.consequences.push_back(std::move(line));
  }

  const LastGood& before_;
  const Versions versions_;
  std::set<ResourceKey> resources_;  // of next_, all files
  std::set<ResourceKey> errors_;     // that were read now
  std::set<ResourceKey> kept_errors_;
  std::set<std::string> said_;
  Advanced next_;
};

// Why nothing new may be served; "" if it may. A file that cannot be read may still have its rule.
std::string AccessRefusal(const LastGood& before, absl::Span<const ConfigFile> files) {
  for (const ConfigFile& file : files) {
    if (!file.access_refusal.empty()) return file.access_refusal;
    const auto found = before.find(NameInDirectory(file.path));
    if (file.is_readable || found == before.end()) continue;
    if (!found->second.access_refusal.empty()) return found->second.access_refusal;
  }
  return "";
}

bool SaysTheSame(const std::map<ResourceKey, ResourcePtr>& a,
                 const std::map<ResourceKey, ResourcePtr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.second == y.second || x.second->hash() == y.second->hash();
  });
}

}  // namespace

bool operator==(const GoodFile& a, const GoodFile& b) {
  return SaysTheSame(a.resources, b.resources) && a.errors == b.errors &&
         a.withheld == b.withheld && a.labels == b.labels && a.access_refusal == b.access_refusal;
}

Advanced Advance(const LastGood& before, absl::Span<const ConfigFile> files) {
  Step step(before);
  if (const std::string refusal = AccessRefusal(before, files); !refusal.empty()) {
    for (const ConfigFile& file : files) step.KeepRestricted(file);
    for (const ConfigFile& file : files) step.WithholdNew(file, refusal);
    return std::move(step).Done();
  }
  for (const ConfigFile& file : files) {
    if (file.is_readable) step.Read(file);
  }
  for (const ConfigFile& file : files) {
    if (!file.is_readable) step.KeepFile(file);
  }
  for (const ConfigFile& file : files) {
    if (file.is_readable && (file.has_unnamed || file.has_unread_errors)) step.KeepErrors(file);
  }
  for (const ConfigFile& file : files) {
    if (file.is_readable) step.KeepMovedErrors(file);
  }
  for (const ConfigFile& file : files) {
    if (file.is_readable) step.KeepInvalid(file);
  }
  for (const ConfigFile& file : files) {
    if (file.is_readable && file.has_unnamed) step.KeepMissing(file);
  }
  for (const ConfigFile& file : files) {
    if (file.is_readable) step.WithholdUnread(file);
  }
  return std::move(step).Done();
}

Contents ContentsOf(const LastGood& good, bool is_synced) {
  Contents contents;
  contents.is_synced = is_synced;
  for (const auto& [name, file] : good) {
    for (const auto& [key, resource] : file.resources) contents.resources.push_back(resource);
    for (const auto& [type, label] : file.labels) contents.labels.insert_or_assign(type, label);
  }
  for (const auto& [name, file] : good)
    contents.errors.insert(file.errors.begin(), file.errors.end());
  std::map<ResourceKey, NameError> withheld;
  for (const auto& [name, file] : good) withheld.insert(file.withheld.begin(), file.withheld.end());
  for (auto& [key, error] : withheld) {
    NameError& told = contents.errors[key];
    if (!Withdraws(told)) told = std::move(error);
  }
  return contents;
}

}  // namespace holdfast

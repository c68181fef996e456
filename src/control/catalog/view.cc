#include "control/catalog/view.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/utf8.h"

namespace holdfast {
namespace {

constexpr absl::string_view kEllipsis = "…";
constexpr absl::string_view kNoCharacter = "\uFFFD";

// What a source wants of one name. Neither: nothing is to be said about it.
struct WantedName {
  ResourcePtr resource;
  std::optional<NameError> error;
};
// By type and name.
using Wanted = std::map<std::string, std::map<std::string, WantedName>>;

bool HasSameContent(const ResourcePtr& a, const ResourcePtr& b) {
  return a == b || a->hash() == b->hash();
}

// The names to look at; what is not wanted of them is gone.
Wanted NamesOf(const View& previous, const Contents& contents) {
  Wanted wanted;
  if (contents.only.has_value()) {
    for (const ResourceKey& key : *contents.only) wanted[key.type][key.name];
    return wanted;
  }
  for (const auto& [type, view] : previous.types) {
    auto& names = wanted[type];
    for (const ResourcePtr& resource : view->resources()) names.try_emplace(resource->name());
    for (const NamedError& error : view->errors()) names.try_emplace(error.name);
  }
  return wanted;
}

Wanted ByName(const View& previous, Contents contents) {
  Wanted wanted = NamesOf(previous, contents);
  for (ResourcePtr& resource : contents.resources) {
    HOLDFAST_CHECK(resource != nullptr);
    wanted[resource->type()][resource->name()].resource = std::move(resource);
  }
  for (auto& [key, error] : contents.errors) wanted[key.type][key.name].error = std::move(error);
  for (auto& [type, names] : wanted) {
    for (auto& [name, one] : names) {
      if (one.resource == nullptr || !one.error.has_value()) continue;
      if (MeansAbsence(*one.error)) {
        one.resource = nullptr;
      } else {
        one.error.reset();
      }
    }
  }
  return wanted;
}

TypeViewPtr NextType(const TypeViewPtr& before, std::map<std::string, WantedName> wanted,
                     std::string label) {
  std::vector<ResourceSet::Change> resources;
  std::vector<ErrorSet::Change> errors;
  for (auto& [name, one] : wanted) {
    const ResourcePtr* const had = before->Find(name);
    if (one.resource != nullptr) {
      if (had == nullptr || !HasSameContent(*had, one.resource)) {
        resources.push_back({name, std::move(one.resource)});
      }
    } else if (had != nullptr) {
      resources.push_back({name, std::nullopt});
    }
    const NameError* const had_error = before->FindError(name);
    if (one.error.has_value()) {
      if (had_error == nullptr || *had_error != *one.error) {
        errors.push_back({name, NamedError{name, *std::move(one.error)}});
      }
    } else if (had_error != nullptr) {
      errors.push_back({name, std::nullopt});
    }
  }
  if (resources.empty() && errors.empty() && label == before->label()) return before;
  return std::make_shared<const TypeView>(*before, std::move(resources), std::move(errors),
                                          std::move(label));
}

// What is remembered as deleted of one type, after a step of it. Takes what it adds from `room`.
DeletedNames NextDeleted(const DeletedNames& before, const TypeView& old, const TypeView& now,
                         size_t& room) {
  std::vector<DeletedNames::Change> changes;
  const auto is_another_version = [](const auto&, const auto&) { return false; };
  for (std::string& name :
       ResourceSet::DifferingNames(old.resources(), now.resources(), is_another_version)) {
    const bool is_remembered = before.Find(name) != nullptr;
    if (now.Find(name) != nullptr) {
      if (is_remembered) changes.push_back({std::move(name), std::nullopt});
    } else if (!is_remembered && room > 0) {
      --room;
      changes.push_back({name, DeletedName{name}});
    }
  }
  return changes.empty() ? before : before.Changed(std::move(changes));
}

void RememberDeleted(const View& previous, View& next) {
  if (next.never_read.empty()) return;
  next.deleted = previous.deleted;
  size_t room = kMostDeleted;
  for (const auto& [type, names] : next.deleted) room -= names.size();
  const auto remember = [&](const std::string& type) {
    const TypeViewPtr& old = previous.Of(type);
    const TypeViewPtr& now = next.Of(type);
    if (old->hash() == now->hash()) return;
    DeletedNames& names = next.deleted[type];
    names = NextDeleted(names, *old, *now, room);
  };
  for (const auto& [type, view] : previous.types) remember(type);
  for (const auto& [type, view] : next.types) {
    if (!previous.types.contains(type)) remember(type);
  }
}

}  // namespace

bool MeansAbsence(const NameError& error) {
  return error.code == static_cast<int>(absl::StatusCode::kNotFound) ||
         error.code == static_cast<int>(absl::StatusCode::kPermissionDenied);
}

NameError MakeNameError(int code, absl::string_view message) {
  HOLDFAST_CHECK(code != 0);
  std::string text;
  size_t kept = 0;  // of it, if it must be cut
  while (!message.empty() && text.size() <= kMostErrorText) {
    const size_t length = Utf8CharacterLength(message);
    absl::StrAppend(&text, length == 0 ? kNoCharacter : message.substr(0, length));
    message.remove_prefix(std::max<size_t>(length, 1));
    if (text.size() + kEllipsis.size() <= kMostErrorText) kept = text.size();
  }
  if (text.size() > kMostErrorText) text.replace(kept, std::string::npos, std::string(kEllipsis));
  return {code, std::move(text)};
}

TypeView::TypeView(std::vector<ResourcePtr> resources, std::string label)
    : resources_(std::move(resources)), label_(std::move(label)) {
  for (const ResourcePtr& resource : resources_) Add(*resource);
  version_ = label_.empty() ? hash_.Hex() : label_;
}

TypeView::TypeView(const TypeView& before, std::vector<ResourceSet::Change> resources,
                   std::vector<ErrorSet::Change> errors, std::string label)
    : hash_(before.hash_),
      label_(std::move(label)),
      sotw_bytes_(before.sotw_bytes_),
      delta_bytes_(before.delta_bytes_),
      step_(Step{.before = before.hash_}) {
  std::vector<ResourcePtr> changed;
  for (const ResourceSet::Change& change : resources) {
    if (const ResourcePtr* const had = before.Find(change.name)) Subtract(**had);
    if (change.entry.has_value()) {
      Add(**change.entry);
      changed.push_back(*change.entry);
      step_->changed_bytes += changed.back()->delta_field().size();
    } else {
      step_->gone.push_back(change.name);
    }
  }
  step_->changed = std::make_shared<const ResourceSet>(std::move(changed));
  resources_ = before.resources_.Changed(std::move(resources));
  errors_ = before.errors_.Changed(std::move(errors));
  version_ = label_.empty() ? hash_.Hex() : label_;
}

void TypeView::Add(const Resource& resource) {
  hash_ += resource.hash();
  sotw_bytes_ += resource.sotw_field().size();
  delta_bytes_ += resource.delta_field().size();
}

void TypeView::Subtract(const Resource& resource) {
  hash_ -= resource.hash();
  sotw_bytes_ -= resource.sotw_field().size();
  delta_bytes_ -= resource.delta_field().size();
}

const NameError* TypeView::FindError(absl::string_view name) const {
  const NamedError* const found = errors_.Find(name);
  return found == nullptr ? nullptr : &found->error;
}

const TypeViewPtr& View::Of(absl::string_view type) const {
  static const TypeViewPtr* const nothing = new TypeViewPtr(std::make_shared<TypeView>());
  const auto found = types.find(type);
  return found == types.end() ? *nothing : found->second;
}

bool View::KnowsAbsence(absl::string_view type, absl::string_view name) const {
  if (!is_synced || never_read.empty()) return is_synced;
  const auto found = deleted.find(type);
  return found != deleted.end() && found->second.Find(name) != nullptr;
}

bool View::IsUnknown(absl::string_view type, absl::string_view name) const {
  const TypeViewPtr& of_type = Of(type);
  return of_type->Find(name) == nullptr && of_type->FindError(name) == nullptr &&
         !KnowsAbsence(type, name);
}

ViewPtr NextView(const View& previous, Contents contents) {
  auto next = std::make_shared<View>();
  next->id = previous.id + 1;
  next->is_synced = previous.is_synced || contents.is_synced;
  const bool is_of_all = !contents.only.has_value();
  next->never_read = is_of_all ? std::move(contents.never_read) : previous.never_read;
  if (!is_of_all) next->types = previous.types;
  std::map<std::string, std::string> labels = std::move(contents.labels);
  for (auto& [type, wanted] : ByName(previous, std::move(contents))) {
    const TypeViewPtr& before = previous.Of(type);
    TypeViewPtr now =
        NextType(before, std::move(wanted), is_of_all ? std::move(labels[type]) : before->label());
    if (now->resources().empty() && now->errors().empty()) {
      next->types.erase(type);
    } else {
      next->types.insert_or_assign(type, std::move(now));
    }
  }
  RememberDeleted(previous, *next);
  return next;
}

std::vector<std::string> NamesThatDiffer(const TypeView& before, const TypeView& after) {
  std::vector<std::string> names = ResourceSet::DifferingNames(
      before.resources(), after.resources(),
      [](const ResourcePtr& a, const ResourcePtr& b) { return !HasSameContent(a, b); });
  const std::vector<std::string> errors = ErrorSet::DifferingNames(
      before.errors(), after.errors(),
      [](const NamedError& a, const NamedError& b) { return a.error != b.error; });
  if (errors.empty()) return names;
  std::vector<std::string> both;
  absl::c_set_union(names, errors, std::back_inserter(both));
  return both;
}

Changes ChangesBetween(const View& before, const View& after) {
  Changes changes;
  const auto compare = [&](const std::string& type) {
    const TypeViewPtr& old = before.Of(type);
    const TypeViewPtr& now = after.Of(type);
    if (old == now) return;
    std::vector<std::string> names = NamesThatDiffer(*old, *now);
    if (!names.empty()) changes.insert_or_assign(type, std::move(names));
  };
  for (const auto& [type, view] : before.types) compare(type);
  for (const auto& [type, view] : after.types) compare(type);
  return changes;
}

}  // namespace holdfast

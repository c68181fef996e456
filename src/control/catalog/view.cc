#include "control/catalog/view.h"

#include <algorithm>
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

bool Withdraws(const NameError& error) {
  return error.code == static_cast<int>(absl::StatusCode::kNotFound) ||
         error.code == static_cast<int>(absl::StatusCode::kPermissionDenied);
}

bool ByName(const ResourcePtr& a, const ResourcePtr& b) { return a->name() < b->name(); }

// What a source wants of one type.
struct WantedType {
  std::vector<ResourcePtr> resources;  // sorted by name, without duplicates
  std::map<std::string, NameError> errors;
  std::string label;
};

// Sorts, which costs little where it was done before; the last of equal names counts.
void Arrange(std::vector<ResourcePtr>& resources) {
  const auto is_before = [](const ResourcePtr& a, const ResourcePtr& b) {
    return !(a->name() < b->name());
  };
  if (std::adjacent_find(resources.begin(), resources.end(), is_before) == resources.end()) return;
  std::stable_sort(resources.begin(), resources.end(), ByName);
  std::vector<ResourcePtr> last;
  for (ResourcePtr& resource : resources) {
    if (!last.empty() && last.back()->name() == resource->name()) last.pop_back();
    last.push_back(std::move(resource));
  }
  resources = std::move(last);
}

std::map<std::string, WantedType> ByType(Contents contents) {
  std::map<std::string, WantedType> types;
  WantedType* type = nullptr;  // of the resource before
  std::string type_name;
  for (ResourcePtr& resource : contents.resources) {
    HOLDFAST_CHECK(resource != nullptr);
    if (type == nullptr || type_name != resource->type()) {
      type_name = resource->type();
      type = &types[type_name];
    }
    type->resources.push_back(std::move(resource));
  }
  for (auto& [name, wanted] : types) Arrange(wanted.resources);
  for (auto& [key, error] : contents.errors) {
    WantedType& wanted = types[key.type];
    const auto defined = std::lower_bound(
        wanted.resources.begin(), wanted.resources.end(), key.name,
        [](const ResourcePtr& one, const std::string& name) { return one->name() < name; });
    if (defined != wanted.resources.end() && (*defined)->name() == key.name) {
      if (!Withdraws(error)) continue;
      wanted.resources.erase(defined);
    }
    wanted.errors.emplace(key.name, std::move(error));
  }
  for (auto& [name, label] : contents.labels) {
    const auto wanted = types.find(name);
    if (wanted != types.end()) wanted->second.label = std::move(label);
  }
  return types;
}

bool SaysTheSame(const TypeView& a, const TypeView& b) {
  return a.hash() == b.hash() && a.version() == b.version() && a.errors() == b.errors() &&
         a.resources().size() == b.resources().size();
}

// The names of two sorted lists of things that have one, whose partner in the other list is missing
// or differs.
template <class A, class NameOf, class Differ>
void AppendDifferences(const A& before, const A& after, NameOf name_of, Differ differ,
                       std::vector<std::string>& names) {
  auto old = before.begin();
  auto now = after.begin();
  while (old != before.end() || now != after.end()) {
    if (now == after.end() || (old != before.end() && name_of(*old) < name_of(*now))) {
      names.push_back(name_of(*old++));
    } else if (old == before.end() || name_of(*now) < name_of(*old)) {
      names.push_back(name_of(*now++));
    } else {
      if (differ(*old, *now)) names.push_back(name_of(*now));
      ++old;
      ++now;
    }
  }
}

}  // namespace

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

TypeView::TypeView(std::vector<ResourcePtr> resources, std::map<std::string, NameError> errors,
                   std::string label)
    : resources_(std::move(resources)), errors_(std::move(errors)) {
  for (const ResourcePtr& resource : resources_) Add(*resource);
  version_ = label.empty() ? hash_.Hex() : std::move(label);
}

TypeView::TypeView(const TypeView& before, std::vector<ResourcePtr> resources,
                   std::map<std::string, NameError> errors, std::string label)
    : resources_(std::move(resources)),
      errors_(std::move(errors)),
      hash_(before.hash_),
      sotw_bytes_(before.sotw_bytes_),
      delta_bytes_(before.delta_bytes_),
      step_(Step{.before = before.hash_}) {
  auto old = before.resources_.begin();
  const auto end = before.resources_.end();
  const auto drop_old = [&] {
    Subtract(**old);
    step_->gone.push_back((*old)->name());
    ++old;
  };
  for (ResourcePtr& resource : resources_) {
    // Most are the same object, which need not be looked at.
    if (old != end && *old == resource) {
      ++old;
      continue;
    }
    while (old != end && (*old)->name() < resource->name()) drop_old();
    if (old != end && (*old)->name() == resource->name()) {
      const ResourcePtr& had = *old++;
      if (had->hash() == resource->hash()) {
        resource = had;
        continue;
      }
      Subtract(*had);
    }
    Add(*resource);
    step_->changed.push_back(resource);
    step_->changed_bytes += resource->delta_field().size();
  }
  while (old != end) drop_old();
  version_ = label.empty() ? hash_.Hex() : std::move(label);
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

const ResourcePtr* TypeView::Find(absl::string_view name) const {
  const auto found = std::lower_bound(
      resources_.begin(), resources_.end(), name,
      [](const ResourcePtr& one, absl::string_view wanted) { return one->name() < wanted; });
  return found != resources_.end() && (*found)->name() == name ? &*found : nullptr;
}

const NameError* TypeView::FindError(absl::string_view name) const {
  if (errors_.empty()) return nullptr;
  const auto found = errors_.find(std::string(name));
  return found == errors_.end() ? nullptr : &found->second;
}

const TypeViewPtr& View::Of(absl::string_view type) const {
  static const TypeViewPtr* const nothing = new TypeViewPtr(std::make_shared<TypeView>());
  const auto found = types.find(std::string(type));
  return found == types.end() ? *nothing : found->second;
}

ViewPtr NextView(const View& previous, Contents contents) {
  auto next = std::make_shared<View>();
  next->id = previous.id + 1;
  next->is_synced = previous.is_synced || contents.is_synced;
  for (auto& [type, wanted] : ByType(std::move(contents))) {
    const TypeViewPtr& before = previous.Of(type);
    auto view = std::make_shared<const TypeView>(*before, std::move(wanted.resources),
                                                 std::move(wanted.errors), std::move(wanted.label));
    next->types.emplace(type, SaysTheSame(*before, *view) ? before : std::move(view));
  }
  return next;
}

std::vector<std::string> NamesThatDiffer(const TypeView& before, const TypeView& after) {
  std::vector<std::string> names;
  if (after.step().has_value() && after.step()->before == before.hash()) {
    for (const ResourcePtr& resource : after.step()->changed) names.push_back(resource->name());
    names.insert(names.end(), after.step()->gone.begin(), after.step()->gone.end());
  } else {
    AppendDifferences(
        before.resources(), after.resources(),
        [](const ResourcePtr& one) -> const std::string& { return one->name(); },
        [](const ResourcePtr& a, const ResourcePtr& b) { return a != b && a->hash() != b->hash(); },
        names);
  }
  AppendDifferences(
      before.errors(), after.errors(),
      [](const auto& one) -> const std::string& { return one.first; },
      [](const auto& a, const auto& b) { return a.second != b.second; }, names);
  absl::c_sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
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

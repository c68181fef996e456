// What the control plane serves at one moment, whole and immutable: the resources of each type and
// what is said about names that have none.
//
//   contents of a source ──NextView──▶ View n+1 ──ChangesBetween(n, n+1)──▶ names, type by type
//
// Types that did not change are shared between views, and so are resources: a commit that changes
// one resource copies one vector of pointers. What a commit changes in a type is worked out once,
// for all streams that have the type as it was before.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "control/catalog/content_hash.h"
#include "control/catalog/resource.h"

namespace holdfast {

// What TP3 says about a name: a code other than OK, and a text of at most kMostErrorText bytes.
struct NameError {
  int code = 0;  // of google.rpc.Code, 1 to 16
  std::string message;

  friend bool operator==(const NameError&, const NameError&) = default;
};

// CP-10: what is longer is cut, at a character's border, with "…" at its end. Bytes that are no
// UTF-8 become U+FFFD: a client could not parse the response around them.
inline constexpr size_t kMostErrorText = 1024;
NameError MakeNameError(int code, absl::string_view message);

// What a source wants to be served.
struct Contents {
  // All of the source was read at least once. Until then nothing can be said about a name that is
  // not here.
  bool is_synced = false;
  std::vector<ResourcePtr> resources;  // in any order; the last of equal keys counts
  // An error with NOT_FOUND or PERMISSION_DENIED withdraws the resource of that name; any other is
  // kept back as long as the resource is there.
  std::map<ResourceKey, NameError> errors;
  // What clients are shown as the version of a type, instead of its hash.
  std::map<std::string, std::string> labels;
};

// Some resources, shared and never changed.
using ResourceList = std::shared_ptr<const std::vector<ResourcePtr>>;

// One type of a view.
class TypeView {
 public:
  // How a type came from the one before it.
  struct Step {
    ContentHash before;                // hash() of that one
    std::vector<ResourcePtr> changed;  // new, or another version; sorted by name
    std::vector<std::string> gone;     // sorted
    size_t changed_bytes = 0;          // of `changed` in a delta response
  };

  TypeView() = default;
  // `resources` sorted by name, without duplicates; `errors` only for names not among them.
  TypeView(std::vector<ResourcePtr> resources, std::map<std::string, NameError> errors,
           std::string label);
  // The same, as the successor of `before`: resources that are as they were are shared with it.
  TypeView(const TypeView& before, std::vector<ResourcePtr> resources,
           std::map<std::string, NameError> errors, std::string label);

  const std::vector<ResourcePtr>& resources() const { return resources_; }
  const std::map<std::string, NameError>& errors() const { return errors_; }
  // Null if there is none.
  const ResourcePtr* Find(absl::string_view name) const;
  const NameError* FindError(absl::string_view name) const;

  // Of all resources, whatever their order.
  const ContentHash& hash() const { return hash_; }
  // The label if there is one, else the hash as text.
  const std::string& version() const { return version_; }
  bool has_label() const { return version_ != hash_.Hex(); }

  // All resources in a SotW response: the sum of sotw_field() sizes.
  size_t sotw_bytes() const { return sotw_bytes_; }
  // The same in a delta response: the sum of delta_field() sizes.
  size_t delta_bytes() const { return delta_bytes_; }

  // None if it was made from nothing.
  const std::optional<Step>& step() const { return step_; }

 private:
  void Add(const Resource& resource);
  void Subtract(const Resource& resource);

  std::vector<ResourcePtr> resources_;
  std::map<std::string, NameError> errors_;
  ContentHash hash_;
  std::string version_ = ContentHash().Hex();
  size_t sotw_bytes_ = 0;
  size_t delta_bytes_ = 0;
  std::optional<Step> step_;
};

using TypeViewPtr = std::shared_ptr<const TypeView>;

// Lists that live as long as the type does.
inline ResourceList AllOf(const TypeViewPtr& type) { return {type, &type->resources()}; }
// REQUIRES: type->step().
inline ResourceList ChangedIn(const TypeViewPtr& type) { return {type, &type->step()->changed}; }

struct View {
  uint64_t id = 0;  // grows with each commit
  bool is_synced = false;
  std::map<std::string, TypeViewPtr> types;  // by type name, without prefix

  // Never null: a type of which nothing is known is empty.
  const TypeViewPtr& Of(absl::string_view type) const;
};

using ViewPtr = std::shared_ptr<const View>;

// The view that serves `contents`. What is as it was in `previous` is shared with it.
ViewPtr NextView(const View& previous, Contents contents);

// The names that differ between two views: another version, appeared, gone, or another error; by
// type, sorted. A label alone is no difference.
using Changes = std::map<std::string, std::vector<std::string>>;
Changes ChangesBetween(const View& before, const View& after);
// The same of one type.
std::vector<std::string> NamesThatDiffer(const TypeView& before, const TypeView& after);

}  // namespace holdfast

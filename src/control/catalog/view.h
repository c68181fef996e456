// What the control plane serves at one moment, whole and immutable: the resources of each type and
// what is said about names that have none.
//
//   contents of a source ──NextView──▶ View n+1 ──ChangesBetween(n, n+1)──▶ names, type by type
//
// Types that did not change are shared between views, and so are resources and the chunks they are
// in: a commit costs what it touches, not what is there. What a commit changes in a type is worked
// out once, for all streams that have the type as it was before.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "control/catalog/content_hash.h"
#include "control/catalog/resource.h"
#include "control/catalog/sorted_chunks.h"

namespace holdfast {

// What TP3 says about a name: a code other than OK, and a text of at most kMostErrorText bytes.
struct NameError {
  int code = 0;  // of google.rpc.Code, 1 to 16
  std::string message;

  friend bool operator==(const NameError&, const NameError&) = default;
};

// What is longer is cut, at a character's border, with "…" at its end. Bytes that are no
// UTF-8 become U+FFFD: a client could not parse the response around them.
inline constexpr size_t kMostErrorText = 1024;
NameError MakeNameError(int code, absl::string_view message);

// NOT_FOUND and PERMISSION_DENIED: there is nothing to be had, whatever there was. All other codes
// are a failure that passes, and leave in service what is.
bool MeansAbsence(const NameError& error);

// What a source wants to be served: of all names, or of some.
struct Contents {
  // All of the source was read at least once. Until then nothing can be said about a name that is
  // not here.
  bool is_synced = false;
  // Of a source that is synced: the part of it that could never be read, such as a file, if there
  // is one. A name that is not here may be there.
  std::string never_read;
  std::vector<ResourcePtr> resources;  // in any order; the last of equal keys counts
  // An error with NOT_FOUND or PERMISSION_DENIED withdraws the resource of that name; any other is
  // kept back as long as the resource is there.
  std::map<ResourceKey, NameError> errors;
  // What clients are shown as the version of a type, instead of its hash.
  std::map<std::string, std::string> labels;
  // These names are all that is spoken of; the others stay as they are, and so do labels and what
  // was never read. None:
  // what is not above is not served any more.
  std::optional<std::set<ResourceKey>> only;
};

struct NamedError {
  std::string name;
  NameError error;
  friend bool operator==(const NamedError&, const NamedError&) = default;
};

struct DeletedName {
  std::string name;
};

inline const std::string& EntryName(const ResourcePtr& resource) { return resource->name(); }
inline const std::string& EntryName(const NamedError& error) { return error.name; }
inline const std::string& EntryName(const DeletedName& deleted) { return deleted.name; }

using ResourceSet = SortedChunks<ResourcePtr>;
using ErrorSet = SortedChunks<NamedError>;
using DeletedNames = SortedChunks<DeletedName>;

// As many deleted names are remembered while a part of the source could never be read.
inline constexpr size_t kMostDeleted = 100'000;

// Some resources, shared and never changed.
using ResourceList = std::shared_ptr<const ResourceSet>;

// One type of a view. No name is both among its resources and its errors.
class TypeView {
 public:
  // How a type came from the one before it.
  struct Step {
    ContentHash before;             // hash() of that one
    ResourceList changed;           // new, or another version; never null
    std::vector<std::string> gone;  // sorted
    size_t changed_bytes = 0;       // of `changed` in a delta response
  };

  TypeView() = default;
  // `resources` sorted by name, without duplicates.
  TypeView(std::vector<ResourcePtr> resources, std::string label);
  // The successor of `before`. Changes are sorted by name and each of them changes something.
  TypeView(const TypeView& before, std::vector<ResourceSet::Change> resources,
           std::vector<ErrorSet::Change> errors, std::string label);

  const ResourceSet& resources() const { return resources_; }
  const ErrorSet& errors() const { return errors_; }
  // Null if there is none.
  const ResourcePtr* Find(absl::string_view name) const { return resources_.Find(name); }
  const NameError* FindError(absl::string_view name) const;

  // Of all resources, whatever their order.
  const ContentHash& hash() const { return hash_; }
  // The label if there is one, else the hash as text.
  const std::string& version() const { return version_; }
  const std::string& label() const { return label_; }
  bool has_label() const { return !label_.empty(); }

  // All resources in a SotW response: the sum of sotw_field() sizes.
  size_t sotw_bytes() const { return sotw_bytes_; }
  // The same in a delta response: the sum of delta_field() sizes.
  size_t delta_bytes() const { return delta_bytes_; }

  // None if it was made from nothing.
  const std::optional<Step>& step() const { return step_; }

 private:
  void Add(const Resource& resource);
  void Subtract(const Resource& resource);

  ResourceSet resources_;
  ErrorSet errors_;
  ContentHash hash_;
  std::string label_;
  std::string version_ = ContentHash().Hex();
  size_t sotw_bytes_ = 0;
  size_t delta_bytes_ = 0;
  std::optional<Step> step_;
};

using TypeViewPtr = std::shared_ptr<const TypeView>;

// Whoever holds the list holds the type.
inline ResourceList AllOf(const TypeViewPtr& type) { return {type, &type->resources()}; }

struct View {
  uint64_t id = 0;  // grows with each commit
  bool is_synced = false;
  std::string never_read;                                 // as Contents has it
  std::map<std::string, TypeViewPtr, std::less<>> types;  // by type name, without prefix
  // By type: what was served, and went while a part of the source could never be read. Such a name
  // is known to be gone: it was in a part that can be read. Those beyond kMostDeleted are as good
  // as any other name that nobody knows.
  std::map<std::string, DeletedNames, std::less<>> deleted;

  // Never null: a type of which nothing is known is empty.
  const TypeViewPtr& Of(absl::string_view type) const;

  // Of a name with neither a resource nor an error: whether that means that there is none. If not,
  // it may be in what has not been read.
  bool KnowsAbsence(absl::string_view type, absl::string_view name) const;
  // The same of a name of which nothing is known: not served, no error, and maybe there.
  bool IsUnknown(absl::string_view type, absl::string_view name) const;
};

using ViewPtr = std::shared_ptr<const View>;

// The view that serves `contents`. What is as it was in `previous` is shared with it; of contents
// that speak of some names, the rest is not looked at.
ViewPtr NextView(const View& previous, Contents contents);

// The names that differ between two views: another version, appeared, gone, or another error; by
// type, sorted. A label alone is no difference.
using Changes = std::map<std::string, std::vector<std::string>>;
Changes ChangesBetween(const View& before, const View& after);
// The same of one type.
std::vector<std::string> NamesThatDiffer(const TypeView& before, const TypeView& after);

}  // namespace holdfast

#include "control/config/reference_check.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/did_you_mean.h"
#include "base/outside_text.h"
#include "control/catalog/references.h"
#include "control/config/resource_lint.h"
#include "control/config/resource_text.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

// A suggestion compares a name with all others. Whoever has more than this many dangling references
// did not mistype them.
constexpr size_t kMostSuggestions = 100;

struct Node {
  const ConfigFile* file = nullptr;
  const DefinedResource* defined = nullptr;
  std::vector<ResourceKey> references;
};

class Graph {
 public:
  explicit Graph(absl::Span<const ConfigFile> files) {
    for (const ConfigFile& file : files) Add(file);
  }

  ReferenceReport Check() {
    FindDangling();
    const std::set<ResourceKey> for_grpc = ReachedFrom(/*grpc=*/true);
    FindForeignClusters(for_grpc);
    for (const ResourceKey& key : ReachedFrom(/*grpc=*/false)) {
      if (!for_grpc.contains(key)) report_.only_for_envoy.insert(key);
    }
    return std::move(report_);
  }

 private:
  void Add(const ConfigFile& file) {
    for (const DefinedResource& defined : file.resources) {
      const Resource& resource = *defined.resource;
      nodes_.emplace(resource.key(),
                     Node{&file, &defined, ReferencesOf(resource.type(), resource.body())});
      known_.insert(resource.key());
    }
    for (const InvalidResource& invalid : file.invalid) known_.insert(invalid.key);
    for (const DefinedError& error : file.errors) known_.insert(error.key);
    for (const UnreadError& error : file.unread_errors) known_.insert(error.key);
  }

  void FindDangling() {
    for (const auto& [key, node] : nodes_) {
      for (const ResourceKey& target : node.references) {
        if (known_.contains(target)) continue;
        Warn(node, absl::StrCat(ResourceText(key), " refers to ", ResourceText(target),
                                ", which no file defines: clients will be told that it does not "
                                "exist",
                                Suggestion(target)));
      }
    }
  }

  // "; did you mean "pay"?", or nothing.
  std::string Suggestion(const ResourceKey& target) {
    if (suggestions_++ >= kMostSuggestions) return "";
    std::vector<absl::string_view> names;
    for (auto at = known_.lower_bound({target.type, ""});
         at != known_.end() && at->type == target.type; ++at) {
      names.push_back(at->name);
    }
    const std::optional<absl::string_view> meant = DidYouMean(target.name, names);
    return meant.has_value() ? absl::StrCat("; did you mean ", Quoted(*meant), "?") : "";
  }

  // Listeners of the kind, and all that they lead to.
  std::set<ResourceKey> ReachedFrom(bool grpc) const {
    std::set<ResourceKey> reached;
    std::vector<const ResourceKey*> to_visit;
    const auto visit = [&](const ResourceKey& key) {
      const auto [at, is_new] = reached.insert(key);
      if (is_new) to_visit.push_back(&*at);
    };
    for (const auto& [key, node] : nodes_) {
      if (key.type == kListenerTypeName && IsForGrpcClients(node) == grpc) visit(key);
    }
    while (!to_visit.empty()) {
      const auto found = nodes_.find(*to_visit.back());
      to_visit.pop_back();
      if (found == nodes_.end()) continue;
      for (const ResourceKey& target : found->second.references) visit(target);
    }
    return reached;
  }

  // Alone, such a cluster is Envoy's business; here a gRPC client is sent to it.
  void FindForeignClusters(const std::set<ResourceKey>& for_grpc) {
    for (const ResourceKey& key : for_grpc) {
      const auto found = nodes_.find(key);
      if (found == nodes_.end() || IsForGrpcClients(found->second)) continue;
      Warn(found->second,
           absl::StrCat(kGrpcWarning, ResourceText(key),
                        " is of a type that gRPC clients refuse, and an api_listener leads them "
                        "to it; they take EDS, LOGICAL_DNS and aggregate clusters"));
    }
  }

  static bool IsForGrpcClients(const Node& node) {
    const Resource& resource = *node.defined->resource;
    return IsForGrpc(resource.type(), resource.body());
  }

  void Warn(const Node& node, std::string text) {
    report_.problems.push_back(
        ProblemAt(Problem::Kind::kWarning, node.file->path, node.defined->place, std::move(text)));
  }

  std::map<ResourceKey, Node> nodes_;
  std::set<ResourceKey> known_;
  size_t suggestions_ = 0;
  ReferenceReport report_;
};

}  // namespace

ReferenceReport CheckReferences(absl::Span<const ConfigFile> files) { return Graph(files).Check(); }

}  // namespace holdfast

#include "client/lb_policy_registry.h"

#include <map>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

// Never destroyed: channels may end after everything else.
struct Registry {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const LbPolicyFactory>, std::less<>> by_name;
};

Registry& TheRegistry() {
  static Registry& registry = *new Registry();
  return registry;
}

}  // namespace

absl::Status RegisterLbPolicy(std::shared_ptr<const LbPolicyFactory> policy) {
  if (policy == nullptr) return absl::InvalidArgumentError("RegisterLbPolicy: there is no policy");
  std::string name = policy->name();
  if (name.empty()) return absl::InvalidArgumentError("RegisterLbPolicy: the name is empty");
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  const auto [place, is_new] = registry.by_name.emplace(std::move(name), std::move(policy));
  if (is_new) return absl::OkStatus();
  return absl::AlreadyExistsError(
      absl::StrCat("RegisterLbPolicy: there is a policy ", Quoted(place->first), " already"));
}

std::set<std::string> RegisteredLbPolicies() {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  std::set<std::string> names;
  for (const auto& [name, policy] : registry.by_name) names.insert(name);
  return names;
}

std::shared_ptr<const LbPolicyFactory> FindLbPolicy(absl::string_view name) {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  const auto found = registry.by_name.find(name);
  return found == registry.by_name.end() ? nullptr : found->second;
}

}  // namespace holdfast

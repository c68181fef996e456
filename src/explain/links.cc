#include "explain/links.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/outside_text.h"
#include "control/catalog/references.h"
#include "explain/field_path.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

// More than anybody reads; a list of endpoints may have any number.
constexpr size_t kMostAddresses = 1000;

// envoy.config.core.v3.Address.
std::string AddressText(absl::string_view address) {
  const std::optional<absl::string_view> socket = FieldAt(address, {1});
  if (!socket.has_value()) return "";
  const absl::string_view host = TextAt(*socket, {2});
  if (host.empty()) return "";
  const bool is_ipv6 = host.find(':') != absl::string_view::npos;
  const absl::string_view named_port = TextAt(*socket, {4});
  return absl::StrCat(
      is_ipv6 ? "[" : "", BoundedText(host), is_ipv6 ? "]" : "", ":",
      named_port.empty() ? absl::StrCat(NumberAt(*socket, 3)) : BoundedText(named_port));
}

// envoy.config.core.v3.HealthStatus: those that are called, as gRPC has it (R12.84).
bool IsCalled(uint64_t health_status) {
  constexpr uint64_t kUnknown = 0, kHealthy = 1, kDraining = 3;
  return health_status == kUnknown || health_status == kHealthy || health_status == kDraining;
}

class Assignment {
 public:
  explicit Assignment(Links& links) : links_(links) {}

  // envoy.config.endpoint.v3.ClusterLoadAssignment.
  void Read(absl::string_view assignment) {
    ForEachAt(assignment, {2}, [this](absl::string_view locality) { ReadLocality(locality); });
  }

  size_t localities() const { return localities_; }
  size_t localities_without_weight() const { return localities_without_weight_; }
  size_t not_healthy() const { return not_healthy_; }

 private:
  void ReadLocality(absl::string_view locality) {
    ++localities_;
    const std::optional<absl::string_view> weight = FieldAt(locality, {3});
    if (!weight.has_value() || NumberAt(*weight, 1) == 0) ++localities_without_weight_;
    const auto read = [this](absl::string_view endpoint) { ReadEndpoint(endpoint); };
    ForEachAt(locality, {2}, read);
    ForEachAt(locality, {7, 1}, read);  // load_balancer_endpoints
  }

  void ReadEndpoint(absl::string_view lb_endpoint) {
    if (!IsCalled(NumberAt(lb_endpoint, 2))) {
      ++not_healthy_;
      return;
    }
    const auto add = [this](absl::string_view address) { Add(AddressText(address)); };
    ForEachAt(lb_endpoint, {1, 1}, add);
    ForEachAt(lb_endpoint, {1, 4, 1}, add);  // additional_addresses
  }

  void Add(std::string address) {
    if (address.empty() || links_.addresses.size() == kMostAddresses) return;
    if (seen_.insert(address).second) links_.addresses.push_back(std::move(address));
  }

  Links& links_;
  std::set<std::string> seen_;
  size_t localities_ = 0;
  size_t localities_without_weight_ = 0;
  size_t not_healthy_ = 0;
};

std::string RemarkOn(const Assignment& assignment) {
  if (assignment.localities() == 0) return "it has no localities";
  if (assignment.localities() == assignment.localities_without_weight()) {
    return "no locality has a load_balancing_weight, and gRPC uses none without";
  }
  if (assignment.not_healthy() > 0) {
    return absl::StrCat(assignment.not_healthy(),
                        assignment.not_healthy() == 1 ? " endpoint is" : " endpoints are",
                        " marked as not healthy");
  }
  return "";
}

}  // namespace

absl::StatusOr<Links> LinksOf(absl::string_view type, absl::string_view bytes) {
  if (!IsMessage(bytes)) {
    return absl::InvalidArgumentError(absl::StrCat("not a serialized ", BoundedText(type),
                                                   ": truncated or not protobuf (", bytes.size(),
                                                   " bytes)"));
  }
  Links links;
  for (ResourceKey& key : ReferencesOf(type, bytes)) {
    links.refers_to.push_back({std::move(key.type), std::move(key.name)});
  }
  Assignment assignment(links);
  if (type == kEndpointsTypeName) {
    assignment.Read(bytes);
    links.remark = RemarkOn(assignment);
  } else if (type == kClusterTypeName) {
    // load_assignment: of a cluster whose endpoints are in itself, or behind a DNS name.
    ForEachAt(bytes, {33}, [&](absl::string_view inside) { assignment.Read(inside); });
  }
  return links;
}

}  // namespace holdfast

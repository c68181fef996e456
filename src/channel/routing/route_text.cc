#include "channel/routing/route_text.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

absl::string_view KindText(RouteMatch::PathKind kind) {
  switch (kind) {
    case RouteMatch::PathKind::kPrefix:
      return "prefix ";
    case RouteMatch::PathKind::kPath:
      return "path ";
    case RouteMatch::PathKind::kSafeRegex:
      return "regex ";
  }
  return "";
}

bool DoesSomething(const FaultFilter& fault) {
  return (fault.abort.has_value() && fault.abort->per_million > 0) ||
         (fault.delay.has_value() && fault.delay->per_million > 0);
}

bool DoesSomething(const StatefulSessionOverride& override) {
  return override.session.has_value() && !override.session->cookie_name.empty();
}

class Sentences {
 public:
  void AddFilters(const std::string& where, const FilterOverrides& overrides) {
    for (const auto& [filter, config] : overrides) {
      const auto* fault = std::get_if<FaultFilter>(&config);
      if (fault != nullptr && DoesSomething(*fault)) {
        Add(where, absl::StrCat("the faults of filter ", Quoted(filter),
                                " are not injected; no call is delayed or aborted"));
      }
      const auto* session = std::get_if<StatefulSessionOverride>(&config);
      if (session != nullptr && DoesSomething(*session)) {
        Add(where, absl::StrCat("the stateful session of filter ", Quoted(filter),
                                " is not kept; calls of a session go to any endpoint"));
      }
    }
  }

  void AddAction(const std::string& where, const ForwardAction& action) {
    if (action.retry_policy.has_value() && !action.retry_policy->retry_on.empty()) {
      Add(where, "its retry policy is not applied; a call that fails is not tried again");
    }
    if (!action.hash_policies.empty()) {
      Add(where, "its hash policies are not applied; equal calls may go to different endpoints");
    }
    if (action.auto_host_rewrite) {
      Add(where, "auto_host_rewrite is not applied; calls keep the authority of the channel");
    }
    const auto* weighted = std::get_if<std::vector<WeightedCluster>>(&action.clusters);
    if (weighted == nullptr) return;
    for (const WeightedCluster& cluster : *weighted) {
      AddFilters(absl::StrCat(where, " cluster ", Quoted(cluster.name)), cluster.filter_overrides);
    }
  }

  std::vector<std::string> Take() { return std::move(sentences_); }

 private:
  void Add(const std::string& where, absl::string_view what) {
    sentences_.push_back(absl::StrCat(where, ": ", what));
  }

  std::vector<std::string> sentences_;
};

}  // namespace

std::string RouteText(const Route& route) {
  std::string text = "route ";
  if (!route.name.empty()) absl::StrAppend(&text, Quoted(route.name), " ");
  const RouteMatch& match = route.match;
  absl::StrAppend(&text, "(", KindText(match.kind), Quoted(match.path));
  if (match.headers.size() == 1) absl::StrAppend(&text, ", 1 header");
  if (match.headers.size() > 1) absl::StrAppend(&text, ", ", match.headers.size(), " headers");
  if (match.per_million.has_value()) {
    absl::StrAppend(&text, ", ", *match.per_million / 1e4, "% of calls");
  }
  return absl::StrCat(text, ")");
}

std::vector<std::string> NotEnforced(const VirtualHost& virtual_host) {
  Sentences sentences;
  const std::string host = absl::StrCat("virtual host ", Quoted(virtual_host.name));
  sentences.AddFilters(host, virtual_host.filter_overrides);
  for (const Route& route : virtual_host.routes) {
    const auto* action = std::get_if<ForwardAction>(&route.action);
    if (action == nullptr) continue;
    const std::string where = absl::StrCat(host, " ", RouteText(route));
    sentences.AddAction(where, *action);
    sentences.AddFilters(where, route.filter_overrides);
  }
  return sentences.Take();
}

}  // namespace holdfast

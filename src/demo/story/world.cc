#include "demo/story/world.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/json_text.h"

namespace holdfast {
namespace {

constexpr absl::string_view kServiceFile = "web.yaml";
constexpr absl::string_view kRuleFile = "rule.yaml";
constexpr absl::string_view kRule =
    "errors:\n"
    "- {type: lds, name: web, code: PERMISSION_DENIED,\n"
    "   message: \"team shop may not read web; ask #platform\"}\n";

std::string ServiceText(absl::string_view lb, const std::vector<std::string>& backends) {
  return absl::StrCat("services:\n- name: web\n  lb: ", lb, "\n  endpoints: [\"",
                      absl::StrJoin(backends, "\", \""), "\"]\n");
}

bool ConcernsAChild(absl::string_view variable) {
  const std::string name = absl::AsciiStrToLower(variable.substr(0, variable.find('=')));
  return absl::EndsWith(name, "_proxy") || absl::StartsWith(name, "grpc_xds_bootstrap") ||
         absl::StartsWith(name, "holdfast_log") || name == "grpc_verbosity" || name == "grpc_trace";
}

}  // namespace

World WorldIn(Mishap trouble, const std::vector<std::string>& backends) {
  World world;
  world.files[std::string(kServiceFile)] = ServiceText("round_robin", backends);
  switch (trouble) {
    case Mishap::kNone:
    case Mishap::kMissingName:
    case Mishap::kRepaired:
      break;
    case Mishap::kBadCluster:
      world.files[std::string(kServiceFile)] = ServiceText("maglev", backends);
      break;
    case Mishap::kListenerDeleted:
      world.files.clear();
      break;
    case Mishap::kDenied:
      world.files[std::string(kRuleFile)] = std::string(kRule);
      break;
    case Mishap::kControlPlaneDead:
      world.has_control_plane = false;
      break;
    case Mishap::kAllDead:
      world.has_control_plane = false;
      world.has_backends = false;
      break;
  }
  return world;
}

std::string BootstrapText(const std::string& address, const std::string& node) {
  return absl::StrCat("{\"xds_servers\": [{\"server_uri\": ", JsonText(address),
                      ", \"channel_creds\": [{\"type\": \"insecure\"}], ",
                      "\"server_features\": [\"xds_v3\"]}], \"node\": {\"id\": ", JsonText(node),
                      "}}\n");
}

std::vector<std::string> ChildEnvironment(const std::vector<std::string>& ours,
                                          const std::vector<std::string>& more) {
  std::vector<std::string> variables;
  for (const std::string& variable : ours) {
    if (!ConcernsAChild(variable)) variables.push_back(variable);
  }
  variables.insert(variables.end(), more.begin(), more.end());
  return variables;
}

}  // namespace holdfast

#include "control/session/session_types.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace holdfast {
namespace {

std::string NamesOf(const SendResponse& response) {
  return absl::StrJoin(ResourcesIn(response), " ", [](std::string* out, const ResourcePtr& one) {
    absl::StrAppend(out, one->name(), "@", one->version().substr(0, 4));
  });
}

struct Printer {
  std::string operator()(const SendResponse& effect) const {
    return absl::StrCat("SendResponse ", effect.type, " nonce ", effect.nonce, " [",
                        NamesOf(effect), "] removed [", absl::StrJoin(effect.removed, " "),
                        "] errors [",
                        absl::StrJoin(effect.errors, " ",
                                      [](std::string* out, const auto& error) {
                                        absl::StrAppend(out, error.first, ":", error.second.code,
                                                        ":", error.second.message);
                                      }),
                        "]");
  }
  std::string operator()(const EndStream& effect) const {
    return absl::StrCat("EndStream ", effect.status.ToString());
  }
  std::string operator()(const WakeAt& effect) const {
    return absl::StrCat("WakeAt ", absl::FormatTime(effect.time));
  }
  std::string operator()(const Follow& effect) const {
    return absl::StrCat("Follow ", effect.type, "/", effect.name);
  }
  std::string operator()(const Unfollow& effect) const {
    return absl::StrCat("Unfollow ", effect.type, "/", effect.name);
  }
  std::string operator()(const CountSession& effect) const {
    return absl::StrCat("CountSession ", static_cast<int>(effect.what), " ", effect.type, " code ",
                        effect.code, " by ", effect.by);
  }
  std::string operator()(const ErrorsOutstanding& effect) const {
    return absl::StrCat("ErrorsOutstanding ", effect.type, " by ", effect.by);
  }
  std::string operator()(const LogLine& effect) const {
    return absl::StrCat("LogLine ", NameOf(effect.severity), " ", effect.text);
  }
};

}  // namespace

std::vector<ResourcePtr> ResourcesIn(const SendResponse& response) {
  if (response.all == nullptr) return response.resources;
  return {response.all->resources().begin(), response.all->resources().end()};
}

std::ostream& operator<<(std::ostream& out, const SessionEffect& effect) {
  return out << std::visit(Printer(), effect);
}

}  // namespace holdfast

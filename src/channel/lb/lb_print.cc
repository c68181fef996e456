// Events and effects of balancing, in one line each.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "channel/lb/lb_spec.h"
#include "channel/lb/lb_tree.h"

namespace holdfast {
namespace {

std::string CountsOf(const LbLeaf& leaf) {
  return absl::StrJoin(PrioritiesOf(leaf), " ",
                       [](std::string* text, const PrioritySpec& priority) {
                         size_t count = 0;
                         for (const LocalitySpec& locality : priority.localities) {
                           count += locality.endpoints.size();
                         }
                         absl::StrAppend(text, count);
                       });
}

void Print(std::ostream& out, const LbConfigChanged& event) {
  out << "LbConfigChanged";
  for (const LbLeaf& leaf : event.leaves) {
    out << " " << leaf.cluster << " endpoints [" << CountsOf(leaf) << "]";
    if (!leaf.dns_target.empty()) out << " " << leaf.dns_target;
    if (!leaf.note.empty()) out << " (" << leaf.note << ")";
  }
}
void Print(std::ostream& out, const SubchannelStateChanged& event) {
  out << "SubchannelStateChanged " << event.subchannel << " " << NameOf(event.state);
  if (!event.why.ok()) out << " " << event.why;
}
void Print(std::ostream& out, const LbTimerFired& event) { out << "LbTimerFired " << event.timer; }
void Print(std::ostream& out, const ConnectionWanted&) { out << "ConnectionWanted"; }

void Print(std::ostream& out, const CreateSubchannel& effect) {
  out << "CreateSubchannel " << effect.slot->id << " " << effect.slot->target;
}
void Print(std::ostream& out, const ConnectSubchannel& effect) {
  out << "ConnectSubchannel " << effect.subchannel;
}
void Print(std::ostream& out, const ReleaseSubchannel& effect) {
  out << "ReleaseSubchannel " << effect.subchannel;
}
void Print(std::ostream& out, const StartLbTimer& effect) {
  out << "StartLbTimer " << effect.timer << " " << effect.after;
}
void Print(std::ostream& out, const CancelLbTimer& effect) {
  out << "CancelLbTimer " << effect.timer;
}
void Print(std::ostream& out, const PublishPicker& effect) {
  out << "PublishPicker " << NameOf(effect.state) << " " << effect.picker->Text();
}

}  // namespace

absl::string_view NameOf(Connectivity state) {
  switch (state) {
    case Connectivity::kIdle:
      return "IDLE";
    case Connectivity::kConnecting:
      return "CONNECTING";
    case Connectivity::kReady:
      return "READY";
    case Connectivity::kTransientFailure:
      return "TRANSIENT_FAILURE";
  }
  return "unknown";
}

std::ostream& operator<<(std::ostream& out, const LbEvent& event) {
  std::visit([&](const auto& its_kind) { Print(out, its_kind); }, event);
  return out;
}

std::ostream& operator<<(std::ostream& out, const LbEffect& effect) {
  std::visit([&](const auto& its_kind) { Print(out, its_kind); }, effect);
  return out;
}

}  // namespace holdfast

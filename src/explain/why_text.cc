#include "explain/why_text.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json_text.h"
#include "base/outside_text.h"
#include "base/text_width.h"
#include "explain/age_text.h"
#include "explain/json_object.h"
#include "explain/standing_sign.h"

namespace holdfast {
namespace {

constexpr size_t kWidestName = 48;

std::string NameAt(const ChainLink& link) {
  const std::string name = link.kind == ChainLink::Kind::kAddress
                               ? BoundedText(link.address)
                               : NounAndName(link.resource.type, link.resource.name);
  return absl::StrCat(std::string(2 * link.depth, ' '), name);
}

// "8 clients: 7 good, 1 held back"
std::string ClientsText(const FleetType& clients) {
  if (clients.all() == 0) return "no client asks for it";
  std::vector<std::string> parts;
  const auto add = [&parts](uint64_t count, Standing standing) {
    if (count > 0) parts.push_back(absl::StrCat(count, " ", WordFor(standing)));
  };
  add(clients.failed, Standing::kFailed);
  add(clients.held_back, Standing::kHeldBack);
  add(clients.waiting, Standing::kWaiting);
  add(clients.good, Standing::kGood);
  return absl::StrCat(clients.all(),
                      clients.all() == 1 ? " client: " : " clients: ", absl::StrJoin(parts, ", "));
}

std::string AddressDetail(const ChainLink& link) {
  if (!link.dialled.has_value()) return "not tried";
  return link.dialled->error.empty() ? "answers" : BoundedText(link.dialled->error);
}

// The newest version beside the one in use, where there is one: of what was deleted or refused by
// the control plane there is none.
std::string VersionDetail(const ChainLink& link) {
  const bool has_newer = link.standing != Standing::kGood && !link.offered.empty() &&
                         link.offered != link.in_use && link.trouble != Trouble::kDoesNotExist &&
                         link.trouble != Trouble::kServerError;
  if (!link.in_use.has_value()) {
    return has_newer ? absl::StrCat("version ", ShortVersion(link.offered), " not in use") : "";
  }
  return absl::StrCat("version ", ShortVersion(*link.in_use),
                      has_newer ? absl::StrCat(" (newest: ", ShortVersion(link.offered), ")") : "");
}

std::string DetailOf(const ChainLink& link, absl::Time now) {
  if (link.kind == ChainLink::Kind::kAddress) return AddressDetail(link);
  std::vector<std::string> parts;
  const std::string version = VersionDetail(link);
  if (!version.empty()) parts.push_back(version);
  if (link.trouble == Trouble::kUnanswered) {
    parts.push_back(link.since.has_value()
                        ? absl::StrCat("sent ", AgeText(now - *link.since), " ago, no answer yet")
                        : "sent, no answer yet");
  } else if (link.standing == Standing::kWaiting) {
    parts.push_back(
        WaitingText(link.since.has_value() ? std::optional(now - *link.since) : std::nullopt));
  } else if (link.since.has_value()) {
    parts.push_back(AgeText(now - *link.since));
  }
  if (link.clients.has_value()) {
    parts.push_back(ClientsText(*link.clients));
  } else if (!link.is_asked_for) {
    parts.push_back("not asked for");
  }
  if (link.is_last_good) parts.push_back("newest in the files is invalid");
  return absl::StrJoin(parts, "  ");
}

// Whether the chain of this root, up to the next one, has trouble in it.
bool HasTrouble(const Chain& chain, size_t root, const WhyVerdict& verdict) {
  for (size_t i = root; i < chain.links.size(); ++i) {
    if (i > root && chain.links[i].depth == 0) break;
    if (chain.links[i].standing != Standing::kGood || i == verdict.broken) return true;
  }
  return false;
}

// A sign and a word; what a client does not ask for is neither good nor bad.
std::string StateOf(const ChainLink& link, bool has_colour) {
  if (link.standing != Standing::kGood || link.is_asked_for || link.clients.has_value()) {
    return SignAndWord(link.standing, has_colour);
  }
  return Padded("·", WidthOf(SignAndWord(Standing::kGood, /*has_colour=*/false)));
}

std::string LineOf(const ChainLink& link, size_t width, absl::Time now, bool has_colour) {
  std::string line = absl::StrCat(StateOf(link, has_colour), "  ", Padded(NameAt(link), width),
                                  "  ", DetailOf(link, now));
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

void AddChain(const Chain& chain, const Knowledge& known, const WhyStyle& style,
              const WhyVerdict& verdict, std::vector<std::string>& lines) {
  size_t width = 0;
  for (const ChainLink& link : chain.links) width = std::max(width, WidthOf(NameAt(link)));
  width = std::min(width, kWidestName);
  // Among chains with trouble those without are only counted.
  const bool shows_all = style.is_wide || !verdict.broken.has_value();
  size_t hidden = 0;
  bool is_shown = true;
  for (size_t i = 0; i < chain.links.size(); ++i) {
    const ChainLink& link = chain.links[i];
    if (link.depth == 0) {
      is_shown = shows_all || HasTrouble(chain, i, verdict);
      if (!is_shown) ++hidden;
    }
    if (is_shown) lines.push_back(LineOf(link, width, known.time, style.has_colour));
  }
  if (hidden > 0) {
    lines.push_back(absl::StrCat("and ", hidden,
                                 hidden == 1 ? " chain that is" : " chains that are",
                                 " good: -o wide shows ", hidden == 1 ? "it" : "them"));
  }
  if (chain.left_out > 0) {
    lines.push_back(absl::StrCat("and ", chain.left_out, " more that are not shown"));
  }
}

void AddLine(absl::string_view label, absl::string_view text, std::vector<std::string>& lines) {
  constexpr size_t kLabelWidth = 8;
  if (text.empty()) return;
  lines.push_back(absl::StrCat(label, std::string(kLabelWidth - label.size(), ' '), "  ", text));
}

std::string JsonOf(const ChainLink& link) {
  JsonObject object;
  object.Number("depth", link.depth);
  if (link.kind == ChainLink::Kind::kAddress) {
    object.Text("address", link.address);
    object.Text("state", NameOf(link.standing));
    if (link.dialled.has_value()) {
      object.Flag("answers", link.dialled->error.empty());
      object.TextIfAny("error", link.dialled->error);
    }
    return object.Close();
  }
  object.Text("type", ShortTypeOf(link.resource.type));
  object.Text("name", link.resource.name);
  object.Text("state", NameOf(link.standing));
  if (link.in_use.has_value()) object.Text("version", *link.in_use);
  object.TextIfAny("newest_version", link.offered);
  object.TimeIfAny("since", link.since);
  if (!link.is_asked_for) object.Flag("asked_for", false);
  object.TextIfAny("client", link.client);
  if (!link.code.empty() || !link.message.empty()) {
    JsonObject error;
    error.TextIfAny("code", link.code);
    error.Text("message", link.message);
    object.Raw("error", error.Close());
  }
  object.TextIfAny("remark", link.policy_remark.empty() ? link.remark : link.policy_remark);
  return object.Close();
}

}  // namespace

std::vector<std::string> WhyLines(const Chain& chain, const WhyVerdict& verdict,
                                  const Knowledge& known, const WhyStyle& style) {
  std::vector<std::string> lines;
  AddChain(chain, known, style, verdict, lines);
  if (!lines.empty()) lines.push_back("");
  if (verdict.finding == Finding::kNothing) {
    lines.push_back(verdict.summary);
  } else {
    AddLine(verdict.finding == Finding::kIncomplete ? "unknown" : "broken", verdict.summary, lines);
    AddLine("cause", NameOf(verdict.finding), lines);
    AddLine("said by", verdict.said_by, lines);
    AddLine("said", verdict.said, lines);
    if (verdict.when.has_value()) {
      AddLine("when",
              absl::StrCat(AgeText(known.time - *verdict.when), " ago, ", TimeText(*verdict.when)),
              lines);
    }
    AddLine("in use", verdict.in_use, lines);
    AddLine("next", verdict.next, lines);
  }
  for (const std::string& also : verdict.also) AddLine("also", also, lines);
  return lines;
}

std::string WhyJson(const Question& question, const Chain& chain, const WhyVerdict& verdict,
                    const Knowledge& known) {
  JsonObject object;
  object.Text("asked", question.text);
  object.Text("cause", NameOf(verdict.finding));
  object.Text("summary", verdict.summary);
  if (verdict.broken.has_value()) object.Raw("broken", JsonOf(chain.links[*verdict.broken]));
  object.TextIfAny("said_by", verdict.said_by);
  object.TextIfAny("said", verdict.said);
  object.TimeIfAny("when", verdict.when);
  object.TextIfAny("in_use", verdict.in_use);
  object.TextIfAny("next", verdict.next);
  std::vector<std::string> also;
  for (const std::string& line : verdict.also) also.push_back(JsonText(line));
  object.Array("also", also);
  std::vector<std::string> links;
  for (const ChainLink& link : chain.links) links.push_back(JsonOf(link));
  object.Array("chain", links);
  object.Text("time", TimeText(known.time));
  return object.Close();
}

}  // namespace holdfast

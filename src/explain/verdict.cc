#include "explain/verdict.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "base/did_you_mean.h"
#include "base/outside_text.h"
#include "explain/advice.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

constexpr size_t kMostSaidBytes = 4000;
constexpr size_t kMostAlso = 10;

std::string WhatOf(const ChainLink& link) {
  return link.kind == ChainLink::Kind::kAddress
             ? BoundedText(link.address)
             : NounAndName(link.resource.type, link.resource.name);
}

std::string VersionText(absl::string_view version) {
  return version.empty() ? "a version without a name"
                         : absl::StrCat("version ", ShortVersion(version));
}

std::string ClientText(const ChainLink& link) {
  if (link.client.empty()) return "the client";
  return absl::StrCat(
      "client ", BoundedText(link.client),
      link.more_clients == 0 ? "" : absl::StrCat(" and ", link.more_clients, " more"));
}

// What happened, after the name of the resource.
std::string HappenedText(Finding finding, const ChainLink& link, absl::Time now) {
  switch (finding) {
    case Finding::kWrongName:
    case Finding::kDoesNotExist:
      if (link.trouble == Trouble::kNone) return "the client does not ask for it";
      // In the words of our own client; others do not tell the one from the other.
      return absl::StrContains(link.message, "deleted:") ? "it was deleted" : "it does not exist";
    case Finding::kDenied:
      return absl::StrCat("the control plane does not give it to ",
                          link.client.empty() ? "clients" : ClientText(link));
    case Finding::kInvalid:
      return link.is_last_good ? "what is in the files is invalid, an older version is served"
                               : "what is in the files is invalid, and no older version is there";
    case Finding::kDeletedButKept:
      return "deleted, and kept by the client";
    case Finding::kRejected:
      return absl::StrCat(ClientText(link), " rejected ",
                          link.offered.empty() ? "the newest version" : VersionText(link.offered));
    case Finding::kWaiting:
      return link.since.has_value() ? WaitingText(now - *link.since) : WaitingText(std::nullopt);
    case Finding::kTimeout:
      return "no answer as long as the client waits";
    case Finding::kServerError:
      return absl::StrCat("the control plane answered with an error", link.code.empty() ? "" : " ",
                          BoundedText(link.code));
    case Finding::kNoEndpoints:
      return link.remark.empty() ? "it leads nowhere" : link.remark;
    case Finding::kEndpointsRefuse:
      return "no address answers";
    case Finding::kNotAskedFor:
      return "the client does not ask for it";
    case Finding::kNothing:
    case Finding::kControlPlaneUnreachable:
    case Finding::kNotConnected:
      break;
  }
  return "";
}

std::string InUseText(const ChainLink& link, const Knowledge& known) {
  if (link.kind == ChainLink::Kind::kAddress) return "";
  if (link.is_last_good && link.trouble == Trouble::kNone) {
    return absl::StrCat(VersionText(link.offered), ", the last good one, is served to everybody");
  }
  if (link.in_use.has_value()) {
    return absl::StrCat(VersionText(*link.in_use), ", the last good one: calls go on with it");
  }
  const bool was_withdrawn =
      link.trouble == Trouble::kDoesNotExist || link.trouble == Trouble::kServerError;
  // A control plane knows what it said, and not what a client makes of it (gRFC A88).
  if (known.has_control_plane && was_withdrawn) {
    return "nothing in a client that starts now; one that had it may go on with its last good "
           "version: ask it with --target";
  }
  return "nothing: calls that need it fail, or wait";
}

struct Words {
  std::string who;
  std::string said;
};

// The words of lint about what is in the files; "" if it has none.
std::string LintWords(const ChainLink& link) {
  for (const std::string& problem : link.problems) {
    if (absl::StrContains(problem, ": error: ")) return BoundedText(problem, kMostSaidBytes);
  }
  return "";
}

Words WordsOf(Finding finding, const ChainLink& link, const Knowledge& known) {
  const std::string code =
      link.code.empty() ? ""
                        : absl::StrCat(BoundedText(link.code), link.message.empty() ? "" : ": ");
  const std::string said = absl::StrCat(code, BoundedText(link.message, kMostSaidBytes));
  if (finding == Finding::kRejected) {
    return {ClientText(link), said.empty() ? "no reason given" : said};
  }
  if (finding == Finding::kInvalid) {
    const std::string lint = LintWords(link);
    return {"the configuration files", lint.empty() ? said : lint};
  }
  if (said.empty()) return {};
  // Only the client was asked: it says what it saw, or that it waited in vain.
  if (link.trouble == Trouble::kTimeout ||
      (link.trouble == Trouble::kDoesNotExist && !known.has_control_plane)) {
    return {ClientText(link), said};
  }
  return {"the control plane", said};
}

const ChainLink* ParentOf(const Chain& chain, size_t place) {
  for (size_t i = place; i-- > 0;) {
    if (chain.links[i].depth < chain.links[place].depth) return &chain.links[i];
  }
  return nullptr;
}

// "cluster pay: client web-1 rejected version 7"
std::string SummaryOf(Finding finding, const ChainLink& link, const Knowledge& known) {
  std::string summary = absl::StrCat(WhatOf(link), ": ", HappenedText(finding, link, known.time));
  if (finding != Finding::kWrongName) return summary;
  absl::StrAppend(&summary, "; did you mean ",
                  BoundedText(NearestName(link.resource, known).value_or("")), "?");
  return summary;
}

WhyVerdict VerdictOn(Finding finding, size_t place, const Question& question, const Chain& chain,
                     const Knowledge& known) {
  const ChainLink& link = chain.links[place];
  WhyVerdict verdict;
  verdict.finding = finding;
  verdict.broken = place;
  verdict.summary = SummaryOf(finding, link, known);
  Words words = WordsOf(finding, link, known);
  verdict.said_by = std::move(words.who);
  verdict.said = std::move(words.said);
  if (link.standing != Standing::kGood) {
    verdict.when = link.since;
    verdict.in_use = InUseText(link, known);
  }
  verdict.next = AdviceFor(finding, {.question = question,
                                     .link = &link,
                                     .parent = ParentOf(chain, place),
                                     .meant = NearestName(link.resource, known).value_or("")});
  return verdict;
}

// The resource of this link has addresses, and none of those that were tried answers.
bool AllRefuse(const Chain& chain, size_t place, std::vector<const ChainLink*>& refused) {
  for (size_t i = place + 1; i < chain.links.size(); ++i) {
    const ChainLink& link = chain.links[i];
    if (link.kind != ChainLink::Kind::kAddress || link.resource != chain.links[place].resource) {
      continue;
    }
    if (!link.dialled.has_value()) continue;
    if (link.dialled->error.empty()) return false;
    refused.push_back(&link);
  }
  return !refused.empty();
}

WhyVerdict RefusedVerdict(size_t place, const Question& question, const Chain& chain,
                          const Knowledge& known) {
  std::vector<const ChainLink*> refused;
  AllRefuse(chain, place, refused);
  const auto address = [](std::string* out, const ChainLink* link) {
    out->append(BoundedText(link->address));
  };
  WhyVerdict verdict = VerdictOn(Finding::kEndpointsRefuse, place, question, chain, known);
  verdict.said_by = BoundedText(refused.front()->address);
  verdict.said = BoundedText(refused.front()->dialled->error);
  verdict.when = known.time;
  verdict.in_use.clear();
  verdict.next =
      AdviceFor(Finding::kEndpointsRefuse, {.question = question,
                                            .link = &chain.links[place],
                                            .addresses = absl::StrJoin(refused, ", ", address)});
  return verdict;
}

// Nobody to call at this link, though the resource is there. Envoy has listeners, routes and
// clusters that lead elsewhere; a gRPC client, which is what has a target, has not.
Finding EndFinding(const Question& question, const Chain& chain, size_t place) {
  const ChainLink& link = chain.links[place];
  if (link.kind == ChainLink::Kind::kAddress || link.leads_as_rejected) return Finding::kNothing;
  const bool is_grpc = question.kind == Question::Kind::kTarget;
  if (link.leads_nowhere && (is_grpc || link.resource.type == kEndpointsTypeName)) {
    return Finding::kNoEndpoints;
  }
  if (is_grpc && absl::StrContains(link.remark, "load_balancing_weight")) {
    return Finding::kNoEndpoints;
  }
  std::vector<const ChainLink*> refused;
  return AllRefuse(chain, place, refused) ? Finding::kEndpointsRefuse : Finding::kNothing;
}

struct Candidate {
  Harm harm = Harm::kNone;
  Finding finding = Finding::kNothing;
  size_t place = 0;
};

// All that is wrong, in the order of the chain.
std::vector<Candidate> CandidatesIn(const Question& question, const Chain& chain,
                                    const Knowledge& known) {
  std::vector<Candidate> candidates;
  for (size_t place = 0; place < chain.links.size(); ++place) {
    const ChainLink& link = chain.links[place];
    if (link.kind == ChainLink::Kind::kAddress) continue;
    if (link.depth == 0 && !link.is_asked_for && known.client.has_value() &&
        link.standing == Standing::kGood) {
      const bool is_slip = NearestName(link.resource, known).has_value();
      candidates.push_back(
          {Harm::kBroken, is_slip ? Finding::kWrongName : Finding::kNotAskedFor, place});
      continue;
    }
    const Harm harm = HarmOf(link);
    if (harm != Harm::kNone) {
      candidates.push_back({harm, FindingOf(link, known), place});
    }
    if (harm >= Harm::kPending) continue;
    const Finding end = EndFinding(question, chain, place);
    if (end != Finding::kNothing) candidates.push_back({Harm::kBroken, end, place});
  }
  return candidates;
}

bool AllServersUnreachable(const Knowledge& known) {
  return !known.servers.empty() && absl::c_all_of(known.servers, [](const ServerReach& server) {
    return !server.error.empty();
  });
}

std::string UnreachableText(const Knowledge& known) {
  return absl::StrCat("control plane ", BoundedText(known.servers.front().address),
                      ": cannot be reached from this machine");
}

WhyVerdict UnreachableVerdict(std::optional<size_t> place, const Question& question,
                              const Chain& chain, const Knowledge& known) {
  const ServerReach& server = known.servers.front();
  WhyVerdict verdict;
  verdict.finding = Finding::kControlPlaneUnreachable;
  verdict.broken = place;
  verdict.summary = UnreachableText(known);
  verdict.said_by = BoundedText(server.address);
  verdict.said = BoundedText(server.error);
  verdict.when = known.time;
  verdict.in_use = place.has_value() ? InUseText(chain.links[*place], known)
                                     : "what the client has: calls go on with it";
  verdict.next = AdviceFor(Finding::kControlPlaneUnreachable,
                           {.question = question, .addresses = BoundedText(server.address)});
  return verdict;
}

// "all good: every link from xds:///web to an address is good; 2 of 2 addresses answer"
WhyVerdict NothingWrong(const Question& question, const Chain& chain) {
  size_t tried = 0, answered = 0;
  for (const ChainLink& link : chain.links) {
    if (!link.dialled.has_value()) continue;
    ++tried;
    if (link.dialled->error.empty()) ++answered;
  }
  WhyVerdict verdict;
  const size_t left_out = chain.left_out + chain.to_ask.size();
  verdict.summary =
      left_out == 0
          ? absl::StrCat("all good: every link of ", BoundedText(question.text), " is good")
          : absl::StrCat("nothing is wrong with the first ", chain.links.size(), " links of ",
                         BoundedText(question.text), "; ", left_out,
                         " more were not looked at: ask for one of them by its type and name");
  if (tried > 0) {
    absl::StrAppend(&verdict.summary, ", and ", answered, " of ", tried,
                    tried == 1 ? " address answers" : " addresses answer", " from this machine");
  }
  return verdict;
}

// What is waited for, or ran out of time, because nobody could be asked.
bool IsForWantOfAServer(Finding finding) {
  return finding == Finding::kWaiting || finding == Finding::kTimeout;
}

WhyVerdict VerdictOnCandidate(const Candidate& worst, const Question& question, const Chain& chain,
                              const Knowledge& known) {
  if (AllServersUnreachable(known) && IsForWantOfAServer(worst.finding)) {
    return UnreachableVerdict(worst.place, question, chain, known);
  }
  if (worst.finding == Finding::kEndpointsRefuse) {
    return RefusedVerdict(worst.place, question, chain, known);
  }
  return VerdictOn(worst.finding, worst.place, question, chain, known);
}

void AddAlso(const std::vector<Candidate>& candidates, const Chain& chain, const Knowledge& known,
             WhyVerdict& verdict) {
  size_t more = 0;
  for (const Candidate& candidate : candidates) {
    if (candidate.place == verdict.broken) continue;
    if (verdict.also.size() == kMostAlso) {
      ++more;
      continue;
    }
    verdict.also.push_back(SummaryOf(candidate.finding, chain.links[candidate.place], known));
  }
  if (more > 0) verdict.also.push_back(absl::StrCat("and ", more, " more"));
  if (AllServersUnreachable(known) && verdict.finding != Finding::kControlPlaneUnreachable) {
    verdict.also.push_back(
        absl::StrCat(UnreachableText(known), ": ", BoundedText(known.servers.front().error)));
  }
}

}  // namespace

WhyVerdict Judge(const Question& question, const Chain& chain, const Knowledge& known) {
  const std::vector<Candidate> candidates = CandidatesIn(question, chain, known);
  // The first of the worst.
  const auto worst = absl::c_max_element(
      candidates, [](const Candidate& a, const Candidate& b) { return a.harm < b.harm; });
  WhyVerdict verdict;
  if (worst != candidates.end()) {
    verdict = VerdictOnCandidate(*worst, question, chain, known);
  } else if (AllServersUnreachable(known)) {
    verdict = UnreachableVerdict(std::nullopt, question, chain, known);
  } else {
    verdict = NothingWrong(question, chain);
  }
  AddAlso(candidates, chain, known, verdict);
  return verdict;
}

WhyVerdict JudgeUnknownClient(const Question& question, const Knowledge& known) {
  std::vector<absl::string_view> ids;
  for (const FleetClient& client : known.clients) ids.push_back(client.id);
  const std::optional<absl::string_view> meant = DidYouMean(question.text, ids);
  WhyVerdict verdict;
  verdict.finding = Finding::kNotConnected;
  verdict.summary = absl::StrCat("client ", BoundedText(question.text), ": not connected");
  if (meant.has_value()) {
    absl::StrAppend(&verdict.summary, "; did you mean ", BoundedText(*meant), "?");
  }
  verdict.next = AdviceFor(Finding::kNotConnected,
                           {.question = question, .meant = std::string(meant.value_or(""))});
  return verdict;
}

}  // namespace holdfast

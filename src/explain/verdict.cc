#include "explain/verdict.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/did_you_mean.h"
#include "base/outside_text.h"
#include "explain/advice.h"
#include "explain/verdict_words.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

constexpr size_t kMostAlso = 10;

const ChainLink* ParentOf(const Chain& chain, size_t place) {
  for (size_t i = place; i-- > 0;) {
    if (chain.links[i].depth < chain.links[place].depth) return &chain.links[i];
  }
  return nullptr;
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
  if (link.has_no_host) return Finding::kNoVirtualHost;
  const bool is_grpc = question.kind == Question::Kind::kTarget;
  if (link.leads_nowhere && (is_grpc || link.resource.type == kEndpointsTypeName)) {
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

bool IsDown(const ServerReach& server) { return server.was_tried && !server.error.empty(); }

// The first of a bootstrap is whom a client asks: Holdfast's asks no other, and one that falls back
// (gRFC A71) does it only for what it does not have.
bool IsFirstServerDown(const Knowledge& known) {
  return !known.servers.empty() && IsDown(known.servers.front());
}

// Of the others, the first that answers; null if none does.
const ServerReach* NextThatAnswers(const Knowledge& known) {
  const auto next = absl::c_find_if(known.servers, [](const ServerReach& server) {
    return server.was_tried && server.error.empty();
  });
  return next == known.servers.end() ? nullptr : &*next;
}

// Only a process was asked. CSDS does not say whether it can reach its xDS servers, and nobody
// tried them from here.
bool IsConnectionUnknown(const Knowledge& known) {
  return !known.has_control_plane && (known.servers.empty() || !known.servers.front().was_tried);
}

std::string UnreachableText(const Knowledge& known) {
  const ServerReach& server = known.servers.front();
  return absl::StrCat("control plane ", BoundedText(server.address),
                      server.takes_no_stream ? ": takes no stream from this machine"
                                             : ": cannot be reached from this machine");
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
  verdict.next =
      AdviceFor(Finding::kControlPlaneUnreachable, {.question = question,
                                                    .addresses = BoundedText(server.address),
                                                    .takes_no_stream = server.takes_no_stream});
  return verdict;
}

// ", and 2 of 2 addresses answer from this machine"; "" if none was tried.
std::string AnsweredText(const Chain& chain) {
  size_t tried = 0, answered = 0;
  for (const ChainLink& link : chain.links) {
    if (!link.dialled.has_value()) continue;
    ++tried;
    if (link.dialled->error.empty()) ++answered;
  }
  if (tried == 0) return "";
  return absl::StrCat(", and ", answered, " of ", tried,
                      tried == 1 ? " address answers" : " addresses answer", " from this machine");
}

// Whoever was asked says that something is missing, or it shows.
std::string MissingFrom(const Knowledge& known) {
  if (!known.incomplete.empty()) return BoundedText(known.incomplete);
  const uint64_t unlisted = known.client.has_value() ? known.client->more_resources : 0;
  return unlisted == 0
             ? ""
             : absl::StrCat(unlisted, " more resources of this client are not good, and not in it");
}

// Where a target's chain ends before it came to an address, and nobody knows what comes then.
std::optional<size_t> UnknownEnd(const Question& question, const Chain& chain) {
  if (question.kind != Question::Kind::kTarget) return std::nullopt;
  const auto end = absl::c_find_if(chain.links, [](const ChainLink& link) {
    return link.kind == ChainLink::Kind::kResource && link.is_end_unknown;
  });
  if (end == chain.links.end()) return std::nullopt;
  return static_cast<size_t>(end - chain.links.begin());
}

// The control plane has it, and no client that is connected wants it.
bool NobodyAsksFor(const Question& question, const Chain& chain, const Knowledge& known) {
  return question.kind != Question::Kind::kClient && !known.client.has_value() &&
         !chain.links.empty() && !chain.links.front().is_asked_for;
}

// "all good" only if all was seen.
WhyVerdict NothingWrong(const Question& question, const Chain& chain, const Knowledge& known) {
  const size_t left_out = chain.left_out + chain.to_ask.size();
  const std::string missing = MissingFrom(known);
  const std::optional<size_t> end = UnknownEnd(question, chain);
  if (missing.empty() && end.has_value() && left_out == 0) {
    return VerdictOn(Finding::kIncomplete, *end, question, chain, known);
  }
  const std::string asked = BoundedText(question.text);
  WhyVerdict verdict;
  if (!missing.empty()) {
    verdict.finding = Finding::kIncomplete;
    verdict.summary = absl::StrCat("nothing is wrong with what was told of ", asked,
                                   ", but the answer is not complete: ", missing);
    verdict.next = AdviceFor(Finding::kIncomplete, {.question = question});
    return verdict;
  }
  if (left_out > 0) {
    verdict.summary = absl::StrCat(
        "nothing is wrong with the first ", chain.links.size(), " links of ", asked, "; ", left_out,
        " more were not looked at: ask for one of them by its type and name");
  } else if (IsConnectionUnknown(known)) {
    verdict.summary = absl::StrCat("nothing is wrong with what the process tells: every link of ",
                                   asked, " is good");
  } else if (NobodyAsksFor(question, chain, known)) {
    verdict.summary =
        absl::StrCat("no client asks for ", asked, "; as it is served, every link of it is good");
  } else {
    verdict.summary = absl::StrCat("all good: every link of ", asked, " is good");
  }
  absl::StrAppend(&verdict.summary, AnsweredText(chain));
  return verdict;
}

// What is waited for, or ran out of time, because nobody could be asked; whoever was sent something
// has a server.
bool IsForWantOfAServer(Finding finding, Trouble trouble) {
  return finding == Finding::kTimeout ||
         (finding == Finding::kWaiting && trouble != Trouble::kUnanswered);
}
bool IsForWantOfAServer(const WhyVerdict& verdict, const Chain& chain) {
  return verdict.broken.has_value() &&
         IsForWantOfAServer(verdict.finding, chain.links[*verdict.broken].trouble);
}

WhyVerdict VerdictOnCandidate(const Candidate& worst, const Question& question, const Chain& chain,
                              const Knowledge& known) {
  if (IsFirstServerDown(known) &&
      IsForWantOfAServer(worst.finding, chain.links[worst.place].trouble)) {
    return UnreachableVerdict(worst.place, question, chain, known);
  }
  if (worst.finding == Finding::kEndpointsRefuse) {
    return RefusedVerdict(worst.place, question, chain, known);
  }
  return VerdictOn(worst.finding, worst.place, question, chain, known);
}

// Something is not there, and of the reasons that clients are told not all were listed.
bool MissesAnError(const Chain& chain, const Knowledge& known) {
  return known.errors.more > 0 && absl::c_any_of(chain.links, [](const ChainLink& link) {
           return link.trouble == Trouble::kDoesNotExist && !link.origin.has_value();
         });
}

// Envoy, or stock gRPC: what Holdfast's channels cannot do is not its trouble.
bool IsKnownToBeForeign(const Knowledge& known) {
  return known.client.has_value() && !known.client->user_agent.empty() &&
         !absl::StartsWith(known.client->user_agent, "holdfast");
}

// What is wrong besides, and what is good with every link and does not work with Holdfast's
// channels.
std::vector<std::string> AllElse(const std::vector<Candidate>& candidates, const Chain& chain,
                                 const Knowledge& known, const WhyVerdict& verdict) {
  std::vector<std::string> sentences;
  for (const Candidate& candidate : candidates) {
    if (candidate.place == verdict.broken) continue;
    sentences.push_back(SummaryOf(candidate.finding, chain.links[candidate.place], known));
  }
  if (IsKnownToBeForeign(known)) return sentences;
  for (const ChainLink& link : chain.links) {
    if (link.policy_remark.empty() || link.leads_as_rejected) continue;
    sentences.push_back(absl::StrCat(NounAndName(link.resource.type, link.resource.name), ": ",
                                     BoundedText(link.policy_remark)));
  }
  return sentences;
}

void AddAlso(const std::vector<Candidate>& candidates, const Chain& chain, const Knowledge& known,
             WhyVerdict& verdict) {
  verdict.also = AllElse(candidates, chain, known, verdict);
  if (verdict.also.size() > kMostAlso) {
    const size_t more = verdict.also.size() - kMostAlso;
    verdict.also.resize(kMostAlso);
    verdict.also.push_back(absl::StrCat("and ", more, " more"));
  }
  if (MissesAnError(chain, known)) {
    verdict.also.push_back(
        absl::StrCat("the control plane left out ", known.errors.more,
                     known.errors.more == 1 ? " error" : " errors",
                     " that clients are told: whether what does not exist is among them, with "
                     "another reason, is not known"));
  }
  if (IsFirstServerDown(known) && verdict.finding != Finding::kControlPlaneUnreachable) {
    verdict.also.push_back(
        absl::StrCat(UnreachableText(known), ": ", BoundedText(known.servers.front().error)));
  }
  const ServerReach* const next = IsFirstServerDown(known) ? NextThatAnswers(known) : nullptr;
  if (next != nullptr) {
    verdict.also.push_back(absl::StrCat(
        "the bootstrap names ", BoundedText(next->address),
        " too, and it answers: a client that falls back (gRFC A71) asks it for what it does not "
        "have; Holdfast's client uses the first server alone"));
  }
  // It may be why; and where nothing is wrong, this may be, unnoticed until the process restarts.
  const bool may_matter = verdict.finding == Finding::kNothing ||
                          verdict.finding == Finding::kIncomplete ||
                          IsForWantOfAServer(verdict, chain);
  if (may_matter && IsConnectionUnknown(known)) {
    verdict.also.emplace_back(
        "whether the process can reach its control plane was not checked: CSDS does not say, and "
        "GRPC_XDS_BOOTSTRAP names none that can be tried from here");
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
  } else if (IsFirstServerDown(known)) {
    verdict = UnreachableVerdict(std::nullopt, question, chain, known);
  } else {
    verdict = NothingWrong(question, chain, known);
  }
  AddAlso(candidates, chain, known, verdict);
  return verdict;
}

WhyVerdict JudgeUnknownClient(const Question& question, const Knowledge& known) {
  std::vector<absl::string_view> ids;
  for (const FleetClient& client : known.clients) ids.push_back(client.id);
  const std::optional<absl::string_view> meant = DidYouMean(question.text, ids);
  WhyVerdict verdict;
  // It may be among those that nobody told of.
  if (!known.incomplete.empty()) {
    verdict.finding = Finding::kIncomplete;
    verdict.summary =
        absl::StrCat("client ", BoundedText(question.text),
                     ": not among those that were told, but the answer is not complete: ",
                     BoundedText(known.incomplete));
    verdict.next = AdviceFor(Finding::kIncomplete, {.question = question});
    return verdict;
  }
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

#include "explain/verdict_words.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/outside_text.h"
#include "explain/age_text.h"

namespace holdfast {
namespace {

constexpr size_t kMostSaidBytes = 4000;

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
  if (link.is_unlisted && link.clients.has_value()) {
    const uint64_t troubled = link.clients->all() - link.clients->good;
    return absl::StrCat(troubled, " of ", link.clients->all(),
                        link.clients->all() == 1 ? " client" : " clients");
  }
  if (link.client.empty()) return "the client";
  return absl::StrCat(
      "client ", BoundedText(link.client),
      link.more_clients == 0 ? "" : absl::StrCat(" and ", link.more_clients, " more"));
}

// The client is the one to look at, and not the control plane: "client web-1 was sent version 7 40s
// ago and has not answered yet".
std::string UnansweredText(const ChainLink& link, absl::Time now) {
  const bool are_many = link.more_clients > 0 ||
                        (link.is_unlisted && link.clients.has_value() && link.clients->waiting > 1);
  const std::string version =
      link.offered.empty() ? "the newest version" : VersionText(link.offered);
  if (are_many) {
    return absl::StrCat(ClientText(link), " were sent ", version, " and have not answered yet");
  }
  return absl::StrCat(
      ClientText(link), " was sent ", version,
      link.since.has_value() ? absl::StrCat(" ", AgeText(now - *link.since), " ago") : "",
      " and has not answered yet");
}

// What happened, after the name of the resource.
std::string HappenedText(Finding finding, const ChainLink& link, absl::Time now) {
  switch (finding) {
    case Finding::kWrongName:
    case Finding::kDoesNotExist:
      if (link.trouble == Trouble::kNone) return "the client does not ask for it";
      if (link.origin == PlaneError::Origin::kConfigured) return "an errors: entry withdraws it";
      return link.was_deleted ? "it was deleted" : "it does not exist";
    case Finding::kDenied:
      return absl::StrCat("the control plane does not give it to ",
                          link.client.empty() ? "clients" : ClientText(link));
    case Finding::kInvalid:
      if (link.may_be_unread) {
        return "a file of the configuration could never be read, and no other has it";
      }
      return link.is_last_good ? "what is in the files is invalid, an older version is served"
                               : "what is in the files is invalid, and no older version is there";
    case Finding::kDeletedButKept:
      return link.origin == PlaneError::Origin::kConfigured
                 ? "an errors: entry withdraws it, kept by the client"
                 : "deleted, and kept by the client";
    case Finding::kRejected:
      return absl::StrCat(ClientText(link), " rejected ",
                          link.offered.empty() ? "the newest version" : VersionText(link.offered));
    case Finding::kWaiting:
      if (link.trouble == Trouble::kUnanswered) return UnansweredText(link, now);
      return link.since.has_value() ? WaitingText(now - *link.since) : WaitingText(std::nullopt);
    case Finding::kTimeout:
      return "no answer as long as the client waits";
    case Finding::kServerError:
      return absl::StrCat("the control plane answered with an error", link.code.empty() ? "" : " ",
                          BoundedText(link.code));
    case Finding::kNoEndpoints:
      return link.remark.empty() ? "it leads nowhere" : link.remark;
    case Finding::kEndpointsRefuse:
      return link.tried >= link.addresses
                 ? "no address answers"
                 : absl::StrCat("none of the ", link.tried, " addresses that were tried answers; ",
                                link.addresses - link.tried, " more were not tried");
    case Finding::kNoVirtualHost:
      return link.remark;
    case Finding::kIncomplete:
      return link.is_asked_for ? "where it leads was not told, so nobody knows whether calls go on"
                               : "the client does not ask for it, so the chain has no address";
    case Finding::kNotAskedFor:
      return "the client does not ask for it";
    case Finding::kNothing:
    case Finding::kControlPlaneUnreachable:
    case Finding::kNotConnected:
      break;
  }
  return "";
}

// The words of lint about what is in the files; "" if it has none.
std::string LintWords(const ChainLink& link) {
  for (const std::string& problem : link.problems) {
    if (absl::StrContains(problem, ": error: ")) return BoundedText(problem, kMostSaidBytes);
  }
  return "";
}

}  // namespace

std::string InUseText(const ChainLink& link, const Knowledge& known) {
  if (link.kind == ChainLink::Kind::kAddress) return "";
  if (link.is_last_good && link.trouble == Trouble::kNone) {
    return absl::StrCat(VersionText(link.offered), ", the last good one, is served to everybody");
  }
  if (link.is_unlisted && link.standing == Standing::kHeldBack) {
    return "an older version, the last good one: calls go on with it";
  }
  if (link.in_use.has_value()) {
    return absl::StrCat(VersionText(*link.in_use), ", the last good one: calls go on with it");
  }
  const bool was_withdrawn =
      link.trouble == Trouble::kDoesNotExist || link.trouble == Trouble::kServerError;
  // A control plane knows what it said, and not what a client makes of it (gRFC A88).
  if (known.has_control_plane && !known.is_told_by_client && was_withdrawn) {
    return "nothing in a client that starts now; one that had it may go on with its last good "
           "version: ask it with --target";
  }
  return "nothing: calls that need it fail, or wait";
}

Words WordsOf(Finding finding, const ChainLink& link, const Knowledge& known) {
  const std::string code =
      link.code.empty() ? ""
                        : absl::StrCat(BoundedText(link.code), link.message.empty() ? "" : ": ");
  const std::string said = absl::StrCat(code, BoundedText(link.message, kMostSaidBytes));
  if (finding == Finding::kRejected) {
    if (link.is_unlisted) return {};  // Nobody told who it was, or what was said.
    return {ClientText(link), said.empty() ? "no reason given" : said};
  }
  if (finding == Finding::kInvalid) {
    const std::string lint = LintWords(link);
    if (!lint.empty()) return {"the configuration files", lint};
    return {link.may_be_unread ? "the control plane" : "the configuration files", said};
  }
  if (said.empty()) return {};
  // Only the client was asked: it says what it saw, or that it waited in vain.
  if (link.trouble == Trouble::kTimeout ||
      (link.trouble == Trouble::kDoesNotExist && !known.has_control_plane)) {
    return {ClientText(link), said};
  }
  return {"the control plane", said};
}

std::string SummaryOf(Finding finding, const ChainLink& link, const Knowledge& known) {
  std::string summary = absl::StrCat(WhatOf(link), ": ", HappenedText(finding, link, known.time));
  if (finding != Finding::kWrongName) return summary;
  absl::StrAppend(&summary, "; did you mean ",
                  BoundedText(NearestName(link.resource, known).value_or("")), "?");
  return summary;
}

}  // namespace holdfast

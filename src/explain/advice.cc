#include "explain/advice.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/outside_text.h"
#include "explain/unread_file.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

std::string What(const AdviceContext& context) {
  return NounAndName(context.link->resource.type, context.link->resource.name);
}

// Where a name was written: in the resource that leads there, or by whoever asked.
std::string WrongName(const AdviceContext& context) {
  const std::string instead = absl::StrCat(BoundedText(context.meant), " instead of ",
                                           BoundedText(context.link->resource.name));
  if (context.parent != nullptr) {
    return absl::StrCat("write ", instead, " in ",
                        NounAndName(context.parent->resource.type, context.parent->resource.name),
                        ", or add ", What(context), " to the configuration");
  }
  if (context.question.kind == Question::Kind::kTarget) {
    return absl::StrCat("write ", instead, " in the target of the client, or add ", What(context),
                        " to the configuration");
  }
  return absl::StrCat("write ", instead, " where it is asked for, or add ", What(context),
                      " to the configuration");
}

bool IsByEntry(const AdviceContext& context) {
  return context.link->origin == PlaneError::Origin::kConfigured;
}

std::string DoesNotExist(const AdviceContext& context) {
  if (IsByEntry(context)) {
    return absl::StrCat("remove the errors: entry for ", What(context),
                        ", if clients are to have it");
  }
  if (context.link->was_deleted) {
    return absl::StrCat(
        "put ", What(context), " back into the configuration, or ",
        context.parent == nullptr
            ? "end what still asks for it"
            : absl::StrCat("take it out of ", NounAndName(context.parent->resource.type,
                                                          context.parent->resource.name)));
  }
  if (context.parent != nullptr) {
    return absl::StrCat("add ", What(context), " to the configuration, or correct the name in ",
                        NounAndName(context.parent->resource.type, context.parent->resource.name));
  }
  return absl::StrCat("add ", What(context),
                      " to the configuration, or correct the name where it is asked for");
}

std::string Denied(const AdviceContext& context) {
  return absl::StrCat("ask whoever owns ", What(context),
                      ", or change what the control plane is told about it: in files of holdfast "
                      "serve an errors: entry refuses it to everybody");
}

// "pay.yaml:4:3" of "pay.yaml:4:3: error: ..."; "" if it is not such a line.
std::string PlaceIn(absl::string_view problem) {
  const size_t error = problem.find(": error: ");
  if (error == absl::string_view::npos) return "";
  const absl::string_view before = problem.substr(0, error);
  return BoundedText(before.substr(before.rfind(' ') + 1));
}

std::string Invalid(const AdviceContext& context) {
  std::string place = PlaceIn(context.link->message);
  for (const std::string& problem : context.link->problems) {
    if (place.empty()) place = PlaceIn(problem);
  }
  if (place.empty()) place = BoundedText(UnreadFileInAnswer(context.link->message));
  for (const std::string& problem : context.link->problems) {
    if (place.empty()) place = BoundedText(UnreadFileInProblem(problem));
  }
  return absl::StrCat(
      "correct ", place.empty() ? absl::StrCat("the file of ", What(context)) : place,
      ": holdfast lint DIR shows every problem, and a saved file is served at once");
}

std::string Rejected(const AdviceContext& context) {
  std::string advice =
      absl::StrCat("correct what the client names in ", What(context), " and publish it again");
  if (context.link->standing == Standing::kHeldBack) {
    absl::StrAppend(
        &advice, "; do not restart the client before: it would start without the version it uses");
  }
  return advice;
}

std::string Waiting(const AdviceContext& context) {
  if (context.link->trouble == Trouble::kUnanswered) {
    const std::string who = context.link->client.empty()
                                ? "whoever holdfast ps shows waiting"
                                : absl::StrCat("client ", BoundedText(context.link->client));
    return absl::StrCat("look at ", who,
                        ": its process may be stopped, or too busy to read; an idle one with gRPC "
                        "C++ 1.51 reads only every 5 s");
  }
  return absl::StrCat(
      "wait for the answer: a client gives up after 15 s, or 30 s with "
      "resource_timer_is_transient_error; then see whether the control plane has it: holdfast why ",
      RefText(context.link->resource.type, context.link->resource.name), " ",
      context.question.server_option);
}

std::string NoEndpoints(const AdviceContext& context) {
  if (context.link->resource.type != kEndpointsTypeName) {
    return absl::StrCat("add a way on from ", What(context),
                        ": a route to a cluster, or endpoints of the cluster");
  }
  if (absl::StrContains(context.link->remark, "load_balancing_weight")) {
    return absl::StrCat("give each locality of ", What(context), " a load_balancing_weight");
  }
  return absl::StrCat("add an endpoint to ", What(context), ", or see why all of them are gone");
}

}  // namespace

std::string AdviceFor(Finding finding, const AdviceContext& context) {
  switch (finding) {
    case Finding::kNothing:
      return "";
    case Finding::kWrongName:
      return WrongName(context);
    case Finding::kDoesNotExist:
      return DoesNotExist(context);
    case Finding::kDenied:
      return Denied(context);
    case Finding::kInvalid:
      return Invalid(context);
    case Finding::kDeletedButKept:
      return absl::StrCat(IsByEntry(context)
                              ? absl::StrCat("remove the errors: entry for ", What(context))
                              : absl::StrCat("put ", What(context), " back"),
                          " before the client restarts: it would start without it");
    case Finding::kRejected:
      return Rejected(context);
    case Finding::kWaiting:
      return Waiting(context);
    case Finding::kTimeout:
      return absl::StrCat("see whether the control plane has it: holdfast why ",
                          RefText(context.link->resource.type, context.link->resource.name), " ",
                          context.question.server_option,
                          "; if it has, it is too slow or forgot this client: see its log");
    case Finding::kServerError:
      return absl::StrCat("see the log of the control plane for ", What(context),
                          ": the words above are its own");
    case Finding::kNoEndpoints:
      return NoEndpoints(context);
    case Finding::kEndpointsRefuse:
      return absl::StrCat("start the server at ", context.addresses,
                          ", or correct the addresses in ", What(context),
                          "; this was tried from this machine only");
    case Finding::kControlPlaneUnreachable:
      return absl::StrCat(
          context.takes_no_stream
              ? "correct server_uri or channel_creds in the bootstrap, or mend what answers at "
              : "start the control plane at ",
          context.addresses,
          context.takes_no_stream ? "" : ", or correct server_uri in the bootstrap",
          "; until then do not restart clients: they would start with nothing");
    case Finding::kNoVirtualHost:
      return absl::StrCat("add ", BoundedText(context.question.authority),
                          ", or *, to the domains of a virtual host in ", What(context),
                          ", or correct the target of the client");
    case Finding::kIncomplete:
      return absl::StrCat(context.link == nullptr ? "ask again: holdfast why "
                                                  : "ask the control plane too: holdfast why ",
                          BoundedText(context.question.text), " ", context.question.server_option);
    case Finding::kNotAskedFor:
      return "ask for it from a client, or ask why of something that it does ask for: holdfast ps "
             "shows all clients";
    case Finding::kNotConnected:
      return context.meant.empty()
                 ? "see who is connected with holdfast ps; a client that lost its control plane is "
                   "asked itself, with --target and the address of its CSDS"
                 : absl::StrCat("ask again with ", BoundedText(context.meant),
                                "; holdfast ps shows who is connected");
  }
  return "";
}

}  // namespace holdfast

// What is wrong with one link of a chain, in one word.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "explain/chain.h"
#include "explain/knowledge.h"
#include "explain/links.h"

namespace holdfast {

enum class Finding {
  kNothing,                  // all good
  kWrongName,                // nobody has it, and there is one of nearly that name
  kDoesNotExist,             // nobody has it: never there, deleted, or withdrawn by an entry
  kDenied,                   // the control plane has it and does not give it to this client
  kInvalid,                  // it is in the files, or may be, and they are not usable
  kDeletedButKept,           // gone, and the client goes on with what it has
  kRejected,                 // the client refused the newest version
  kWaiting,                  // nobody answered yet: the control plane or, for a version, the client
  kTimeout,                  // nobody answered as long as the client waits
  kServerError,              // the control plane said so
  kNoEndpoints,              // there is nobody to call
  kEndpointsRefuse,          // nobody who is to be called answers
  kControlPlaneUnreachable,  // the client goes on with what it has, or has nothing
  kNotAskedFor,              // the client does not ask for this
  kNotConnected,             // there is no such client
  kNoVirtualHost,            // the routes have no virtual host for the target
  kIncomplete,               // nothing wrong was seen, and not all could be
};

// "wrong_name": for programs.
absl::string_view NameOf(Finding finding);

// How much a link keeps calls from going through, each more than the one before.
enum class Harm {
  kNone,
  kSlow,     // a newer version is on its way
  kStale,    // calls go on with an older version
  kPending,  // calls wait
  kBroken,   // calls fail
};

Harm HarmOf(const ChainLink& link);

// What is wrong with a resource, whatever it leads to.
Finding FindingOf(const ChainLink& link, const Knowledge& known);

// The name that was probably meant: one that is there and looks much like it.
std::optional<std::string> NearestName(const Link& link, const Knowledge& known);

}  // namespace holdfast

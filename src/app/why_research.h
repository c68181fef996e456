// Finds out what `holdfast why` needs to know: asks a control plane, a process, or both, and dials
// the addresses at the end of the chain.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "app/api_reader.h"
#include "app/why_question.h"
#include "bootstrap/bootstrap.h"
#include "explain/chain.h"
#include "explain/knowledge.h"
#include "explain/verdict.h"

namespace holdfast {

struct WhyOptions {
  std::string server;  // admin address of a control plane; empty: none is asked
  std::string target;  // gRPC address of a process with CSDS; empty: none is asked
  int stop = -1;       // once it is readable, nothing is waited for; -1: never
};

struct WhyAnswer {
  Chain chain;
  WhyVerdict verdict;
  Knowledge known;
  std::vector<std::string> warnings;  // what could not be asked, or only in part
};

class WhyResearch {
 public:
  // `bootstrap`, which may be null, tells which xDS servers clients of this machine use.
  WhyResearch(WhyQuestion why, WhyOptions options, const BootstrapConfig* bootstrap);

  // An error if nobody could be asked.
  absl::StatusOr<WhyAnswer> Answer();

 private:
  absl::Status AskProcess();
  absl::Status AskControlPlane();
  // Of a control plane: everything about the client that the question names.
  absl::Status AskForClient();
  absl::Status AskFor(const std::vector<Link>& links);
  absl::Status AskForNames(const Chain& chain);
  // Where trouble is counted and nobody listed has it: who is in trouble now, with all of it.
  absl::Status AskForUnlisted(const Chain& chain);
  absl::StatusOr<PlaneResources> ResourcesAt(const ApiReader::Query& query);
  absl::StatusOr<Fleet> ClientsAt(const ApiReader::Query& query);
  void NoteIncomplete(const std::string& incomplete);
  void TryServers();
  bool ChooseClient();
  Chain WalkAll() const { return Walk(why_.roots, known_, why_.question.authority); }

  WhyQuestion why_;
  const WhyOptions options_;
  const BootstrapConfig* const bootstrap_;
  std::unique_ptr<ApiReader> api_;
  Knowledge known_;
  std::vector<std::string> warnings_;
};

}  // namespace holdfast

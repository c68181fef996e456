#include "channel/config/resolution_note.h"

#include <cstddef>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/error_detail.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

// Every call that fails copies it, so less than an error of the client may have.
constexpr size_t kMostPartBytes = 1000;

// What is wrong, without whose it is.
std::string Complaint(const Dependency& what, absl::string_view text, absl::string_view node_id) {
  text = absl::StripPrefix(text, absl::StrCat(TextOf(what), ": "));
  if (!node_id.empty()) text = absl::StripSuffix(text, NodeSuffix(node_id));
  return BoundedText(text, kMostPartBytes);
}

}  // namespace

std::string NodeSuffix(absl::string_view node_id) {
  return node_id.empty() ? "" : absl::StrCat(" (node ", Quoted(node_id), ")");
}

std::string WatcherWords(const absl::Status& error) {
  if (error.message().empty()) return "no reason was given";
  const std::optional<ErrorDetail> detail = DetailOf(error);
  if (!detail.has_value()) return std::string(error.message());
  ErrorDetail said = *detail;
  const std::string answered = absl::StrCat("xds server ", Quoted(said.server), " answered ",
                                            absl::StatusCodeToString(said.code));
  if (said.cause == Cause::kServerError && !absl::StartsWith(said.text, answered)) {
    said.text = absl::StrCat(answered, ": ", said.text);
  } else if (said.cause == Cause::kNack && !said.version.empty()) {
    said.text = absl::StrCat("version ", said.version, " was rejected: ", said.text);
  }
  return TextOf(said);
}

std::string Quote(const Dependency& what, absl::string_view text, absl::string_view node_id) {
  return absl::StrCat(TextOf(what), ": ", Complaint(what, text, node_id));
}

std::string ResolutionNote(const std::vector<NotePart>& parts, absl::string_view node_id) {
  std::string note;
  bool is_node_named = false;
  bool has_ambient_error = false;
  for (size_t i = 0; i < parts.size();) {
    const std::string complaint = Complaint(parts[i].what, parts[i].text, node_id);
    absl::StrAppend(&note, note.empty() ? "" : "; ", TextOf(parts[i].what));
    size_t next = i + 1;
    while (next < parts.size() &&
           Complaint(parts[next].what, parts[next].text, node_id) == complaint) {
      absl::StrAppend(&note, ", ", TextOf(parts[next].what));
      ++next;
    }
    absl::StrAppend(&note, ": ", complaint);
    for (; i < next; ++i) {
      has_ambient_error |= parts[i].is_ambient_error;
      is_node_named |= absl::EndsWith(parts[i].text, NodeSuffix(node_id));
    }
  }
  if (has_ambient_error) {
    if (is_node_named) note += NodeSuffix(node_id);
    return note;
  }
  return absl::StrCat(
      note, note.empty() ? "" : "; ", "xDS node ID: ",
      node_id.empty() ? "none, the bootstrap sets no node.id" : BoundedText(node_id));
}

}  // namespace holdfast

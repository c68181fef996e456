#include "explain/ps_text.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/outside_text.h"
#include "base/text_width.h"
#include "explain/age_text.h"
#include "explain/json_object.h"
#include "explain/standing_sign.h"

namespace holdfast {
namespace {

constexpr size_t kReasonsInTable = 3;
// Where there is no terminal to fit into.
constexpr size_t kReasonWidth = 200;
constexpr size_t kLeastReasonWidth = 20;
constexpr size_t kMostIdBytes = 60;
constexpr size_t kMostTypes = 6;
constexpr size_t kMostTypeBytes = 40;

// "Thing" of "acme.v1.Thing".
std::string TypeWord(absl::string_view type) {
  const std::string short_type = ShortTypeOf(type);
  return BoundedText(short_type.substr(short_type.rfind('.') + 1), kMostTypeBytes);
}

// "lds 1/1 cds 12/13"; a client may ask for any number of types, under any name.
std::string TypesText(const FleetClient& client) {
  std::vector<std::string> parts;
  for (const FleetType& type : client.types) {
    if (parts.size() == kMostTypes) {
      parts.push_back(absl::StrCat("+", client.types.size() - kMostTypes));
      break;
    }
    parts.push_back(absl::StrCat(TypeWord(type.type), " ", type.good, "/", type.all()));
  }
  return parts.empty() ? "-" : absl::StrJoin(parts, " ");
}

uint64_t NotGoodOf(const FleetClient& client) {
  uint64_t count = 0;
  for (const FleetType& type : client.types) count += type.all() - type.good;
  return count;
}

struct Row {
  std::vector<std::string> cells;  // without the reason
  std::vector<std::string> reasons;
  Standing standing = Standing::kGood;
};

std::string ClientCell(const FleetClient& client, bool needs_scope) {
  std::string cell = client.id.empty() ? "(no id)" : BoundedText(client.id, kMostIdBytes);
  if (needs_scope && !client.scope.empty()) {
    absl::StrAppend(&cell, " (", BoundedText(client.scope, kMostIdBytes), ")");
  }
  return cell;
}

std::string OrDash(absl::string_view text) { return text.empty() ? "-" : BoundedText(text); }

std::vector<std::string> ReasonsOf(const FleetClient& client, absl::Time now, bool is_wide) {
  std::vector<std::string> reasons;
  uint64_t shown = 0;
  for (const FleetResource& resource : client.resources) {
    if (resource.standing == Standing::kGood) continue;
    if (!is_wide && shown == kReasonsInTable) break;
    ++shown;
    reasons.push_back(
        absl::StrCat(RefText(resource.type, resource.name), ": ", ReasonOf(resource, now)));
  }
  const uint64_t all = std::max(NotGoodOf(client), shown + client.more_resources);
  if (all > shown) {
    reasons.push_back(
        absl::StrCat("and ", all - shown, " more", is_wide ? "" : ": -o wide shows them"));
  }
  return reasons;
}

Row RowOf(const FleetClient& client, bool needs_scope, absl::Time now, const PsStyle& style) {
  Row row;
  row.standing = client.standing;
  // The word has its colour at the end, where widths are known.
  row.cells = {ClientCell(client, needs_scope && !style.is_wide),
               SignAndWord(client.standing, /*has_colour=*/false), AgeText(now, SinceOf(client)),
               TypesText(client)};
  if (style.is_wide) {
    for (const std::string* more : {&client.scope, &client.peer, &client.protocol,
                                    &client.node_cluster, &client.locality, &client.user_agent}) {
      row.cells.push_back(OrDash(*more));
    }
  }
  row.reasons = ReasonsOf(client, now, style.is_wide);
  return row;
}

std::vector<std::string> Header(const PsStyle& style) {
  std::vector<std::string> header = {"CLIENT", "STATE", "AGE", "TYPES"};
  if (style.is_wide) {
    for (const char* more : {"SCOPE", "PEER", "PROTOCOL", "CLUSTER", "LOCALITY", "AGENT"}) {
      header.emplace_back(more);
    }
  }
  return header;
}

class Table {
 public:
  Table(const std::vector<Row>& rows, const PsStyle& style) : style_(style) {
    const std::vector<std::string> header = Header(style);
    for (const std::string& cell : header) widths_.push_back(WidthOf(cell));
    for (const Row& row : rows) {
      for (size_t i = 0; i < row.cells.size(); ++i) {
        widths_[i] = std::max(widths_[i], WidthOf(row.cells[i]));
      }
    }
    for (const size_t width : widths_) indent_ += width + 2;
    AddLine(header, "REASON", nullptr);
    for (const Row& row : rows) Add(row);
  }

  std::vector<std::string> Lines() && { return std::move(lines_); }

 private:
  void Add(const Row& row) {
    AddLine(row.cells, row.reasons.empty() ? "" : row.reasons.front(), &row.standing);
    for (size_t i = 1; i < row.reasons.size(); ++i) {
      lines_.push_back(absl::StrCat(std::string(indent_, ' '), Fit(row.reasons[i])));
    }
  }

  void AddLine(const std::vector<std::string>& cells, absl::string_view reason,
               const Standing* standing) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      std::string cell = Padded(cells[i], widths_[i]);
      if (i == 1 && standing != nullptr && style_.has_colour) {
        cell = absl::StrCat(SignOf(*standing).colour, cell, kColourReset);
      }
      absl::StrAppend(&line, cell, "  ");
    }
    line += Fit(reason);
    absl::StripTrailingAsciiWhitespace(&line);
    lines_.push_back(std::move(line));
  }

  std::string Fit(absl::string_view reason) const {
    if (style_.is_wide) return std::string(reason);
    if (style_.width == 0) return CutTo(reason, kReasonWidth);
    const size_t left = style_.width > indent_ ? style_.width - indent_ : 0;
    return CutTo(reason, std::max(left, kLeastReasonWidth));
  }

  const PsStyle& style_;
  std::vector<size_t> widths_;
  size_t indent_ = 0;  // of the last column
  std::vector<std::string> lines_;
};

std::string JsonOf(const FleetType& type) {
  JsonObject object;
  object.Text("type", ShortTypeOf(type.type));
  object.Flag("everything", type.everything);
  object.Number("good", type.good);
  object.Number("waiting", type.waiting);
  object.Number("held_back", type.held_back);
  object.Number("failed", type.failed);
  return object.Close();
}

std::string JsonOf(const FleetResource& resource) {
  JsonObject object;
  object.Text("type", ShortTypeOf(resource.type));
  object.Text("name", resource.name);
  object.Text("state", NameOf(resource.standing));
  object.Text("version", resource.offered);
  if (resource.in_use.has_value()) object.Text("client_version", *resource.in_use);
  if (!resource.code.empty() || !resource.message.empty()) {
    JsonObject error;
    error.Text("code", resource.code);
    error.Text("message", resource.message);
    object.Raw("error", error.Close());
  }
  object.TimeIfAny("since", resource.since);
  return object.Close();
}

std::string JsonOf(const FleetClient& client, absl::Time now) {
  JsonObject object;
  object.Text("client", client.id);
  object.Text("scope", client.scope);
  object.Text("state", NameOf(client.standing));
  object.TimeIfAny("since", SinceOf(client));
  object.TextIfAny("peer", client.peer);
  object.TextIfAny("protocol", client.protocol);
  object.TextIfAny("node_cluster", client.node_cluster);
  object.TextIfAny("locality", client.locality);
  object.TextIfAny("user_agent", client.user_agent);
  object.TimeIfAny("connected_since", client.connected_since);
  std::vector<std::string> types;
  for (const FleetType& type : client.types) types.push_back(JsonOf(type));
  object.Array("types", types);
  std::vector<std::string> resources;
  for (const FleetResource& resource : client.resources) {
    if (resource.standing != Standing::kGood) resources.push_back(JsonOf(resource));
  }
  object.Array("resources", resources);
  object.Number("more_resources", client.more_resources);
  object.Text("time", TimeText(now));
  return object.Close();
}

}  // namespace

std::vector<std::string> PsLines(const Fleet& fleet, const PsStyle& style) {
  std::map<std::string, size_t> of_this_id;
  for (const FleetClient& client : fleet.clients) ++of_this_id[client.id];
  std::vector<Row> rows;
  for (const FleetClient& client : fleet.clients) {
    rows.push_back(RowOf(client, of_this_id[client.id] > 1, fleet.time, style));
  }
  return Table(rows, style).Lines();
}

std::string PsJson(const Fleet& fleet) {
  JsonObject object;
  object.Text("time", TimeText(fleet.time));
  object.TextIfAny("incomplete", fleet.incomplete);
  std::vector<std::string> clients;
  for (const FleetClient& client : fleet.clients) clients.push_back(JsonOf(client, fleet.time));
  object.Array("clients", clients);
  return object.Close();
}

}  // namespace holdfast

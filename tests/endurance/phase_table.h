// What became of the calls of several callers, phase by phase.
//
//   PhaseTable table({{"holdfast", &ours}, {"debian", &theirs}});
//   table.Begin("listener deleted");   // what ended until now belongs to the phase before
//   ...
//   table.Text()
//
//   phase            | holdfast: calls failed longest | debian: calls failed longest
//   listener deleted |             1234      0   3 ms |          1200   1188    1 ms
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/endurance/caller_process.h"

namespace holdfast {

class PhaseTable {
 public:
  struct Column {
    std::string name;
    CallerProcess* caller;
  };
  struct Row {
    std::string phase;
    std::vector<CallReport> reports;  // one a column; of its peers the newest
    std::vector<std::string> notes;   // one a column
    std::vector<bool> is_gone;        // the process did not answer
  };

  explicit PhaseTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void Begin(std::string phase) {
    Collect();
    rows_.push_back({std::move(phase), std::vector<CallReport>(columns_.size()),
                     std::vector<std::string>(columns_.size()),
                     std::vector<bool>(columns_.size())});
  }
  // Another caller takes the place of a column's; why is noted in the phase that runs.
  void Replace(size_t column, CallerProcess* caller, std::string why) {
    columns_[column].caller = caller;
    if (!rows_.empty()) rows_.back().notes[column] = std::move(why);
  }

  // Adds what ended since the last time to the phase that runs.
  void Collect() {
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (!rows_.empty() && rows_.back().is_gone[i]) continue;
      const std::optional<CallReport> news = columns_[i].caller->Report();
      if (rows_.empty()) continue;
      Add(rows_.back(), i, news);
    }
  }

  const std::vector<Row>& rows() const { return rows_; }

  std::string Text() const {
    std::string text = absl::StrFormat("%-38s", "phase");
    for (const Column& column : columns_) {
      absl::StrAppendFormat(&text, " | %8s: calls  failed  longest", column.name);
    }
    for (const Row& row : rows_) {
      absl::StrAppendFormat(&text, "\n%-38s", row.phase);
      for (size_t i = 0; i < columns_.size(); ++i) {
        const CallReport& report = row.reports[i];
        absl::StrAppendFormat(&text, " | %15d %7d %5d ms", report.calls, report.failed,
                              report.longest_ms);
        if (row.is_gone[i]) absl::StrAppend(&text, " (gone)");
        if (!row.notes[i].empty()) absl::StrAppend(&text, " (", row.notes[i], ")");
      }
    }
    return text + "\n";
  }

 private:
  static void Add(Row& row, size_t column, const std::optional<CallReport>& news) {
    if (!news.has_value()) {
      row.is_gone[column] = true;
      return;
    }
    CallReport& sum = row.reports[column];
    sum.calls += news->calls;
    sum.failed += news->failed;
    sum.longest_ms = std::max(sum.longest_ms, news->longest_ms);
    sum.peers = news->peers;
    if (sum.first_failure.empty()) sum.first_failure = news->first_failure;
  }

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace holdfast

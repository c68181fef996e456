#include "demo/watched_client.h"

#include "absl/strings/str_cat.h"

namespace holdfast {
namespace {

// Far longer than an answer takes: the machine may be busy.
constexpr absl::Duration kPatience = absl::Seconds(20);
// What "of late" means.
constexpr absl::Duration kLately = absl::Seconds(1);
// One report may be of the moment in between.
constexpr int kEnoughReports = 3;

}  // namespace

absl::Status WatchedClient::Ask(absl::Time now, ClientRecord& record) {
  process_->Tell("report");
  const absl::StatusOr<std::string> line = process_->ReadLine(kPatience);
  if (!line.ok()) return line.status();
  const std::optional<CallReport> report = ReportIn(*line);
  if (!report.has_value()) return absl::InternalError(absl::StrCat("no report: ", *line));
  record.Add(*report);
  for (const std::string& log_line : process_->TakeLog()) {
    if (auto warning = WarningIn(log_line)) record.warnings.push_back(*std::move(warning));
  }
  if (report->failed > 0 || report->calls == 0) {
    well_since_ = std::nullopt;
    well_reports_ = 0;
  } else if (well_reports_++ == 0) {
    well_since_ = now;
  }
  last_ = *report;
  recent_.emplace_back(now, report->calls);
  while (now - recent_.front().first > kLately) recent_.pop_front();
  return absl::OkStatus();
}

void WatchedClient::BeginAnew(std::unique_ptr<ChildProcess> process) {
  *this = WatchedClient(std::move(process));
}

double WatchedClient::Rate() const {
  if (recent_.size() < 2) return 0;
  uint64_t calls = 0;
  for (const auto& [when, count] : recent_) calls += count;
  // What the first of them counted began before it.
  calls -= recent_.front().second;
  return static_cast<double>(calls) /
         absl::ToDoubleSeconds(recent_.back().first - recent_.front().first);
}

std::optional<absl::Time> WatchedClient::IsWellSince() const {
  return well_reports_ >= kEnoughReports ? well_since_ : std::nullopt;
}

}  // namespace holdfast

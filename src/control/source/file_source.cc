#include "control/source/file_source.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/outside_text.h"
#include "control/config/config_directory.h"
#include "control/config/problem.h"

namespace holdfast {
namespace {

constexpr absl::string_view kComponent = "control";
// Somebody who never stops writing must not keep us from reading.
constexpr int kMostSettles = 20;
// Without inotify, or while there is no directory.
constexpr absl::Duration kLookEveryUntold = absl::Seconds(1);

std::string StateDirectory(const FileSourceOptions& options) {
  if (!options.state_directory.empty()) return options.state_directory;
  return options.directory + "/.holdfast";
}

// The first step from the directory to our own state: "." if they are the same, "" or ".." if it is
// elsewhere.
std::string StepToState(const FileSourceOptions& options) {
  namespace fs = std::filesystem;
  const fs::path state = fs::absolute(StateDirectory(options)).lexically_normal();
  const fs::path steps =
      state.lexically_relative(fs::absolute(options.directory).lexically_normal());
  return steps.empty() ? "" : steps.begin()->string();
}

// The entry of the directory that holds our own state; "" if there is none.
std::string EntryOfState(const FileSourceOptions& options) {
  const std::string step = StepToState(options);
  return step == "." || step == ".." ? "" : step;
}

StateFile::Parents ParentsOfState(const FileSourceOptions& options) {
  const std::string step = StepToState(options);
  return step.empty() || step == ".." ? StateFile::Parents::kMade : StateFile::Parents::kMustExist;
}

// For clients: a file, and how many more there are.
std::string TextOfNeverRead(const std::vector<std::string>& files) {
  if (files.empty()) return "";
  return files.size() == 1
             ? Quoted(files[0])
             : absl::StrCat(Quoted(files[0]), " and ", files.size() - 1, " more files");
}

}  // namespace

absl::StatusOr<std::unique_ptr<FileSource>> FileSource::Open(FileSourceOptions options) {
  const absl::StatusOr<std::vector<std::string>> files = ListConfigFiles(options.directory);
  if (!files.ok()) return files.status();
  absl::StatusOr<std::shared_ptr<const Schema>> schema = Schema::Load(options.protoset);
  if (!schema.ok()) return schema.status();
  return std::unique_ptr<FileSource>(new FileSource(std::move(options), *std::move(schema)));
}

FileSource::FileSource(FileSourceOptions options, std::shared_ptr<const Schema> schema)
    : settle_(options.settle),
      look_every_(options.look_every),
      directory_(options.directory),
      log_(options.log != nullptr ? *options.log : StderrLog()),
      watch_(directory_, EntryOfState(options)),
      reader_(directory_, std::move(schema)),
      state_(StateDirectory(options), options.make_disk, ParentsOfState(options)),
      problem_log_(log_, std::string(kComponent)) {}

FileSource::~FileSource() { Stop(); }

void FileSource::Start(std::function<void(Published)> publish) {
  HOLDFAST_CHECK(!thread_.joinable());
  publish_ = std::move(publish);
  thread_ = std::thread([this] { Run(); });
  std::unique_lock lock(mutex_);
  progress_.wait(lock, [this] { return is_restored_; });
}

void FileSource::Stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  progress_.notify_all();
  watch_.Wake();
  if (thread_.joinable()) thread_.join();
}

void FileSource::ReadNow() {
  std::unique_lock lock(mutex_);
  if (!is_restored_) return;
  const uint64_t mine = ++asked_;
  watch_.Wake();
  progress_.wait(lock, [&] { return answered_ >= mine || is_stopped_; });
}

bool FileSource::is_stopped() {
  const std::lock_guard lock(mutex_);
  return is_stopped_;
}

bool FileSource::is_asked() {
  const std::lock_guard lock(mutex_);
  return asked_ > answered_;
}

void FileSource::Run() {
  Restore();
  Read();
  while (!is_stopped()) {
    const absl::Duration most =
        watch_.is_attached() ? look_every_ : std::min(look_every_, kLookEveryUntold);
    const bool was_told = !watch_.Wait(most).empty();
    if (is_stopped()) return;
    if (ShouldRead(was_told)) {
      Settle();
      if (is_stopped()) return;
      Read();
    } else if (is_listed_ && !state_.is_saved()) {
      state_.Save(good_);
      Publish();
    }
  }
}

void FileSource::Restore() {
  good_ = state_.Load().value_or(LastGood());
  notes_ = NotesOf({}, {}, good_);
  Publish();
  {
    const std::lock_guard lock(mutex_);
    is_restored_ = true;
  }
  progress_.notify_all();
}

bool FileSource::ShouldRead(bool was_told) {
  return was_told || is_asked() || reader_.LooksChanged();
}

void FileSource::Settle() {
  for (int i = 0; i < kMostSettles; ++i) {
    if (is_asked() || watch_.Wait(settle_).empty()) return;
  }
}

void FileSource::Read() {
  uint64_t asked = 0;
  {
    const std::lock_guard lock(mutex_);
    asked = asked_;
  }
  // Before reading: what changes while we read is told afterwards.
  watch_.Attach(Links());
  absl::StatusOr<DirectoryReader::Reading> reading = reader_.Read();
  problems_.clear();
  is_listed_ = reading.ok();
  if (reading.ok()) {
    Advanced next = Advance(good_, reading->files);
    has_errors_ = false;
    for (const Problem& problem : reading->problems) {
      has_errors_ = has_errors_ || problem.kind == Problem::Kind::kError;
      problems_.push_back(TextOf(problem));
    }
    for (std::string& line : next.consequences) problems_.push_back(std::move(line));
    std::string never_read = TextOfNeverRead(next.never_read);
    has_news_ = has_news_ || !is_synced_ || next.good != good_ || never_read != never_read_;
    good_ = std::move(next.good);
    never_read_ = std::move(never_read);
    notes_ = NotesOf(reading->files, reading->problems, good_);
    is_synced_ = true;
    if (has_news_ || !state_.is_saved()) state_.Save(good_);
  } else {
    problems_.push_back(
        absl::StrCat("directory ", reading.status().message(), "; serving what it last said"));
  }
  Publish();
  {
    const std::lock_guard lock(mutex_);
    answered_ = asked;
  }
  progress_.notify_all();
}

std::vector<DirectoryEntry> FileSource::Links() const {
  std::vector<DirectoryEntry> links = SymlinkTrail(directory_);
  const absl::StatusOr<std::vector<std::string>> paths = ListConfigFiles(directory_);
  if (!paths.ok()) return links;
  for (const std::string& path : *paths) {
    std::error_code ignored;
    if (!std::filesystem::is_symlink(std::filesystem::symlink_status(path, ignored))) continue;
    for (DirectoryEntry& link : SymlinkTrail(path)) links.push_back(std::move(link));
  }
  return links;
}

// Nothing is a configuration, too, unless it is what mistakes have left.
bool FileSource::HasGoodConfiguration() const {
  const bool has_something = std::any_of(good_.begin(), good_.end(), [](const auto& file) {
    return !file.second.resources.empty() || !file.second.errors.empty();
  });
  return has_something || (is_synced_ && !has_errors_);
}

void FileSource::Publish() {
  std::vector<std::string> problems = problems_;
  if (!state_.problem().empty()) problems.push_back(state_.problem());
  problem_log_.Update(problems);
  if (!has_news_ && problems == published_problems_) return;
  has_news_ = false;
  published_problems_ = problems;
  Contents contents = ContentsOf(good_, is_synced_);
  contents.never_read = never_read_;
  Published published{.contents = std::move(contents),
                      .has_good_configuration = HasGoodConfiguration(),
                      .problems = std::move(problems),
                      .notes = notes_};
  if (is_synced_ || !good_.empty()) {
    log_.Log(Severity::kInfo, kComponent,
             absl::StrCat("directory ", Quoted(directory_), ": serving ",
                          published.contents.resources.size(), " resources",
                          is_synced_ ? "" : " of before the restart",
                          "; problems: ", published.problems.size()));
  }
  publish_(std::move(published));
}

}  // namespace holdfast

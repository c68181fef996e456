// A directory of YAML and JSON files, served as it is now, and where it is broken as it last was
// good (last_good.h).
//
//   inotify, or a look every few seconds ──▶ settle ──▶ read all ──▶ Advance ──▶ save ──▶ publish
//
// What was published is saved before, so that it survives whatever happens next. Changes in the
// state directory are no changes. A directory that is gone for a while changes nothing, either, and
// is not made again.
//
// Thread-safe. Everything happens on one thread of its own, between Start() and Stop().
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "control/config/schema.h"
#include "control/source/directory_reader.h"
#include "control/source/directory_watch.h"
#include "control/source/last_good.h"
#include "control/source/problem_log.h"
#include "control/source/source.h"
#include "control/source/state_file.h"
#include "control/source/symlink_trail.h"
#include "holdfast/xds/log.h"

namespace holdfast {

struct FileSourceOptions {
  std::string directory;
  std::string state_directory;  // "": `directory`/.holdfast
  std::string protoset;         // a path; "": what Schema::Load() finds
  // A change is read when nothing more has changed for so long.
  absl::Duration settle = absl::Milliseconds(50);
  // How often to look for changes of which nobody told us.
  absl::Duration look_every = absl::Seconds(5);
  LogSink* log = nullptr;  // null: StderrLog(). Must outlive the source.
  StateFile::MakeDisk make_disk = MakeStateDisk;
};

class FileSource final : public Source {
 public:
  // The reason, with the path, if the directory cannot be listed or the protoset cannot be used.
  static absl::StatusOr<std::unique_ptr<FileSource>> Open(FileSourceOptions options);
  ~FileSource() override;

  // The first to be published is what was good when the process last ran, not synced; nothing if
  // that is not known. The directory is read afterwards. REQUIRES: not called before.
  void Start(std::function<void(Published)> publish) override;
  // REQUIRES: not called by `publish`.
  void Stop() override;

  // Returns when the directory was read as it was after this call began, and what there was to
  // publish is. At once if the source is not running. REQUIRES: not called by `publish`.
  void ReadNow();

 private:
  FileSource(FileSourceOptions options, std::shared_ptr<const Schema> schema);

  void Run();
  void Restore();
  bool ShouldRead(bool was_told);
  void Settle();
  void Read();
  // Each symlink on the way to the directory and its files, and what they lead to.
  std::vector<DirectoryEntry> Links() const;
  bool HasGoodConfiguration() const;
  // Unless it is what was published last.
  void Publish();

  bool is_stopped();
  bool is_asked();

  const absl::Duration settle_;
  const absl::Duration look_every_;
  const std::string directory_;
  LogSink& log_;

  // Of the thread.
  DirectoryWatch watch_;
  DirectoryReader reader_;
  StateFile state_;
  ProblemLog problem_log_;
  std::function<void(Published)> publish_;
  LastGood good_;
  std::string never_read_;             // files, when it was last listed
  std::vector<std::string> problems_;  // of the directory and its files
  ResourceNotes notes_;                // when it was last listed
  bool is_listed_ = false;             // the directory, when it was last read
  bool has_errors_ = false;            // in its files, when it was last listed
  bool is_synced_ = false;
  bool has_news_ = true;  // good_, never_read_ or is_synced_ are not what was published last
  std::vector<std::string> published_problems_;

  std::mutex mutex_;
  std::condition_variable progress_;
  bool is_restored_ = false;  // the first was published
  bool is_stopped_ = false;
  uint64_t asked_ = 0;     // calls of ReadNow()
  uint64_t answered_ = 0;  // of these

  std::thread thread_;
};

}  // namespace holdfast

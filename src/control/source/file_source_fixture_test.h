// A file source of one directory, stopped and started again as a test likes.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "control/source/file_source.h"
#include "control/source/recorded_test.h"
#include "control/source/temp_directory_test.h"
#include "gtest/gtest.h"

namespace holdfast {

inline std::string Endpoints(const std::string& name, const std::string& version) {
  return "resources:\n" + EndpointsYaml(name, version);
}

inline std::string InvalidEndpoints(const std::string& name) {
  return absl::StrCat(Endpoints(name, "bad"), "  no_such_field: 1\n");
}

inline constexpr absl::string_view kBroken = "resources: [}\n";

class FileSourceTest : public testing::Test {
 protected:
  FileSourceTest() { directory_.MakeDirectory("conf"); }

  FileSourceOptions Options() {
    FileSourceOptions options;
    options.directory = conf();
    options.settle = absl::Milliseconds(1);
    options.log = &log_;
    return options;
  }
  std::string conf() const { return directory_.Path("conf"); }

  void Start() { Start(Options()); }
  void Start(FileSourceOptions options) {
    source_ = nullptr;
    recorded_ = std::make_unique<Recorded>();
    absl::StatusOr<std::unique_ptr<FileSource>> source = FileSource::Open(std::move(options));
    ASSERT_TRUE(source.ok()) << source.status();
    source_ = *std::move(source);
    source_->Start(recorded_->Callback());
    ASSERT_GE(recorded_->count(), 1u);
  }
  // Reads what is there now, whether or not anybody told.
  void Read() { source_->ReadNow(); }

  void Write(const std::string& name, absl::string_view text) {
    directory_.Write("conf/" + name, text);
  }
  std::vector<std::string> Served() const { return recorded_->Served(); }
  std::vector<std::string> Problems() const { return recorded_->newest().problems; }

  TempDirectory directory_;
  RecordedLog log_;
  std::unique_ptr<Recorded> recorded_;
  std::unique_ptr<FileSource> source_;
};

}  // namespace holdfast

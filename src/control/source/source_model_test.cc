// Both sources against models that are simple enough to be right: random changes, and after each
// what clients would see must be what the model says. A failure prints its seed and all steps.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "control/catalog/view.h"
#include "control/source/file_source.h"
#include "control/source/memory_source.h"
#include "control/source/recorded_test.h"
#include "control/source/temp_directory_test.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

const char kType[] = "envoy.config.endpoint.v3.ClusterLoadAssignment";
constexpr int kNotFound = 5;
constexpr int kPermissionDenied = 7;
constexpr int kInternal = 13;
constexpr int kUnavailable = 14;
const std::vector<int> kCodes = {kNotFound, kPermissionDenied,
                                 kUnavailable};  // NOT_FOUND and PERMISSION_DENIED withdraw
const char* const kCodeNames[] = {"NOT_FOUND", "PERMISSION_DENIED", "UNAVAILABLE"};

bool Withdraws(int code) { return code == 5 || code == 7; }

// What clients see: "pay" is "v1", or "error 5".
using Visible = std::map<std::string, std::string>;

Visible Seen(const std::map<std::string, std::string>& served,
             const std::map<std::string, int>& errors) {
  Visible visible = served;
  for (const auto& [name, code] : errors) {
    if (Withdraws(code) || !served.contains(name)) visible[name] = absl::StrCat("error ", code);
  }
  return visible;
}

Visible Seen(const View& view) {
  const TypeViewPtr& type = view.Of(kType);
  Contents of_view;
  of_view.resources.assign(type->resources().begin(), type->resources().end());
  Visible visible;
  for (const std::string& text : VersionsIn(of_view)) {
    const size_t equals = text.find('=');
    visible[text.substr(0, equals)] = text.substr(equals + 1);
  }
  for (const auto& [name, error] : type->errors()) {
    visible[name] = absl::StrCat("error ", error.code);
  }
  return visible;
}

class Dice {
 public:
  explicit Dice(uint64_t seed) : random_(seed) {}
  size_t Below(size_t count) { return random_() % count; }
  std::string Name() { return std::string(1, static_cast<char>('a' + Below(6))); }
  std::string Version() { return absl::StrCat("v", Below(4)); }

 private:
  std::mt19937_64 random_;
};

class SourceModel : public testing::TestWithParam<uint64_t> {
 protected:
  Dice dice_{GetParam()};
  std::vector<std::string> story_;

  void Expect(const Visible& model, const Contents& contents) {
    Expect(model, *NextView(View(), contents));
  }
  void Expect(const Visible& model, const View& view) {
    ASSERT_EQ(Seen(view), model) << "seed " << GetParam() << ":\n  "
                                 << absl::StrJoin(story_, "\n  ");
  }
};

TEST_P(SourceModel, MemoryServesWhatWasCommitted) {
  MemorySource source;
  ViewPtr view = std::make_shared<const View>();
  source.Start([&view](Published now) { view = NextView(*view, std::move(now.contents)); });
  std::map<std::string, std::string> served;
  std::map<std::string, int> errors;
  uint64_t newest = 0;
  for (int step = 0; step < 500; ++step) {
    auto next_served = served;
    auto next_errors = errors;
    Transaction change;
    for (size_t left = 1 + dice_.Below(3); left > 0; --left) {
      const std::string name = dice_.Name();
      const std::string version = dice_.Version();
      const int code = kCodes[dice_.Below(kCodes.size())];
      switch (dice_.Below(4)) {
        case 0:
          change.Put({kType, name, absl::StrCat("<", version, ">"), {}});
          next_served[name] = version;
          break;
        case 1:
          change.Delete(kType, name);
          next_served.erase(name);
          break;
        case 2:
          change.SetError(kType, name, absl::Status(static_cast<absl::StatusCode>(code), "no"));
          next_errors[name] = code;
          break;
        case 3:
          change.ClearError(kType, name);
          next_errors.erase(name);
          break;
      }
    }
    std::optional<CommitId> expected;
    if (dice_.Below(2) == 0) expected = CommitId{newest - dice_.Below(2)};
    const bool is_late = expected.has_value() && *expected != CommitId{newest};
    const absl::StatusOr<CommitId> commit = source.Commit(std::move(change), expected);
    ASSERT_EQ(commit.status().code(), is_late ? absl::StatusCode::kAborted : absl::StatusCode::kOk);
    if (!is_late) {
      ASSERT_EQ(*commit, CommitId{++newest});
      served = std::move(next_served);
      errors = std::move(next_errors);
    }
    Expect(Seen(served, errors), *view);
    if (HasFatalFailure()) return;
  }
}

// A directory as its author sees it, and by the rules in plain words what is served of it.
class DirectoryModel {
 public:
  struct File {
    bool is_broken = false;
    std::map<std::string, std::optional<std::string>> resources;  // nullopt: invalid
    std::map<std::string, std::optional<size_t>> errors;  // index of kCodes; nullopt: misspelt
  };
  std::map<std::string, File> files;

  static std::string Text(const File& file) {
    if (file.is_broken) return "resources: [}";
    std::string text = file.resources.empty() ? "resources: []\n" : "resources:\n";
    for (const auto& [name, version] : file.resources) {
      text += EndpointsYaml(name, version.value_or("bad"));
      if (!version.has_value()) text += "  no_such_field: 1\n";
    }
    if (!file.errors.empty()) text += "errors:\n";
    for (const auto& [name, code] : file.errors) {
      absl::StrAppend(&text, "- {type: eds, name: ", name, ", code: ", CodeText(code), "}\n");
    }
    return text;
  }

  static std::string Summary(const File& file) {
    std::string text = file.is_broken ? " broken" : "";
    for (const auto& [name, version] : file.resources) {
      absl::StrAppend(&text, " ", name, "=", version.value_or("invalid"));
    }
    for (const auto& [name, code] : file.errors) {
      absl::StrAppend(&text, " ", name, ": ", CodeText(code));
    }
    return text;
  }

  // The directory was read as it is now.
  void Read() {
    const std::map<std::string, Kept> before = kept_;
    std::erase_if(kept_, [&](const auto& kept) { return !files.contains(kept.first); });
    std::set<std::string> names;
    std::map<std::string, std::vector<std::string>> places;  // readable files that define a name
    std::set<std::string> said;                              // names with an error that is read now
    std::map<std::string, std::vector<std::string>> unread;  // with a misspelt one, and where
    for (const auto& [path, file] : files) {
      if (file.is_broken) continue;
      kept_[path] = {};
      for (const auto& [name, version] : file.resources) places[name].push_back(path);
      for (const auto& [name, code] : file.errors) {
        if (!code.has_value()) {
          unread[name].push_back(path);
        } else if (said.insert(name).second) {
          kept_[path].errors[name] = kCodes[*code];
        }
      }
    }
    for (auto& [path, kept] : kept_) {
      if (!files[path].is_broken) continue;
      std::erase_if(kept.errors, [&](const auto& error) { return said.contains(error.first); });
    }
    KeepErrors(before, said, unread);
    for (const auto& [name, served] : served_) names.insert(name);
    for (const auto& [name, where] : places) names.insert(name);
    for (const std::string& name : names) Decide(name, places[name], unread.contains(name));
    for (const auto& [name, where] : unread) {
      if (served_.contains(name) || HasPassingError(name)) continue;
      for (const std::string& path : where) kept_[path].withheld.insert(name);
    }
  }

  Visible Seen() const {
    std::map<std::string, std::string> served;
    std::map<std::string, int> errors;
    for (const auto& [name, resource] : served_) served[name] = resource.version;
    for (const auto& [path, kept] : kept_) {
      for (const auto& [name, code] : kept.errors) errors.emplace(name, code);
    }
    for (const auto& [path, kept] : kept_) {
      for (const std::string& name : kept.withheld) {
        int& code = errors[name];
        if (code == 0 || code == kUnavailable) code = kInternal;
      }
    }
    return holdfast::Seen(served, errors);
  }

 private:
  struct Served {
    std::string version;
    std::string path;
  };
  // What a file said when it could last be read, apart from its resources.
  struct Kept {
    std::map<std::string, int> errors;
    std::set<std::string> withheld;
  };

  bool HasPassingError(const std::string& name) const {
    for (const auto& [path, kept] : kept_) {
      const auto found = kept.errors.find(name);
      if (found != kept.errors.end()) return found->second == kUnavailable;
    }
    return false;
  }

  static std::string CodeText(std::optional<size_t> code) {
    return code.has_value() ? kCodeNames[*code] : "NOT_FUOND";
  }

  // A file with a misspelt error has all errors it had; one that moved there has it, too.
  void KeepErrors(const std::map<std::string, Kept>& before, const std::set<std::string>& said,
                  const std::map<std::string, std::vector<std::string>>& unread) {
    for (const auto& [path, file] : files) {
      const bool has_unread = std::any_of(file.errors.begin(), file.errors.end(),
                                          [](const auto& one) { return !one.second.has_value(); });
      if (file.is_broken || !has_unread || !before.contains(path)) continue;
      for (const auto& [name, code] : before.at(path).errors) {
        if (!said.contains(name)) kept_[path].errors.emplace(name, code);
      }
    }
    for (const auto& [name, where] : unread) {
      const bool is_kept = std::any_of(kept_.begin(), kept_.end(), [&](const auto& one) {
        return one.second.errors.contains(name);
      });
      if (is_kept) continue;
      for (const auto& [other, kept] : before) {
        const auto found = kept.errors.find(name);
        if (found == kept.errors.end()) continue;
        kept_[where.front()].errors.insert(*found);
        break;
      }
    }
  }

  void Decide(const std::string& name, const std::vector<std::string>& places, bool may_be_denied) {
    const bool was_served = served_.contains(name);
    if (places.size() == 1 && files[places[0]].resources[name].has_value() && !may_be_denied) {
      served_[name] = {*files[places[0]].resources[name], places[0]};
      return;
    }
    // Kept by the file that defined it last, as long as that cannot be read.
    if (was_served) {
      const auto owner = files.find(served_[name].path);
      if (owner != files.end() && owner->second.is_broken) return;
    }
    if (places.empty()) {
      served_.erase(name);
    } else if (was_served) {
      served_[name].path = places[0];
    } else {
      for (const std::string& path : places) kept_[path].withheld.insert(name);
    }
  }

  std::map<std::string, Served> served_;
  std::map<std::string, Kept> kept_;
};

TEST_P(SourceModel, DirectoryIsServedAsItLastWasGood) {
  TempDirectory directory;
  directory.MakeDirectory("conf");
  RecordedLog log;
  DirectoryModel model;
  std::unique_ptr<Recorded> recorded;
  std::unique_ptr<FileSource> source;
  const auto restart = [&] {
    source = nullptr;
    recorded = std::make_unique<Recorded>();
    FileSourceOptions options;
    options.directory = directory.Path("conf");
    options.settle = absl::ZeroDuration();
    options.log = &log;
    absl::StatusOr<std::unique_ptr<FileSource>> opened = FileSource::Open(std::move(options));
    ASSERT_TRUE(opened.ok()) << opened.status();
    source = *std::move(opened);
    source->Start(recorded->Callback());
    Expect(model.Seen(), recorded->At(0).contents);
  };
  restart();
  for (int step = 0; step < 150 && !HasFatalFailure(); ++step) {
    const std::string path = absl::StrCat("f", dice_.Below(4), ".yaml");
    const std::string name = dice_.Name();
    DirectoryModel::File& file = model.files[path];
    switch (dice_.Below(12)) {
      case 0:
      case 1:
      case 2:
        file.resources[name] = dice_.Version();
        break;
      case 3:
        file.resources.erase(name);
        break;
      case 4:
        file.resources[name] = std::nullopt;
        break;
      case 5:
        file.errors[name] = dice_.Below(kCodes.size());
        break;
      case 6:
        file.errors.erase(name);
        break;
      case 7:
        file.is_broken = true;
        break;
      case 8:
        file.is_broken = false;
        break;
      case 9:
        model.files.erase(path);
        break;
      case 10:
        file.errors[name] = std::nullopt;
        break;
      case 11:
        story_.push_back("restart");
        restart();
        break;
    }
    const auto now = model.files.find(path);
    if (now == model.files.end()) {
      directory.Remove("conf/" + path);
      story_.push_back(path + " is gone");
    } else {
      // Over the old one at once: a file that is seen half written is a step of its own.
      directory.Write("new", DirectoryModel::Text(now->second));
      directory.Rename("new", "conf/" + path);
      story_.push_back(absl::StrCat(path, ":", DirectoryModel::Summary(now->second)));
    }
    model.Read();
    source->ReadNow();
    ASSERT_TRUE(recorded->newest().contents.is_synced);
    Expect(model.Seen(), recorded->newest().contents);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SourceModel, testing::Values(1, 2, 3, 4),
                         [](const auto& row) { return absl::StrCat(row.param); });

}  // namespace
}  // namespace holdfast

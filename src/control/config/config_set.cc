#include "control/config/config_set.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "control/config/reference_check.h"
#include "control/config/resource_lint.h"
#include "control/config/resource_text.h"

namespace holdfast {
namespace {

// What a gRPC client receives unless it was told to take more.
constexpr size_t kDefaultMessageLimit = size_t{4} << 20;

struct Definition {
  const ConfigFile* file = nullptr;
  Place place;
};
using Definitions = std::map<ResourceKey, std::vector<Definition>>;

bool IsBefore(const Place& a, const Place& b) {
  return std::tie(a.line, a.column) < std::tie(b.line, b.column);
}

// Files are in the order given.
bool IsWrittenBefore(const Definition& a, const Definition& b) {
  return a.file != b.file ? a.file < b.file : IsBefore(a.place, b.place);
}

std::string SizeText(size_t bytes) {
  constexpr double kKibi = 1024;
  const auto size = static_cast<double>(bytes);
  if (size < kKibi * kKibi) return absl::StrFormat("%.1f KiB", size / kKibi);
  return absl::StrFormat("%.1f MiB", size / (kKibi * kKibi));
}

class SetLinter {
 public:
  explicit SetLinter(absl::Span<ConfigFile> files) : files_(files) {}

  std::vector<Problem> Lint() {
    FindDefinitions();
    ReportDefinedTwice();
    WithholdDefinedTwice();
    WithholdWhatMayBeDenied();
    ReportErrorsTwice();
    DropLaterErrors();
    ReportUnsentErrors();
    const ReferenceReport references = CheckReferences(files_);
    AddAll(references.problems);
    ReportSizes();
    for (const ConfigFile& file : files_) AddProblemsOf(file, references.only_for_envoy);
    return Tidied();
  }

 private:
  void FindDefinitions() {
    for (const ConfigFile& file : files_) {
      for (const DefinedResource& defined : file.resources) {
        resources_[defined.resource->key()].push_back({&file, defined.place});
      }
      for (const InvalidResource& invalid : file.invalid) {
        resources_[invalid.key].push_back({&file, invalid.place});
      }
      for (const DefinedError& error : file.errors) {
        errors_[error.key].push_back({&file, error.place});
      }
    }
    // A file lists what is invalid apart; here all come in the order in which they are written.
    for (auto& [key, places] : resources_) absl::c_stable_sort(places, IsWrittenBefore);
    for (auto& [key, places] : errors_) absl::c_stable_sort(places, IsWrittenBefore);
  }

  // What is said at one of several places of the same: how often, and where else.
  static std::string TwiceText(const std::vector<Definition>& places, size_t here) {
    const Definition& other = places[here == 0 ? 1 : 0];
    std::string text = places.size() == 2 ? "twice" : absl::StrCat(places.size(), " times");
    absl::StrAppend(&text, ", also at ", PlaceText(other.file->path, other.place));
    return text;
  }

  static Problem DefinedTwice(const ResourceKey& key, const std::vector<Definition>& places,
                              size_t here) {
    return ProblemAt(
        Problem::Kind::kError, places[here].file->path, places[here].place,
        absl::StrCat(ResourceText(key), " is defined ", TwiceText(places, here),
                     ": which one is meant cannot be told, so none is taken; keep one"));
  }

  void ReportDefinedTwice() {
    for (const auto& [key, places] : resources_) {
      if (places.size() < 2) continue;
      for (size_t i = 0; i < places.size(); ++i) {
        problems_.push_back(DefinedTwice(key, places, i));
      }
    }
  }

  void WithholdDefinedTwice() {
    for (ConfigFile& file : files_) {
      const auto is_unique = [this](const DefinedResource& defined) {
        return resources_.at(defined.resource->key()).size() == 1;
      };
      const auto withheld =
          std::stable_partition(file.resources.begin(), file.resources.end(), is_unique);
      for (auto at = withheld; at != file.resources.end(); ++at) {
        const ResourceKey& key = at->resource->key();
        const std::vector<Definition>& places = resources_.at(key);
        const auto here = absl::c_find_if(places, [&](const Definition& one) {
          return one.file == &file && one.place.field == at->place.field;
        });
        std::string text =
            TextOf(DefinedTwice(key, places, static_cast<size_t>(here - places.begin())));
        file.invalid.push_back({key, std::move(at->place), std::move(text)});
      }
      file.resources.erase(withheld, file.resources.end());
    }
  }

  // As if the mistake were in the resource: its last good version stays, and no other is served.
  void WithholdWhatMayBeDenied() {
    std::map<ResourceKey, const UnreadError*> denials;
    for (const ConfigFile& file : files_) {
      for (const UnreadError& entry : file.unread_errors) {
        if (entry.may_deny) denials.emplace(entry.key, &entry);
      }
    }
    if (denials.empty()) return;
    for (ConfigFile& file : files_) {
      const auto withheld = std::stable_partition(
          file.resources.begin(), file.resources.end(),
          [&](const DefinedResource& one) { return !denials.contains(one.resource->key()); });
      for (auto at = withheld; at != file.resources.end(); ++at) {
        const ResourceKey& key = at->resource->key();
        file.invalid.push_back({key, std::move(at->place), denials.at(key)->text});
      }
      file.resources.erase(withheld, file.resources.end());
    }
  }

  void ReportErrorsTwice() {
    for (const auto& [key, places] : errors_) {
      if (places.size() < 2) continue;
      for (size_t i = 0; i < places.size(); ++i) {
        Add(Problem::Kind::kError, places[i],
            absl::StrCat("the error for ", ResourceText(key), " is given ", TwiceText(places, i),
                         ": the first one counts; keep one"));
      }
    }
  }

  // Withholding all of them would open what a PERMISSION_DENIED closed.
  void DropLaterErrors() {
    for (ConfigFile& file : files_) {
      const auto is_later = [this, &file](const DefinedError& error) {
        const Definition& first = errors_.at(error.key).front();
        return first.file != &file || IsBefore(first.place, error.place);
      };
      file.errors.erase(std::remove_if(file.errors.begin(), file.errors.end(), is_later),
                        file.errors.end());
    }
  }

  // TP3: what a client has it keeps, whatever else is said about it.
  void ReportUnsentErrors() {
    for (const ConfigFile& file : files_) {
      for (const DefinedError& error : file.errors) {
        const auto defined = resources_.find(error.key);
        const auto code = static_cast<absl::StatusCode>(error.error.code);
        if (defined == resources_.end() || code == absl::StatusCode::kNotFound ||
            code == absl::StatusCode::kPermissionDenied) {
          continue;
        }
        const Definition& there = defined->second.front();
        Add(Problem::Kind::kWarning, {&file, error.place},
            absl::StrCat(ResourceText(error.key), " is defined at ",
                         PlaceText(there.file->path, there.place), ": it stays in service and ",
                         absl::StatusCodeToString(code),
                         " is not sent; only NOT_FOUND and PERMISSION_DENIED withdraw a resource"));
      }
    }
  }

  void ReportSizes() {
    struct Total {
      size_t count = 0;
      size_t bytes = 0;
      const ConfigFile* file = nullptr;  // of the biggest
      const DefinedResource* biggest = nullptr;
    };
    std::map<absl::string_view, Total> totals;
    for (const ConfigFile& file : files_) {
      for (const DefinedResource& defined : file.resources) {
        const size_t size = defined.resource->sotw_field().size();
        Total& total = totals[defined.resource->type()];
        ++total.count;
        total.bytes += size;
        if (total.biggest == nullptr || size > total.biggest->resource->sotw_field().size()) {
          total.file = &file;
          total.biggest = &defined;
        }
      }
    }
    for (const auto& [type, total] : totals) {
      if (total.bytes <= kDefaultMessageLimit) continue;
      const Resource& biggest = *total.biggest->resource;
      Add(Problem::Kind::kWarning, {total.file, total.biggest->place},
          absl::StrCat("all ", total.count, " resources of type ", type, " make a response of ",
                       SizeText(total.bytes), ", and gRPC clients refuse more than ",
                       SizeText(kDefaultMessageLimit), " by default (the biggest is ",
                       ResourceText(biggest.key()), " with ", SizeText(biggest.sotw_field().size()),
                       "); make them fewer or smaller, or raise "
                       "grpc.max_receive_message_length in the clients"));
    }
  }

  // Without what only matters to gRPC clients where only Envoy looks.
  void AddProblemsOf(const ConfigFile& file, const std::set<ResourceKey>& only_for_envoy) {
    std::vector<std::pair<Place, ResourceKey>> starts;
    for (const DefinedResource& defined : file.resources) {
      starts.emplace_back(defined.place, defined.resource->key());
    }
    for (const InvalidResource& invalid : file.invalid) {
      starts.emplace_back(invalid.place, invalid.key);
    }
    absl::c_stable_sort(starts,
                        [](const auto& a, const auto& b) { return IsBefore(a.first, b.first); });
    for (const Problem& problem : file.problems) {
      if (absl::StartsWith(problem.text, kGrpcWarning)) {
        const auto next = absl::c_upper_bound(
            starts, Place{problem.line, problem.column, ""},
            [](const Place& place, const auto& start) { return IsBefore(place, start.first); });
        if (next != starts.begin() && only_for_envoy.contains(std::prev(next)->second)) continue;
      }
      problems_.push_back(problem);
    }
  }

  void Add(Problem::Kind kind, const Definition& where, std::string text) {
    problems_.push_back(ProblemAt(kind, where.file->path, where.place, std::move(text)));
  }

  void AddAll(const std::vector<Problem>& problems) {
    problems_.insert(problems_.end(), problems.begin(), problems.end());
  }

  std::vector<Problem> Tidied() {
    const auto order = [](const Problem& problem) {
      return std::tie(problem.file, problem.line, problem.column, problem.field, problem.kind,
                      problem.text);
    };
    absl::c_sort(problems_,
                 [&order](const Problem& a, const Problem& b) { return order(a) < order(b); });
    problems_.erase(std::unique(problems_.begin(), problems_.end()), problems_.end());
    return std::move(problems_);
  }

  const absl::Span<ConfigFile> files_;
  Definitions resources_;
  Definitions errors_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> LintTogether(absl::Span<ConfigFile> files) { return SetLinter(files).Lint(); }

}  // namespace holdfast

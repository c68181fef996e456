// What a source published, for tests that wait for it on another thread, and what it logged.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "control/source/source.h"
#include "gtest/gtest.h"
#include "holdfast/xds/log.h"

namespace holdfast {

// An assignment of endpoints with a word of ours in it, to tell versions apart.
inline std::string EndpointsYaml(const std::string& name, const std::string& version) {
  return absl::StrCat(
      "- \"@type\": type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment\n",
      "  cluster_name: ", name, "\n", "  endpoints:\n", "  - locality: {region: \"<", version,
      ">\"}\n", "    load_balancing_weight: 1\n", "    lb_endpoints:\n",
      "    - endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: 80}}}\n");
}

// "pay=v1" for each resource that EndpointsYaml wrote, sorted by file.
inline std::vector<std::string> VersionsIn(const Contents& contents) {
  std::vector<std::string> texts;
  for (const ResourcePtr& resource : contents.resources) {
    const absl::string_view body = resource->body();
    const size_t start = body.find('<');
    const size_t end = body.find('>', start);
    const bool has_version = end != absl::string_view::npos;
    texts.push_back(absl::StrCat(resource->name(), "=",
                                 has_version ? body.substr(start + 1, end - start - 1) : "?"));
  }
  return texts;
}

class Recorded {
 public:
  std::function<void(Published)> Callback() {
    return [this](Published published) {
      const std::lock_guard lock(mutex_);
      all_.push_back(std::move(published));
      changed_.notify_all();
    };
  }

  size_t count() const {
    const std::lock_guard lock(mutex_);
    return all_.size();
  }
  Published At(size_t index) const {
    const std::lock_guard lock(mutex_);
    return all_.at(index);
  }
  Published newest() const {
    const std::lock_guard lock(mutex_);
    return all_.back();
  }
  std::vector<std::string> Served() const { return VersionsIn(newest().contents); }

  // Until the newest is like that. Far longer than it takes on a loaded machine.
  void WaitFor(const std::function<bool(const Published&)>& is_it) const {
    std::unique_lock lock(mutex_);
    const bool came = changed_.wait_for(lock, std::chrono::seconds(30),
                                        [&] { return !all_.empty() && is_it(all_.back()); });
    EXPECT_TRUE(came) << "what was waited for was not published; the newest has "
                      << testing::PrintToString(VersionsIn(all_.back().contents)) << " and says "
                      << testing::PrintToString(all_.back().problems);
  }
  void WaitForServed(const std::vector<std::string>& versions) const {
    WaitFor([&](const Published& published) { return VersionsIn(published.contents) == versions; });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<Published> all_;
};

class RecordedLog final : public LogSink {
 public:
  void Log(Severity severity, absl::string_view component, absl::string_view text) override {
    const std::lock_guard lock(mutex_);
    lines_.push_back(absl::StrCat(NameOf(severity), " ", component, ": ", text));
  }
  // The lines that contain it.
  std::vector<std::string> With(const std::string& part) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> found;
    for (const std::string& line : lines_) {
      if (line.find(part) != std::string::npos) found.push_back(line);
    }
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace holdfast

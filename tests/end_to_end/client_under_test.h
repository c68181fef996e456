// What the end-to-end tests share: a client through the public headers, with a scripted server in
// its bootstrap, and resources to send it.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "holdfast/xds/bootstrap.h"
#include "holdfast/xds/client.h"
#include "holdfast/xds/envoy_types.h"
#include "holdfast/xds/log.h"
#include "resources/decode/registry.h"
#include "tests/support/patience.h"
#include "tests/support/recording_watcher.h"
#include "tests/support/scripted_ads_server.h"
#include "tests/support/test_response.h"
#include "tests/support/text_resource.h"

namespace holdfast {

using EnvoyWatcher = RecordingWatcher<EnvoyResource>;

inline constexpr absl::string_view kInsecure = R"({"type":"insecure"})";

inline Bootstrap BootstrapFor(absl::string_view address,
                              const std::vector<std::string>& features = {},
                              absl::string_view credentials = kInsecure) {
  std::vector<std::string> quoted;
  for (const std::string& feature : features) quoted.push_back(absl::StrCat("\"", feature, "\""));
  const absl::StatusOr<Bootstrap> bootstrap = Bootstrap::Parse(absl::StrCat(
      R"({"xds_servers":[{"server_uri":")", address, R"(","channel_creds":[)", credentials,
      R"(],"server_features":[)", absl::StrJoin(quoted, ","), R"(]}],"node":{"id":"web-1"}})"));
  EXPECT_TRUE(bootstrap.ok()) << bootstrap.status();
  return *bootstrap;
}

// Keeps the test's output to what the test says.
class SilentLog final : public LogSink {
 public:
  static SilentLog& Instance() {
    static auto& log = *new SilentLog;  // Clients log until the end of the process.
    return log;
  }
  void Log(Severity, absl::string_view, absl::string_view) override {}
};

// Attempts follow each other quickly; all else is as users have it.
inline XdsClientOptions QuickOptions() {
  XdsClientOptions options;
  options.first_backoff = std::chrono::milliseconds(20);
  options.longest_backoff = std::chrono::milliseconds(100);
  options.log = &SilentLog::Instance();
  return options;
}

inline std::shared_ptr<XdsClient> ClientOf(Bootstrap bootstrap,
                                           XdsClientOptions options = QuickOptions()) {
  absl::StatusOr<std::shared_ptr<XdsClient>> client =
      XdsClient::Create(std::move(bootstrap), std::move(options));
  EXPECT_TRUE(client.ok()) << client.status();
  return *std::move(client);
}

// A watch and what it hears.
struct Watching {
  std::shared_ptr<EnvoyWatcher> watcher = std::make_shared<EnvoyWatcher>();
  Watch watch;

  Heard Next() { return watcher->Next(); }
  Heard Next(Heard::Kind kind) { return watcher->Next(kind); }
};

inline Watching Start(XdsClient& client, const ResourceType<EnvoyResource>& type,
                      std::string name) {
  Watching watching;
  watching.watch = client.StartWatch(type, std::move(name), watching.watcher);
  return watching;
}
inline Watching WatchCluster(XdsClient& client, std::string name) {
  return Start(client, EnvoyClusterType(), std::move(name));
}
inline Watching WatchEndpoints(XdsClient& client, std::string name) {
  return Start(client, EnvoyEndpointsType(), std::move(name));
}

// A valid cluster. `more` is text of its fields.
inline std::string ClusterBytes(absl::string_view name, absl::string_view more = "") {
  return FromText("envoy.config.cluster.v3.Cluster",
                  absl::StrCat("name: \"", name, "\" type: EDS eds_cluster_config { eds_config { ",
                               "ads {} } } ", more));
}
// One that has to be rejected: it does not say where its endpoints come from.
inline std::string BadClusterBytes(absl::string_view name) {
  return FromText("envoy.config.cluster.v3.Cluster",
                  absl::StrCat("name: \"", name, "\" type: EDS"));
}
inline std::string EndpointsBytes(absl::string_view name) {
  return FromText("envoy.config.endpoint.v3.ClusterLoadAssignment",
                  absl::StrCat("cluster_name: \"", name, "\""));
}

// The snapshot's view of a watched resource; an empty one if it has none.
inline ResourceSnapshot SnapshotOf(const XdsClient& client, absl::string_view name) {
  for (ResourceSnapshot& resource : client.Snapshot().resources) {
    if (resource.name == name) return resource;
  }
  ADD_FAILURE() << "nobody watches " << name;
  return {};
}

// Polls, because a snapshot does not say when it changes.
template <class Condition>
bool Eventually(Condition condition) {
  const absl::Time deadline = absl::Now() + kPatience;
  while (!condition()) {
    if (absl::Now() > deadline) return false;
    absl::SleepFor(absl::Milliseconds(2));
  }
  return true;
}

// An environment variable, for as long as the object lives.
class ScopedEnvironment {
 public:
  ScopedEnvironment(const char* name, const char* value) : name_(name) {
    ::setenv(name, value, /*overwrite=*/1);
  }
  ~ScopedEnvironment() { ::unsetenv(name_); }
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;

 private:
  const char* const name_;
};

}  // namespace holdfast

// One channel, one of the four resources it needs, and one thing that goes wrong with that: what
// calls say then, word for word.
//
//   Scene scene(Clusters(), {.features = {"fail_on_data_errors"}});
//   scene.PutAll();
//   scene.ExpectOk();
//   scene.PutBad();
//   const std::string words =
//       scene.FailureWords(scene.Rejected(scene.Dropped("fail_on_data_errors")));
//   scene.ExpectTurn("OK", words);
//   scene.PutGood();
//   scene.ExpectTurn(words, "OK");
//
// All calls, also those made while waiting, must be OK or UNAVAILABLE (R11.40, R11.41): the code of
// what went wrong is the control plane's, and INTERNAL would be the net of gRFC A54.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/end_to_end/channel/channel_under_test.h"

namespace holdfast {

inline constexpr char kGuard[] = "GRPC_EXPERIMENTAL_XDS_DATA_ERROR_HANDLING";
inline constexpr char kNodeNote[] = "xDS node ID: web-1";

// One of the resources that xds:///pay needs.
struct Subject {
  const char* type;
  const char* name;
  const char* whose;  // as texts call it
  std::string (*good)(const std::string& backend);
  std::string (*bad)();
  const char* why_bad;
};

inline const Subject& Listeners() {
  static const Subject subject = {
      "lds",
      "pay",
      "listener \"pay\"",
      [](const std::string&) { return ListenerBytes("pay", "pay-routes"); },
      [] { return FromText("envoy.config.listener.v3.Listener", "name: \"pay\""); },
      "must have an api_listener (got neither that nor an address)"};
  return subject;
}
inline const Subject& Routes() {
  static const Subject subject = {
      "rds",
      "pay-routes",
      "route configuration \"pay-routes\"",
      [](const std::string&) { return RoutesBytes("pay-routes", "pay"); },
      [] {
        return FromText("envoy.config.route.v3.RouteConfiguration",
                        "name: \"pay-routes\" virtual_hosts {}");
      },
      "virtual_hosts[0].domains: must not be empty; \"*\" stands for every domain"};
  return subject;
}
inline const Subject& Clusters() {
  static const Subject subject = {
      "cds",
      "pay",
      "cluster \"pay\"",
      [](const std::string&) { return ClusterBytes("pay"); },
      [] { return FromText("envoy.config.cluster.v3.Cluster", "name: \"pay\" type: STATIC"); },
      "type: must be EDS or LOGICAL_DNS, unless cluster_type is an aggregate cluster (got STATIC)"};
  return subject;
}
inline const Subject& EndpointsOfPay() {
  static const Subject subject = {
      "eds",
      "pay",
      "endpoints \"pay\"",
      [](const std::string& backend) { return EndpointsBytes("pay", {backend}); },
      [] { return EndpointsBytes("pay", {"nowhere:80"}); },
      "endpoints[0].lb_endpoints[0].endpoint.address.socket_address.address: must be an IP "
      "address (got \"nowhere\"); only a LOGICAL_DNS cluster may use a host name"};
  return subject;
}
inline std::vector<const Subject*> AllSubjects() {
  return {&Listeners(), &Routes(), &Clusters(), &EndpointsOfPay()};
}

struct SceneOptions {
  const char* guard = "true";
  std::vector<std::string> features;
  bool is_timer_short = false;
};

class Scene {
 public:
  // Long enough for what does come, on a loaded machine; different, so that texts tell them apart.
  static constexpr std::chrono::milliseconds kTimeout{400};
  static constexpr std::chrono::milliseconds kTransientTimeout{450};

  Scene(const Subject& subject, SceneOptions options)
      : subject_(subject), options_(std::move(options)) {}

  ObligingXdsServer& xds() { return xds_; }
  Backend& backend() { return backend_; }

  // Made when it is first asked for; its client reads the guard then.
  ChannelUnderTest& channel() {
    if (channel_ == nullptr) {
      const ScopedEnvironment guard(kGuard, options_.guard);
      channel_ = std::make_unique<ChannelUnderTest>(xds_.address(), options_.features,
                                                    ClientOptions(), "xds:///pay", Quick());
    }
    return *channel_;
  }
  // As a call does, without waiting for what it comes to.
  void Connect() { channel().channel()->GetState(/*try_to_connect=*/true); }

  // What the server has.
  void PutAll() { PutAllExcept(nullptr); }
  void PutOthers() { PutAllExcept(&subject_); }
  void PutGood() { Put(subject_, subject_.good(backend_.address())); }
  void PutBad() { Put(subject_, subject_.bad()); }
  void PutError(int32_t code, const std::string& message) {
    ++versions_[subject_.type];
    xds_.PutError(subject_.type, subject_.name, code, message);
  }
  void Remove() {
    ++versions_[subject_.type];
    xds_.Remove(subject_.type, subject_.name);
  }
  void Put(const Subject& subject, std::string bytes) {
    ++versions_[subject.type];
    xds_.Put(subject.type, subject.name, std::move(bytes));
  }
  // What the channel uses from now on is remembered: texts name the version.
  void Use() { used_ = Newest(); }
  int Newest() const { return 1 + versions_.at(subject_.type); }

  // The next call, and it alone.
  void ExpectOk() { EXPECT_EQ(CallOnce(), "OK"); }
  void ExpectNow(const std::string& words) { EXPECT_EQ(CallOnce(), words); }
  // Calls until one has these words.
  void ExpectEventually(const std::string& words) {
    std::string last;
    Eventually([&] {
      last = CallOnce();
      return last == words;
    });
    EXPECT_EQ(last, words);
  }
  // The same, and until then nothing but what calls said before.
  void ExpectTurn(const std::string& before, const std::string& words) {
    std::string last;
    Eventually([&] {
      last = CallOnce();
      return last != before;
    });
    EXPECT_EQ(last, words);
  }
  void ExpectState(grpc_connectivity_state state) {
    EXPECT_TRUE(Eventually([&] { return channel().channel()->GetState(false) == state; }))
        << channel().channel()->GetState(false) << " instead of " << state;
  }

  // What is wrong with the subject, as the client says it. `then` is what it means.
  std::string Rejected(const std::string& then) const {
    return absl::StrCat("version ", Newest(), " was rejected: ", subject_.why_bad, then);
  }
  std::string Deleted(const std::string& then) const {
    return absl::StrCat("deleted: version ", Newest(), " of ", Server(), " no longer has it", then);
  }
  std::string TimedOut() const {
    return absl::StrCat(Server(), " did not send it within ",
                        absl::FormatDuration(absl::FromChrono(kTimeout)),
                        ", so it is taken not to exist");
  }
  std::string Slow() const {
    return absl::StrCat(Server(), " did not send it within ",
                        absl::FormatDuration(absl::FromChrono(kTransientTimeout)),
                        "; the server is slow, or forgot it");
  }
  std::string Unreachable() const {
    return absl::StrCat(Server(),
                        ": cannot be reached: UNAVAILABLE: failed to connect to all addresses; "
                        "last error: UNKNOWN: ipv4:",
                        xds_.address(), ": Failed to connect to remote host: Connection refused");
  }
  std::string Refused() const {
    return absl::StrCat(
        Server(), ": the stream ended before any response: ", "PERMISSION_DENIED: who are you?");
  }
  // What the server reported. A number that is no code is quoted.
  std::string Reported(int32_t code, const std::string& message) const {
    const bool is_code = code >= 1 && code <= 16;
    const auto known = is_code ? static_cast<absl::StatusCode>(code) : absl::StatusCode::kUnknown;
    return absl::StrCat(Server(), " answered ", absl::StatusCodeToString(known), ": ",
                        is_code ? "" : absl::StrCat("status code ", code, ": "), message);
  }
  std::string ReportedWithoutReason(const std::string& code) const {
    return absl::StrCat(Server(), " answered ", code, " and gave no reason");
  }
  std::string Kept() const { return absl::StrCat("; keeping version ", used_); }
  std::string Dropped(const char* why) const {
    return absl::StrCat("; version ", used_, " is no longer used, because the server has ", why);
  }

  // A call that cannot have the subject.
  std::string FailureWords(const std::string& complaint) const {
    const std::string type = subject_.type;
    if (type == "eds") return WordsWithoutEndpoints(absl::StrCat(Note(complaint), "; ", kNodeNote));
    return absl::StrCat("UNAVAILABLE: ", type == "cds" ? "" : "target \"xds:///pay\": ",
                        subject_.whose, ": ", complaint, "; calls ", type == "cds" ? "to it " : "",
                        "fail until it can be had (node \"web-1\")");
  }
  // A call of a channel that has its four resources, but cannot reach what they lead to.
  std::string UnreachableWords(const std::string& note) const {
    return absl::StrCat(
        "UNAVAILABLE: cluster \"pay\": no endpoint can be reached; last error: ", backend_.peer(),
        ": Failed to connect to remote host: Connection refused (", note, ")");
  }
  static std::string WordsWithoutEndpoints(const std::string& note) {
    return absl::StrCat("UNAVAILABLE: cluster \"pay\": it has no endpoints (", note, ")");
  }
  std::string Note(const std::string& complaint) const {
    return absl::StrCat(subject_.whose, ": ", complaint);
  }
  static std::string WithNode(const std::string& note) {
    return absl::StrCat(note, " (node \"web-1\")");
  }

 private:
  std::string Server() const { return absl::StrCat("xds server \"", xds_.address(), "\""); }

  XdsClientOptions ClientOptions() const {
    XdsClientOptions options = QuickOptions();
    if (options_.is_timer_short) {
      options.resource_timeout = kTimeout;
      options.transient_resource_timeout = kTransientTimeout;
    }
    return options;
  }
  // A backend that comes back is noticed at once.
  static ChannelOptions Quick() {
    ChannelOptions options;
    options.arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
    options.arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 100);
    return options;
  }

  void PutAllExcept(const Subject* missing) {
    xds_.Hold();
    for (const Subject* subject : AllSubjects()) {
      if (subject != missing) Put(*subject, subject->good(backend_.address()));
    }
    xds_.LetGo();
    if (missing == nullptr) Use();
  }

  std::string CallOnce() {
    const grpc::Status status = channel().Call().status;
    const bool is_allowed = status.ok() || status.error_code() == grpc::StatusCode::UNAVAILABLE;
    EXPECT_TRUE(is_allowed) << Words(status);
    return Words(status);
  }

  const Subject& subject_;
  const SceneOptions options_;
  std::map<std::string, int> versions_;  // how often each type changed
  int used_ = 0;
  ObligingXdsServer xds_;
  Backend backend_;
  std::unique_ptr<ChannelUnderTest> channel_;
};

}  // namespace holdfast

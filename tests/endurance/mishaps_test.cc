// While anything usable is known no call fails, whatever the control plane does. Debian's own
// channel goes through the same, for comparison: what becomes of its calls is printed, not judged.
#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <set>

#include "tests/end_to_end/channel/channel_under_test.h"
#include "tests/endurance/caller_process.h"
#include "tests/endurance/phase_table.h"

namespace holdfast {
namespace {

constexpr int kThreads = 4;
constexpr int kManyClusters = 2000;
// A mishap lasts at least so long, and so many calls.
constexpr absl::Duration kLongEnough = absl::Milliseconds(250);
constexpr uint64_t kManyCalls = 200;

std::string BadListener() {
  // It says nothing of routes.
  return FromText("envoy.config.listener.v3.Listener", ListenerText("pay", ""));
}
std::string BadRoutes() {
  // A virtual host has to have domains.
  return FromText("envoy.config.route.v3.RouteConfiguration",
                  "name: \"pay-routes\" virtual_hosts { name: \"vh\" }");
}
std::string BadEndpoints() {
  // Localities have to have names.
  return FromText("envoy.config.endpoint.v3.ClusterLoadAssignment",
                  "cluster_name: \"pay\" endpoints { load_balancing_weight { value: 1 } }");
}

std::string ManyName(int i) { return absl::StrCat("many-", i); }

// They share their endpoints.
std::string ManyBytes(int i) {
  return ClusterBytes(ManyName(i)) + FromText("envoy.config.cluster.v3.Cluster",
                                              "eds_cluster_config { service_name: \"many\" }");
}

// To each of the clusters as often as to any other.
std::string RoutesToMany() {
  std::string shares;
  for (int i = 0; i < kManyClusters; ++i) {
    absl::StrAppend(&shares, "clusters { name: \"", ManyName(i), "\" weight { value: 1 } } ");
  }
  return FromText(
      "envoy.config.route.v3.RouteConfiguration",
      absl::StrCat("name: \"pay-routes\" virtual_hosts { name: \"vh\" domains: \"*\" routes { ",
                   "match { prefix: \"\" } route { weighted_clusters { ", shares, "} } } }"));
}

// Each caller has a control plane of its own, so that it is clear who accepted what.
class Mishaps : public ::testing::Test {
 protected:
  Mishaps() {
    Both([this](ObligingXdsServer& xds) { PutPay(xds, Addresses(old_)); });
  }

  static std::vector<std::string> Addresses(const std::array<Backend, 2>& backends) {
    return {backends[0].address(), backends[1].address()};
  }

  static std::set<std::string> Peers(const std::array<Backend, 2>& backends) {
    return {backends[0].peer(), backends[1].peer()};
  }

  void Both(const std::function<void(ObligingXdsServer&)>& act) {
    act(xds_);
    act(theirs_);
  }
  void PutBoth(absl::string_view type, const std::string& name, const std::string& bytes) {
    Both([&](ObligingXdsServer& xds) { xds.Put(type, name, bytes); });
  }

  // Until there were calls enough, from now on.
  void LetThemCall() {
    table_.Collect();
    const uint64_t before = Ours().calls;
    const absl::Time start = absl::Now();
    EXPECT_TRUE(Eventually([&] {
      absl::SleepFor(absl::Milliseconds(25));
      table_.Collect();
      return Ours().calls >= before + kManyCalls && absl::Now() >= start + kLongEnough;
    })) << "calls do not go on";
  }
  // Until our calls go to these and nowhere else; Debian's have some time more.
  void LetThemMoveTo(const std::set<std::string>& peers) {
    EXPECT_TRUE(Eventually([&] {
      absl::SleepFor(absl::Milliseconds(25));
      table_.Collect();
      return Ours().peers == peers;
    })) << "calls did not move";
    LetThemTry([&] { return Theirs().peers == peers; });
  }
  // All is well again. A phase begins with callers that are well: Debian's is begun anew if it
  // does not get well (once it was told of a deletion it may not, whatever it is told then).
  void LetThemRecover() {
    LetThemCall();
    LetThemTry([&] { return !Theirs().peers.empty(); });
    if (!Theirs().peers.empty()) return;
    debian_ = std::make_unique<CallerProcess>("debian", theirs_.address(), kThreads);
    table_.Replace(1, debian_.get(), "never got well, begun anew");
    LetThemCall();
  }
  // For Debian's, which may or may not.
  void LetThemTry(const std::function<bool()>& they_did) {
    const absl::Time end = absl::Now() + absl::Seconds(1);
    while (!they_did() && absl::Now() < end) {
      absl::SleepFor(absl::Milliseconds(25));
      table_.Collect();
    }
  }

  const CallReport& Ours() const { return table_.rows().back().reports[0]; }
  const CallReport& Theirs() const { return table_.rows().back().reports[1]; }

  void Deleted(absl::string_view type, const std::string& name, const std::string& bytes) {
    Both([&](ObligingXdsServer& xds) { xds.Remove(type, name); });
    xds_.WaitForAck(type);
    LetThemCall();
    PutBoth(type, name, bytes);
    xds_.WaitForAck(type);
    LetThemRecover();
  }
  void Invalid(absl::string_view type, const std::string& name, const std::string& bad,
               const std::string& good) {
    PutBoth(type, name, bad);
    xds_.WaitForNack(type);
    LetThemCall();
    PutBoth(type, name, good);
    xds_.WaitForAck(type);
    LetThemRecover();
  }
  void EveryError(absl::string_view type, const std::string& name, const std::string& good) {
    for (int32_t code = 1; code <= 16; ++code) {
      Both([&](ObligingXdsServer& xds) { xds.PutError(type, name, code, "ask #payments"); });
      xds_.WaitForAck(type);
    }
    LetThemCall();
    PutBoth(type, name, good);
    xds_.WaitForAck(type);
    LetThemRecover();
  }

  // Phases.
  void ServerGoesAndComesBack();
  void EveryResourceGoesWrong();
  void EndpointsAreReplaced();
  void ManyClustersComeAndGo();
  void StreamHasNonsense();

  void Print();

  // What the control plane says while all is well.
  const std::string listener_ = ListenerBytes("pay", "pay-routes");
  const std::string routes_ = RoutesBytes("pay-routes", "pay");
  const std::string cluster_ = ClusterBytes("pay");

  std::array<Backend, 2> old_;
  std::array<Backend, 2> new_;
  Backend many_;
  ObligingXdsServer xds_;
  ObligingXdsServer theirs_;
  CallerProcess holdfast_{"holdfast", xds_.address(), kThreads};
  std::unique_ptr<CallerProcess> debian_ =
      std::make_unique<CallerProcess>("debian", theirs_.address(), kThreads);
  PhaseTable table_{{{"holdfast", &holdfast_}, {"debian", debian_.get()}}};
};

void Mishaps::ServerGoesAndComesBack() {
  table_.Begin("control plane killed");
  Both([](ObligingXdsServer& xds) { xds.Kill(); });
  LetThemCall();
  table_.Begin("control plane back");
  Both([](ObligingXdsServer& xds) { xds.Restart(); });
  xds_.WaitForSubscription("eds", "pay");
  LetThemCall();
}

void Mishaps::EveryResourceGoesWrong() {
  const std::string endpoints = EndpointsBytes("pay", Addresses(old_));
  table_.Begin("listener deleted, and back");
  Deleted("lds", "pay", listener_);
  table_.Begin("cluster deleted, and back");
  Deleted("cds", "pay", cluster_);

  table_.Begin("listener invalid, and back");
  Invalid("lds", "pay", BadListener(), listener_);
  table_.Begin("routes invalid, and back");
  Invalid("rds", "pay-routes", BadRoutes(), routes_);
  table_.Begin("cluster invalid, and back");
  Invalid("cds", "pay", BadClusterBytes("pay"), cluster_);
  table_.Begin("endpoints invalid, and back");
  Invalid("eds", "pay", BadEndpoints(), endpoints);

  table_.Begin("errors 1 to 16 of the listener");
  EveryError("lds", "pay", listener_);
  table_.Begin("errors 1 to 16 of the routes");
  EveryError("rds", "pay-routes", routes_);
  table_.Begin("errors 1 to 16 of the cluster");
  EveryError("cds", "pay", cluster_);
  table_.Begin("errors 1 to 16 of the endpoints");
  EveryError("eds", "pay", endpoints);
}

void Mishaps::EndpointsAreReplaced() {
  table_.Begin("endpoints replaced");
  PutBoth("eds", "pay", EndpointsBytes("pay", Addresses(new_)));
  LetThemMoveTo(Peers(new_));
  // Calls that the old ones had come to their end.
  LetThemCall();
  table_.Begin("old endpoints killed");
  for (Backend& backend : old_) backend.Kill();
  LetThemCall();
}

void Mishaps::ManyClustersComeAndGo() {
  table_.Begin("2,000 clusters come");
  Both([this](ObligingXdsServer& xds) {
    xds.Hold();
    for (int i = 0; i < kManyClusters; ++i) xds.Put("cds", ManyName(i), ManyBytes(i));
    xds.Put("eds", "many", EndpointsBytes("many", {many_.address()}));
    xds.Put("rds", "pay-routes", RoutesToMany());
    xds.LetGo();
  });
  LetThemMoveTo({many_.peer()});
  LetThemRecover();
  table_.Begin("2,000 clusters go");
  PutBoth("rds", "pay-routes", routes_);
  LetThemMoveTo(Peers(new_));
}

void Mishaps::StreamHasNonsense() {
  table_.Begin("garbage");
  Both([](ObligingXdsServer& xds) { xds.SendGarbage(); });
  LetThemRecover();
  table_.Begin("a type that nobody knows");
  Both([](ObligingXdsServer& xds) { xds.SendUnknownType(); });
  LetThemRecover();
  table_.Begin("and updates are still heard");
  PutBoth("eds", "pay", EndpointsBytes("pay", {new_[0].address()}));
  LetThemMoveTo({new_[0].peer()});
  PutBoth("eds", "pay", EndpointsBytes("pay", Addresses(new_)));
  LetThemMoveTo(Peers(new_));
}

void Mishaps::Print() {
  std::printf("%s", table_.Text().c_str());
  for (const PhaseTable::Row& row : table_.rows()) {
    if (row.reports[1].failed == 0) continue;
    std::printf("debian, %s: %s\n", row.phase.c_str(), row.reports[1].first_failure.c_str());
  }
  std::printf("Debian's caller ended with %s\n", debian_->Finish().c_str());
}

// R11.05
TEST_F(Mishaps, NoCallFailsWhileSomethingUsableIsKnown) {
  table_.Begin("nothing happens");
  LetThemMoveTo(Peers(old_));
  LetThemCall();
  EXPECT_GT(Theirs().calls, Theirs().failed) << Theirs().first_failure;

  ServerGoesAndComesBack();
  EveryResourceGoesWrong();
  EndpointsAreReplaced();
  ManyClustersComeAndGo();
  StreamHasNonsense();

  // For comparison: calls that it had may fail.
  const size_t judged = table_.rows().size();
  table_.Begin("one of two endpoints dies (not judged)");
  new_[1].Kill();
  LetThemCall();

  Print();
  for (size_t i = 0; i < judged; ++i) {
    const PhaseTable::Row& row = table_.rows()[i];
    EXPECT_FALSE(row.is_gone[0]) << row.phase;
    EXPECT_EQ(row.reports[0].failed, 0U) << row.phase << ": " << row.reports[0].first_failure;
  }
  EXPECT_EQ(holdfast_.Finish(), "exit 0");
}

}  // namespace
}  // namespace holdfast

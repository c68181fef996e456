// Whose trouble a failing call tells of: that of its own cluster, and of what is above all clusters
// (gRFC A88, "Handling Ambient Errors").
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/end_to_end/channel/promise_scene.h"

namespace holdfast {
namespace {

constexpr int32_t kInternal = 13;

// Calls with "to: other" go to that cluster, the rest to "pay".
class PromisedNotes : public testing::Test {
 protected:
  void Begin(const std::vector<std::string>& features = {}) {
    xds_.Hold();
    xds_.Put("lds", "pay", ListenerBytes("pay", "pay-routes"));
    xds_.Put("rds", "pay-routes",
             RoutesBytes("pay-routes", "pay",
                         "routes { match { prefix: \"\" headers { name: \"to\" string_match { "
                         "exact: \"other\" } } } route { cluster: \"other\" } }"));
    for (const auto& [cluster, backend] : {std::pair("pay", &pay_), std::pair("other", &other_)}) {
      xds_.Put("cds", cluster, ClusterBytes(cluster));
      xds_.Put("eds", cluster, EndpointsBytes(cluster, {backend->address()}));
    }
    xds_.LetGo();
    channel_ = std::make_unique<ChannelUnderTest>(xds_.address(), features);
    EXPECT_EQ(Call("pay"), "OK");
    EXPECT_EQ(Call("other"), "OK");
  }
  void LoseBackends() {
    pay_.Kill();
    other_.Kill();
    ExpectNotes(kNodeNote, kNodeNote);
  }

  std::string Call(const char* to) {
    return Words(
        channel_->Call([to](grpc::ClientContext& context) { context.AddMetadata("to", to); })
            .status);
  }
  void ExpectEventually(const char* to, const std::string& words) {
    std::string last;
    Eventually([&] {
      last = Call(to);
      return last == words;
    });
    EXPECT_EQ(last, words);
  }
  void ExpectNotes(const std::string& pay, const std::string& other) {
    ExpectEventually("pay", Unreachable("pay", pay_, pay));
    ExpectEventually("other", Unreachable("other", other_, other));
  }
  static std::string Unreachable(const char* cluster, const Backend& backend,
                                 const std::string& note) {
    return absl::StrCat("UNAVAILABLE: cluster \"", cluster,
                        "\": no endpoint can be reached; last error: ", backend.peer(),
                        ": Failed to connect to remote host: Connection refused (", note, ")");
  }
  // What the server answered, and what was kept.
  std::string Answered(const char* whose, const char* message, int kept) const {
    return absl::StrCat(whose, ": xds server \"", xds_.address(), "\" answered INTERNAL: ", message,
                        "; keeping version ", kept);
  }
  std::string LdsError() const { return Answered("listener \"pay\"", "l", 2); }
  std::string RdsError() const { return Answered("route configuration \"pay-routes\"", "r", 2); }

  template <class... Parts>
  static std::string Note(const Parts&... parts) {
    return absl::StrCat(absl::StrJoin({absl::string_view(parts)...}, "; "), " (node \"web-1\")");
  }

  Backend pay_;
  Backend other_;
  ObligingXdsServer xds_;
  std::unique_ptr<ChannelUnderTest> channel_;
};

// R11.30: one's own errors are one's own, those above are everybody's. R11.31, R11.33: they come
// and go. R11.32, R11.34
TEST_F(PromisedNotes, HaveWhatConcernsTheirCluster) {
  Begin();
  LoseBackends();
  // Two resources each, so the first version that anybody saw was the third.
  const std::string cluster_error = Answered("cluster \"other\"", "c", 3);
  const std::string endpoints_error = Answered("endpoints \"other\"", "e", 3);
  const std::string pay_error = Answered("endpoints \"pay\"", "p", 4);

  xds_.PutError("cds", "other", kInternal, "c");
  ExpectNotes(kNodeNote, Note(cluster_error));
  xds_.PutError("eds", "other", kInternal, "e");
  ExpectNotes(kNodeNote, Note(cluster_error, endpoints_error));
  xds_.PutError("eds", "pay", kInternal, "p");
  ExpectNotes(Note(pay_error), Note(cluster_error, endpoints_error));
  xds_.PutError("rds", "pay-routes", kInternal, "r");
  ExpectNotes(Note(RdsError(), pay_error), Note(RdsError(), cluster_error, endpoints_error));
  xds_.PutError("lds", "pay", kInternal, "l");
  ExpectNotes(Note(LdsError(), RdsError(), pay_error),
              Note(LdsError(), RdsError(), cluster_error, endpoints_error));

  xds_.Put("eds", "pay", EndpointsBytes("pay", {pay_.address()}));
  ExpectNotes(Note(LdsError(), RdsError()),
              Note(LdsError(), RdsError(), cluster_error, endpoints_error));
  xds_.Put("lds", "pay", ListenerBytes("pay", "pay-routes"));
  ExpectNotes(Note(RdsError()), Note(RdsError(), cluster_error, endpoints_error));
  xds_.Put("cds", "other", ClusterBytes("other"));
  ExpectNotes(Note(RdsError()), Note(RdsError(), endpoints_error));
}

// R6.08, R11.06, R11.40
TEST_F(PromisedNotes, AClusterThatIsDroppedFailsItsOwnCallsOnly) {
  Begin({"fail_on_data_errors"});
  xds_.Remove("cds", "other");
  ExpectEventually("other",
                   absl::StrCat("UNAVAILABLE: cluster \"other\": deleted: version 4 of xds server "
                                "\"",
                                xds_.address(),
                                "\" no longer has it; version 3 is no longer used, because the "
                                "server has fail_on_data_errors; calls to it fail until it can be "
                                "had (node \"web-1\")"));
  EXPECT_EQ(Call("pay"), "OK");
  EXPECT_EQ(channel_->channel()->GetState(false), GRPC_CHANNEL_READY);
  xds_.Put("cds", "other", ClusterBytes("other"));
  ExpectEventually("other", "OK");
}

// R6.06: a response of endpoints that does not name some says nothing of them.
TEST_F(PromisedNotes, EndpointsThatAResponseLeavesOutAreNotDeleted) {
  Begin({"fail_on_data_errors"});
  xds_.Remove("eds", "other");
  xds_.WaitForAck("eds");
  EXPECT_EQ(Call("other"), "OK");
  LoseBackends();
  // A later error is the only one.
  xds_.PutError("lds", "pay", kInternal, "l");
  ExpectNotes(Note(LdsError()), Note(LdsError()));
}

// R11.30: its own cluster, and no endpoints that it does not have.
TEST_F(PromisedNotes, AClusterByDnsHasNoPartOfEndpoints) {
  Begin();
  const std::vector<std::string> parts = absl::StrSplit(other_.address(), ':');
  xds_.Put("cds", "other",
           FromText("envoy.config.cluster.v3.Cluster",
                    absl::StrCat("name: \"other\" type: LOGICAL_DNS load_assignment { endpoints { "
                                 "lb_endpoints { endpoint { address { socket_address { address: "
                                 "\"",
                                 parts[0], "\" port_value: ", parts[1], " } } } } } }")));
  xds_.WaitForAck("cds");
  ExpectEventually("other", "OK");
  xds_.PutError("lds", "pay", kInternal, "l");
  xds_.PutError("cds", "other", kInternal, "c");
  other_.Kill();
  ExpectEventually(
      "other",
      absl::StrCat(
          "UNAVAILABLE: cluster \"other\": no endpoint can be reached; last error: dns:///",
          other_.address(), ": ", other_.peer(),
          ": Failed to connect to remote host: Connection refused (",
          Note(LdsError(), Answered("cluster \"other\"", "c", 4)), ")"));
}

// R11.34: whoever balances, and whatever fails.
TEST_F(PromisedNotes, EveryPolicyQuotesThem) {
  Begin();
  LoseBackends();
  xds_.PutError("lds", "pay", kInternal, "l");
  ExpectNotes(Note(LdsError()), Note(LdsError()));
  xds_.Put("cds", "other",
           ClusterBytes("other",
                        "load_balancing_policy { policies { typed_extension_config { "
                        "name: \"pick_first\" typed_config { [type.googleapis.com/envoy."
                        "extensions.load_balancing_policies.pick_first.v3.PickFirst] {} "
                        "} } } }"));
  xds_.PutError("rds", "pay-routes", kInternal, "r");
  ExpectNotes(Note(LdsError(), RdsError()), Note(LdsError(), RdsError()));
  xds_.Put("cds", "pay",
           FromText("envoy.config.cluster.v3.Cluster",
                    "name: \"pay\" lb_policy: CLUSTER_PROVIDED cluster_type { name: \"aggregate\" "
                    "typed_config { [type.googleapis.com/envoy.extensions.clusters.aggregate.v3."
                    "ClusterConfig] { clusters: \"other\" } } }"));
  ExpectEventually("pay", Unreachable("other", other_, Note(LdsError(), RdsError())));
  xds_.Put("eds", "other", EndpointsBytes("other", {}));
  ExpectEventually(
      "other",
      absl::StrCat("UNAVAILABLE: cluster \"other\": it has no endpoints (",
                   Note(LdsError(), RdsError(),
                        "endpoints \"other\": its localities have no endpoint that can be used"),
                   ")"));
}

}  // namespace
}  // namespace holdfast

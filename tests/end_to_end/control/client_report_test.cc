// What a control plane says of its clients, over a real connection: Clients(), Resources(),
// Errors(), CSDS and metrics say the same.
#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "envoy/service/status/v3/csds.grpc.pb.h"
#include "holdfast/xds/prometheus.h"
#include "tests/end_to_end/control/control_under_test.h"
#include "tests/support/ads_test_client.h"

namespace holdfast {
namespace {

using ::envoy::service::status::v3::ClientConfig;
using ::envoy::service::status::v3::ClientStatusDiscoveryService;
using ::envoy::service::status::v3::ClientStatusRequest;
using ::envoy::service::status::v3::ClientStatusResponse;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ResultOf;

// Of one client, "held_back cds-name runs 1 of 2: why" and so on.
std::vector<std::string> LinesOf(const ClientReport& client) {
  std::vector<std::string> lines;
  for (const ClientResource& one : client.resources) {
    std::string line = absl::StrCat(NameOf(one.state), " ", one.name);
    if (one.client_version.has_value()) {
      absl::StrAppend(&line, *one.client_version == one.version ? " runs it" : " runs another");
    }
    if (!one.error.ok()) absl::StrAppend(&line, ": ", one.error.ToString());
    EXPECT_EQ(one.since.has_value(), one.state != DeliveryState::kGood);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string CountsText(const ServedResource& resource) {
  std::vector<std::string> parts;
  const auto add = [&](size_t count, absl::string_view state) {
    if (count > 0) parts.push_back(absl::StrCat(count, " ", state));
  };
  add(resource.clients.good, "good");
  add(resource.clients.waiting, "waiting");
  add(resource.clients.held_back, "held back");
  add(resource.clients.failed, "failed");
  return absl::StrCat(resource.name, ": ", absl::StrJoin(parts, ", "));
}

class ClientReports : public testing::TestWithParam<Variant> {
 protected:
  std::unique_ptr<AdsTestStream> Open(AdsTestClient& client) {
    return GetParam() == Variant::kSotw ? client.OpenSotw() : client.OpenDelta();
  }

  // As soon as the only client is in this state.
  static ClientReport Await(const ControlPlane& plane, DeliveryState state, size_t events = 1) {
    const absl::Time end = absl::Now() + kPatience;
    while (absl::Now() < end) {
      std::vector<ClientReport> clients = plane.Clients({"", true, 10}).clients;
      if (clients.size() == 1 && clients[0].state == state && clients[0].events.size() >= events) {
        return std::move(clients[0]);
      }
      std::this_thread::yield();
    }
    ADD_FAILURE() << "no client became " << NameOf(state);
    return {};
  }

  // As soon as the two clients are in these states.
  static void Await2(const ControlPlane& plane, DeliveryState first, DeliveryState second) {
    const absl::Time end = absl::Now() + kPatience;
    while (absl::Now() < end) {
      const std::vector<ClientReport> clients = plane.Clients().clients;
      if (clients.size() == 2 && clients[0].state == first && clients[1].state == second) return;
      std::this_thread::yield();
    }
    ADD_FAILURE() << "the clients did not become " << NameOf(first) << " and " << NameOf(second);
  }
};

TEST_P(ClientReports, TellWhoRunsWhat) {
  ControlUnderTest control;
  control.Put(kClusterTypeName, "pay", "v1");
  EXPECT_THAT(control.plane().Clients().clients, IsEmpty());
  AdsTestClient client(control.address(), "web-7");
  const auto stream = Open(client);
  stream->Ask(kClusterTypeName, {"pay"});
  const AdsAnswer first = stream->Next();
  const ClientReport waiting = Await(control.plane(), DeliveryState::kWaiting);
  EXPECT_EQ(waiting.client, "web-7");
  EXPECT_EQ(waiting.node.id, "web-7");
  EXPECT_EQ(waiting.is_delta, GetParam() == Variant::kDelta);
  EXPECT_THAT(waiting.peer, HasSubstr("127.0.0.1:"));
  EXPECT_THAT(LinesOf(waiting), ElementsAre("waiting pay"));

  stream->Ack(first);
  const ClientReport good = Await(control.plane(), DeliveryState::kGood);
  EXPECT_THAT(LinesOf(good), ElementsAre("good pay runs it"));
  ASSERT_EQ(good.types.size(), 1u);
  EXPECT_EQ(good.types[0].type, kClusterTypeName);
  EXPECT_EQ(good.types[0].acked_version, first.version);
  EXPECT_EQ(good.types[0].counts.good, 1u);
  EXPECT_FALSE(good.types[0].everything);

  control.Put(kClusterTypeName, "pay", "v2");
  stream->Nack(stream->Next(), "pay: lb_policy: unknown");
  const ClientReport held_back = Await(control.plane(), DeliveryState::kHeldBack);
  EXPECT_THAT(LinesOf(held_back),
              ElementsAre("held_back pay runs another: INVALID_ARGUMENT: pay: lb_policy: unknown"));
  EXPECT_EQ(held_back.resources[0].client_version, good.resources[0].version);

  // It takes the next one.
  control.Put(kClusterTypeName, "pay", "v3");
  stream->Ack(stream->Next());
  const ClientReport again = Await(control.plane(), DeliveryState::kGood, 3);
  ASSERT_EQ(again.events.size(), 3u);
  EXPECT_EQ(again.events[0].kind, ClientEvent::Kind::kOpened);
  EXPECT_EQ(again.events[1].kind, ClientEvent::Kind::kNack);
  EXPECT_EQ(again.events[1].name, "pay");
  EXPECT_EQ(again.events[1].message, "pay: lb_policy: unknown");
  EXPECT_EQ(again.events[2].kind, ClientEvent::Kind::kAckAfterNack);
  EXPECT_LE(again.events[1].time, again.events[2].time);
}

TEST_P(ClientReports, TellWhatHasFailed) {
  ControlUnderTest control;
  Transaction change;
  change.SetError(kClusterTypeName, "billing", absl::PermissionDeniedError("ask #payments"));
  control.Commit(std::move(change));
  AdsTestClient client(control.address());
  const auto stream = Open(client);
  stream->Ask(kClusterTypeName, {"billing", "nowhere"});
  const AdsAnswer answer = stream->Next();
  stream->Ack(answer);
  const ClientReport failed = Await(control.plane(), DeliveryState::kFailed, 2);
  const std::string no_such = "no cluster \"nowhere\" in the configuration of the control plane";
  EXPECT_THAT(LinesOf(failed), ElementsAre("failed billing: PERMISSION_DENIED: ask #payments",
                                           "failed nowhere: NOT_FOUND: " + no_such));

  const std::vector<NameErrorReport> errors = control.plane().Errors().errors;
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0].name, "billing");
  EXPECT_EQ(errors[0].origin, NameErrorReport::Origin::kConfigured);
  EXPECT_EQ(errors[0].error, absl::PermissionDeniedError("ask #payments"));
  EXPECT_THAT(errors[0].clients, ElementsAre("web-1"));
  EXPECT_EQ(errors[1].name, "nowhere");
  EXPECT_EQ(errors[1].origin, NameErrorReport::Origin::kMissing);
  EXPECT_EQ(errors[1].error, absl::NotFoundError(no_such));
  EXPECT_THAT(errors[1].clients, ElementsAre("web-1"));
}

TEST_P(ClientReports, CountWhoHasWhichResource) {
  ControlUnderTest control;
  control.Put(kClusterTypeName, "pay", "v1");
  control.Put(kEndpointsTypeName, "pay", "v1");
  EXPECT_EQ(control.plane().Resources().resources.size(), 2u);
  AdsTestClient client(control.address());
  const auto one = Open(client);
  const auto two = Open(client);
  one->Ask(kClusterTypeName, {"pay"});
  one->Ack(one->Next());
  two->Ask(kClusterTypeName, {"pay"});
  two->Nack(two->Next(), "no");
  const absl::Time end = absl::Now() + kPatience;
  ServedResource pay;
  while (absl::Now() < end && (pay.clients.good != 1 || pay.clients.failed != 1)) {
    const ResourcesReport report =
        control.plane().Resources({std::string(kClusterTypeName), "pay"});
    ASSERT_EQ(report.resources.size(), 1u);
    pay = report.resources[0];
  }
  EXPECT_EQ(pay.clients.good, 1u);
  EXPECT_EQ(pay.clients.failed, 1u);
  EXPECT_EQ(pay.clients.waiting + pay.clients.held_back, 0u);
  EXPECT_EQ(pay.bytes, NamedBody("pay", "v1").size());
  EXPECT_FALSE(pay.is_last_good);
  const ResourcesReport few = control.plane().Resources({"", "", 1});
  EXPECT_EQ(few.resources.size(), 1u);
  EXPECT_EQ(few.more_resources, 1u);
}

TEST_P(ClientReports, AreWhatCsdsShows) {
  ControlUnderTest control;
  control.Put(kClusterTypeName, "pay", "v1");
  AdsTestClient client(control.address());
  const auto stream = Open(client);
  stream->Ask(kClusterTypeName, {"nowhere", "pay"});
  stream->Ack(stream->Next());
  control.Put(kClusterTypeName, "pay", "v2");
  stream->Nack(stream->Next(), "pay: no");
  const ClientReport report = Await(control.plane(), DeliveryState::kFailed, 3);
  ASSERT_EQ(report.resources.size(), 2u);

  const auto stub = ClientStatusDiscoveryService::NewStub(
      grpc::CreateChannel(control.address(), grpc::InsecureChannelCredentials()));
  ClientStatusRequest request;
  ClientStatusResponse response;
  {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + kPatience));
    const grpc::Status status = stub->FetchClientStatus(&context, request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }
  ASSERT_EQ(response.config_size(), 1);
  const ClientConfig& config = response.config(0);
  EXPECT_EQ(config.node().id(), "web-1");
  EXPECT_EQ(config.client_scope(), report.stream);
  ASSERT_EQ(config.generic_xds_configs_size(), 2);
  const ClientConfig::GenericXdsConfig& nowhere = config.generic_xds_configs(0);
  EXPECT_EQ(nowhere.name(), "nowhere");
  EXPECT_EQ(nowhere.client_status(), envoy::admin::v3::DOES_NOT_EXIST);
  EXPECT_THAT(nowhere.error_state().details(), HasSubstr("no cluster \"nowhere\""));
  EXPECT_FALSE(nowhere.has_xds_config());
  const ClientConfig::GenericXdsConfig& pay = config.generic_xds_configs(1);
  EXPECT_EQ(pay.name(), "pay");
  EXPECT_EQ(pay.type_url(), absl::StrCat("type.googleapis.com/", kClusterTypeName));
  EXPECT_EQ(pay.client_status(), envoy::admin::v3::NACKED);
  EXPECT_EQ(pay.version_info(), *report.resources[1].client_version);
  EXPECT_EQ(pay.xds_config().value(), NamedBody("pay", "v1"));
  EXPECT_THAT(pay.error_state().details(), HasSubstr("pay: no"));
  EXPECT_TRUE(pay.has_last_updated());

  request.set_exclude_resource_contents(true);
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + kPatience));
  const auto status_stream = stub->StreamClientStatus(&context);
  ASSERT_TRUE(status_stream->Write(request));
  ASSERT_TRUE(status_stream->Read(&response));
  ASSERT_EQ(response.config_size(), 1);
  EXPECT_FALSE(response.config(0).generic_xds_configs(1).has_xds_config());
  status_stream->WritesDone();
  EXPECT_TRUE(status_stream->Finish().ok());
}

TEST_P(ClientReports, AreInTheMetrics) {
  ControlPlaneOptions options;
  const auto metrics = std::make_shared<PrometheusMetrics>();
  options.metrics = metrics;
  ControlUnderTest control(std::move(options));
  control.Put(kClusterTypeName, "pay", "v1");
  {
    AdsTestClient client(control.address());
    const auto stream = Open(client);
    stream->Ask(kClusterTypeName, {"pay"});
    stream->Ack(stream->Next());
    control.Put(kClusterTypeName, "pay", "v2");
    stream->Ack(stream->Next());
    control.Put(kClusterTypeName, "pay", "v3");
    stream->Nack(stream->Next(), "no");
    Await(control.plane(), DeliveryState::kHeldBack);
    const std::string text = metrics->Text();
    EXPECT_THAT(text, HasSubstr("holdfast_held_back_clients 1\n"));
    EXPECT_THAT(text, HasSubstr("holdfast_held_back_resources 1\n"));
    EXPECT_THAT(text, HasSubstr("holdfast_held_back_seconds_max 0\n"));
    EXPECT_THAT(text,
                HasSubstr("holdfast_push_duration_seconds_count{type=\"envoy.config.cluster.v3."
                          "Cluster\"} 1\n"));
  }
  // The client is gone, and so is what was said of it.
  const absl::Time end = absl::Now() + kPatience;
  while (absl::Now() < end && !control.plane().Clients().clients.empty()) std::this_thread::yield();
  EXPECT_THAT(control.plane().Clients().clients, IsEmpty());
  EXPECT_THAT(metrics->Text(), HasSubstr("holdfast_held_back_clients 0\n"));
}

// Each by its name, all by name, and all because somebody asked for everything.
TEST_P(ClientReports, SayTheSameOfOneResourceAndOfAll) {
  ControlUnderTest control;
  for (const char* name : {"good", "held", "failed", "waiting"}) {
    control.Put(kClusterTypeName, name, "v1");
  }
  AdsTestClient first(control.address(), "web-1");
  AdsTestClient second(control.address(), "web-2");
  const auto named = Open(first);
  const auto every = Open(second);
  named->Ask(kClusterTypeName, {"good", "held", "waiting"});
  named->Ack(named->Next());
  every->Ask(kClusterTypeName, {});
  every->Nack(every->Next(), "failed: no");
  Await2(control.plane(), DeliveryState::kGood, DeliveryState::kFailed);
  control.Put(kClusterTypeName, "held", "v2");
  named->Nack(named->Next(), "held: no");
  every->Ack(every->Next());
  // Delta: what it said no to is not sent again, so nothing is said of it.
  const bool is_sotw = GetParam() == Variant::kSotw;
  Await2(control.plane(), DeliveryState::kHeldBack,
         is_sotw ? DeliveryState::kGood : DeliveryState::kFailed);
  control.Put(kClusterTypeName, "waiting", "v2");
  named->Next();
  every->Next();

  const ResourcesReport all = control.plane().Resources();
  ASSERT_EQ(all.resources.size(), 4u);
  EXPECT_EQ(all.incomplete, "");
  for (const ServedResource& one : all.resources) {
    const ResourcesReport alone = control.plane().Resources({"", one.name});
    ASSERT_EQ(alone.resources.size(), 1u);
    EXPECT_EQ(CountsText(alone.resources[0]), CountsText(one));
  }
  EXPECT_THAT(all.resources,
              ElementsAre(ResultOf(CountsText, is_sotw ? "failed: 1 good" : "failed: 1 failed"),
                          ResultOf(CountsText, "good: 2 good"),
                          ResultOf(CountsText, "held: 1 good, 1 held back"),
                          ResultOf(CountsText, "waiting: 2 waiting")));
}

INSTANTIATE_TEST_SUITE_P(Variants, ClientReports, testing::Values(Variant::kSotw, Variant::kDelta),
                         [](const auto& tested) {
                           return tested.param == Variant::kSotw ? "Sotw" : "Delta";
                         });

TEST(ClientQueries, MeanANodeAStreamOrAPeer) {
  ControlUnderTest control;
  control.Put(kClusterTypeName, "pay", "v1");
  AdsTestClient first(control.address(), "web-1");
  AdsTestClient second(control.address(), "web-2");
  const auto one = first.OpenSotw();
  const auto two = second.OpenDelta();
  one->Ask(kClusterTypeName, {"pay"});
  two->Ask(kClusterTypeName, {"pay"});
  one->Next();
  two->Next();
  const std::vector<ClientReport> all = control.plane().Clients().clients;
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].client, "web-1");
  EXPECT_EQ(all[1].client, "web-2");
  EXPECT_NE(all[0].stream, all[1].stream);
  for (const std::string& text : {all[1].client, all[1].stream, all[1].peer}) {
    const std::vector<ClientReport> found = control.plane().Clients({text, true, 10}).clients;
    ASSERT_EQ(found.size(), 1u) << text;
    EXPECT_EQ(found[0].stream, all[1].stream);
  }
  EXPECT_THAT(control.plane().Clients({"web-3", true, 10}).clients, IsEmpty());
}

}  // namespace
}  // namespace holdfast

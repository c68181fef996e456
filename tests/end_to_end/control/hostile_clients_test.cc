// Clients that ask for too much, or for nothing that makes sense: each hears why its stream ended,
// and nobody else is bothered. And the other way round: a control plane that goes away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/end_to_end/control/control_under_test.h"
#include "tests/support/ads_test_client.h"
#include "wire/ads.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

void ExpectServed(AdsTestStream& stream) {
  stream.Ask(kClusterTypeName, {"pay"});
  EXPECT_THAT(stream.Next().resources, ElementsAre(Pair("pay", NamedBody("pay", "v1"))));
}

TEST(HostileClients, GarbageEndsTheStream) {
  ControlUnderTest control;
  control.Put(kClusterTypeName, "pay", "v1");
  AdsTestClient client(control.address());
  const auto neighbour = client.OpenSotw();
  for (const auto& stream : {client.OpenSotw(), client.OpenDelta()}) {
    stream->Send("\xff\xff\xff\xff garbage");
    const absl::Status end = stream->End();
    EXPECT_EQ(end.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(end.message(), HasSubstr("discovery request of 12 bytes cannot be parsed"));
  }
  ExpectServed(*neighbour);
}

TEST(HostileClients, ARequestWithoutATypeEndsTheStream) {
  ControlUnderTest control;
  AdsTestClient client(control.address());
  for (const auto& stream : {client.OpenSotw(), client.OpenDelta()}) {
    stream->Send("");
    const absl::Status end = stream->End();
    EXPECT_EQ(end.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(end.message(), HasSubstr("type_url"));
  }
}

TEST(HostileClients, ALongTypeEndsTheStream) {
  ControlUnderTest control;
  AdsTestClient client(control.address());
  const std::string prefix(kTypeUrlPrefix);
  for (const auto& stream : {client.OpenSotw(), client.OpenDelta()}) {
    stream->Ask(std::string(1024 - prefix.size(), 't'), {"pay"});
    stream->Next();
    stream->Ask(std::string(1025 - prefix.size(), 't'), {"pay"});
    const absl::Status end = stream->End();
    EXPECT_EQ(end.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(end.message(), "type_url has 1025 bytes; the name of a type has at most 1024");
  }
}

TEST(HostileClients, AHugeNodeEndsTheStream) {
  ControlUnderTest control;
  AdsTestClient client(control.address(), std::string(1 << 20, 'n'));
  for (const auto& stream : {client.OpenSotw(), client.OpenDelta()}) {
    stream->Ask(kClusterTypeName, {"pay"});
    const absl::Status end = stream->End();
    EXPECT_EQ(end.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(end.message(), HasSubstr("more than 65536 bytes of node (--max-node-bytes)"));
  }
}

TEST(HostileClients, TooManyNamesEndTheStream) {
  ControlUnderTest control;
  AdsTestClient client(control.address());
  std::vector<std::string> names;
  for (int i = 0; i < 100'000; ++i) names.push_back(absl::StrCat("name-", i));
  for (const auto& stream : {client.OpenSotw(), client.OpenDelta()}) {
    stream->Ask(kClusterTypeName, names);
    const absl::Status end = stream->End();
    EXPECT_EQ(end.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(end.message(), HasSubstr("more than 50000 names"));
    EXPECT_THAT(end.message(), HasSubstr("--max-names"));
  }
}

// Not hostile: it follows everything, and was sent more than it could have asked for by name.
TEST(HostileClients, AReturningClientMayHaveManyVersions) {
  ControlPlaneOptions options;
  options.most_names = 2;
  ControlUnderTest control(options);
  Transaction change;
  for (int i = 0; i < 100; ++i) change.Put(Named(kClusterTypeName, absl::StrCat("old-", i), "v1"));
  control.Commit(std::move(change));
  AdsTestClient client(control.address());
  DeltaDiscoveryRequest returning = {.type_url = absl::StrCat(kTypeUrlPrefix, kClusterTypeName),
                                     .subscribe = {"*"}};
  for (int i = 0; i < 100; ++i) {
    returning.initial_resource_versions[absl::StrCat("gone-", i)] = "1";
  }
  const auto stream = client.OpenDelta();
  stream->Send(Encode(returning));
  const AdsAnswer answer = stream->Next();
  EXPECT_EQ(answer.resources.size(), 100u);
  EXPECT_EQ(answer.removed.size(), 100u);
}

TEST(HostileClients, AMessageThatIsTooLongEndsTheStream) {
  ControlPlaneOptions options;
  options.most_message_bytes = 1000;
  ControlUnderTest control(options);
  AdsTestClient client(control.address());
  const auto stream = client.OpenSotw();
  stream->Send(std::string(1001, 'x'));
  const absl::Status end = stream->End();
  EXPECT_EQ(end.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(end.message(), HasSubstr("1001 vs. 1000"));
}

TEST(HostileClients, TooManyStreamsOfAConnectionAreRefused) {
  ControlPlaneOptions options;
  options.most_streams_per_connection = 3;
  ControlUnderTest control(options);
  control.Put(kClusterTypeName, "pay", "v1");
  AdsTestClient client(control.address());
  std::vector<std::unique_ptr<AdsTestStream>> streams;
  for (int i = 0; i < 3; ++i) {
    streams.push_back(client.OpenSotw());
    ExpectServed(*streams.back());
  }
  const absl::Status end = client.OpenDelta()->End();
  EXPECT_EQ(end.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(end.message(), HasSubstr("has 3 streams already (--max-streams-per-connection)"));
  // Another connection has its own.
  AdsTestClient other(control.address());
  ExpectServed(*other.OpenSotw());
  // Those that were there before go on.
  control.Put(kClusterTypeName, "pay", "v2");
  for (const auto& stream : streams) {
    EXPECT_THAT(stream->Next().resources, ElementsAre(Pair("pay", NamedBody("pay", "v2"))));
  }
}

TEST(GoingAway, DrainEndsEveryStream) {
  ControlUnderTest control;
  control.Put(kClusterTypeName, "pay", "v1");
  AdsTestClient client(control.address());
  std::vector<std::unique_ptr<AdsTestStream>> streams;
  streams.push_back(client.OpenSotw());
  streams.push_back(client.OpenDelta());
  for (const auto& stream : streams) ExpectServed(*stream);
  control.plane().Drain();
  streams.push_back(client.OpenSotw());
  for (const auto& stream : streams) {
    EXPECT_EQ(
        stream->End(),
        absl::UnavailableError("the control plane is going away; connect again to reach another"));
  }
}

TEST(GoingAway, DrainDoesNotWaitForAClientThatDoesNotRead) {
  ControlUnderTest control;
  control.Put(kClusterTypeName, "pay", std::string(8 << 20, 'x'));
  AdsTestClient client(control.address());
  const auto stream = client.OpenSotw();
  stream->Ask(kClusterTypeName, {"pay"});
  // Its neighbour on the connection is answered, so its own response is on its way.
  const auto neighbour = client.OpenSotw();
  neighbour->Ask(kEndpointsTypeName, {"pay"});
  neighbour->Next();
  control.plane().Drain(std::chrono::milliseconds(50));
  EXPECT_FALSE(stream->End().ok());
}

TEST(GoingAway, AControlPlaneMayGoBeforeItsServer) {
  ControlUnderTest control;
  control.Put(kClusterTypeName, "pay", "v1");
  AdsTestClient client(control.address());
  const auto stream = client.OpenSotw();
  ExpectServed(*stream);
  control.DestroyPlaneFirst();
  EXPECT_EQ(stream->End().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(client.OpenDelta()->End().code(), absl::StatusCode::kUnavailable);
}

TEST(GoingAway, AControlPlaneWithoutAServerIsNothingSpecial) {
  auto plane = ControlPlane::Create({});
  ASSERT_TRUE(plane.ok());
  EXPECT_FALSE((*plane)->Health().is_serving);
  EXPECT_EQ((*plane)->Commit({}).value(), CommitId{1});
  const ControlPlaneHealth health = (*plane)->Health();
  EXPECT_TRUE(health.is_serving);
  EXPECT_TRUE(health.is_synced);
  EXPECT_EQ(health.commit, CommitId{1});
  EXPECT_THAT(health.problems, IsEmpty());
  (*plane)->Drain();
}

TEST(GoingAway, AServerThatCannotListenLeavesNothingBehind) {
  ControlUnderTest control;
  auto plane = ControlPlane::Create({});
  ASSERT_TRUE(plane.ok());
  grpc::ServerBuilder builder;
  builder.AddListeningPort(control.address(), grpc::InsecureServerCredentials());
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  (*plane)->Register(&builder);
  EXPECT_EQ(builder.BuildAndStart(), nullptr);
}

}  // namespace
}  // namespace holdfast

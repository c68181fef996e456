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
  for (const char* const delta : {"", "delta "}) {
    const auto stream = *delta == 0 ? client.OpenSotw() : client.OpenDelta();
    stream->Ask(kClusterTypeName, {"pay"});
    EXPECT_EQ(stream->End(), absl::ResourceExhaustedError(
                                 absl::StrCat(delta,
                                              "discovery request has more than 65536 bytes of node "
                                              "(--max-node-bytes)")));
  }
}

TEST(HostileClients, TooManyNamesEndTheStream) {
  ControlUnderTest control;
  AdsTestClient client(control.address());
  std::vector<std::string> names;
  for (int i = 0; i < 100'000; ++i) names.push_back(absl::StrCat("name-", i));
  for (const auto& stream : {client.OpenSotw(), client.OpenDelta()}) {
    stream->Ask(kClusterTypeName, names);
    EXPECT_EQ(stream->End(), absl::ResourceExhaustedError(
                                 absl::StrCat("this stream asks for more than 50000 names of type ",
                                              kClusterTypeName, " (--max-names)")));
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
  control.Put(kClusterTypeName, "pay", "v1");
  AdsTestClient client(control.address());
  const auto neighbour = client.OpenSotw();
  for (const char* const delta : {"", "delta "}) {
    const auto open = [&] { return *delta == 0 ? client.OpenSotw() : client.OpenDelta(); };
    auto stream = open();
    stream->Send(std::string(1000, 'x'));
    EXPECT_EQ(stream->End().code(), absl::StatusCode::kInvalidArgument) << "it was read";
    stream = open();
    stream->Send(std::string(1001, 'x'));
    EXPECT_EQ(stream->End(), absl::ResourceExhaustedError(
                                 absl::StrCat(delta,
                                              "discovery request has 1001 bytes, more than 1000 "
                                              "(--max-message-bytes)")));
  }
  ExpectServed(*neighbour);
}

// gRPC's own limit is for the whole server: of its owner, who may have other services there.
TEST(HostileClients, ALimitOfTheBuilderHoldsWhereverItIsSet) {
  for (const bool is_set_before : {false, true}) {
    auto plane = ControlPlane::Create({});
    ASSERT_TRUE(plane.ok());
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    if (is_set_before) builder.SetMaxReceiveMessageSize(1000);
    (*plane)->Register(&builder);
    if (!is_set_before) builder.SetMaxReceiveMessageSize(1000);
    const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
    ASSERT_NE(server, nullptr);
    AdsTestClient client(absl::StrCat("127.0.0.1:", port));
    const auto stream = client.OpenSotw();
    stream->Send(std::string(1001, 'x'));
    EXPECT_EQ(stream->End(),
              absl::ResourceExhaustedError("Received message larger than max (1001 vs. 1000)"));
    (*plane)->Drain();
    server->Shutdown();
  }
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
  EXPECT_EQ(client.OpenDelta()->End(),
            absl::ResourceExhaustedError(
                "this connection has 3 streams already (--max-streams-per-connection); close one, "
                "or open another connection"));
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
